// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Recorder

@Suite("Lines for watchers")
struct WatchLineTests {
  private static let sensor = SensorDescription(
    model: "MPU-6050 clone", identity: nil, address: nil, accelerometerRange: 0, gyroscopeRange: 0,
    accelerometerScale: Fraction(1, 8192), gyroscopeScale: Fraction(10, 655),
    temperatureScale: Fraction(1, 340), temperatureOffset: Fraction(3653, 100), outputDataRate: 0,
    filter: "")

  private var lines: [WatchLine] {
    var lines: [WatchLine] = [
      .lost(0), .lost(.max), .plan(nil), .plan(600), .mark(0), .mark(.min), .mark(.max),
    ]
    if let rate = SampleRate(25, per: 2) { lines.append(.sensor(Self.sensor, rate, .all)) }
    var status = RecorderStatus(state: .recording)
    status.number = 7
    status.note = "kerb \"left\""
    lines += [.status(status), .refused(status: 75, message: "4 are watching already")]
    for value in [Int16.min, -1, 0, 1, .max] {
      let sample = RawSample(ax: value, ay: 1, az: -2, gx: value, gy: 3, gz: -4, temperature: value)
      lines.append(.record(TickRecord(tick: 5, time: 5_000_061, lateness: 61, sample: sample)))
    }
    lines.append(
      .record(TickRecord(tick: .max, time: 1 - RecordingTime.limit, sample: RawSample())))
    for cause in GapCause.allCases {
      lines.append(.record(TickRecord(Gap(firstTick: 3, count: .max, cause: cause, code: -121))))
    }
    for kind in SensorEvent.Kind.allCases {
      for fault in SensorEvent.Fault.allCases {
        lines.append(.record(TickRecord(SensorEvent(tick: 9, kind: kind, fault: fault))))
      }
    }
    return lines
  }

  @Test("each is read back unchanged")
  func roundTrip() {
    for line in lines { #expect(WatchLine(line: line.line[...]) == line, "\(line.line)") }
  }

  @Test("a sample is short")
  func sample() {
    let record = TickRecord(
      tick: 12, time: 120_000_061, lateness: 43_210,
      sample: RawSample(ax: 1, ay: -2, az: 8192, gx: 4, gy: 5, gz: 6, temperature: -700))
    #expect(WatchLine.record(record).line == "s 12 120000061 43210 1 -2 8192 4 5 6 -700")
  }

  @Test("a line that is cut, too long or unknown is skipped and never traps")
  func foreign() {
    for line in lines.map(\.line) {
      for count in 0..<line.count {
        let cut = line.prefix(count)
        // A cut number is another number.
        if let read = WatchLine(line: cut) { #expect(read.line == String(cut)) }
      }
      #expect(WatchLine(line: ("?" + line)[...]) == nil)
    }
    for line in [
      "", " ", "s", "s 1 2 3", "g 1 2 99 0", "w 0 1 7 1/1 1/1 1/1 1/1 x", "t x", "d -1", "m", "m x",
      "m 1 2", "z 1",
    ] {
      #expect(WatchLine(line: line[...]) == nil)
    }
  }
}
