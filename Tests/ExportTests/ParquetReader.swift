// SPDX-License-Identifier: Apache-2.0

/// Reads a Parquet file, by the format's specification (apache/parquet-format: parquet.thrift, Encodings.md,
/// LogicalTypes.md) and not by the exporter: data pages of version 1 without compression, and dictionaries of texts.
struct ParquetReader {
  enum Cell: Equatable {
    case integer(Int64)
    case double(Double)
    case text(String)
  }

  struct Column {
    var schema: Thrift
    /// A row each, `nil` where it has no value.
    var cells: [Cell?] = []
    /// Rows of each page of each row group.
    var pages: [[Int]] = []
    /// The bytes of each page after its header.
    var bodies: [[UInt8]] = []
    /// The widest of the packed differences, in bits.
    var widest = 0
  }

  struct Broken: Error {
    let what: String
  }

  private(set) var names: [String] = []
  private(set) var columns: [String: Column] = [:]
  private(set) var metadata: [String: String] = [:]
  private(set) var rowGroups: [Int] = []
  let rows: Int
  let footer: Thrift

  init(_ bytes: [UInt8], readsValues: Bool = true) throws {
    guard bytes.count >= 12, bytes.starts(with: "PAR1".utf8),
      bytes.suffix(4).elementsEqual("PAR1".utf8)
    else { throw Broken(what: "no PAR1 at both ends") }
    let length = bytes.suffix(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    var cursor = ThriftCursor(bytes, at: bytes.count - 8 - length)
    footer = try cursor.structure()
    guard cursor.offset == bytes.count - 8 else { throw Broken(what: "the footer's length") }
    rows = try footer[3].integer
    let schema = try footer[2].elements
    guard try schema[0][5].integer == schema.count - 1 else { throw Broken(what: "children") }
    for leaf in schema.dropFirst() {
      let name = try leaf[4].text
      names.append(name)
      guard columns.updateValue(Column(schema: leaf), forKey: name) == nil else {
        throw Broken(what: "two columns \(name)")
      }
    }
    for pair in footer.has(5) ? try footer[5].elements : [] {
      metadata[try pair[1].text] = try pair[2].text
    }
    guard try footer[7].elements.count == names.count else { throw Broken(what: "orders") }
    var place = 4
    for group in try footer[4].elements {
      let begin = place
      let chunks = try group[1].elements
      guard chunks.count == names.count else { throw Broken(what: "chunks of a row group") }
      for (name, chunk) in zip(names, chunks) {
        guard readsValues else {
          place += try chunk[3][7].integer
          continue
        }
        place = try read(chunk[3], of: name, rows: group[3].integer, bytes, at: place)
      }
      guard try group[2].integer == place - begin, try group[5].integer == begin
      else { throw Broken(what: "size or place of a row group") }
      rowGroups.append(try group[3].integer)
    }
    guard rowGroups.reduce(0, +) == rows, place == bytes.count - 8 - length
    else { throw Broken(what: "rows, or bytes outside of chunks") }
  }

  /// Reads a chunk that begins at `place`; returns its end.
  private mutating func read(
    _ chunk: Thrift, of name: String, rows: Int, _ bytes: [UInt8], at place: Int
  ) throws -> Int {
    guard var column = columns[name], try chunk[3].elements.map({ try $0.text }) == [name],
      try (chunk.has(11) ? chunk[11] : chunk[9]).integer == place, try chunk[4].integer == 0,
      try chunk[5].integer == rows,
      try chunk[6].integer == chunk[7].integer, try chunk[1] == column.schema[1]
    else { throw Broken(what: "the metadata of a chunk of \(name)") }
    let end = try place + chunk[7].integer
    let encodings = try chunk[2].elements.map { try $0.integer }
    let isOptional = try column.schema[3].integer == 1
    let first = column.cells.count
    var pages: [Int] = []
    var cursor = ThriftCursor(bytes, at: place)
    var dictionary: [Cell] = []
    if chunk.has(11) {
      let header = try cursor.structure()
      let size = try header[2].integer
      guard try header[1].integer == 2, try header[3].integer == size,
        try header[7][2].integer == 0,
        try chunk[9].integer == cursor.offset + size, encodings.contains(0)
      else { throw Broken(what: "the dictionary of \(name)") }
      var page = PageCursor(Array(bytes[cursor.offset..<cursor.offset + size]))
      dictionary = try page.values(
        header[7][1].integer, type: column.schema[1].integer, encoding: 0)
      guard page.isAtEnd else { throw Broken(what: "bytes after the dictionary of \(name)") }
      cursor.skip(size)
    }
    while cursor.offset < end {
      let header = try cursor.structure()
      let size = try header[2].integer
      let (count, encoding) = try (header[5][1].integer, header[5][2].integer)
      guard try header[1].integer == 0, try header[3].integer == size,
        cursor.offset + size <= end, encodings.contains(encoding), count > 0
      else { throw Broken(what: "a page of \(name)") }
      let body = Array(bytes[cursor.offset..<cursor.offset + size])
      column.bodies.append(body)
      var page = PageCursor(body)
      let levels =
        isOptional ? try page.levels(count) : Array(repeating: true, count: count)
      let valueCount = levels.filter { $0 }.count
      let values =
        encoding == 8
        ? try page.indices(valueCount, of: dictionary.count).map { dictionary[$0] }
        : try page.values(valueCount, type: column.schema[1].integer, encoding: encoding)
      guard page.isAtEnd else { throw Broken(what: "bytes after a page's values in \(name)") }
      column.widest = max(column.widest, page.widest)
      var next = values.makeIterator()
      column.cells += levels.map { $0 ? next.next() : nil }
      pages.append(count)
      cursor.skip(size)
    }
    guard cursor.offset == end, pages.reduce(0, +) == rows else { throw Broken(what: "pages") }
    column.pages.append(pages)
    try check(chunk[12], Array(column.cells[first...]), type: column.schema[1].integer)
    columns[name] = column
    return end
  }

  /// Statistics that are there must be right: readers skip row groups by them.
  private func check(_ statistics: Thrift, _ cells: [Cell?], type: Int) throws {
    guard try statistics[3].integer == cells.filter({ $0 == nil }).count else {
      throw Broken(what: "null_count")
    }
    let numbers = cells.compactMap {
      if case .integer(let number)? = $0 { number } else { nil }
    }
    for (field, expected) in [(5, numbers.max()), (6, numbers.min())] where statistics.has(field) {
      let value = try statistics[field].bytes
      guard type != 6 else {
        let texts = cells.compactMap {
          if case .text(let text)? = $0 { Array(text.utf8) } else { nil }
        }
        guard texts.allSatisfy({ $0 == value }) else { throw Broken(what: "a constant") }
        continue
      }
      var page = PageCursor(value)
      guard try page.values(1, type: type, encoding: 0) == [expected.map { .integer($0) }] else {
        throw Broken(what: "minimum or maximum")
      }
    }
  }

  subscript(_ name: String) -> [Cell?] { columns[name]?.cells ?? [] }

  func integers(_ name: String) -> [Int64?] {
    self[name].map { if case .integer(let value)? = $0 { value } else { nil } }
  }

  func texts(_ name: String) -> [String?] {
    self[name].map { if case .text(let value)? = $0 { value } else { nil } }
  }

  func doubles(_ name: String) -> [Double?] {
    self[name].map { if case .double(let value)? = $0 { value } else { nil } }
  }
}
