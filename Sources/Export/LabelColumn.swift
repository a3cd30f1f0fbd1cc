// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The text of a table's column of labels: the names at each instant, with `;` between them.
///
///     time     0        2        3        8
///     labels            [ step            )
///                                [ left   )
///     text     ""       step     left;step ""
struct LabelColumn {
  private let (prefix, suffix, empty): ([UInt8], [UInt8], [UInt8])
  private let labels: [RecordingLabel]
  /// Where the names may change, ascending.
  private let edges: [Int64]
  /// Edges up to the last instant; `nil` before the first one.
  private var passed: Int?
  /// The cell of the last instant.
  private(set) var text: [UInt8] = []

  /// - Parameters:
  ///   - prefix: Before the names, the column's separator and key too.
  ///   - empty: A cell without names.
  init(_ labels: [RecordingLabel], prefix: String, suffix: String, empty: String) {
    self.labels = labels
    (self.prefix, self.suffix) = (Array(prefix.utf8), Array(suffix.utf8))
    self.empty = Array(empty.utf8)
    edges = Set(labels.flatMap { [$0.from, $0.to] }).sorted()
  }

  /// Sets ``text`` to the cell of an instant; returns the instant from which on it may be another, `nil` where none follows.
  mutating func move(to time: Int64) -> Int64? {
    var place = passed ?? 0
    while place < edges.count, edges[place] <= time { place += 1 }
    while place > 0, edges[place - 1] > time { place -= 1 }
    if place != passed {
      passed = place
      let names = LabelColumn.names(labels, at: time)
      text = names.isEmpty ? empty : prefix + Array(names.utf8) + suffix
    }
    return place < edges.count ? edges[place] : nil
  }

  /// The names of the labels at an instant, each once, in the order of their bytes, joined.
  ///
  /// Names are the same where their bytes are, as in files of labels: two spellings of `é` are two names, which
  /// `String`'s own comparison would take for one.
  static func names(_ labels: [RecordingLabel], at time: Int64) -> String {
    let names = Set(labels.filter { $0.from <= time && time < $0.to }.map { Array($0.name.utf8) })
    return names.sorted { $0.lexicographicallyPrecedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: ";")
  }
}
