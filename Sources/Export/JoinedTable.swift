// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc

/// Tables of several sensors, read line by line, as one table with a row for each instant.
///
///     t_grid_ns,ax │ t_grid_ns,ax        t_grid_ns,left_ax,right_ax
///     0,1          │                 ──► 0,1,
///     1000000,2    │ 1000000,7           1000000,2,7
///
/// A sensor without a value at an instant has empty cells there. Memory is 64 KiB for each table.
public struct JoinedTable: ~Copyable {
  private var tables: [Lines]

  /// A table of those that can be read from descriptors, such as pipes: ``ExportFormat/csv`` whose first column is
  /// nanoseconds that increase. Their sensors' names are of letters, digits, `-` and `_`.
  public init(_ sensors: [(name: String, descriptor: Int32)]) {
    tables = sensors.map { Lines(name: $0.name, descriptor: $0.descriptor) }
  }

  /// Reads all tables to their ends, and flushes `sink`. A last line without an end is left out.
  ///
  /// - Throws: ``ExportError``; bytes written before it stay written.
  public mutating func write<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    var header: [UInt8] = []
    for index in tables.indices {
      let names = try tables[index].readHeader()
      header += header.isEmpty ? names.time + names.columns : names.columns
    }
    try sink.write(header + [UInt8(ascii: "\n")])
    for index in tables.indices { try tables[index].advance() }
    while let time = tables.lazy.compactMap(\.time).min() {
      try sink.write("\(time)")
      for index in tables.indices {
        try tables[index].writeCells(at: time, to: &sink)
      }
      try sink.write([UInt8(ascii: "\n")])
    }
    try sink.flush()
  }

  /// The lines of one table.
  private struct Lines {
    private let name: String
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    /// The bytes that were read and not yet taken.
    private var rest = 0..<0
    /// The time of the present row, and its bytes from the comma after it on; `nil` after the last.
    private(set) var time: Int64?
    private var cells = 0..<0
    /// The cells of a row without values.
    private var empty: [UInt8] = []

    init(name: String, descriptor: Int32) {
      (self.name, self.descriptor) = (name, descriptor)
    }

    /// The first column's name, and the others' with the sensor's before them; none of a table that did not begin.
    mutating func readHeader() throws(ExportError) -> (time: [UInt8], columns: [UInt8]) {
      guard let line = try nextLine() else { return ([], []) }
      let names = buffer[line].split(separator: UInt8(ascii: ","))
      empty = names.dropFirst().map { _ in UInt8(ascii: ",") }
      return (
        Array(names.first ?? []), names.dropFirst().flatMap { Array(",\(name)_".utf8) + $0 }
      )
    }

    mutating func writeCells<Sink: ByteSink & ~Copyable>(
      at instant: Int64, to sink: inout Sink
    ) throws(ExportError) {
      guard time == instant else { return try sink.write(empty) }
      try buffer.withBytes { (bytes) throws(ExportError) in
        try sink.write(UnsafeRawBufferPointer(rebasing: bytes[cells]))
      }
      try advance()
    }

    mutating func advance() throws(ExportError) {
      time = nil
      guard let line = try nextLine() else { return }
      let end = buffer[line].firstIndex(of: UInt8(ascii: ",")) ?? line.upperBound
      cells = end..<line.upperBound
      guard let instant = Int64(String(decoding: buffer[line.lowerBound..<end], as: UTF8.self))
      else { preconditionFailure("the first column is nanoseconds") }
      time = instant
    }

    /// The place of the next line in the buffer, without its end.
    private mutating func nextLine() throws(ExportError) -> Range<Int>? {
      var searched = 0
      while true {
        if let end = buffer[rest].dropFirst(searched).firstIndex(of: 0x0A) {
          defer { rest = (end + 1)..<rest.upperBound }
          return rest.lowerBound..<end
        }
        searched = rest.count
        guard try read() else { return nil }
      }
    }

    /// Reads more behind what is left; `false` at the end.
    private mutating func read() throws(ExportError) -> Bool {
      buffer.replaceSubrange(0..<rest.count, with: Array(buffer[rest]))
      rest = 0..<rest.count
      if rest.count == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
      while true {
        let count = buffer.withUnsafeMutableBytes {
          Glibc.read(descriptor, $0.baseAddress?.advanced(by: rest.count), $0.count - rest.count)
        }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .output(name: "the rows of \(name)", code: errno) }
        rest = 0..<rest.count + count
        return count > 0
      }
    }
  }
}
