// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Recorder
import Sampling
import TestSupport
import Testing

@Suite("Motion that begins a recording")
struct TriggerWatchTests {
  // At 100 Hz and 1 Hz, τ is 15.9155 periods: a = 15.9155 / 16.9155 = 0.940883, and 3 τ are 48 ticks. 0.5 g are 4096 counts,
  // which a step of 4096 / 0.940883 = 4353.4 counts gives behind the filter.

  @Test(
    "an event begins with the first sample above the threshold, along each axis in both directions",
    arguments: [0, 1, 2], [-1, 1])
  func threshold(axis: Int, sign: Int) throws {
    var shaker = try Shaker()
    shaker.rest(100)
    shaker.spike(sign * 4353, axis: axis)
    shaker.rest(100)
    #expect(shaker.reports == [])
    shaker.spike(sign * 4354, axis: axis)
    shaker.rest(1)
    #expect(shaker.reports == ["began 201"])
    let (at, level) = try #require(began(shaker.events[0]))
    #expect(at == shaker.schedule.deadline(of: 201))
    #expect(abs(level - 0.5) < 0.0002)
  }

  @Test("the axes' magnitude counts: three of 0.3 g are 0.52 g")
  func magnitude() throws {
    var shaker = try Shaker()
    shaker.rest(100)
    shaker.sample(RawSample(ax: -31 + 2612, ay: 17 - 2612, az: 8192))
    #expect(shaker.reports == [])
    shaker.rest(100)
    shaker.sample(RawSample(ax: -31 + 2612, ay: 17 - 2612, az: 8192 + 2612))
    #expect(shaker.reports == ["began 201"])
  }

  @Test("gravity is no motion, nor is a slow turn through all of it")
  func slow() throws {
    var shaker = try Shaker()
    for tick in 0..<6000 {
      let angle = Double(tick) * 2 * Double.pi / 2000
      shaker.sample(
        RawSample(
          ax: Int16(8192 * Shaker.sine(angle)), az: Int16(8192 * Shaker.sine(angle + .pi / 2))))
    }
    #expect(shaker.reports == [])
  }

  @Test(
    "an event is reported once however it swings, and is over when it was quiet for long enough")
  func once() throws {
    var shaker = try Shaker()
    shaker.rest(100)
    // 7 Hz for 3 s with 0.8 g, through 0 twice a period.
    for tick in 0..<300 {
      shaker.spike(Int(6554 * Shaker.sine(Double(tick) * 2 * Double.pi * 0.07)), axis: 1)
    }
    shaker.rest(90)
    #expect(shaker.reports.count == 1)
    shaker.rest(200)
    #expect(shaker.reports.count == 2)
    // 0.8 g × sin(7/100 of a turn) = 0.34 g; × sin(14/100) = 0.62 g.
    guard case .began(_, let first, _) = shaker.events[0],
      case .quiet(let at, let last) = shaker.events[1]
    else {
      Issue.record("\(shaker.reports)")
      return
    }
    #expect((101...103).contains(first))
    #expect((400 + 100 - 8...400 + 100).contains(last))
    #expect(at == shaker.schedule.deadline(of: last))
  }

  @Test(
    "above 0.7 of the threshold an event continues, and below it ends; the end is counted from the last one above"
  )
  func release() throws {
    // Behind the filter 4354 counts are the threshold: 70 % are 3048, and what the spike before left is less than 20.
    for (counts, end) in [(3100, 200 + 10 * 80 + 100), (2990, 200 + 100)] {
      var shaker = try Shaker()
      shaker.rest(200)
      shaker.spike(5000)
      for _ in 0..<10 {
        shaker.rest(79)
        shaker.spike(counts)
      }
      shaker.rest(200)
      #expect(shaker.reports == ["began 200", "quiet \(end)"], "\(counts) counts")
    }
  }

  @Test("for three time constants after its beginning it hears nothing, and then everything")
  func deafAtFirst() throws {
    for (ticks, reports) in [(1, []), (47, []), (48, ["began 48"]), (49, ["began 49"])] {
      var shaker = try Shaker()
      shaker.rest(ticks)
      #expect(!shaker.watch.isArmed || ticks > 48)
      shaker.spike(9000)
      #expect(shaker.reports == reports, "a spike after \(ticks) samples")
    }
  }

  @Test("a sensor that was set up anew is no event, even with other counts after it")
  func steps() throws {
    for cause in [SensorEvent.Kind.lost, .reinitialised, .back] {
      var shaker = try Shaker()
      shaker.rest(100)
      shaker.gap(3)
      shaker.note(TickRecord(SensorEvent(tick: shaker.tick, kind: cause, fault: .bus)))
      shaker.rest = RawSample(ax: 8192, ay: -8000, az: 5)
      shaker.rest(100)
      shaker.note(
        TickRecord(SensorEvent(tick: shaker.tick, kind: cause, fault: .configurationLost)))
      shaker.rest = RawSample(ax: -8192, ay: 3, az: -7000)
      shaker.rest(100)
      #expect(shaker.reports == [])
      // It hears again.
      shaker.spike(-5000)
      #expect(shaker.reports == ["began 303"])
    }
  }

