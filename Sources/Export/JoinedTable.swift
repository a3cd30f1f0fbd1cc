// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel

/// Tables of several sensors, read line by line, as one table with a row for each instant.
///
///     t_grid_ns,ax │ t_grid_ns,ax        t_grid_ns,left_ax,right_ax
///     0,1          │                 ──► 0,1,
///     1000000,2    │ 1000000,7           1000000,2,7
///
/// A sensor without a value at an instant has empty cells there. Memory is 64 KiB for each table.
///
/// Tables with bounds of their instants (`t_lo_ns`, `t_hi_ns`) have a column `apart_ns` in their place: how far two of the
/// row's sensors may be from the same instant. It is empty where it is not proved, and for one sensor.
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
      let time = names.time + Array((tables[index].hasBounds ? ",apart_ns" : "").utf8)
      header += header.isEmpty ? time + names.columns : names.columns
    }
    let hasBounds = tables.contains(where: \.hasBounds)
    try sink.write(header + [UInt8(ascii: "\n")])
    for index in tables.indices { try tables[index].advance() }
    while let time = tables.lazy.compactMap(\.time).min() {
      try sink.write("\(time)" + (hasBounds ? "," + apart(at: time) : ""))
      for index in tables.indices {
        try tables[index].writeCells(at: time, to: &sink)
      }
      try sink.write([UInt8(ascii: "\n")])
    }
    try sink.flush()
  }

  /// The most nanoseconds between the instants of two sensors in a row.
  private func apart(at time: Int64) -> String {
    let present = tables.compactMap { $0.time == time ? .some($0.bounds) : nil }
    guard present.count > 1 else { return "" }
    var most: Int64 = 0
    for (index, one) in present.enumerated() {
      for (place, other) in present.enumerated() where place != index {
        guard let one, let other else { return "" }
        let (apart, overflow) = one.latest.subtractingReportingOverflow(other.earliest)
        if overflow { return "" }
        most = max(most, apart)
      }
    }
    return "\(most)"
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
    /// Whether the second and the third column are bounds of the instant, and those of the present row where they are known.
    private(set) var hasBounds = false
    private(set) var bounds: (earliest: Int64, latest: Int64)?
    /// The cells of a row without values.
    private var empty: [UInt8] = []

    init(name: String, descriptor: Int32) {
      (self.name, self.descriptor) = (name, descriptor)
    }

    /// The first column's name, and the others' with the sensor's before them; none of a table that did not begin.
    mutating func readHeader() throws(ExportError) -> (time: [UInt8], columns: [UInt8]) {
      guard let line = try nextLine() else { return ([], []) }
      let names = buffer[line].split(separator: UInt8(ascii: ","))
      hasBounds =
        names.dropFirst().prefix(2).map { String(decoding: $0, as: UTF8.self) }
        == ExportedNames.bounds
      let columns = names.dropFirst(hasBounds ? 3 : 1)
      empty = columns.map { _ in UInt8(ascii: ",") }
      return (Array(names.first ?? []), columns.flatMap { Array(",\(name)_".utf8) + $0 })
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
      cells = line
      time = takeNumber()
      guard time != nil else { preconditionFailure("the first column is nanoseconds") }
      guard hasBounds else { return }
      cells = (cells.lowerBound + 1)..<cells.upperBound
      let earliest = takeNumber()
      cells = (cells.lowerBound + 1)..<cells.upperBound
      let latest = takeNumber()
      bounds = earliest.flatMap { earliest in latest.map { (earliest, $0) } }
    }

    /// The number up to the next comma, which is the first of the cells that are left; `nil` for an empty one.
    private mutating func takeNumber() -> Int64? {
      let end = buffer[cells].firstIndex(of: UInt8(ascii: ",")) ?? cells.upperBound
      defer { cells = end..<cells.upperBound }
      return Int64(String(decoding: buffer[cells.lowerBound..<end], as: UTF8.self))
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
