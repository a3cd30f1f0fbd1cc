// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What to import among the files of a ZIP archive, as phyphox and Sensor Logger write them: a table with both sensors,
/// or one of each, or a document.
struct ZipTables {
  private let archive: ZipArchive
  private let chosen: [ZipEntry]
  private var remarks: [String] = []
  /// Nanoseconds since 1970 at time 0.
  private var started: Int64?

  /// Looks at the head of each file.
  init(_ archive: ZipArchive, _ request: ImportRequest) throws(ImportError) {
    self.archive = archive
    var (tables, others): ([(entry: ZipEntry, groups: [Group])], [ZipEntry]) = ([], [])
    var pauses = 0
    for entry in archive.entries where entry.size > 0 {
      let name = entry.shownName.lowercased()
      let isText = [".csv", ".txt", ".tsv", ".gcsv", ".json", ".ndjson"].contains {
        name.hasSuffix($0)
      }
      guard isText, !name.hasPrefix("__macosx/") else { continue }
      if entry.isBomb {
        // No table, but perhaps a note beside the recording.
        others.append(entry)
      } else if name.hasSuffix("meta/time.csv") {
        (started, pauses) = try ZipTables.events(try archive.source(entry))
      } else {
        let groups = try ZipTables.groups(try archive.source(entry), request)
        if groups.isEmpty { others.append(entry) } else { tables.append((entry, groups)) }
      }
    }
    /// The files with these sensors: those with gravity before those without it, calibrated ones before others.
    func best(_ groups: Group...) throws(ImportError) -> [ZipEntry] {
      let found = tables.filter { Set($0.groups).isSuperset(of: groups) }.map(\.entry)
      let rank = found.map(ZipTables.rank).min()
      let best = found.filter { ZipTables.rank($0) == rank }
      guard best.count > 1 else { return best }
      throw ImportError(
        archive.name, "has several recordings, \(ZipTables.list(best))",
        remedy: "unpack it, and import one")
    }
    let both = try best(.accelerometer, .gyroscope)
    chosen = both.isEmpty ? try best(.accelerometer) + best(.gyroscope) : both
    guard !chosen.isEmpty else {
      let isSheet = archive.entries.contains {
        ["xl/workbook.xml", "content.xml"].contains($0.shownName)
      }
      throw isSheet
        ? ImportError(
          archive.name, "is a spreadsheet, which import does not read",
          remedy: "save the sheet as CSV UTF-8, and import that")
        : ImportError(
          archive.name, "has no file that is a recording by its header",
          remedy: "unpack it, and import a table with --columns")
    }
    let words = chosen.map { entry in
      ColumnName.pieces(entry.shownName).map { $0.lowercased() }
        .filter { !ColumnName.isSensor($0) && !ZipTables.kinds.contains($0) }
    }
    guard Set(words).count == 1 else {
      throw ImportError(
        archive.name,
        "has \(ZipTables.list(chosen)), whose names do not say that they are one recording",
        remedy: "unpack it, and import one, or both at once if they are")
    }
    let places = chosen.map(\.offset)
    let left = (tables.map(\.entry) + others).filter { !places.contains($0.offset) }
    let names = chosen.map(\.shownName).joined(separator: " and ")
    remarks = ["\(archive.name): \(names) \(chosen.count == 1 ? "is" : "are") imported"]
    if !left.isEmpty { remarks[0] += "; left out: \(ZipTables.list(left))" }
    guard pauses == 0 || request.isAnyway else {
      throw ImportError(
        archive.name,
        "the experiment was paused \(Plain.count(pauses, "time")), and its times do not count that",
        remedy: "import it with --anyway, with times that are too early after a pause")
    }
  }

  func opening() throws(ImportError) -> Opening {
    var sources: [any ImportSource] = []
    for entry in chosen { sources.append(try archive.source(entry)) }
    return try Opening(text: sources, remarks: remarks, archive: archive.name, started: started)
  }

  private static func list(_ entries: [ZipEntry]) -> String {
    entries.prefix(4).map(\.shownName).joined(separator: ", ")
      + (entries.count > 4 ? " and \(entries.count - 4) more" : "")
  }

  /// The sensors of a table or a document; none of another file, such as a list of the phone's properties.
  private static func groups(_ source: ZipSource, _ request: ImportRequest) throws(ImportError)
    -> [Group]
  {
    do throws(ImportError) {
      return try TableReader(source, request).understanding.groups
    } catch {
      // Damage of the archive has a byte of it.
      if error.place?.line == 0 || error.exitStatus != .damagedData { throw error }
      return []
    }
  }

  /// Words of names that apps write beside a sensor's.
  private static let kinds: Set = [
    "total", "uncalibrated", "linear", "acceleration", "without", "g", "with",
  ]

  private static func rank(_ entry: ZipEntry) -> Int {
    let name = entry.shownName.lowercased()
    func has(_ word: String) -> Bool { name.parts(around: word) != nil }
    return has("uncalibrated") || has("linear") ? 2 : has("total") ? 0 : 1
  }

  /// The date of a phyphox experiment's time 0, and its pauses, which its times do not count.
  ///
  ///     "event"    "experiment time"    "system time"
  ///     "START"          0.0               100.0        time 0 is at 100
  ///     "PAUSE"          2.5               102.5
  private static func events(_ source: ZipSource) throws(ImportError) -> (
    started: Int64?, pauses: Int
  ) {
    let lines = Lines(source)
    var (started, starts): (Int64?, Int) = (nil, 0)
    while let line = try lines.next() {
      guard line.starts(with: "\"START\"".utf8) else { continue }
      starts += 1
      let separator = line.first { ",;\t".utf8.contains($0) } ?? UInt8(ascii: ",")
      var times: [Int64] = []
      for cell in Heading.cells(line, separator).dropFirst().prefix(2) {
        let mark = cell.first { ".,".utf8.contains($0) } ?? UInt8(ascii: ".")
        if case .number(let number) = DecimalField(cell, mark: mark),
          let time = number.whole(tenTo: 9)?.value, time.magnitude < 1 << 62
        {
          times.append(time)
        }
      }
      if starts == 1, times.count == 2 { started = times[1] - times[0] }
    }
    return (started, max(0, starts - 1))
  }
}
