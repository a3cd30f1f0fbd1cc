// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling
import Testing

/// Unannounced samples are accepted by the time that went by, and proved by later samples.
@Suite("Samples that the chip did not announce") struct UnannouncedTests {
  /// A chip of 120 samples a second, read a hundred times a second; `ailment` by the number of the read.
  private func run(ticks: UInt64, _ ailment: @escaping (Int) -> Ailment?) -> SampledRecording {
    let recording = SampledRecording(.hz(100), ticks: ticks) { $0.outputDataRate = 120 }
    recording.script.ailmentAtRead = ailment
    return recording
  }

  @Test("are samples when the chip keeps making samples")
  func between() {
    let recording = run(ticks: 100) { [10, 11, 12, 40].contains($0) ? .unannounced : nil }
    recording.run(ticks: 100)
    #expect(recording.gaps == [])
    #expect(recording.events == [])
  }

  @Test("are held until then")
  func held() {
    let recording = run(ticks: 100) { (10..<20).contains($0) ? .unannounced : nil }
    for _ in 0..<20 { _ = recording.sampler.step() }
    // The one before is not yet proved to be of a working chip.
    #expect(recording.box.records.last?.tick == 8)
    _ = recording.sampler.step()
    #expect(recording.box.records.last?.tick == 19)
    #expect(recording.gaps == [])
  }

  @Test("are rejected when no sample is announced for half a second")
  func noData() throws {
    let recording = run(ticks: 300) { (100..<160).contains($0) ? .unannounced : nil }
    recording.run(ticks: 300)
    #expect(recording.events.map(\.kind) == [.lost, .reinitialised, .back])
    #expect(recording.events.first?.fault == .noData)
    let lost = try #require(recording.events.first).tick
    let stale = recording.gaps.filter { $0.cause == .stale }
    #expect(stale.first?.firstTick == 100)
    #expect(stale.map(\.count).reduce(0, +) == lost + 1 - 100)
  }

  @Test("are rejected when the recording ends before another is announced")
  func atTheEnd() {
    let recording = run(ticks: 100) { $0 >= 95 ? .unannounced : nil }
    recording.run(ticks: 100)
    #expect(recording.gaps == [Gap(firstTick: 95, count: 5, cause: .stale)])
  }

  @Test("are rejected when the chip cannot have made another since")
  func tooEarly() {
    // Tick 10 is read 8 ms late, so tick 11 comes 2 ms later; the chip needs up to 9.2 ms.
    let recording = run(ticks: 20) { (11...12).contains($0) ? .unannounced : nil }
    for _ in 0..<10 { _ = recording.sampler.step() }
    recording.clock.advance(by: 18_000_000)
    recording.run(ticks: 20)
    #expect(recording.gaps == [])
    let times = recording.box.records.dropFirst(10).prefix(2).map(\.time)
    #expect(times == [108_000_000, 117_166_666])
  }
}
