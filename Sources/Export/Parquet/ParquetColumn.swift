// SPDX-License-Identifier: Apache-2.0

/// A column of a Parquet file, and its part of the row group that is being collected.
///
///     page: header │ which rows have a value │ values        chunk: page │ page │ …
final class ParquetColumn {
  /// How readers see values: numbers of parquet.thrift.
  struct Kind: Sendable {
    fileprivate let type: Int
    /// DELTA_BINARY_PACKED and not PLAIN.
    fileprivate var isPacked = false
    /// The older annotation, which some readers need beside the newer one.
    fileprivate var converted: Int?
    fileprivate var logical: Thrift?

    static let integer = Kind(type: 2, isPacked: true)
    static let count = Kind(
      type: 1, isPacked: true, converted: 16, logical: [10: [1: .byte(16), 2: .flag(true)]])
    /// Values are given as bit patterns.
    static let double = Kind(type: 5)
    static let text = Kind(type: 6, converted: 0, logical: [1: [:]])

    /// Microseconds since 1970 in UTC, or from zero where the date is not known.
    static func time(isUTC: Bool) -> Kind {
      Kind(
        type: 2, isPacked: true, converted: 10, logical: [8: [1: .flag(isUTC), 2: [2: [:]]]])
    }

    fileprivate var encoding: Int { isPacked ? 5 : 0 }
  }

  private let name: String
  private let kind: Kind
  private let isOptional: Bool
  /// The open page: its values, its runs of rows with and without one, and its rows.
  private var packed = DeltaPage()
  private var doubles: [Int64] = []
  private var texts: [UInt8] = []
  private var runs: [(isPresent: Bool, count: Int)] = []
  private var pageRows = 0
  /// The chunk's pages. Not one array, which would be copied to memory of twice its size as it grows.
  private var pages: [[UInt8]] = []
  private(set) var byteCount = 0
  private var (rows, nulls) = (0, 0)
  private var (least, greatest) = (Int64.max, Int64.min)

  /// A page ends with the row that reaches either of these.
  private static let (pageLength, pageSize) = (8192, 65536)

  init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
    (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
  }

  /// Adds a row.
  func add(_ value: Int64?) {
    guard let value else { return addRow(isPresent: false) }
    if kind.isPacked {
      (least, greatest) = (min(least, value), max(greatest, value))
      if !packed.append(value) {
        endPage()
        _ = packed.append(value)
      }
    } else {
      doubles.append(value.littleEndian)
    }
    addRow(isPresent: true)
  }

  /// Adds a row with a text in UTF-8.
  func add(text: [UInt8]?) {
    if let text {
      texts.append(littleEndian: UInt32(text.count))
      texts += text
    }
    addRow(isPresent: text != nil)
  }

  private func addRow(isPresent: Bool) {
    if !isPresent { nulls += 1 }
    if isOptional {
      if runs.last?.isPresent != isPresent { runs.append((isPresent, 0)) }
      runs[runs.count - 1].count += 1
    }
    pageRows += 1
    if pageRows >= ParquetColumn.pageLength || texts.count >= ParquetColumn.pageSize { endPage() }
  }

  private func endPage() {
    guard pageRows > 0 else { return }
    var levels: [UInt8] = []
    for run in runs {
      levels.append(varint: UInt64(run.count) << 1)
      levels.append(run.isPresent ? 1 : 0)
    }
    var body: [UInt8] = []
    if isOptional { body.append(littleEndian: UInt32(levels.count)) }
    body += levels
    body += kind.isPacked ? packed.finish() : texts
    doubles.withUnsafeBytes { body.append(contentsOf: $0) }
    let header: Thrift = [
      1: .int32(0), 2: .int32(body.count), 3: .int32(body.count),
      5: [1: .int32(pageRows), 2: .int32(kind.encoding), 3: .int32(3), 4: .int32(3)],
    ]
    pages.append(header.encoded + body)
    byteCount += pages[pages.count - 1].count
    doubles.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    rows += pageRows
    pageRows = 0
  }

  /// Writes the pages at `offset` of the file; returns the footer's entry about them, and their size.
  func endChunk<Sink: ByteSink & ~Copyable>(at offset: Int64, to sink: inout Sink)
    throws(ExportError) -> (entry: Thrift, size: Int64)
  {
    endPage()
    let size = Int64(byteCount)
    let hasRange = kind.isPacked && least <= greatest
    let description: Thrift = [
      1: .int32(kind.type), 2: .list([.int32(kind.encoding), .int32(3)]),
      3: .list([.text(name)]), 4: .int32(0), 5: .int64(Int64(rows)), 6: .int64(size),
      7: .int64(size), 9: .int64(offset),
      12: [
        3: .int64(Int64(nulls)), 5: hasRange ? .bytes(plainBytes(greatest)) : nil,
        6: hasRange ? .bytes(plainBytes(least)) : nil,
      ],
    ]
    for page in pages { try sink.write(page) }
    (pages, byteCount, rows, nulls, least, greatest) = ([], 0, 0, 0, .max, .min)
    return ([2: .int64(0), 3: description], size)
  }

  /// The footer's description of the column.
  var schema: Thrift {
    [
      1: .int32(kind.type), 3: .int32(isOptional ? 1 : 0), 4: .text(name),
      6: kind.converted.map { .int32($0) }, 10: kind.logical,
    ]
  }

  private func plainBytes(_ value: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    return kind.type == 1 ? Array(bytes.prefix(4)) : bytes
  }
}
