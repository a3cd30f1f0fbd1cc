// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The text of a table's column of labels: the names at each instant, with `;` between them.
///
///     time     0        2        3        8
///     labels            [ step            )
///                                [ left   )
///     text     ""       step     left;step ""
struct LabelColumn {
  /// What is around the names: all of a cell.
  private let (prefix, suffix, empty): ([UInt8], [UInt8], [UInt8])
  private let labels: [RecordingLabel]
  /// Where the names may change, ascending.
  private let edges: [Int64]
  /// The stretch that ``text`` belongs to.
  private var stretch: Range<Int64> = .min..<(.min)
  /// The first edge after it; `nil` after the last one.
  private var next: Int64?
  /// The cell of the last instant.
  private(set) var text: [UInt8] = []

  /// - Parameters:
  ///   - prefix: Before the names, the column's separator and key too.
  ///   - empty: A cell without names.
  init(_ labels: [RecordingLabel], prefix: String, suffix: String, empty: String) {
    self.labels = labels
    (self.prefix, self.suffix, self.empty) = (
      Array(prefix.utf8), Array(suffix.utf8), Array(empty.utf8)
    )
    edges = Set(labels.flatMap { [$0.from, $0.to] }).sorted()
  }

  /// Sets ``text`` to the cell of an instant, and returns the instant from which on it may be another; `nil` where none
  /// follows.
  mutating func move(to time: Int64) -> Int64? {
    if stretch.contains(time) { return next }
    let place = edges.partitioningIndex { $0 > time }
    next = place == edges.count ? nil : edges[place]
    stretch = (place == 0 ? .min : edges[place - 1])..<(next ?? .max)
    let names = LabelColumn.names(labels, at: time)
    text = names.isEmpty ? empty : prefix + Array(names.utf8) + suffix
    return next
  }

  /// The names of the labels at an instant, each once, in the order of their bytes, joined.
  ///
  /// Names are the same where their bytes are, as in files of labels: two spellings of `é` are two names, which
  /// `String`'s own comparison would take for one.
  static func names(_ labels: [RecordingLabel], at time: Int64) -> String {
    let names = labels.filter { $0.from <= time && time < $0.to }.map(\.name)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let different = names.indices.filter { index in
      index == 0 || !names[index].utf8.elementsEqual(names[index - 1].utf8)
    }
    return different.map { names[$0] }.joined(separator: ";")
  }
}
