// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Recorder
import SimulatedIMU
import TestSupport
import Testing

@Suite("Recordings that motion begins", .excludesProgramStarts)
struct TriggerTests {
  @Test(
    "have the first sample of the event, exactly the pre-trigger before it, and the post-trigger after its last one"
  )
  func whole() throws {
    // The last one of an event above 0.35 g counts: 2868 counts are that, and 1000 are not.
    let (takes, warnings) = try MotionRecorder(
      spikes: [
        301: 6000, 302: -5000, 350: 3500, 380: 1000, 1200: -4400, 2000: 3500, 2200: 4360,
      ]
    ).run()
    #expect(warnings == [])
    #expect(takes.map(\.ticks) == [251..<451, 1150..<1301, 2150..<2301])
    for (take, (first, words)) in zip(
      takes, [(301, "trigger 0.689 g"), (1200, "trigger 0.505 g"), (2200, "trigger 0.501 g")])
    {
      #expect(take.end.reason == .completed)
      #expect(take.marks.map(\.label) == [words])
      #expect(take.markedTicks == [UInt64(first)])
      #expect(take.description.begunBy == .trigger)
      #expect(
        take.description.trigger
          == "peak 0.5 g above 1 Hz, 0.5 s before, 1 s after, 0 s pause, 1000 in 24 h at most"
      )
    }
  }

  @Test("are one an event, and one that goes on over the length ends with it and begins no other")
  func longEvent() throws {
    var spikes: [UInt64: Int16] = [:]
    // A spike each half of a second for 9 s.
    for tick in stride(from: 300, through: 1200, by: 50) as StrideThrough<UInt64> {
      spikes[tick] = 5000
    }
    var recorder = MotionRecorder(spikes: spikes)
    let once = try recorder.run().takes
    #expect(once.map(\.ticks) == [250..<1301])
    #expect(once.map(\.marks.count) == [1])
    recorder = MotionRecorder(spikes: spikes.merging([2000: 5000]) { $1 })
    recorder.length = 3_000_000_000
    #expect(try recorder.run().takes.map(\.ticks) == [250..<600, 1950..<2101])
  }

  @Test("follow each other without a tick in two of them, and with all of both events")
  func neighbours() throws {
    // The first event is over with tick 400; its recording is made durable within a round of the writer.
    let takes = try MotionRecorder(spikes: [300: 5000, 403: -5000, 520: 5000]).run().takes
    #expect(takes.map(\.ticks) == [250..<401, 401..<504, 504..<621])
    #expect(takes.map(\.markedTicks) == [[300], [403], [520]])
  }

  @Test("are at most so many in a day, and that is said once")
  func most() throws {
    var recorder = MotionRecorder(spikes: [300: 5000, 600: 5000, 1000: 5000, 1400: 5000])
    recorder.setting.mostADay = 2
    let (takes, warnings) = try recorder.run()
    #expect(takes.map(\.ticks) == [250..<401, 550..<701])
    #expect(warnings.count == 1 && warnings[0].contains("2 recordings in 24 hours"))
    // A recording by the button is none of them, and has the mark.
    recorder = MotionRecorder(spikes: [300: 5000, 600: 5000])
    recorder.setting.mostADay = 1
    recorder.presses = [5.5, 8]
    let pressed = try recorder.run()
    #expect(pressed.takes.map(\.description.begunBy) == [.trigger, .button])
    #expect(pressed.takes.map(\.markedTicks) == [[300], [600]])
    #expect(pressed.warnings == [])
    // Nor does one more begin while the meaning of the press that ends it is open.
    recorder = MotionRecorder(spikes: [300: 5000, 1010: 5000])
    recorder.setting.mostADay = 1
    recorder.presses = [6.005, 10]
    let open = try recorder.run()
    #expect(open.takes.map(\.ticks) == [250..<401, 551..<1001])
    #expect(open.warnings.count == 1)
  }

  @Test("that the card refused are none of so many a day")
  func refusedByCard() throws {
    var recorder = MotionRecorder(spikes: [300: 5000, 600: 5000, 1000: 5000, 1400: 5000])
    recorder.setting.mostADay = 1
    recorder.blockedUntil = 7
    var counts: [Int] = []
    let (takes, warnings) = try recorder.run { loop in
      if let count = loop.status().trigger?.count, counts.last != count { counts.append(count) }
    }
    #expect(takes.map(\.ticks) == [950..<1101])
    #expect(counts == [0, 1])
    #expect(warnings.count { $0.contains("is a file and not a directory") } == 2, "\(warnings)")
    #expect(warnings.count { $0.contains("1 recordings in 24 hours") } == 1)
  }

  @Test("a person's recording gets a mark for each event, and ends when that person says")
  func marks() throws {
    var recorder = MotionRecorder(spikes: [500: 5000, 900: -5000, 905: 5000])
    recorder.presses = [3.005, 15]
    let take = try recorder.run().takes
    #expect(take.map(\.ticks) == [251..<1501])
    #expect(take.map(\.markedTicks) == [[500, 900]])
    #expect(take[0].end.reason == .button && take[0].description.begunBy == .button)
  }

  @Test(
    "a press that shakes the device takes over the recording that the shake begins, until the next press or the length",
    arguments: [9.99, 10.15])
  func shake(press: Double) throws {
    var recorder = MotionRecorder(spikes: [1000: 5000])
    recorder.presses = [press, 15]
    var takes = try recorder.run().takes
    #expect(takes.map(\.ticks) == [950..<1501])
    #expect(takes.map(\.markedTicks) == [[1000]])
    #expect(takes.map(\.end.reason) == [.button])
    #expect(takes.map(\.description.begunBy) == [.trigger])
    // A long press is understood 1.6 s later.
    recorder = MotionRecorder(spikes: [1000: 5000])
    (recorder.presses, recorder.pressLength) = ([press], 1_600_000_000)
    (recorder.length, recorder.setting.postTrigger) = (4_000_000_000, 2_000_000_000)
    takes = try recorder.run().takes
    #expect(takes.map(\.ticks) == [950..<1400])
    #expect(takes.map(\.end.reason) == [.completed])
  }

  @Test(
    "an event after the length of a recording begins the next one, also when it is seen before that is known"
  )
  func eventAfterLength() throws {
    for stall in [0..<0, 5.9..<6.2] as [Range<Double>] {
      var recorder = MotionRecorder(spikes: [600: 5000])
      (recorder.presses, recorder.length) = ([3.005], 3_000_000_000)
      recorder.writerStall = stall
      // The last tick of the recording is 600.
      var takes = try recorder.run().takes
      #expect(takes.map(\.ticks) == [251..<601], "\(stall)")
      #expect(takes.map(\.markedTicks) == [[600]], "\(stall)")
      recorder = MotionRecorder(spikes: [601: 5000])
      (recorder.presses, recorder.length) = ([3.005], 3_000_000_000)
      recorder.writerStall = stall
      takes = try recorder.run().takes
      #expect(takes.map(\.ticks) == [251..<601, 601..<702], "\(stall)")
      #expect(takes.map(\.markedTicks) == [[], [601]], "\(stall)")
    }
  }

  @Test(
    "an event is a mark of the recording that has its first sample, before a press as after it, whenever it is seen"
  )
  func eventAtPress() throws {
    func takes(
      _ event: UInt64, _ presses: [Double], stall: Range<Double> = 0..<0
    ) throws -> [WholeRecording] {
      var recorder = MotionRecorder(spikes: [event: 5000])
      (recorder.presses, recorder.writerStall) = (presses, stall)
      return try recorder.run().takes
    }
    // The press at 10 s is reported at 10.1 s, and is an end at 10.5 s.
    for stall in [0..<0, 9.98..<10.3, 9.98..<10.6] as [Range<Double>] {
      let before = try takes(999, [3.005, 10], stall: stall)
      #expect(before.map(\.ticks) == [251..<1001], "\(stall)")
      #expect(before.map(\.markedTicks) == [[999]], "\(stall)")
      let after = try takes(1003, [3.005, 10], stall: stall)
      #expect(after.map(\.ticks) == [251..<1001, 1001..<1104], "\(stall)")
      #expect(after.map(\.markedTicks) == [[], [1003]], "\(stall)")
      let mark = try takes(1003, [3.005, 10, 10.2, 15], stall: stall)
      #expect(mark.map(\.ticks) == [251..<1501], "\(stall)")
      #expect(mark.map { $0.markedTicks.sorted() } == [[1000, 1003]], "\(stall)")
    }
  }

  @Test("the status says whether motion would begin a recording, and how many it has begun")
  func status() throws {
    var recorder = MotionRecorder(spikes: [300: 5000, 2000: 5000])
    recorder.setting.mostADay = 2
    var seen: [String] = []
    _ = try recorder.run { loop in
      guard let trigger = loop.status().trigger else {
        Issue.record("a status without the trigger")
        return
      }
      #expect(
        trigger.text.hasPrefix(
          "peak 0.5 g above 1 Hz, 0.5 s before, 1 s after, 0 s pause, \(trigger.isArmed ? "" : "not ")armed, \(trigger.count) of 2"
        ))
      let words = "\(trigger.isArmed ? "armed" : "busy") \(trigger.count)"
      if seen.last != words { seen.append(words) }
    }
    #expect(seen == ["busy 0", "armed 0", "busy 1", "armed 1", "busy 2"])
  }

  @Test(
    "where the chip keeps the time, have the chip's first sample of the event, and exactly the pre-trigger before it",
    arguments: [ChipRecorder.slow, .lsm6dsl, .mpu6050], [12_000, -31_000])
  func chip(_ chip: ChipRecorder, error: Int) throws {
    var chip = chip
    // 1.5 g along X for 0.2 s, 8.1236 s after the chip's power-up. The rates number the rows of the motion.
    let (shock, length) = (8_123_600, 200_000)
    var file = "t_us,ax,ay,az,gx,gy,gz\n"
    for row in 0..<70_000 {
      let isShaken = (shock..<shock + length).contains(row * 400)
      file += "\(row * 400),\(isShaken ? 12_100 : 100),-200,8000,\(row % 30_000),2,3\n"
    }
    chip.motion = try Motion(csv: file.utf8, named: "shock")
    chip.clockError = error
    chip.preTrigger = 350_000_000
    chip.trigger.threshold = TriggerSetting.Threshold(.peak, 0.5)
    chip.trigger.postTrigger = 1_500_000_000
    let outcome = try chip.run(presses: [20_000_000_000])
    let take = try #require(outcome.takes.first)
    #expect(outcome.takes.count == 2 && outcome.warnings == [])
    let first = try #require(outcome.twin.sample(at: Int64(shock) * 1000 - 1).flatMap { $0 + 1 })
    let row = take.numbers.firstIndex(of: first)
    let before = Int(chip.rate.tick(atNanoseconds: 349_999_999) + 1)
    #expect(row == before)
    #expect(take.report.end?.reason == .completed)
    // The step back by 1.46 g meets 0.39 g behind the filter, which the step 0.2 s before has left: 1.06 g, which fall to
    // 0.35 g in 0.17 s. The chip makes the ticks of these 1.67 s in 1.2 % less, or in 3.1 % more.
    let last = try #require(take.truth.last) - Int64(shock + length) * 1000
    #expect(abs(last - (1_672_000_000 - 1672 * Int64(error))) < 16_000_000)
    #expect(take.report.description.begunBy == .trigger)
  }
}
