// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The tables to import among the files of a ZIP archive, as phyphox and Sensor Logger write them: one with both
/// sensors, or one of each.
struct ZipTables {
  /// A file with a table that a dialect knows.
  struct Table {
    let index: Int
    let name: String
    let channels: ChannelSet
  }

  private(set) var chosen: [Table] = []
  private(set) var remarks: [String] = []
  /// Nanoseconds since 1970 at the tables' time 0, from phyphox's list of events.
  private(set) var started: Int64?

  /// Looks at the first bytes of each file.
  static func find<Base: ImportSource & ~Copyable>(_ base: consuming Base) throws(ImportError)
    -> ZipTables
  {
    let archive = base.name
    var zip = ZipSource(base, index: 0, name: "")
    var tables = ZipTables()
    var found: [Table] = []
    var files = 0
    while try zip.nextHeader() {
      guard files < 1000 else {
        throw .zip(
          name: archive, offset: 0, what: "it has more than 1000 files: this is no recording")
      }
      let name = zip.entryName
      let isText = ["csv", "txt", "tsv", "gcsv"].contains { name.lowercased().hasSuffix(".\($0)") }
      if isText, !name.hasPrefix("__MACOSX/") {
        let head = try beginning(&zip)
        if name.hasSuffix("meta/time.csv") {
          tables.started = start(head)
        } else if let layout = layout(head, name) {
          found.append(Table(index: files, name: name, channels: layout.channels))
        }
      }
      try zip.skip()
      files += 1
    }
    try tables.choose(found, archive)
    return tables
  }

  private static func beginning<Base: ImportSource & ~Copyable>(_ zip: inout ZipSource<Base>)
    throws(ImportError) -> [UInt8]
  {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    return Array(buffer[..<(try zip.unpack(into: buffer))])
  }

  private static func layout(_ head: [UInt8], _ name: String) -> ImportLayout? {
    var lines = ImportLines(ZipHead(bytes: head, name: name))
    do throws(ImportError) {
      return try ImportHead.read(&lines, nil)
    } catch {
      // A file that is no table, such as a list of the phone's properties.
      return nil
    }
  }

  /// The instant of the experiment's time 0: `"START",0.0E0,1763800000.123,…`.
  private static func start(_ head: [UInt8]) -> Int64? {
    for line in head.split(separator: UInt8(ascii: "\n")) {
      let cells = line.withUnsafeBytes { bytes in
        ImportHead.cells(bytes, UInt8(ascii: ",")).map { ImportNumber($0) }
      }
      guard line.starts(with: Array("\"START\"".utf8)), cells.count >= 3,
        case .number(let time) = cells[1], case .number(let wall) = cells[2],
        let first = time.whole(timesTenTo: 9), let date = wall.whole(timesTenTo: 9)
      else { continue }
      return date.value &- first.value
    }
    return nil
  }

  private mutating func choose(_ found: [Table], _ archive: String) throws(ImportError) {
    let ranked = found.sorted { ZipTables.rank($0) < ZipTables.rank($1) }
    if let both = ranked.first(where: {
      $0.channels.isSuperset(of: [.accelerometer, .gyroscope])
    }) {
      chosen = [both]
    } else {
      chosen = [ChannelSet.accelerometer, .gyroscope].compactMap { sensor in
        ranked.first { $0.channels.isSuperset(of: sensor) }
      }
    }
    guard !chosen.isEmpty else {
      throw .zip(
        name: archive, offset: 0,
        what:
          "no file in it is a table of accelerations or rates that is known: unpack it, and import one with --columns"
      )
    }
    let names = chosen.map { ForeignText.shown($0.name) }.joined(separator: " and ")
    remarks.append("\(archive): \(names) \(chosen.count == 1 ? "is" : "are") imported")
  }

  /// With gravity before without it, calibrated before not.
  private static func rank(_ table: Table) -> Int {
    let name = table.name.lowercased()
    func has(_ word: String) -> Bool { name.parts(around: word) != nil }
    if has("uncalibrated") || has("linear") { return 2_000_000 + table.index }
    return (has("total") ? 0 : 1_000_000) + table.index
  }
}

/// The first bytes of a file in an archive.
private struct ZipHead: ImportSource, ~Copyable {
  let bytes: [UInt8]
  let name: String
  var place = 0

  init(bytes: [UInt8], name: String) { (self.bytes, self.name) = (bytes, name) }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = min(buffer.count, bytes.count - place)
    buffer.copyBytes(from: bytes[place..<place + count])
    place += count
    return count
  }

  mutating func rewind() { place = 0 }

  func another() -> ZipHead { ZipHead(bytes: bytes, name: name) }
}

extension TableImporter where Source: ~Copyable {
  /// Reads the tables in a ZIP archive.
  ///
  /// - Throws: ``ImportError`` with the byte of the archive, or the line and column in a file of it.
  public static func zip(_ archive: consuming Source, _ options: ImportOptions)
    throws(ImportError) -> TableImporter<ZipSource<Source>>
  {
    let tables = try ZipTables.find(archive.another())
    var options = options
    options.started = options.started ?? tables.started
    options.remarks = tables.remarks
    let chosen = tables.chosen
    guard chosen.count == 2 else {
      let source = ZipSource(archive, index: chosen[0].index, name: chosen[0].name)
      return try TableImporter<ZipSource<Source>>(source, options)
    }
    let second = ZipSource(
      try archive.another(), index: chosen[1].index, name: chosen[1].name)
    let first = ZipSource(archive, index: chosen[0].index, name: chosen[0].name)
    return try TableImporter<ZipSource<Source>>(first, with: second, options)
  }
}
