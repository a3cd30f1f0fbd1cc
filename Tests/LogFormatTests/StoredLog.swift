// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting

/// The items that the reader of files finds in a log, as they were recorded, and the parts that it skips.
struct StoredLog {
  let description: RecordingDescription
  private(set) var samples: [TickRecord] = []
  private(set) var others: [LogRecord] = []
  private(set) var readings: [FIFOReading] = []
  private(set) var field: [FieldReading] = []
  /// Page, byte in the page, and point of the specification's list, for each part skipped.
  private(set) var damage: [[Int]] = []

  init(_ bytes: [UInt8]) throws {
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    description = reader.description
    reader.isAsRecorded = true
    while let item = try reader.next() {
      switch item {
      case .samples:
        for index in 0..<reader.block.count {
          let (tick, time, sample) = reader.block[index]
          samples.append(TickRecord(tick: tick, time: time, sample: sample))
        }
      case .gap(let gap): others.append(.gap(gap))
      case .mark(let mark): others.append(.mark(mark))
      case .clock(let pair): others.append(.clock(pair))
      case .sensor(let event): others.append(.sensor(event))
      case .reading(let reading): readings.append(reading)
      case .busClock(let reading): others.append(.busClock(reading))
      case .field(let reading): field.append(reading)
      case .certificate(let certificate): others.append(.certificate(certificate))
      case .end(let end): others.append(.end(end))
      // Ticks missing between intact pages skip no bytes.
      case .damage(let part) where part.byteCount == 0: break
      case .damage(let part):
        let byte = Int(part.offset) % LogFormat.pageSize
        damage.append([Int(part.page), byte, StoredLog.point(part.reason, byte)])
      }
    }
  }

  /// The point of "Reading damaged logs" in the specification that a reason stands for.
  private static func point(_ reason: FormatError.Reason, _ byte: Int) -> Int {
    switch reason {
    case .notWritten: return 1
    case .cutShort: return byte == 0 ? 2 : 4
    case .notZeroAfterLastChunk: return 3
    case .damagedChunk: return 4
    case .malformed, .ticksGoBack: return 5
    default: return 2
    }
  }
}
