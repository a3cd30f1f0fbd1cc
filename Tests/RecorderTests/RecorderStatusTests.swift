// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("Answers over the control socket")
struct RecorderStatusTests {
  private static var whole: RecorderStatus {
    var status = RecorderStatus(state: .recording)
    status.number = 12
    status.tally?.sampled = 340
    status.tally?.missed = 5
    status.lateness = LatenessSummary(median: 61_000, percentile99: 123_456, maximum: 2_000_000)
    status.worstFlush = 1_234_567_890
    status.freeBytes = 12_345_678_901
    status.temperature = 48.26
    status.sensor = SensorPlace(model: "MPU6050", address: 0x68)
    status.clock = ChipClockState(hertz: 1031.205, uncertainty: 117_600)
    status.realTime = "fifo 80, memory locked"
    status.begunBy = .trigger
    var setting = TriggerSetting()
    setting.threshold = TriggerSetting.Threshold(.rms, 0.05)
    (setting.cutOffHertz, setting.window, setting.mostADay) = (0.25, 1_500_000_000, 900)
    (setting.postTrigger, setting.pause) = (3_000_000_000, 7_200_000_000_001)
    status.trigger = TriggerStatus(
      setting, preTrigger: 400_000_000, isArmed: true, count: 12, sinceLast: 3_000_000_001)
    status.untilCycle = 600_000_000_000
    status.calendar = "Mon..Fri 08:00"
    status.problem = .storageFull
    status.failure = "there is no room in /var/x"
    status.note = "left \"wrist\""
    return status
  }

  /// The status after a recording whose file is unreadable.
  private static var gone: RecorderStatus {
    var status = RecorderStatus(state: .armed)
    status.number = 12
    status.tally = nil
    return status
  }

