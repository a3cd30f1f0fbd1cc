// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("Gaps in the motion that begins a recording")
struct TriggerGapTests {
  @Test("an event that runs into a gap is over when 10 s more than the post-trigger had no sample")
  func quietInGap() throws {
    // 1 s, 10 s, and 48 ticks of the filter.
    let end: UInt64 = 100 + 100 + 1000 + 48
    for lengths in [[5000], [1147, 1, 1], [700, 400, 900]] as [[UInt64]] {
      var shaker = try Shaker()
      shaker.rest(100)
      shaker.spike(5000)
      for length in lengths { shaker.gap(length) }
      #expect(shaker.reports == ["began 100", "quiet \(end)"], "\(lengths)")
      guard case .quiet(let at, _)? = shaker.events.last else { continue }
      #expect(at == shaker.schedule.deadline(of: end))
    }
    var shaker = try Shaker()
    shaker.rest(100)
    shaker.spike(5000)
    shaker.gap(1147)
    #expect(shaker.reports == ["began 100"])
  }

  @Test("a gap proves no stillness: of the post-trigger counts what was seen before and after it")
  func gapInPostTrigger() throws {
    var shaker = try Shaker()
    shaker.rest(100)
    shaker.spike(5000)
    shaker.rest(30)
    shaker.gap(200)
    shaker.rest(69)
    #expect(shaker.reports == ["began 100"])
    shaker.rest(1)
    #expect(shaker.reports == ["began 100", "quiet 400"])
    // Motion after the gap is the same event, and the post-trigger counts from it.
    shaker = try Shaker()
    shaker.rest(100)
    shaker.spike(5000)
    shaker.rest(99)
    shaker.gap(1)
    shaker.spike(-5000)
    shaker.gap(2)
    shaker.rest(150)
    #expect(shaker.reports == ["began 100", "quiet 303"])
  }

  @Test(
    "a motion with gaps in it is one event, by peak as by rms", arguments: [1, 5, 40] as [UInt64],
    [TriggerSetting.Threshold.Measure.peak, .rms])
  func gapsInMotion(gap: UInt64, measure: TriggerSetting.Threshold.Measure) throws {
    // 5 Hz with 1.2 g for 12 s, with a gap each second, which is longer than the post-trigger.
    var shaker = try Shaker(measure, 0.4) { $0.postTrigger = 300_000_000 }
    shaker.rest(200)
    while shaker.tick < 1400 {
      if shaker.tick % 100 == 50 {
        shaker.gap(gap)
      } else {
        shaker.spike(Int(9830 * Shaker.sine(Double(shaker.tick) * 2 * Double.pi * 0.05)), axis: 0)
      }
    }
    shaker.rest(300)
    #expect(shaker.reports.count == 2, "\(shaker.reports)")
    #expect(shaker.reports.last?.hasPrefix("quiet 1") == true)
  }

  @Test("an event goes on over a sensor that is set up anew in it, also with the longest window")
  func setUpInEvent() throws {
    var shaker = try Shaker(.rms, 0.05) {
      ($0.window, $0.postTrigger) = (6_000_000_000, 300_000_000)
    }
    func shake(_ ticks: Int) {
      for _ in 0..<ticks { shaker.spike(shaker.tick % 2 == 0 ? 3000 : -3000) }
    }
    shaker.rest(700)
    shake(300)
    shaker.gap(900)
    shaker.note(TickRecord(SensorEvent(tick: shaker.tick, kind: .back, fault: .bus)))
    shake(1000)
    shaker.rest(100)
    #expect(shaker.reports.count == 1, "\(shaker.reports)")
    shaker.rest(700)
    #expect(shaker.reports.count == 2, "\(shaker.reports)")
  }

  @Test("gaps make it deaf only while more than half of the window is missing")
  func gapsInWindow() throws {
    for (gap, isHeard) in [(4, true), (10, true), (11, false)] as [(UInt64, Bool)] {
      // A gap in each 20 ticks.
      var shaker = try Shaker(.rms, 0.1) { $0.window = 1_000_000_000 }
      func shake(_ counts: Int) {
        for _ in 0..<20 {
          shaker.gap(gap)
          for _ in gap..<20 { shaker.spike(shaker.tick % 2 == 0 ? counts : -counts) }
        }
      }
      shaker.rest(200)
      shake(30)
      #expect(shaker.reports == [] && shaker.watch.isArmed == isHeard, "\(gap)")
      shake(3000)
      #expect(shaker.reports.count == (isHeard ? 1 : 0), "\(gap)")
      // And it hears again with the samples that come.
      shaker.rest(60)
      shake(0)
      shaker.rest(400)
      #expect(shaker.watch.isArmed, "\(gap)")
    }
  }

  @Test("the mean of a window with gaps is that of its samples")
  func meanOfSamples() throws {
    // Alternately ±s behind the filter: about 2 × s a sample, each of the same size.
    func reports(_ counts: Int, gap: UInt64) throws -> [String] {
      var shaker = try Shaker(.rms, 0.4) { $0.window = 500_000_000 }
      shaker.rest(200)
      while shaker.tick < 1000 {
        if gap > 0, shaker.tick % 10 == 0 { shaker.gap(gap) }
        shaker.spike(shaker.tick / 2 % 2 == 0 ? counts : -counts)
      }
      return shaker.reports
    }
    for gap in [0, 2, 4] as [UInt64] {
      #expect(try reports(2900, gap: gap) == [], "\(gap)")
      #expect(try reports(3900, gap: gap).count == 1, "\(gap)")
    }
  }

  @Test("a slow turn through all of gravity is no motion, however long a gap in it is")
  func gapInSlowTurn() throws {
    for gap in [1, 7, 40, 300, 1000] as [UInt64] {
      var shaker = try Shaker()
      while shaker.tick < 6000 {
        if shaker.tick % 1500 == 700 { shaker.gap(gap) }
        let angle = Double(shaker.tick) * 2 * Double.pi / 2000
        shaker.sample(
          RawSample(
            ax: Int16(8192 * Shaker.sine(angle)), az: Int16(8192 * Shaker.sine(angle + .pi / 2))))
      }
      #expect(shaker.reports == [], "\(gap)")
    }
  }

  @Test("a step over a gap counts as the motion in a straight line that it is at least")
  func stepOverGap() throws {
    // Over k periods a step of s gives s (a + … + aᵏ) / k behind the filter.
    for (gap, share) in [(0, 0.940883), (1, 0.913071), (3, 0.860688), (49, 0.303187)]
      as [(UInt64, Double)]
    {
      for (counts, isEvent) in [(4096 / share - 2, false), (4096 / share + 2, true)] {
        var shaker = try Shaker()
        shaker.rest(100)
        if gap > 0 { shaker.gap(gap) }
        shaker.spike(Int(counts), axis: 1)
        #expect(shaker.reports == (isEvent ? ["began \(100 + gap)"] : []), "\(gap) \(counts)")
      }
    }
  }
}
