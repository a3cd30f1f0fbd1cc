// SPDX-License-Identifier: Apache-2.0

/// A column of a Parquet file, and its part of the row group that is being collected.
///
///     page: header │ which rows have a value │ values        chunk: page │ page │ …
final class ParquetColumn {
  enum Kind {
    /// Microseconds since 1970 in UTC, or from zero where the date is not known.
    case time(isUTC: Bool)
    case integer
    case count
    /// Values are given as bit patterns.
    case double
    case text
  }

  let name: String
  let kind: Kind
  let isOptional: Bool
  private var packer = DeltaPacker()
  /// The open page's values that are not packed.
  private var plain: [UInt8] = []
  /// The open page's runs of rows with and without a value.
  private var runs: [(isPresent: Bool, count: Int)] = []
  private var pageRows = 0
  /// The chunk's pages, and their bytes. Not one array, which would be copied to memory of twice its size as it grows.
  private var (pages, size): ([[UInt8]], Int) = ([], 0)
  private var (rows, nulls) = (0, 0)
  private var (least, greatest) = (Int64.max, Int64.min)

  /// A page ends with the block of rows that reaches this many: 256 KiB of doubles.
  private static let pageLength = 32_768

  init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
    (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
  }

  /// Bytes that wait to be written.
  var byteCount: Int { size + plain.count + packer.byteCount }

  /// Adds rows with a value.
  func add(_ values: UnsafeBufferPointer<Int64>) {
    guard isPacked else {
      plain.append(contentsOf: UnsafeRawBufferPointer(values))
      return addRows(values.count, isPresent: true)
    }
    var (low, high) = (least, greatest)
    for value in values { (low, high) = (min(low, value), max(high, value)) }
    (least, greatest) = (low, high)
    var rest = values
    while true {
      let count = packer.append(rest)
      addRows(count, isPresent: true)
      guard count < rest.count else { return }
      endPage()
      rest = UnsafeBufferPointer(rebasing: rest[count...])
    }
  }

  /// Adds a row with a text.
  func add(_ text: String) { add(Array(text.utf8)) }

  /// Adds a row with a text in UTF-8.
  func add(_ text: [UInt8]) {
    plain.append(littleEndian: UInt32(text.count))
    plain += text
    addRows(1, isPresent: true)
  }

  /// Adds rows without a value.
  func addNulls(_ count: Int) {
    guard count > 0 else { return }
    nulls += count
    addRows(count, isPresent: false)
  }

  private func addRows(_ count: Int, isPresent: Bool) {
    if let last = runs.last, last.isPresent == isPresent {
      runs[runs.count - 1].count += count
    } else {
      runs.append((isPresent, count))
    }
    pageRows += count
    if pageRows >= ParquetColumn.pageLength { endPage() }
  }

  private func endPage() {
    guard pageRows > 0 else { return }
    var body: [UInt8] = []
    if isOptional {
      for run in runs {
        body.append(varint: UInt64(run.count) << 1)
        body.append(run.isPresent ? 1 : 0)
      }
      var length: [UInt8] = []
      length.append(littleEndian: UInt32(body.count))
      body = length + body
    }
    body += isPacked ? packer.finish() : plain
    let header = ThriftWriter.structure {
      $0.integer(1, 0)
      $0.integer(2, Int64(body.count))
      $0.integer(3, Int64(body.count))
      $0.structure(5) {
        $0.integer(1, Int64(pageRows))
        $0.integer(2, encoding)
        $0.integer(3, 3)
        $0.integer(4, 3)
      }
    }
    pages += [header, body]
    size += header.count + body.count
    plain.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    rows += pageRows
    pageRows = 0
  }

  /// Writes the pages at `offset` of the file, and returns the footer's entry about them and their size.
  func endChunk<Sink: ByteSink & ~Copyable>(at offset: Int64, to sink: inout Sink)
    throws(ExportError) -> (entry: [UInt8], size: Int64)
  {
    endPage()
    let size = Int64(size)
    let entry = ThriftWriter.structure {
      $0.integer(2, 0, .int64)
      $0.structure(3) {
        $0.integer(1, physicalType)
        // Both numbers as varints of their zigzag.
        $0.list(2, of: .int32, 2, [UInt8(2 * encoding), 6])
        $0.list(3, of: .bytes, 1, ThriftWriter.element(name.utf8))
        $0.integer(4, 0)
        $0.integer(5, Int64(rows), .int64)
        $0.integer(6, size, .int64)
        $0.integer(7, size, .int64)
        $0.integer(9, offset, .int64)
        $0.structure(12) {
          $0.integer(3, Int64(nulls), .int64)
          guard isPacked, least <= greatest else { return }
          $0.bytes(5, plainBytes(greatest))
          $0.bytes(6, plainBytes(least))
        }
      }
    }
    for page in pages { try sink.write(page) }
    (pages, self.size) = ([], 0)
    (rows, nulls, least, greatest) = (0, 0, .max, .min)
    return (entry, size)
  }

  /// The footer's description of the column.
  var schema: [UInt8] {
    ThriftWriter.structure {
      $0.integer(1, physicalType)
      $0.integer(3, isOptional ? 1 : 0)
      $0.bytes(4, name.utf8)
      switch kind {
      case .time(let isUTC):
        // The older annotation has UTC alone, but its readers need it for others too.
        $0.integer(6, 10)
        $0.structure(10) {
          $0.structure(8) {
            $0.flag(1, isUTC)
            $0.structure(2) { $0.structure(2) { _ in } }
          }
        }
      case .count:
        $0.integer(6, 16)
        $0.structure(10) {
          $0.structure(10) {
            $0.byte(1, 16)
            $0.flag(2, true)
          }
        }
      case .text:
        $0.integer(6, 0)
        $0.structure(10) { $0.structure(1) { _ in } }
      case .integer, .double: break
      }
    }
  }

  private var physicalType: Int64 {
    switch kind {
    case .count: 1
    case .time, .integer: 2
    case .double: 5
    case .text: 6
    }
  }

  private var isPacked: Bool {
    switch kind {
    case .time, .integer, .count: true
    case .double, .text: false
    }
  }

  /// DELTA_BINARY_PACKED or PLAIN.
  private var encoding: Int64 { isPacked ? 5 : 0 }

  private func plainBytes(_ value: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    return physicalType == 1 ? Array(bytes.prefix(4)) : bytes
  }
}
