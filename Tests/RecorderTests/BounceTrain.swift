// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A contact that bounces for up to 15 ms at each press and release, with short disturbances between, and the edges that
/// the kernel's 20 ms debouncing reports: a level that was stable for that long, stamped when the kernel checks it, some
/// milliseconds later on a busy machine (`debounce_work_func` of drivers/gpio/gpiolib-cdev.c).
///
///     finger   ▁▁▁▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
///     contact  ▁▁▁▔▁▔▁▁▔▔▔▔▔▔▔▔▔▁▔▔▔▔▔▔▁▔▁▁▔▁▁▁▁▁▁▁▁▁▁▁▁
///     edge             └─ 20 ms ─┘↓            └─ 20 ms ─┘↓
struct BounceTrain {
  /// The finger's presses and releases.
  let finger: PressTrain
  /// The edges that the kernel reports.
  let edges: PressTrain

  /// The greatest delay of an edge after the finger: bounces, 20 ms, and a late kernel.
  static let latest: Int64 = 15_000_000 + debounce + 4_000_000

  private static let debounce: Int64 = 20_000_000

  /// A train whose presses and pauses differ from the limits between gestures by more than debouncing shifts them.
  init(_ generator: inout SeededGenerator) {
    let held: [ClosedRange<Int64>] = [60...200, 200...1440, 1560...5900, 6060...9000]
    let apart: [ClosedRange<Int64>] = [60...340, 460...3000]
    var finger: [Int64] = []
    var time: Int64 = 0
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      for ranges in [apart, held] {
        let range = ranges.randomElement(using: &generator) ?? 100...100
        time += Int64.random(in: range, using: &generator) * 1_000_000
        finger.append(time)
      }
    }
    self.finger = PressTrain(edges: finger)
    edges = PressTrain(
      edges: BounceTrain.debounced(BounceTrain.contact(finger, &generator), &generator))
  }

  /// Instants at which the contact changes its level, beginning with open.
  private static func contact(_ finger: [Int64], _ generator: inout SeededGenerator) -> [Int64] {
    var changes: [Int64] = []
    for (index, stamp) in finger.enumerated() {
      // An odd number of changes: the contact ends at the finger's level.
      var times = [stamp]
      for _ in 0..<2 * Int.random(in: 0...8, using: &generator) {
        times.append(stamp + .random(in: 1...15_000_000, using: &generator))
      }
      changes += times.sorted()
      // A disturbance, too short for the kernel to accept as a level, between other changes.
      let next = index + 1 < finger.count ? finger[index + 1] : stamp + 500_000_000
      if Bool.random(using: &generator), next - stamp > 150_000_000 {
        let begin = Int64.random(in: stamp + 45_000_000...next - 45_000_000, using: &generator)
        changes += [begin, begin + .random(in: 1...19_000_000, using: &generator)]
      }
    }
    return changes
  }

  /// The debounced changes: levels that were stable for 20 ms, reported once each.
  private static func debounced(_ changes: [Int64], _ generator: inout SeededGenerator) -> [Int64] {
    var edges: [Int64] = []
    for (index, change) in changes.enumerated() {
      let told = change + debounce + .random(in: 0...4_000_000, using: &generator)
      let isStable = index + 1 == changes.count || changes[index + 1] > told
      // An even index closes the contact; so does an even number of edges.
      if isStable, index % 2 == edges.count % 2 { edges.append(told) }
    }
    return edges
  }
}
