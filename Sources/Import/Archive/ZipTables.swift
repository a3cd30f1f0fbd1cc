// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What to import among the files of a ZIP archive, as phyphox and Sensor Logger write them: a table with both sensors,
/// or one of each, or a document.
struct ZipTables {
  private(set) var chosen: [ZipEntry] = []
  /// Start and pauses of phyphox's experiment.
  private(set) var events: PhyphoxEvents?
  private(set) var remarks: [String] = []

  /// Looks at the head of each file.
  init<Base: SeekableSource & ~Copyable>(
    _ archive: borrowing ZipArchive<Base>, _ request: ImportRequest
  ) throws(ImportError) {
    var tables: [(entry: ZipEntry, groups: [Group])] = []
    var (documents, others): ([ZipEntry], [ZipEntry]) = ([], [])
    for entry in archive.entries where !entry.name.starts(with: "__MACOSX/".utf8) {
      let name = entry.shownName.lowercased()
      let isJSON = [".json", ".ndjson"].contains(where: name.hasSuffix)
      guard isJSON || [".csv", ".txt", ".tsv", ".gcsv"].contains(where: name.hasSuffix),
        entry.size > 0
      else { continue }
      if entry.isBomb {
        // No table, but perhaps a note beside the recording. What cannot be read for another reason may be one sensor's.
        others.append(entry)
      } else if name.hasSuffix("meta/time.csv") {
        events = try PhyphoxEvents(try archive.source(entry), request)
      } else {
        let groups = try ZipTables.groups(try archive.source(entry), request, isJSON: isJSON)
        if isJSON, !groups.isEmpty {
          documents.append(entry)
        } else if !groups.isEmpty {
          tables.append((entry, groups))
        } else {
          others.append(entry)
        }
      }
    }
    func best(_ groups: Group...) throws(ImportError) -> [ZipEntry] {
      let entries = tables.filter { table in groups.allSatisfy { table.groups.contains($0) } }.map(
        \.entry)
      let rank = entries.map(ZipTables.rank).min()
      return try ZipTables.only(entries.filter { ZipTables.rank($0) == rank }, archive.name)
    }
    chosen = try best(.accelerometer, .gyroscope)
    if chosen.isEmpty { chosen = try best(.accelerometer) + best(.gyroscope) }
    if chosen.isEmpty { chosen = try ZipTables.only(documents, archive.name) }
    guard !chosen.isEmpty else {
      throw ZipTables.refusal(archive.entries.map(\.shownName), archive.name)
    }
    let places = chosen.map(\.offset)
    let left = (tables.map(\.entry) + documents + others).filter { !places.contains($0.offset) }
    let names = chosen.map(\.shownName).joined(separator: " and ")
    remarks = ["\(archive.name): \(names) \(chosen.count == 1 ? "is" : "are") imported"]
    if !left.isEmpty { remarks[0] += "; left out: \(ZipTables.list(left))" }
    if let remark = events?.remark { remarks.append("\(archive.name): \(remark)") }
  }

  private static func list(_ entries: [ZipEntry]) -> String {
    entries.prefix(4).map(\.shownName).joined(separator: ", ")
      + (entries.count > 4 ? " and \(entries.count - 4) more" : "")
  }

  private static func only(_ entries: [ZipEntry], _ archive: String) throws(ImportError)
    -> [ZipEntry]
  {
    guard entries.count > 1 else { return entries }
    throw ImportError(
      archive, "has several recordings, \(list(entries))", remedy: "unpack it, and import one")
  }

  /// The sensors of a table or a document; none of another file, such as a list of the phone's properties.
  private static func groups<Source: ImportSource & ~Copyable>(
    _ source: consuming Source, _ request: ImportRequest, isJSON: Bool
  ) throws(ImportError) -> [Group] {
    do throws(ImportError) {
      if isJSON {
        let rows = try JSONRows(try source.another())
        // Several sensors, one in each row.
        if rows.shape == .list, rows.names.contains("sensor") { return [.accelerometer] }
      }
      return try TableReader(source, request).understanding.groups
    } catch {
      // Damage of the archive has a byte of it.
      if error.place?.line == 0 || error.exitStatus != .damagedData { throw error }
      return []
    }
  }

  /// With gravity before without it, calibrated before not.
  private static func rank(_ entry: ZipEntry) -> Int {
    let name = entry.shownName.lowercased()
    func has(_ word: String) -> Bool { name.parts(around: word) != nil }
    return has("uncalibrated") || has("linear") ? 2 : has("total") ? 0 : 1
  }

  /// The error of an archive without a recording.
  private static func refusal(_ names: [String], _ archive: String) -> ImportError {
    let kinds = [
      ("xl/workbook.xml", "an Excel workbook", "save the sheet as CSV UTF-8, and import that"),
      ("content.xml", "an OpenDocument file", "save the sheet as CSV, and import that"),
      (
        "log.bin", "an ActiGraph's recording (GT3X)",
        "export it as raw CSV with ActiLife or pygt3x, and import that"
      ),
    ]
    if let kind = kinds.first(where: { names.contains($0.0) }) {
      return ImportError(archive, "is \(kind.1), which import does not read", remedy: kind.2)
    }
    return ImportError(
      archive, "has no file that is a recording by its header",
      remedy: "unpack it, and import a table with --columns")
  }
}