  @Test("after an event none begins during the pause, and one does after it")
  func pause() throws {
    var shaker = try Shaker { $0.pause = 2_000_000_000 }
    shaker.rest(100)
    shaker.spike(5000)
    // Over at tick 200; 201 to 400 are the pause.
    shaker.rest(299)
    shaker.spike(5000)
    #expect(shaker.reports == ["began 100", "quiet 200"])
    #expect(!shaker.watch.isArmed)
    shaker.rest(1)
    #expect(shaker.watch.isArmed)
    shaker.spike(-5000)
    #expect(shaker.reports == ["began 100", "quiet 200", "began 402"])
    #expect(!shaker.watch.isArmed)
  }

  @Test("with rms, the window's mean square decides, once the window is full")
  func rootMeanSquare() throws {
    // One spike of 4096 counts is 0.4704 g behind the filter: in 50 samples 0.0665 g, two 0.0941 g, three 0.1152 g.
    func rms() throws -> Shaker { try Shaker(.rms, 0.1) { $0.window = 500_000_000 } }
    var shaker = try rms()
    shaker.rest(200)
    for _ in 0..<2 {
      shaker.spike(4096)
      shaker.rest(9)
    }
    shaker.rest(100)
    #expect(shaker.reports == [])
    for _ in 0..<3 {
      shaker.spike(-4096, axis: 0)
      shaker.rest(9)
    }
    #expect(shaker.reports == ["began 340"])
    // Of 320, 330 and 340 two are in the window up to tick 379, and one is below 0.07 g.
    shaker.rest(200)
    #expect(shaker.reports == ["began 340", "quiet 479"])
    var early = try rms()
    early.rest(50)
    for _ in 0..<4 { early.spike(4096) }
    #expect(early.reports == [])
    early.rest(50)
    #expect(early.reports.count == 1)
    // Of two samples one with 0.5 g is 0.354 g.
    for (threshold, reports) in [(0.35, ["began 100"]), (0.36, [])] {
      var short = try Shaker(.rms, threshold) { $0.window = 20_000_000 }
      short.rest(100)
      short.spike(4354)
      #expect(short.reports == reports)
    }
  }

  /// The instant and the level of an event that begins.
  private func began(_ event: TriggerWatch.Event) -> (at: MonotonicTime, level: Double)? {
    guard case .began(let at, _, let level) = event else { return nil }
    return (at, level)
  }

  @Test("the longest window has each of its 600 samples, and none before them")
  func longestWindow() throws {
    func rms() throws -> Shaker {
      try Shaker(.rms, 0.05) {
        $0.window = 6_000_000_000
        // A spike passes nearly whole, and what follows it is small.
        $0.cutOffHertz = 0.05
      }
    }
    // A spike of 5006 counts is 0.609 g behind the filter: four in 600 samples are 0.0498 g, five 0.0556 g. The filter is deaf
    // for 955 samples.
    for (distance, isEvent) in [(149, true), (150, false)] {
      var shaker = try rms()
      shaker.rest(1600)
      #expect(shaker.watch.isArmed)
      for _ in 0..<5 {
        shaker.spike(5006)
        shaker.rest(distance - 1)
      }
      #expect((shaker.reports == ["began \(1600 + 4 * distance)"]) == isEvent, "\(distance)")
      #expect(shaker.reports.isEmpty == !isEvent, "\(distance)")
    }
    // It is full with the 600th sample that is heard.
    for (ticks, isArmed) in [(955 + 599, false), (955 + 600, true)] {
      var shaker = try rms()
      shaker.rest(ticks)
      #expect(shaker.watch.isArmed == isArmed, "\(ticks)")
    }
  }

  @Test("a window does not add up the rounding of a day")
  func longWindow() throws {
    var shaker = try Shaker(.rms, 0.1) { $0.window = 70_000_000 }
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<300_000 {
      shaker.spike(Int(generator.next() % 40_001) - 20_000, axis: Int(generator.next() % 2))
    }
    #expect(shaker.reports.count == 1)
    shaker.rest(400)
    #expect(shaker.reports.count == 2)
    #expect(shaker.watch.isArmed)
    shaker.spike(3000)
    #expect(shaker.reports.count == 3)
  }

  @Test("where the chip keeps the time, instants are those of its samples")
  func chip() throws {
    var shaker = try Shaker(clock: .chip(busClock: 400_000))
    shaker.rest(100)
    shaker.spike(5000)
    shaker.rest(150)
    let (start, period) = (shaker.schedule.start, 10_000_000 as Int64)
    guard case .began(let begun, 100, _) = shaker.events[0],
      case .quiet(let over, 200) = shaker.events[1]
    else {
      Issue.record("\(shaker.events)")
      return
    }
    let sample = start + (100 * period + 400_000)
    #expect(begun == sample + -period / 2)
    let last = start + (200 * period + 400_000)
    #expect(over > last && over < last + period)
  }

  @Test("without a threshold, or with a sensor whose scale is not known, nothing is watched")
  func nothing() {
    let schedule = Schedule(start: MonotonicTime(nanoseconds: 0), rate: Shaker.rate)
    var sensor = ExampleLog.description().sensor
    #expect(TriggerWatch(TriggerSetting(), schedule, .grid, sensor) == nil)
    sensor.accelerometerScale = Fraction(0, 1)
    var setting = TriggerSetting()
    setting.threshold = TriggerSetting.Threshold(.peak, 1)
    #expect(TriggerWatch(setting, schedule, .grid, sensor) == nil)
  }
}
