import IMUModel
import LogFormat
import Testing

@Suite("A log gives back what was put into it")
struct RoundTripTests {
  @Test("a few samples, a gap and an end come back")
  func smallLog() throws {
    var encoder = try LogEncoder(.example)
    var expected: [TickRecord] = []
    for tick in 0..<20 as Range<UInt64> {
      let record =
        tick == 7
        ? TickRecord(Gap(firstTick: 7, count: 1, cause: .missed))
        : TickRecord(
          tick: tick, time: Int64(tick) * 100_000_000 + 5000, sample: RawSample(ax: Int16(tick)))
      expected.append(record)
      encoder.append(record)
    }
    encoder.finish(
      RecordingEnd(reason: .completed, ledger: TickLedger(), lateness: LatenessSummary()))
    let content = try LogContent(decoding: Array(encoder.output))
    #expect(content.samples == expected.filter { $0.kind == .sample })
    #expect(content.gaps == [Gap(firstTick: 7, count: 1, cause: .missed)])
    #expect(content.end?.reason == .completed)
  }
}
