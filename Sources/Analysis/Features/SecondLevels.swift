// SPDX-License-Identifier: Apache-2.0

/// How strong the motion was over a recording, in at most ``most`` levels of whole seconds: for a small picture. Each level
/// is the strongest second of its span; seconds without samples have none.
///
///     1 s a level ─► the seconds reach past the last level ─► pairs are joined: 2 s a level ─► …
package struct SecondLevels: Equatable, Sendable {
  package static let most = 96

  /// The levels so far, the first of the first second.
  package private(set) var levels: [Double] = []
  /// Seconds of each level.
  package private(set) var span: Int64 = 1
  private var first: Int64?

  package init() {}

  /// Adds a second, not before the one that was added last.
  package mutating func add(_ level: Double, at second: Int64) {
    let first = first ?? second
    self.first = first
    let offset = max(0, second &- first)
    while offset / span >= Int64(SecondLevels.most) {
      levels = stride(from: 0, to: levels.count, by: 2).map { (place: Int) -> Double in
        levels[place..<min(place + 2, levels.count)].max() ?? 0
      }
      span *= 2
    }
    let place = Int(offset / span)
    while levels.count <= place { levels.append(0) }
    levels[place] = max(levels[place], level)
  }
}
