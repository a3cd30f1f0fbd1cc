// SPDX-License-Identifier: Apache-2.0

/// What a column of a Parquet file holds, as readers see it.
package enum ParquetKind: Equatable, Sendable {
  case integer, count, text, float
  /// Values are given as bit patterns, the lowest byte first.
  case double
  /// Microseconds since 1970 in UTC, or from zero where the date is not known.
  case time(isUTC: Bool)
  /// The same text in every row, at some bytes a page.
  case constant(String)

  /// Numbers of parquet.thrift: the type, and an older annotation that some readers need beside the newer one.
  fileprivate var codes: (type: Int, converted: Int?, logical: Thrift?) {
    switch self {
    case .integer: (2, nil, nil)
    case .count: (1, 16, [10: [1: .byte(16), 2: .flag(true)]])
    case .text, .constant: (6, 0, [1: [:]])
    case .float: (4, nil, nil)
    case .double: (5, nil, nil)
    case .time(let isUTC): (2, 10, [8: [1: .flag(isUTC), 2: [2: [:]]]])
    }
  }
}

/// A column of a Parquet file, and its part of the row group that is being collected.
///
///     page: header │ which rows have a value │ values        chunk: page │ page │ …
///     texts: page with each text once │ page: header │ which rows have one │ so many times text 3, so many times text 0, …
final class ParquetColumn {
  let name: String
  private let isOptional: Bool
  private let type: Int
  /// The text of every row; `nil` where rows have values of their own.
  let constant: [UInt8]?
  /// The texts of the chunk, each once, and their places. Marks and labels come many rows in a row.
  private var places: [[UInt8]: Int] = [:]
  private var dictionary: [UInt8] = []
  private var texts: [(place: Int, count: Int)] = []
  /// The footer's description of the column.
  let schema: Thrift
  /// The open page: its values, its runs of rows with and without one, and its rows.
  private var packed = DeltaPage()
  private var plain: [UInt8] = []
  private var runs: [(isPresent: Bool, count: Int)] = []
  private var pageRows = 0
  /// The chunk's pages. Not one array, which would be copied to memory of twice its size as it grows.
  private var pages: [[UInt8]] = []
  private(set) var byteCount = 0
  private var nulls = 0
  private var (least, greatest) = (Int64.max, Int64.min)

  /// A page ends with the row that reaches either of these.
  private static let pageLength = 8192
  private static let pageSize = 65536

  /// - Parameter isOptional: Whether rows may have no value; a constant is in each.
  init(_ name: String, _ kind: ParquetKind, isOptional: Bool) {
    let codes = kind.codes
    if case .constant(let text) = kind { constant = Array(text.utf8) } else { constant = nil }
    (self.name, self.isOptional, type) = (name, isOptional && constant == nil, codes.type)
    schema = [
      1: .int32(type), 3: .int32(self.isOptional ? 1 : 0), 4: .text(name),
      6: codes.converted.map { .int32($0) }, 10: codes.logical,
    ]
  }

  /// Whether values are in DELTA_BINARY_PACKED and not PLAIN: those of the types INT32 and INT64.
  private var isPacked: Bool { type <= 2 }
  private var isText: Bool { type == 6 }
  /// The encoding of values: DELTA_BINARY_PACKED, RLE_DICTIONARY or PLAIN.
  private var encoding: Int { isPacked ? 5 : isText ? 8 : 0 }

  /// Adds rows with numbers; `nil` is one row without a value.
  func add(_ values: [Int64]?) {
    guard var rest = values?[...] else { return addSame(1, arePresent: false) }
    while !rest.isEmpty {
      let part = rest.prefix(ParquetColumn.pageLength - pageRows)
      let taken = isPacked ? packed.append(part) : part.count
      if isPacked {
        for value in part.prefix(taken) {
          (least, greatest) = (min(least, value), max(greatest, value))
        }
      } else {
        part.withUnsafeBytes { plain.append(contentsOf: $0) }
      }
      addRows(taken, arePresent: true)
      if taken < part.count { endPage() }
      rest = rest.dropFirst(taken)
    }
  }

  func add(float: Float) {
    plain.append(littleEndian: float.bitPattern)
    addRows(1, arePresent: true)
  }

