// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// What to import among the files of a ZIP archive, as phyphox and Sensor Logger write them: a table with both sensors,
/// or one of each, or a document.
struct ZipTables {
  private(set) var chosen: [ZipEntry] = []
  /// Names of what else might be a recording in the archive.
  private(set) var leftOut: [String] = []
  /// Tables with times of other sensors.
  private(set) var others: [String] = []
  /// Sensor Logger's tables of what else it knows, which are no samples.
  private(set) var notes: [String] = []
  /// Nanoseconds since 1970 at the tables' time 0, from phyphox's list of events.
  private(set) var started: Int64?
  /// That the experiment was paused, or has no date.
  private(set) var startRemark: String?
  /// Pauses of the experiment.
  private(set) var pauses = ImportPauses()

  /// Looks at the first bytes of each file.
  init<Base: SeekableSource & ~Copyable>(_ archive: borrowing ZipArchive<Base>) throws(ImportError)
  {
    var found: [(entry: ZipEntry, channels: ChannelSet)] = []
    var documents: [ZipEntry] = []
    var bombs: [ZipEntry] = []
    for entry in archive.entries where !entry.name.starts(with: "__MACOSX/".utf8) {
      let name = entry.shownName.lowercased()
      let isJSON = [".json", ".ndjson"].contains(where: name.hasSuffix)
      guard isJSON || [".csv", ".txt", ".tsv", ".gcsv"].contains(where: name.hasSuffix) else {
        continue
      }
      if entry.isBomb {
        // No table, but perhaps a note beside the recording. What cannot be read for another reason may be one sensor's.
        bombs.append(entry)
      } else if isJSON {
        guard entry.size > 0 else { continue }
        var source = try archive.source(entry)
        if try ImportFormat.isDocument(&source) { documents.append(entry) }
      } else {
        var lines = ImportLines(try archive.source(entry))
        if name.hasSuffix("meta/time.csv") {
          (started, pauses, startRemark) = try ImportPauses.start(&lines)
        } else if let layout = try ZipTables.layout(&lines) {
          found.append((entry, layout.channels))
        } else if ["annotation.csv", "metadata.csv"].contains(name.split(separator: "/").last) {
          notes.append(entry.shownName)
        } else if try ZipTables.beginsWithTime(&lines) {
          others.append(entry.shownName)
        }
      }
    }
    func best(_ sensors: ChannelSet...) throws(ImportError) -> [ZipEntry] {
      let entries = found.filter { table in
        sensors.allSatisfy { !table.channels.isDisjoint(with: $0) }
      }.map(\.entry)
      let rank = entries.map(ZipTables.rank).min()
      return try ZipTables.only(entries.filter { ZipTables.rank($0) == rank }, archive.name)
    }
    chosen = try best(.accelerometer, .gyroscope)
    if chosen.isEmpty { chosen = try best(.accelerometer) + best(.gyroscope) }
    if chosen.isEmpty { chosen = try ZipTables.only(documents, archive.name) }
    let places = chosen.map(\.offset)
    let rest = (found.map(\.entry) + documents).filter { !places.contains($0.offset) }
    leftOut = (rest + bombs).map(\.shownName)
    guard !chosen.isEmpty else {
      if let other = ForeignFormat.known(archive: archive.entries.map(\.shownName)) {
        throw .otherFormat(name: archive.name, format: other.name, remedy: other.remedy)
      }
      if let bomb = bombs.first { _ = try archive.source(bomb) }
      throw .zip(
        name: archive.name, offset: 0,
        what: "no file in it is a recording that is known: unpack it, and import one with --columns"
      )
    }
  }

  private static func only(_ entries: [ZipEntry], _ archive: String) throws(ImportError)
    -> [ZipEntry]
  {
    guard entries.count > 1 else { return entries }
    let some = entries.prefix(4).map(\.shownName).joined(separator: ", ")
    let names = some + (entries.count > 4 ? " and \(entries.count - 4) more" : "")
    throw .zip(
      name: archive, offset: UInt64(entries[1].offset),
      what: "it has several recordings, \(names): unpack it, and import one")
  }