  @Test("a status is one line of JSON with every fact")
  func json() {
    #expect(
      Self.whole.json
        == #"{"schema":1,"ok":true,"state":"recording","problem":"storageFull","#
        + #""failure":"there is no room in /var/x","number":12,"#
        + #""ticks":{"scheduled":345,"sampled":340,"missed":5,"busError":0,"ringFull":0,"stale":0,"#
        + #""reinitialising":0,"lost":0,"frozen":0},"#
        + #""lateness":{"median_ns":61000,"p99_ns":123456,"maximum_ns":2000000},"#
        + #""worstFlush_ns":1234567890,"free_bytes":12345678901,"processorTemperature_c":48.3,"#
        + #""sensor":{"model":"MPU6050","address":104},"#
        + #""chipClock":{"rate_hz":1031.205,"uncertainty_ns":117600},"#
        + #""realTime":"fifo 80, memory locked","begunBy":"trigger","#
        + #""trigger":{"measure":"rms","threshold_g":0.05,"above_hz":0.25,"window_s":1.5,"#
        + #""preTrigger_s":0.4,"postTrigger_s":3,"pause_s":7200.000000001,"#
        + #""armed":true,"last24h":12,"most":900,"#
        + #""sinceLast_s":4},"nextTurn_s":600,"calendar":"Mon..Fri 08:00","#
        + #""note":"left \"wrist\"","words":{"chipClock.rate_hz":"estimated","maximum_ns":"estimated","#
        + #""median_ns":"estimated","p99_ns":"estimated","sinceLast_s":"estimated","#
        + #""uncertainty_ns":"estimated","worstFlush_ns":"estimated"}}"#)
    #expect(
      RecorderStatus(state: .asleep).json
        == #"{"schema":1,"ok":true,"state":"asleep","problem":null,"failure":null,"number":null,"#
        + #""ticks":{"scheduled":0,"sampled":0,"missed":0,"busError":0,"ringFull":0,"stale":0,"#
        + #""reinitialising":0,"lost":0,"frozen":0},"lateness":null,"#
        + #""worstFlush_ns":null,"free_bytes":null,"#
        + #""processorTemperature_c":null,"sensor":null,"chipClock":null,"realTime":null,"begunBy":null,"trigger":null,"#
        + #""nextTurn_s":null,"calendar":null,"note":"","words":{"worstFlush_ns":"estimated"}}"#
    )
  }

  @Test("a status in words has a line for each known fact")
  func text() {
    #expect(
      Self.whole.text == """
        state        recording
        problem      there is no space for a recording
        failure      there is no room in /var/x
        recording    12
        samples      340 of 345, 5 lost
        lateness     0.12 ms, 99 % of samples, estimated
        worst flush  1234.56 ms estimated
        free space   12 GB
        temperature  48.3 °C
        sensor       MPU6050 at 0x68
        chip clock   1031.205 Hz, ±118 µs, estimated
        real time    fifo 80, memory locked
        trigger      rms 0.05 g over 1.5 s above 0.25 Hz, 0.4 s before, 3 s after, 7200.000000001 s pause, armed, 12 of 900 recordings in 24 h, last event 4 s ago, estimated
        next cycle   in 600 s
        calendar     Mon..Fri 08:00
        note         left "wrist"
        """)
    #expect(RecorderStatus(state: .armed).text == "state        armed")
    #expect(Self.gone.text == "state        armed\nrecording    12")
  }

  /// Of two sensors by their chips' clocks, and one by the computer's.
  private static func take(_ clocks: [ChipClockState?]) -> RecorderStatus {
    var status = RecorderStatus(state: .recording)
    status.number = 3
    for (index, clock) in clocks.enumerated() {
      var tally = TickTally()
      tally.sampled = 40 + UInt64(index)
      tally.add(UInt64(2 * index), .missed)
      status.members.append(
        MemberStatus(
          name: "s\(index)", sensor: SensorPlace(model: "LSM6DSO", address: 0x6A + UInt8(index)),
          rate: 416, tally: tally, clock: clock))
    }
    return status
  }

  @Test("the sensors of a take have a line together, and come back from JSON")
  func take() throws {
    let (slow, fast) = (
      ChipClockState(hertz: 409.14, uncertainty: 100_400),
      ChipClockState(hertz: 416.9, uncertainty: 132_000)
    )
    let both = Self.take([fast, slow])
    #expect(
      both.text == """
        state        recording
        recording    3
        samples      81 of 83, 2 lost
        sensors      s0 416.9 Hz estimated, 0 lost · s1 409.1 Hz estimated, 2 lost · apart at most 0.24 ms estimated
        """)
    let mixed = Self.take([fast, nil, slow])
    #expect(mixed.text.hasSuffix(" · s1 416 Hz claimed, 2 lost · s2 409.1 Hz estimated, 4 lost"))
    for status in [both, mixed] {
      guard case .status(var read) = try ControlAnswer(line: status.json) else {
        Issue.record("no status")
        continue
      }
      read.tally = status.tally
      #expect(read.members == status.members)
    }
  }

  @Test("temperatures are rounded to tenths, and an invalid temperature is null")
  func temperatures() {
    for (degrees, json) in [
      (0, "0"), (-0.04, "0"), (-0.06, "-0.1"), (-12.34, "-12.3"), (85, "85"),
      (.nan, "null"), (.infinity, "null"), (1e300, "null"),
    ] as [(Double, String)] {
      var status = RecorderStatus(state: .armed)
      status.temperature = degrees
      #expect(status.json.contains("\"processorTemperature_c\":\(json),"), "\(degrees)")
    }
  }

  @Test("hostile text is escaped: the JSON is valid, and the text has no control characters")
  func hostileWords() throws {
    var all = String.UnicodeScalarView()
    for value in 0...0x2030 as ClosedRange<UInt32> {
      if let scalar = Unicode.Scalar(value) { all.append(scalar) }
    }
    for words in [
      String(all), "\",\"ok\":false,\"x\":\"", "\\", "\\\"", "\u{0}", "\u{1B}]0;x\u{7}", "}{", "👩‍🔬",
      "a\r\nb",
    ] {
      var status = RecorderStatus(state: .recording)
      status.note = words
      status.sensor = SensorPlace(model: words, address: nil)
      status.realTime = words
      let line = status.json
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0 ~= $0.value) })
      #expect(!line.unicodeScalars.contains("\u{2028}"))
      #expect(try ControlAnswer(line: line) == .status(status))
      let isPlain = status.text.unicodeScalars.allSatisfy {
        $0 == "\n" || ($0.value >= 0x20 && !(0x7F..<0xA0 ~= $0.value))
      }
      #expect(isPlain)
      #expect(status.text.split(separator: "\n").count <= 5)
    }
  }

  @Test("every answer is read back as it was written")
  func readBack() throws {
    var whole = Self.whole
    whole.temperature = 48.3
    // To whole seconds.
    whole.trigger?.sinceLast = 4_000_000_000
    for answer in [
      .status(whole), .status(Self.gone), .status(RecorderStatus(state: .ending)), .done(.starting),
      .refused(status: 75, message: "no \"take\"\n is running \u{1B}"),
      .refused(status: -1, message: ""),
    ] as [ControlAnswer] {
      #expect(!answer.line.contains("\n"))
      #expect(try ControlAnswer(line: answer.line + "\n") == answer)
    }
    #expect(ControlAnswer.done(.armed).line == #"{"schema":1,"ok":true,"state":"armed"}"#)
    let refused = ControlAnswer.refused(status: 75, message: "no")
    #expect(refused.line == #"{"schema":1,"ok":false,"exitStatus":75,"message":"no"}"#)
  }

  @Test("white space, escapes and members of a later version are skipped")
  func foreignAnswers() throws {
    let refused = ControlAnswer.refused(status: 75, message: "a/\u{8}\u{C}\n\r\té")
    #expect(
      try ControlAnswer(
        line:
          #" { "ok" : false , "new" : 1.5e3, "more":[{"x":null}], "exitStatus":75,"message":"a\/\b\f\n\r\t\u00e9" } "#
      )
        == refused)
    let flag = ControlAnswer.refused(status: 75, message: "\u{E0041}")
    #expect(try ControlAnswer(line: flag.line) == flag)
  }

  @Test("a line that is not an answer is refused")
  func badAnswers() {
    for line in [
      "", "{", "}", "{}", "null", "[]", "{\"ok\":true}", #"{"ok":true,"state":"dancing"}"#,
      #"{"ok":false}"#, #"{"ok":false,"exitStatus":"75","message":"x"}"#,
      #"{"ok":false,"exitStatus":75}"#, #"{"ok":true,"state":"armed""#,
      #"{"ok":true,"state":"armed"}x"#,
      #"{"ok":true,"state":"armed",}"#, #"{"ok":truth,"state":"armed"}"#,
      #"{"ok":true,"state":"arm\ed"}"#, #"{"ok":true,"state":"\u00"}"#,
      #"{"ok":true,"state":"\ud800"}"#, #"{"ok":true,"state":"armed"#,
      #"{"ok":true,"state":{"a":1}}"#, #"{"ok":true,"ok":true,"state":"armed"}"#,
      #"{"ok":false,"exitStatus":99999999999,"message":"x"}"#,
    ] {
      #expect(throws: ControlError.self, "\(line)") { try ControlAnswer(line: line) }
    }
  }
}
