// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which cases a run tries, as the environment says.
///
///     IMULOG_CASE=even/none/12/torn-3/zeros/short   that one and no other
///     IMULOG_CASES=all                              the whole space
///     IMULOG_SEED=7                                 another sample
public enum CaseSelection {
  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The one case asked for.
  public static let single = variable("IMULOG_CASE")

  /// Whether all cases are asked for.
  public static let isWhole = variable("IMULOG_CASES") == "all"

  /// Chooses samples; its user prints it.
  public static let seed =
    variable("IMULOG_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)

  /// All of `space`, or `count` of it at random.
  public static func sample<Element>(_ count: Int, of space: [Element]) -> [Element] {
    guard !isWhole, count < space.count else { return space }
    var generator = SeededGenerator(seed: seed)
    return Array(space.shuffled(using: &generator).prefix(count))
  }
}
