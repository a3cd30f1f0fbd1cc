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

  /// Sets ``text`` to the cell of an instant, and returns the instant from which on it may be another.
  mutating func move(to time: Int64) -> Int64 {
    if stretch.contains(time) { return stretch.upperBound }
    let next = edges.partitioningIndex { $0 > time }
    stretch = (next == 0 ? .min : edges[next - 1])..<(next == edges.count ? .max : edges[next])
    let names = LabelColumn.names(labels, at: time)
    text = names.isEmpty ? empty : prefix + Array(names.utf8) + suffix
    return stretch.upperBound
  }

  /// The names of the labels at an instant, each once, in the order of their bytes, joined.
  static func names(_ labels: [RecordingLabel], at time: Int64) -> String {
    let names = Set(labels.filter { $0.from <= time && time < $0.to }.map(\.name))
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: ";")
  }
}

extension Array where Element == Int64 {
  /// The first index from which on all elements are in the second part.
  fileprivate func partitioningIndex(_ isInSecondPart: (Int64) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
