// SPDX-License-Identifier: Apache-2.0

import LogStore
import Text

/// A search of a list: which recordings' rows contain a phrase.
///
/// Reading rows takes long in a large store, so the caller searches row by row, from the newest on, as it has the time:
///
///     entries    9 8 7 6 5 4 3 2 1
///     found      + - + - ? ? ? ? ?      4 of 9 searched
///                        ▲ next
struct ListSearch: Sendable {
  private(set) var phrase = ""
  private var wanted = ""
  /// Whether each row that was searched contains the phrase, by file.
  private var verdicts: [String: Bool] = [:]
  /// Rows before this position have been searched.
  private var position = 0

  /// Begins again; the empty phrase is in every row.
  mutating func search(for phrase: String) {
    self.phrase = phrase
    wanted = phrase.lowercased()
    verdicts = [:]
    position = 0
  }

  /// Rows that have been searched; all of them for the empty phrase.
  func searchedCount(of entries: [CatalogueEntry]) -> Int {
    wanted.isEmpty ? entries.count : min(verdicts.count, entries.count)
  }

  /// The next recording to search; `nil` after the last one.
  mutating func next(in entries: [CatalogueEntry]) -> CatalogueEntry? {
    guard !wanted.isEmpty else { return nil }
    while position < entries.count, verdicts[entries[position].fileName] != nil { position += 1 }
    return position < entries.count ? entries[position] : nil
  }

  mutating func take(_ entry: CatalogueEntry, _ details: ListDetails) {
    verdicts[entry.fileName] = details.contains(wanted, number: entry.number)
  }

  /// Forgets the recordings that are gone; those that are new will be searched.
  mutating func refresh(_ entries: [CatalogueEntry]) {
    guard !wanted.isEmpty else { return }
    var kept: [String: Bool] = [:]
    for entry in entries { kept[entry.fileName] = verdicts[entry.fileName] }
    verdicts = kept
    position = 0
  }

  /// A row has changed: it will be searched again.
  mutating func forget(_ file: String) {
    verdicts[file] = nil
    position = 0
  }

  func found(in entries: [CatalogueEntry]) -> [CatalogueEntry] {
    wanted.isEmpty ? entries : entries.filter { verdicts[$0.fileName] == true }
  }
}

extension ListDetails {
  /// Whether a searched cell contains a phrase in lower case.
  fileprivate func contains(_ phrase: String, number: UInt32) -> Bool {
    let cells = ["\(number)", started + " " + zone, sensor, state, note]
    return cells.contains { $0.lowercased().parts(around: phrase) != nil }
  }
}
