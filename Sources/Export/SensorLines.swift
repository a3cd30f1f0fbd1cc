// SPDX-License-Identifier: Apache-2.0

import Files

/// Lines of the sensors of a take, each with its sensor's name in front: one table of several recordings.
///
///     sensor,t_ns,ax,ay,az            {"sensor":"left","t_ns":0,"ax":0.1,…}
///     left,0,0.1,0,9.8
///     right,0,0,0.2,9.8
///
/// An ``Exporter`` writes each recording through ``sink(of:)``, one after the other; the header's line is written once.
public final class SensorLines {
  private let descriptor: Int32
  private let name: String
  private let isTable: Bool
  /// What stands before the lines of the present sensor.
  private var opening: [UInt8] = []
  /// The header's line, and that of the present sensor as far as it has come.
  private var header: [UInt8]?
  private var ownHeader: [UInt8]?
  private var isAtStart = true
  private var lines: [UInt8] = []

  /// Lines for a descriptor, of ``ExportFormat/csv`` or ``ExportFormat/ndjson``; errors call it `name`.
  public init(_ descriptor: Int32, name: String, _ format: ExportFormat) {
    precondition([.csv, .ndjson].contains(format), "the format has lines")
    (self.descriptor, self.name, isTable) = (descriptor, name, format == .csv)
  }

  /// A sink for the lines of a sensor, whose name is of letters, digits, `-` and `_`. The one before must be flushed.
  public func sink(of sensor: String) -> BufferedSink {
    opening = Array((isTable ? "\(sensor)," : "{\"sensor\":\"\(sensor)\",").utf8)
    (ownHeader, isAtStart) = (isTable ? [] : nil, true)
    return BufferedSink(name: name) { self.pass($0) }
  }

  /// Whether the last sensor's table has the columns of the first one's.
  public var hasSameColumns: Bool { ownHeader == nil }

  private func pass(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    lines.removeAll(keepingCapacity: true)
    var rest = bytes[...]
    while let first = rest.first {
      let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
      if let begun = ownHeader {
        takeHeader(begun + rest[..<end])
      } else {
        if isAtStart {
          lines += opening
          // The brace is in the opening.
          if !isTable, first == UInt8(ascii: "{") { rest.removeFirst() }
        }
        lines += rest[..<end]
        isAtStart = bytes[end - 1] == 0x0A
      }
      rest = rest[end...]
    }
    return lines.withUnsafeBytes { writeAll($0, to: descriptor) }
  }

  private func takeHeader(_ line: [UInt8]) {
    guard line.last == 0x0A, header == nil || header == line else { return ownHeader = line }
    if header == nil { lines += Array("sensor,".utf8) + line }
    (header, ownHeader) = (line, nil)
  }
}
