// SPDX-License-Identifier: Apache-2.0

import LogStore

/// A recording's row in a list.
public struct ListDetails: Equatable, Sendable {
  /// Start in local time, such as `2026-11-21 15:04:11`.
  public var started = ""
  /// The zone's offset at the start, such as `+01:00`.
  public var zone = ""
  /// Such as `1:00`.
  public var length = ""
  /// The chip's model.
  public var sensor = ""
  /// Samples a second, such as `100`.
  public var hertz = ""
  /// `complete`, `recovered`, …
  public var state = ""
  /// Runs of ticks without samples; `-` for none.
  public var gaps = ""
  /// Such as `12 kB`.
  public var size = ""
  /// The user's words, such as `[walking, running] left shoe` with the names of labels; or the problem.
  public var note = ""
  /// Whether there is a problem.
  public var isAlert = false
  /// Whether a later look may find another row: the recording is running.
  public var isPassing = false

  /// An empty row.
  public init() {}
}

/// A list's rows in aligned columns. The least important columns are left out where there is no room.
struct ListTable {
  let entries: [(entry: CatalogueEntry, details: ListDetails)]
  let selection: CatalogueEntry?
  let glyphs: GlyphSet

  /// A column. The one of the greatest rank is left out first.
  private struct Column: Sendable {
    let heading: String
    let isNumeric: Bool
    let rank: Int
    let text: @Sendable (CatalogueEntry, ListDetails) -> String
  }

  private static let wide = [
    Column(heading: "NUMBER", isNumeric: true, rank: 0) { entry, _ in "\(entry.number)" },
    Column(heading: "STARTED", isNumeric: false, rank: 1) { $1.started + " " + $1.zone },
    Column(heading: "LENGTH", isNumeric: true, rank: 2) { $1.length },
    Column(heading: "SENSOR", isNumeric: false, rank: 7) { $1.sensor },
    Column(heading: "RATE", isNumeric: true, rank: 6) {
      $1.hertz.isEmpty ? "" : $1.hertz + " Hz"
    },
    Column(heading: "STATE", isNumeric: false, rank: 3) { $1.state },
    Column(heading: "GAPS", isNumeric: true, rank: 4) { $1.gaps },
    Column(heading: "SIZE", isNumeric: true, rank: 5) { $1.size },
  ]

  /// The same for 80 columns: with a zone that all rows share in the heading, and with seconds if there is room.
  private func short(hasSeconds: Bool) -> [Column] {
    let zones = Set(entries.map(\.details.zone).filter { !$0.isEmpty })
    let zone = zones.count == 1 ? zones.first : nil
    return ListTable.wide.map { column in
      switch column.heading {
      case "NUMBER":
        return Column(heading: "NO.", isNumeric: true, rank: column.rank, text: column.text)
      case "STARTED":
        let heading = [column.heading, zone].compactMap { $0 }.joined(separator: " ")
        // The zone's offset changed between these recordings: each row has its own.
        return Column(heading: heading, isNumeric: false, rank: column.rank) {
          (hasSeconds ? $1.started : String($1.started.prefix(ListTable.minute)))
            + (zone == nil ? " " + $1.zone : "")
        }
      case "RATE":
        return Column(heading: "HZ", isNumeric: true, rank: column.rank) { $1.hertz }
      default: return column
      }
    }
  }

  /// Characters of a start to the minute: `2026-11-21 15:04`.
  private static let minute = 16
  private static let leastNote = 8

  func draw(on screen: inout Screen, row: Int) {
    guard !entries.isEmpty else { return }
    var shown = ListTable.wide
    var widths = shown.map(width)
    var space = 2
    func total() -> Int { 2 + widths.reduce(0) { $0 + $1 + space } }
    func fits() -> Bool { total() + ListTable.leastNote <= screen.columns }
    // No column is left out for the sake of seconds.
    for (hasSeconds, narrowSpace) in [(true, 2), (true, 1), (false, 2), (false, 1)] where !fits() {
      shown = short(hasSeconds: hasSeconds)
      widths = shown.map(width)
      space = narrowSpace
    }
    while shown.count > 2, !fits(),
      let least = shown.indices.max(by: { shown[$0].rank < shown[$1].rank })
    {
      shown.remove(at: least)
      widths.remove(at: least)
    }
    let places = places(widths, space: space)
    line(shown.map(\.heading), "NOTE", shown, places, on: &screen, row: row, .faint)
    for (index, item) in entries.enumerated() {
      let place = row + 1 + index
      let cells = shown.map { $0.text(item.entry, item.details) }
      line(
        cells, item.details.note, shown, places, on: &screen, row: place,
        CellStyle(item.details.isAlert ? .alert : .text))
      guard item.entry == selection else { continue }
      screen.put(glyphs.pointer, row: place, column: 0)
      screen.restyle(row: place, CellStyle(.text, isReversed: true))
    }
  }

  private func places(_ widths: [Int], space: Int) -> [Range<Int>] {
    var places: [Range<Int>] = []
    var start = 2
    for width in widths + [0] {
      places.append(start..<start + width)
      start += width + space
    }
    return places
  }

  private func width(_ column: Column) -> Int {
    entries.map { CellWidth.of(column.text($0.entry, $0.details)) }
      .reduce(CellWidth.of(column.heading), max)
  }

  private func line(
    _ cells: [String], _ note: String, _ columns: [Column], _ places: [Range<Int>],
    on screen: inout Screen, row: Int, _ style: CellStyle
  ) {
    for (index, cell) in cells.enumerated() {
      if columns[index].isNumeric {
        screen.put(cell, row: row, endingBefore: places[index].upperBound, style)
      } else {
        screen.put(cell, row: row, column: places[index].lowerBound, style)
      }
    }
    // The note of a row that cannot be read is its reason: it takes the room of the figures that are not known.
    let known = (cells.lastIndex { !$0.isEmpty } ?? -1) + 1
    let start = places[known].lowerBound
    screen.put(
      CellWidth.fit(note, screen.columns - start, isASCII: glyphs.isASCII), row: row,
      column: start, style)
  }
}