  /// Adds rows without a value, or with the value of a constant.
  func addSame(_ count: Int, arePresent: Bool) {
    var left = count
    while left > 0 {
      let part = min(left, ParquetColumn.pageLength - pageRows)
      if arePresent, let constant { addText(constant, part) }
      addRows(part, arePresent: arePresent)
      left -= part
    }
  }

  /// Adds a row with a text in UTF-8, or without one.
  func add(text: [UInt8]?) {
    if let text { addText(text, 1) }
    addRows(1, arePresent: text != nil)
  }

  private func addText(_ text: [UInt8], _ count: Int) {
    let place = places[text] ?? places.count
    if place == places.count { enter(text) }
    if texts.last?.place != place { texts.append((place, 0)) }
    texts[texts.count - 1].count += count
  }

  private func enter(_ text: [UInt8]) {
    places[text] = places.count
    dictionary.append(littleEndian: UInt32(text.count))
    dictionary += text
    byteCount += 4 + text.count
  }

  private func addRows(_ count: Int, arePresent: Bool) {
    if isOptional, count > 0 {
      if runs.last?.isPresent != arePresent { runs.append((arePresent, 0)) }
      runs[runs.count - 1].count += count
    }
    if !arePresent { nulls += count }
    pageRows += count
    if pageRows >= ParquetColumn.pageLength || plain.count >= ParquetColumn.pageSize { endPage() }
  }

  private func endPage() {
    guard pageRows > 0 else { return }
    var body: [UInt8] = []
    if isOptional {
      let levels: [UInt8] = runs.flatMap {
        [UInt8](varint: UInt64($0.count) << 1) + [UInt8($0.isPresent ? 1 : 0)]
      }
      body.append(littleEndian: UInt32(levels.count))
      body += levels
    }
    if isText {
      // The bits of a place, and runs, each with its place in whole bytes.
      let width = max(1, Int.bitWidth - max(0, places.count - 1).leadingZeroBitCount)
      body.append(UInt8(width))
      for (place, count) in texts {
        body += [UInt8](varint: UInt64(count) << 1)
        body += (0..<(width + 7) / 8).map { UInt8(truncatingIfNeeded: place >> (8 * $0)) }
      }
    } else {
      body += isPacked ? packed.finish() : plain
    }
    let header: Thrift = [
      1: .int32(0), 2: .int32(body.count), 3: .int32(body.count),
      5: [1: .int32(pageRows), 2: .int32(encoding), 3: .int32(3), 4: .int32(3)],
    ]
    pages.append(header.bytes + body)
    byteCount += header.bytes.count + body.count
    plain.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    pageRows = 0
  }

  private var dictionaryHeader: [UInt8] {
    let header: Thrift = [
      1: .int32(2), 2: .int32(dictionary.count), 3: .int32(dictionary.count),
      7: [1: .int32(places.count), 2: .int32(0)],
    ]
    return header.bytes
  }

  /// Ends the chunk of so many rows, at `offset` of the file: its pages, and the footer's entry about them.
  func endChunk(of rows: Int, at offset: Int) -> (pages: [[UInt8]], entry: Thrift) {
    endPage()
    // fastparquet reads a page of no bytes as all that follows it.
    if isText, places.isEmpty { enter([]) }
    let header = isText ? dictionaryHeader : []
    if isText {
      pages.insert(header + dictionary, at: 0)
      byteCount += header.count
    }
    func bytes(_ value: Int64) -> Thrift? {
      if let constant { return .bytes(constant) }
      let bytes = withUnsafeBytes(of: value.littleEndian) { Array($0.prefix(type * 4)) }
      return isPacked && least <= greatest ? .bytes(bytes) : nil
    }
    let size = Thrift.int64(byteCount)
    let description: Thrift = [
      1: .int32(type),
      2: .list([.int32(encoding), .int32(3)] + (isText ? [.int32(0)] : [])),
      3: .list([.text(name)]), 4: .int32(0), 5: .int64(rows), 6: size, 7: size,
      9: .int64(offset + header.count + dictionary.count), 11: isText ? .int64(offset) : nil,
      12: [3: .int64(nulls), 5: bytes(greatest), 6: bytes(least)],
    ]
    defer {
      (pages, byteCount, nulls, least, greatest) = ([], 0, 0, .max, .min)
      (places, dictionary) = ([:], [])
    }
    return (pages, [2: .int64(0), 3: description])
  }
}