  /// The layout of a table; `nil` for another file, such as a list of the phone's properties.
  private static func layout<Source: ImportSource & ~Copyable>(_ lines: inout ImportLines<Source>)
    throws(ImportError) -> ImportLayout?
  {
    do throws(ImportError) {
      return try ImportHead.read(&lines, nil)
    } catch {
      switch error {
      case .zip, .file: throw error
      default: return nil
      }
    }
  }

  /// Whether a table's first column is one of times, as of other sensors.
  private static func beginsWithTime<Source: ImportSource & ~Copyable>(
    _ lines: inout ImportLines<Source>
  ) throws(ImportError) -> Bool {
    lines.rewind()
    do throws(ImportError) {
      guard let line = try lines.next(),
        let first = ImportHead.cells(line, ImportHead.separator(of: line)).first
      else { return false }
      let name = ImportHeading(first).name
      return ImportDialect.all.contains { $0.times[name] != nil }
    } catch {
      switch error {
      case .zip, .file: throw error
      default: return false
      }
    }
  }

  /// With gravity before without it, calibrated before not.
  private static func rank(_ entry: ZipEntry) -> Int {
    let name = entry.shownName.lowercased()
    func has(_ word: String) -> Bool { name.parts(around: word) != nil }
    return has("uncalibrated") || has("linear") ? 2 : has("total") ? 0 : 1
  }
}

extension TableImporter where Source: SeekableSource & ~Copyable {
  /// Reads the tables, or the document, in a ZIP archive.
  ///
  /// - Throws: ``ImportError`` with the byte of the archive, or the line and column in a file of it.
  public static func zip(_ source: consuming Source, _ options: ImportOptions)
    throws(ImportError) -> TableImporter<ZipSource<Source>>
  {
    let archive = try ZipArchive(source)
    let tables = try ZipTables(archive)
    let chosen = tables.chosen
    var options = options
    options.started = options.started ?? tables.started
    options.pauses = tables.pauses
    let names = chosen.map(\.shownName).joined(separator: " and ")
    options.remarks = ["\(archive.name): \(names) \(chosen.count == 1 ? "is" : "are") imported"]
    if let remark = tables.startRemark { options.remarks.append("\(archive.name): \(remark)") }
    if !tables.leftOut.isEmpty {
      let (count, some) = (tables.leftOut.count, tables.leftOut.prefix(4))
      let more = count > 4 ? " and \(count - 4) more" : ""
      options.remarks.append(
        "\(archive.name): \(some.joined(separator: ", "))\(more) \(count == 1 ? "is" : "are") left out: unpack it to "
          + "import \(count == 1 ? "it" : "them")")
    }
    if !tables.others.isEmpty {
      let names = tables.others.prefix(4).joined(separator: ", ")
      let more = tables.others.count > 4 ? " and \(tables.others.count - 4) more" : ""
      options.remarks.append(
        "\(archive.name): \(names)\(more) \(tables.others.count == 1 ? "is" : "are") left out: no columns of an accelerometer or a gyroscope are known there"
      )
    }
    if !tables.notes.isEmpty {
      let names = tables.notes.prefix(4).joined(separator: " and ")
      options.remarks.append(
        "\(archive.name): \(names) \(tables.notes.count == 1 ? "is" : "are") left out: import reads samples alone"
      )
    }
    do throws(ImportError) {
      guard chosen.count == 2 else {
        return try TableImporter<ZipSource<Source>>(try archive.source(chosen[0]), options)
      }
      return try TableImporter<ZipSource<Source>>(
        try archive.source(chosen[0]), with: try archive.source(chosen[1]), options)
    } catch {
      throw error.withRemedyForArchive
    }
  }
}
