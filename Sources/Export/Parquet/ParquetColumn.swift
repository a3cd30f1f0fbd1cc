// SPDX-License-Identifier: Apache-2.0

/// A column of a Parquet file, and its part of the row group that is being collected.
///
///     page: header │ which rows have a value │ values        chunk: page │ page │ …
///     constant: page with the value │ page: header │ so many times value 0 │ …
final class ParquetColumn {
  /// How readers see values.
  enum Kind {
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

  private let name: String
  private let isOptional: Bool
  private let type: Int
  private let constant: [UInt8]?
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

  init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
    (self.name, self.isOptional, type) = (name, isOptional, kind.codes.type)
    if case .constant(let text) = kind { constant = Array(text.utf8) } else { constant = nil }
    schema = [
      1: .int32(type), 3: .int32(isOptional ? 1 : 0), 4: .text(name),
      6: kind.codes.converted.map { .int32($0) }, 10: kind.codes.logical,
    ]
  }

  /// Whether values are in DELTA_BINARY_PACKED and not PLAIN: those of the types INT32 and INT64.
  private var isPacked: Bool { type <= 2 }
  /// The encoding of values: DELTA_BINARY_PACKED, RLE_DICTIONARY or PLAIN.
  private var encoding: Int { isPacked ? 5 : constant == nil ? 0 : 8 }

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

  /// Adds a row with a number of 32 bits.
  func add(float: Float) {
    plain.append(littleEndian: float.bitPattern)
    addRows(1, arePresent: true)
  }

  /// Adds rows without a value, or with the value of a constant.
  func addSame(_ count: Int, arePresent: Bool) {
    var left = count
    while left > 0 {
      let part = min(left, ParquetColumn.pageLength - pageRows)
      addRows(part, arePresent: arePresent)
      left -= part
    }
  }

  /// Adds a row with a text in UTF-8, or without one.
  func add(text: [UInt8]?) {
    guard let text else { return addRows(1, arePresent: false) }
    plain.append(littleEndian: UInt32(text.count))
    plain += text
    addRows(1, arePresent: true)
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
    if constant != nil {
      // One bit an index, and one run of index 0.
      body += [1] + [UInt8](varint: UInt64(pageRows) << 1) + [0]
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
    pageRows = 0
  }

  /// The page with the value of a constant.
  private static func dictionary(of value: [UInt8]) -> [UInt8] {
    var body: [UInt8] = []
    body.append(littleEndian: UInt32(value.count))
    body += value
    let header: Thrift = [
      1: .int32(2), 2: .int32(body.count), 3: .int32(body.count),
      7: [1: .int32(1), 2: .int32(0)],
    ]
    return header.bytes + body
  }

  /// Ends the chunk of so many rows, at `offset` of the file: its pages, and the footer's entry about them.
  func endChunk(of rows: Int, at offset: Int) -> (pages: [[UInt8]], entry: Thrift) {
    endPage()
    let dictionary = constant.map { ParquetColumn.dictionary(of: $0) }
    if let dictionary {
      pages.insert(dictionary, at: 0)
      byteCount += dictionary.count
    }
    func bytes(_ value: Int64) -> Thrift? {
      if let constant { return .bytes(constant) }
      let bytes = withUnsafeBytes(of: value.littleEndian) { Array($0.prefix(type * 4)) }
      return isPacked && least <= greatest ? .bytes(bytes) : nil
    }
    let size = Thrift.int64(byteCount)
    let description: Thrift = [
      1: .int32(type),
      2: .list([.int32(encoding), .int32(3)] + (dictionary == nil ? [] : [.int32(0)])),
      3: .list([.text(name)]), 4: .int32(0), 5: .int64(rows), 6: size, 7: size,
      9: .int64(offset + (dictionary?.count ?? 0)), 11: dictionary.map { _ in .int64(offset) },
      12: [3: .int64(nulls), 5: bytes(greatest), 6: bytes(least)],
    ]
    defer { (pages, byteCount, nulls, least, greatest) = ([], 0, 0, .max, .min) }
    return (pages, [2: .int64(0), 3: description])
  }
}
