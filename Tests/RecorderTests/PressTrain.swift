// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import Recorder
import TestSupport

/// Presses of all lengths and distances, and their gestures by the rules, press by press.
struct PressTrain {
  /// Rising nanoseconds of down, up, down, up …
  private(set) var edges: [Int64] = []

  /// A random train.
  init(_ generator: inout SeededGenerator) {
    // Lengths around each limit, and between.
    let held: [ClosedRange<Int64>] = [
      1...200, 1490...1510, 1600...5000, 5990...6010, 6500...20_000,
    ]
    let apart: [ClosedRange<Int64>] = [1...150, 390...410, 500...3000]
    var time: Int64 = 0
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      for ranges in [apart, held] {
        let range = ranges.randomElement(using: &generator) ?? 1...1
        time += Int64.random(in: range, using: &generator) * 1_000_000
        edges.append(time)
      }
    }
  }

  /// The gestures, computed from the presses' lengths and distances alone.
  var expected: [RecorderInput] {
    var gestures: [RecorderInput] = []
    var open: (down: Int64, up: Int64)?
    for index in stride(from: 0, to: edges.count, by: 2) {
      let (down, up) = (edges[index], edges[index + 1])
      let at = MonotonicTime(nanoseconds: down)
      let isShort = up - down < 1_500_000_000
      if let first = open, down - first.up < 400_000_000, isShort {
        gestures.append(.double(at: MonotonicTime(nanoseconds: first.down)))
        open = nil
        continue
      }
      if let first = open {
        gestures.append(.single(at: MonotonicTime(nanoseconds: first.down)))
        open = nil
      }
      guard !isShort else {
        gestures.append(.press(at: at))
        open = (down, up)
        continue
      }
      let isVeryLong = up - down >= 6_000_000_000
      gestures += [.holding(at: at), isVeryLong ? .veryLong(at: at) : .long(at: at)]
    }
    if let first = open { gestures.append(.single(at: MonotonicTime(nanoseconds: first.down))) }
    return gestures
  }

  /// The events of a recogniser that is woken at its deadlines or late, and gets some edges twice.
  func play(_ generator: inout SeededGenerator) -> [RecorderInput] {
    var recogniser = GestureRecogniser(isHeldAtStart: false)
    var events: [RecorderInput] = []
    for (index, stamp) in edges.enumerated() {
      while let deadline = recogniser.deadline, deadline.nanoseconds <= stamp,
        Bool.random(using: &generator)
      {
        events += recogniser.elapse(to: deadline)
      }
      let edge = LineEdge(isActive: index % 2 == 0, time: MonotonicTime(nanoseconds: stamp))
      events += recogniser.handle(edge)
      if Bool.random(using: &generator) { events += recogniser.handle(edge) }
    }
    while let deadline = recogniser.deadline { events += recogniser.elapse(to: deadline) }
    return events.gestures
  }
}
