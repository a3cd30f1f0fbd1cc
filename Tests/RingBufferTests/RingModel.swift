// SPDX-License-Identifier: Apache-2.0

/// The expected behaviour of a ring, as an array: the reference for the real one.
struct RingModel {
  let capacity: Int
  private(set) var elements: [Int] = []

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func push(_ element: Int) -> Bool {
    guard elements.count < capacity else { return false }
    elements.append(element)
    return true
  }

  mutating func pop() -> Int? {
    elements.isEmpty ? nil : elements.removeFirst()
  }

  func peek(_ index: Int) -> Int? {
    index < elements.count ? elements[index] : nil
  }
}
