// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

/// The selected recording beside a list.
enum ListPreview: Sendable {
  case reading
  case recording(RecordingOnScreen)
  case unreadable(String)

  /// Cells of a screen's width for a preview; `nil` where there is no room for one beside the list.
  static func columns(ofScreen columns: Int, rows: Int) -> Int? {
    guard columns >= 130, rows >= 16 else { return nil }
    return columns - max(80, columns * 11 / 20)
  }

  /// A line at the left, and then title, graph and what is damaged.
  func screen(columns: Int, rows: Int, glyphs: GlyphSet) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    for row in 0..<rows { screen[row, 0] = Cell(glyphs.vertical, .faint) }
    var panel = Screen(columns: columns - 2, rows: rows)
    switch self {
    case .reading: panel.put("reading", row: 0, column: 0, .faint)
    case .unreadable(let sentence): panel.put(paragraph: sentence, row: 0, CellStyle(.alert))
    case .recording(let recording): draw(recording, on: &panel, glyphs)
    }
    screen.put(panel, row: 0, column: 2)
    return screen
  }

  private func draw(_ recording: RecordingOnScreen, on panel: inout Screen, _ glyphs: GlyphSet) {
    recording.putTitle(on: &panel, glyphs)
    let envelope = recording.envelope(recording.span, columns: panel.columns, glyphs: glyphs)
    let isDamaged = recording.damageCount > 0
    GraphPicture(
      sensor: recording.sensor, envelope: envelope, axes: recording.axes(for: envelope),
      marks: recording.trace.marks.map(\.time), glyphs: glyphs
    ).draw(on: &panel, rows: 1..<panel.rows - (isDamaged ? 1 : 0))
    guard isDamaged else { return }
    let count = recording.damageCount
    panel.put(
      "damaged in \(Plain.count(count, "place")); "
        + (recording.trace.sampleCount == 0 ? "no sample can be read" : "the rest is shown"),
      row: panel.rows - 1, column: 0, CellStyle(.alert))
  }
}

/// Reads the recording for a preview, in shares and in bounded memory.
struct PreviewReader: ~Copyable {
  /// As far as the recording was read.
  private(set) var preview = ListPreview.reading
  private let catalogue: Catalogue
  private var entry: CatalogueEntry?
  /// Whether something is still to be read.
  private(set) var isReading = false
  private var filling: RecordingFilling?

  /// Most buckets of the trace: several for each dot of any preview, in 400 kB.
  private static let capacity = 1 << 13

  init(_ catalogue: Catalogue) {
    self.catalogue = catalogue
  }

  /// Turns to a recording, unless it is the present one.
  mutating func select(_ new: CatalogueEntry?) {
    guard new != entry else { return }
    entry = new
    preview = .reading
    filling = nil
    isReading = new != nil
  }

  /// Reads the recording again; until then the preview stays.
  mutating func readAgain() {
    filling = nil
    isReading = entry != nil
  }

  /// Reads on while `goesOn`, which is asked after each block.
  mutating func read(while goesOn: () -> Bool) {
    guard isReading, let entry else { return }
    do {
      var reading =
        try filling.take()
        ?? RecordingFilling(entry, in: catalogue, capacity: PreviewReader.capacity)
      if try reading.read(while: goesOn) {
        filling = consume reading
        return
      }
      preview = .recording(reading.end())
    } catch {
      preview = .unreadable(RecordingProblem.text(error, file: entry.fileName))
    }
    isReading = false
  }
}

extension Screen {
  mutating func put(_ other: Screen, row: Int, column: Int) {
    for line in 0..<other.rows {
      for place in 0..<other.columns { self[row + line, column + place] = other[line, place] }
    }
  }

  /// Writes text in lines, broken between words and within words that are longer than a line.
  mutating func put(paragraph text: String, row: Int, _ style: CellStyle) {
    for (index, line) in Screen.lines(of: text, columns: columns).enumerated() {
      put(line, row: row + index, column: 0, style)
    }
  }

  /// Writes a sentence that ends in a row, over as many rows above it as it needs, from row 1 on.
  mutating func put(notice text: String, endingIn row: Int, _ style: CellStyle, isASCII: Bool) {
    var lines = Screen.lines(of: text, columns: columns - 2)
    let room = max(1, row)
    if lines.count > room {
      let rest = lines[(room - 1)...].joined(separator: " ")
      lines[(room - 1)...] = [CellWidth.fit(rest, columns - 2, isASCII: isASCII)]
    }
    for (index, line) in lines.enumerated() {
      let place = row - lines.count + 1 + index
      for column in 0..<columns { self[place, column] = .blank }
      put(line, row: place, column: 1, style)
    }
  }

  /// Text in lines of at most this many cells.
  private static func lines(of text: String, columns: Int) -> [String] {
    var lines: [String] = []
    var (line, width) = ("", 0)
    func end() {
      lines.append(line)
      (line, width) = ("", 0)
    }
    for word in text.split(separator: " ") {
      if !line.isEmpty, width + 1 + CellWidth.of(word) > columns { end() }
      if !line.isEmpty {
        line += " "
        width += 1
      }
      for scalar in word.unicodeScalars {
        let wanted = CellWidth.of(scalar)
        if width > 0, width + wanted > columns { end() }
        line.unicodeScalars.append(scalar)
        width += wanted
      }
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}
