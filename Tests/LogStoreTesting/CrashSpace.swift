// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport

/// All ways to lose power during a recording, and all faults of its calls.
public enum CrashSpace {
  /// Subsets of so many operations are tried without exception; of more a sample.
  static let exhaustiveCount = 5
  static let seeds: Range<UInt64> = 0..<8

  /// Every loss of power after and during each operation of a recording.
  public static func crashes(of recorded: WrittenRecording) -> [CrashCase] {
    (0...recorded.operations.count).flatMap { crashes(of: recorded, at: $0) }
  }

  /// Some losses of power when everything is over: the remains of a fault.
  public static func endings(of recorded: WrittenRecording, count: Int) -> [CrashCase] {
    var generator = SeededGenerator(seed: UInt64(recorded.callCount))
    let all = crashes(of: recorded, at: recorded.operations.count)
    return Array(all.shuffled(using: &generator).prefix(count))
  }

  private static func crashes(of recorded: WrittenRecording, at point: Int) -> [CrashCase] {
    let count = recorded.disks[point].pending.count
    var survivals = subsets(of: count, seed: UInt64(point)).map { CrashCase.Survival.keep($0) }
    for boundary in 1..<(recorded.boundaryCount(at: point) + 1) {
      survivals.append(.torn(boundary: boundary, alone: false))
      if count > 0 { survivals.append(.torn(boundary: boundary, alone: true)) }
    }
    if count > 0 { survivals += seeds.flatMap { [.scatter($0), .shuffle($0)] } }
    guard survivals.count > 1 else {
      return [CrashCase(recorded.story, recorded.fault, point: point, .keep([]))]
    }
    return survivals.flatMap { survival in
      CrashCase.Medium.allCases.flatMap { medium in
        [false, true].map { isGrown in
          CrashCase(
            recorded.story, recorded.fault, point: point, survival, medium, isGrown: isGrown)
        }
      }
    }
  }

  /// All subsets of a few; of many those that leave out one or take one, and some at random.
  private static func subsets(of count: Int, seed: UInt64) -> [[Bool]] {
    guard count > exhaustiveCount else {
      return (0..<(1 << count)).map { mask in (0..<count).map { mask >> $0 & 1 == 1 } }
    }
    var generator = SeededGenerator(seed: seed)
    let ones = (0..<count).flatMap { chosen in
      [(0..<count).map { $0 == chosen }, (0..<count).map { $0 != chosen }]
    }
    let some = seeds.map { _ in (0..<count).map { _ in Bool.random(using: &generator) } }
    return ones + some + [[Bool](repeating: true, count: count)]
  }

  /// Every fault of every call of a recording that has `callCount` of them, the first one excepted,
  /// which opens the store; and disks that are full at every half page.
  public static func faults(callCount: Int) -> [FaultScript.Plan] {
    var plans: [FaultScript.Plan] = []
    for index in 1..<callCount {
      plans += [EIO, ENOSPC, EINTR, EROFS].map { .once(index, errno: $0) }
      plans += [EIO, ENOSPC].map { .from(index, errno: $0) }
      plans += [1, 100, 512, 1000].map { .short(index, bytes: $0) }
    }
    plans += stride(from: 0, through: 140_000, by: 2048).map { .full(at: $0 + $0 % 4096 / 7) }
    return plans + [1000, 4095].map { .troubled(bytes: $0) }
  }
}
