// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat
import LogStore

/// Salvages a log into memory and reads that again.
enum Salvage {
  /// Samples above which the time is better spent otherwise.
  private static let sampleLimit: UInt64 = 3000
  /// Ticks above which an end cannot count them.
  private static let countLimit: UInt64 = 1 << 60

  static func check(
    _ reader: inout LogReader<BytesStorage>, _ first: Reading
  ) throws(LogError) {
    guard first.samples <= sampleLimit else { return }
    var storage = GrowingStorage()
    do throws(FormatError) {
      storage.bytes = try encodeHeader(reader.description)
    } catch {
      return  // It could be read, but would not be written.
    }
    var writer = try LogEncoder.after(reader.description)
    try reader.salvage(into: &writer, &storage)
    storage.bytes.withUnsafeBytes { check($0, first) }
  }

  private static func check(_ log: UnsafeRawBufferPointer, _ first: Reading) {
    do {
      var copy = try LogReader(BytesStorage(bytes: log))
      let report = try copy.account()
      precondition(report.damageCount == 0, "damage in what was salvaged")
      precondition(report.sampleCount <= first.samples, "samples were invented")
      precondition(report.end != nil, "what was salvaged has no end")
      precondition(
        report.isIntact || report.counted.scheduled >= countLimit, "what was salvaged is not whole")
    } catch {
      preconditionFailure("what was salvaged cannot be read: \(error)")
    }
  }
}

/// A log that grows in memory.
struct GrowingStorage: LogStorage, ~Copyable {
  var bytes: [UInt8] = []
  var name: String { "memory" }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) { self.bytes += bytes }

  mutating func sync() throws(StorageError) {}

  mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    throw StorageError(.read, path: name, errno: 9)
  }

  mutating func size() throws(StorageError) -> UInt64 { UInt64(bytes.count) }

  mutating func finish() throws(StorageError) {}
}
