// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@Suite("A magnetometer's values in a log")
struct FieldLogTests {
  /// Of 3, 4 and 12 counts, and of a multiple in each of four values; the second follows a lost one, the last is beyond
  /// the range.
  private let values: [FieldReading] = (0..<4).map { (index: Int) -> FieldReading in
    FieldReading(
      time: Int64(index) * 20_000_000, width: 10_000_000, x: 3 << Int16(index),
      y: -4 << Int16(index), z: 12 << Int16(index),
      flags: index == 1 ? .skipped : index == 3 ? .saturated : [])
  }

  /// Ticks 0 and 1 have samples, 2 and 3 none; the values come between them.
  private func log() throws -> (bytes: [UInt8], description: RecordingDescription) {
    var description = ExampleLog.description()
    description.sensor.field = FieldDescription(
      model: "AK09916", scale: Fraction(3, 20), rate: ExampleLog.rate(50),
      axes: try #require(AxisMap("x,-y,-z")))
    var encoder = try LogEncoder(description)
    var tally = TickTally()
    for tick in 0..<2 as Range<UInt64> {
      let record = TickRecord(
        tick: tick, time: Int64(tick) * 100_000_000, sample: ExampleLog.sample(tick))
      encoder.append(record)
      encoder.append(TickRecord(values[Int(tick)], before: tick + 1))
      tally.add(record)
    }
    let gap = TickRecord(Gap(firstTick: 2, count: 2, cause: .busError, code: 121))
    encoder.append(gap)
    encoder.append(values[2])
    encoder.append(values[3])
    tally.add(gap)
    encoder.finish(RecordingEnd(reason: .completed, tally: tally, lateness: LatenessSummary()))
    return (Array(encoder.output), description)
  }

  private func account(_ bytes: [UInt8]) throws -> Account {
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    return try reader.account()
  }

  private func field(_ bytes: [UInt8]) throws -> [FieldReading] {
    try read(bytes).compactMap {
      if case .other(.field(let value)) = $0 { value } else { nil }
    }
  }

  @Test("are counted, their flags too, and their magnitudes are those within the range")
  func account() throws {
    let (bytes, description) = try log()
    let found = try account(bytes)
    #expect(found.isIntact)
    #expect(found.description == description)
    #expect(found.field.count == 4)
    #expect(found.field.skippedCount == 1)
    #expect(found.field.saturatedCount == 1)
    let sensor = try #require(description.sensor.field)
    #expect(found.field.magnitudes(sensor) == 13 * 0.15...52 * 0.15)
    #expect(try account(ExampleLog(ticks: 20).bytes).field.magnitudes(sensor) == nil)
  }

  @Test("are salvaged with the sensor that made them, as far as they can be read")
  func salvage() throws {
    let (bytes, description) = try log()
    #expect(try field(bytes) == values)
    for length in (try encodeHeader(description).count)...bytes.count {
      let cut = Array(bytes[..<length])
      let copy = try salvaged(cut)
      #expect(try field(copy) == field(cut), "cut at \(length)")
      #expect(try account(copy).description.sensor.field == description.sensor.field)
      #expect(try account(copy).isIntact)
    }
  }
}
