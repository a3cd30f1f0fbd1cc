// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@Suite("Readings of a FIFO as records of the ring")
struct FIFOReadingTests {
  @Test("keep every field, at its extremes too", arguments: EpochCause.allCases)
  func everyField(cause: EpochCause) {
    for isDrained in [false, true] {
      for (offset, count, length) in [
        (Int64(-(1 << 47)), Int64(0), UInt32(0)), ((1 << 47) - 1, (1 << 48) - 1, .max),
        (-1, 80, 206_000), (0x1234_5678_9ABC, 0x7654_3210_FEDC, 0x8000_0001),
      ] {
        let reading = FIFOReading(
          epoch: .max - 1, cause: cause, firstTick: -12_345, countBefore: count, count: count,
          before: -987_654_321, length: length, offset: offset, isDrained: isDrained,
          waiting: isDrained ? 0 : 4096)
        let record = TickRecord(reading)
        #expect(record.reading == reading)
        #expect(record.gap == nil && record.sensorEvent == nil)
      }
    }
  }

  @Test("stand before the tick of the next sample, of a slot that they count or not")
  func place() {
    var reading = FIFOReading(
      epoch: 3, cause: .start, firstTick: 5000, countBefore: 0, count: 80, before: 1, length: 2,
      offset: 3, isDrained: true)
    #expect(TickRecord(reading).tick == 5080)
    #expect(TickRecord(reading).endTick == 5080)
    (reading.isDrained, reading.waiting) = (false, 15)
    #expect(TickRecord(reading).tick == 5065)
  }

  @Test("an unknown cause is no reading")
  func unknownCause() {
    var record = TickRecord(
      FIFOReading(
        epoch: 0, cause: .start, firstTick: 0, countBefore: 0, count: 1, before: 0, length: 1,
        offset: 0, isDrained: false))
    record.detail = 0x80 | (EpochCause.allCases.map(\.rawValue).max()! + 1)
    #expect(record.reading == nil)
  }
}
