// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogFormat
@testable import LogStore
import LogStoreTesting
import Testing

@Suite("Quality of a recording")
struct ReviewTests {
  @Test("a complete recording of a still sensor is good, and rests at 1 g")
  func good() throws {
    var recording = ReviewedRecording(rate: 100)
    recording.still(seconds: 10)
    let review = try recording.review()
    #expect(review.verdict == .good && review.sentence == "good: 1000 of 1000 samples")
    #expect(review.losses.isEmpty && review.longestGap == 0 && review.missingCount == 0)
    #expect(abs((review.motion?.achievedHertz ?? 0) - 100) < 0.01)
    #expect(abs((review.motion?.accelerationAtRest ?? 0) - 1) < 0.01)
    #expect(
      review.motion?.stillness.stillTime == 10_000_000_000
        && review.motion?.stillness.movingTime == 0)
    #expect(review.motion?.stillness.parts.count == 1)
    #expect(review.motion?.temperature == 36.53...36.53)
    #expect(
      review.lateness == LatenessSummary(median: 50_000, percentile99: 90_000, maximum: 1_000_000))
  }

  @Test("an end that states other samples than there are is a flaw", arguments: [999, 1001])
  func unbalanced(stated: UInt64) throws {
    var recording = ReviewedRecording(rate: 100)
    recording.still(seconds: 10)
    recording.tally.sampled = stated
    let review = try recording.review()
    #expect(review.sentence == "flawed: its account does not balance")
    #expect(review.summary.state == .damaged)
  }

  @Test("still and moving parts are distinguished, in order")
  func parts() throws {
    var recording = ReviewedRecording(rate: 100)
    recording.still(seconds: 4)
    recording.moving(seconds: 3)
    recording.still(seconds: 2)
    let stillness = try #require(recording.review().motion).stillness
    #expect(stillness.parts.map(\.isStill) == [true, false, true])
    #expect(stillness.parts.map(\.start) == [0, 4_000_000_000, 7_000_000_000])
    #expect(stillness.stillTime == 6_000_000_000 && stillness.movingTime == 3_000_000_000)
    var wild = ReviewedRecording(rate: 100)
    for _ in 0..<150 {
      wild.still(seconds: 0.5)
      wild.moving(seconds: 0.5)
    }
    let many = try #require(wild.review().motion).stillness
    #expect(many.parts.count == Stillness.partLimit && many.movingTime == 75_000_000_000)
  }

  @Test(
    "a turn that carries gravity around is motion, an even rate beside 1 g is the gyroscope's own",
    arguments: ["MPU-6050", "MPU-6500", "LSM9DS1"])
  func turns(model: String) throws {
    for rate in [-240, -90, -27, 3, 45, 130, 245] {
      var recording = ReviewedRecording(rate: 100, model: model)
      recording.still(seconds: 2, gz: Int16(131 * rate))
      let stillness = try #require(recording.review().motion).stillness
      #expect(stillness.parts.map(\.isStill) == [true], "\(rate)")
    }
    for rate in [-12.0, 8, 40] {
      var turning = ReviewedRecording(rate: 100, model: model)
      for tick in 0..<200 {
        let angle = rate * Double(tick) / 100 * Double.pi / 180
        turning.add(
          RawSample(
            ay: Int16(16384 * sin(angle)), az: Int16(16384 * cos(angle)), gx: Int16(131 * rate)))
      }
      let stillness = try #require(turning.review().motion).stillness
      #expect(stillness.parts.map(\.isStill) == [false], "\(rate)")
    }
  }

  @Test(
    "an even rate without gravity beside it is at rest within what three axes may be off",
    arguments: [("MPU-6050", 75, 85), ("MPU-6500", 55, 65), ("LSM9DS1", 115, 125)])
  func largeOffset(model: String, offset: Int, turn: Int) throws {
    for (rate, isStill) in [(offset, true), (-offset, true), (turn, false), (-turn, false)] {
      // A centrifuge, and a gyroscope alone.
      var centrifuge = ReviewedRecording(rate: 100, model: model)
      centrifuge.still(seconds: 2, az: 19_000, gz: Int16(131 * rate))
      var gyroscope = ReviewedRecording(rate: 100, channels: .gyroscope, model: model)
      gyroscope.still(seconds: 2, gz: Int16(131 * rate))
      for recording in [centrifuge, gyroscope] {
        let stillness = try #require(recording.review().motion).stillness
        #expect(stillness.parts.map(\.isStill) == [isStill], "\(rate)")
      }
    }
  }

  @Test("each axis may spread by 15 mg and by 1 °/s at rest, whatever the others do")
  func spread() throws {
    // Square waves: their deviation is their height. 246 counts are 15 mg, and 131 are 1 °/s.
    for (heights, isStill) in [
      ([240, 240, 240, 128, 128, 128], true), ([252, 0, 0, 0, 0, 0], false),
      ([0, 0, -252, 0, 0, 0], false), ([0, 0, 0, 0, 134, 0], false),
    ] as [([Int16], Bool)] {
      var recording = ReviewedRecording(rate: 100)
      for tick in 0..<200 {
        var sample = RawSample(az: 16384)
        for axis in 0..<6 { sample[axis] += tick % 2 == 0 ? heights[axis] : -heights[axis] }
        recording.add(sample)
      }
      let stillness = try #require(recording.review().motion).stillness
      #expect(stillness.parts.map(\.isStill) == [isStill], "\(heights)")
    }
  }

  @Test("gaps are counted by cause, and more than one in 1000 is a flaw")
  func gaps() throws {
    var recording = ReviewedRecording(rate: 100)
    recording.still(seconds: 5)
    recording.gap(2, .missed)
    recording.still(seconds: 5)
    recording.gap(3, .busError)
    recording.gap(1, .missed)
    let review = try recording.review()
    #expect(
      review.losses == [
        Account.Losses(cause: .missed, runs: 2, ticks: 3),
        Account.Losses(cause: .busError, runs: 1, ticks: 3),
      ])
    #expect(review.longestGap == 3 && review.missingCount == 6 && review.tickCount == 1006)
    #expect(review.verdict == .flawed)
    #expect(review.sentence == "flawed: 6 of 1006 samples are missing")
    var one = ReviewedRecording(rate: 100)
    one.still(seconds: 10)
    one.gap(1, .stale)
    #expect(try one.review().sentence == "good: 1000 of 1001 samples, 1 missing")
    var long = ReviewedRecording(rate: 1)
    long.still(seconds: 3000)
    long.gap(2, .stale)
    #expect(try long.review().verdict == .flawed)
  }

  @Test("a sample at either end of the range of any axis is clipped")
  func clipping() throws {
    for end in [Int16.min, .max] {
      for axis in 0..<6 {
        var recording = ReviewedRecording(rate: 10)
        recording.still(seconds: 5)
        var sample = RawSample(az: 16384)
        sample[axis] = end
        recording.add(sample)
        let review = try recording.review()
        #expect(review.motion?.clippedAccelerations == (axis < 3 ? 1 : 0))
        #expect(review.motion?.clippedRates == (axis < 3 ? 0 : 1))
        #expect(review.verdict == .flawed)
      }
    }
  }

  @Test("late reads, a wrong gravity and an unrequested end are flaws")
  func flaws() throws {
    var late = ReviewedRecording(rate: 100)
    late.still(seconds: 5)
    late.lateness = LatenessSummary(median: 1, percentile99: 5_000_001, maximum: 6_000_000)
    #expect(try late.review().flaws == ["one read in 100 was more than half a period late"])
    late.lateness.percentile99 = 5_000_000
    #expect(try late.review().flaws.isEmpty)
    var heavy = ReviewedRecording(rate: 100)
    heavy.still(seconds: 5, az: 19_000)
    #expect(try heavy.review().flaws == ["at rest it measures 116 % of gravity"])
    var foreign = ReviewedRecording(rate: 100, scale: Fraction(.max, 1))
    for _ in 0..<500 { foreign.add(RawSample(az: 1)) }
    #expect(try foreign.review().flaws.last?.hasSuffix("e+20 % of gravity") == true)
    for reason in StopReason.allCases {
      var recording = ReviewedRecording(rate: 100)
      recording.still(seconds: 1)
      recording.reason = reason
      let isWanted = [.completed, .signal, .button, .imported].contains(reason)
      #expect(try recording.review().verdict == (isWanted ? .good : .flawed), "\(reason)")
    }
    #expect(try ReviewedRecording(rate: 10).review().sentence == "flawed: no samples")
  }

  @Test(
    "without an end it is flawed, with a part that cannot be read damaged, and while it grows it is live"
  )
  func damaged() throws {
    var recording = ReviewedRecording(rate: 100)
    recording.still(seconds: 10)
    recording.hasEnd = false
    #expect(try recording.review().sentence == "flawed: the end is missing")
    #expect(try recording.review(isLive: true).sentence == "running: 1000 samples so far")
    var long = ReviewedRecording(rate: 100)
    long.shaken(seconds: 10)
    var bytes = try long.bytes()
    try #require(bytes.count > 3 * 4096)
    bytes[4096 + 700] ^= 1
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    let review = try reader.account(ofSamples: true)
    #expect(review.verdict == .damaged && review.damageCount == 1)
    #expect(review.missingCount > 0 && review.tickCount == 1000)
  }

  @Test("the best clock and its changes are found")
  func clock() throws {
    var recording = ReviewedRecording(rate: 10)
    recording.pairs = [
      ClockPair(time: 0, wall: 5, isSynchronised: false, reason: .start),
      ClockPair(time: 9, wall: 7, isSynchronised: true, reason: .becameSynchronised),
      ClockPair(time: 10, wall: 7, isSynchronised: false, reason: .stepped),
    ]
    recording.still(seconds: 1)
    let review = try recording.review()
    #expect(review.clock?.time == 9 && review.clockChanges == 2)
  }

  @Test("one sensor alone, and no window long enough, are reviewed too")
  func fewChannels() throws {
    var gyro = ReviewedRecording(rate: 100, channels: .gyroscope)
    gyro.still(seconds: 2)
    let review = try gyro.review()
    #expect(review.motion?.accelerationAtRest == nil && review.motion?.temperature == nil)
    #expect(review.motion?.stillness.stillTime == 2_000_000_000 && review.verdict == .good)
    // One or two axes of the accelerometer say nothing of gravity.
    // ax, az, ax and ay, ax with az and gz.
    for channels in [0b1, 0b100, 0b11, 0b10_0101] as [UInt8] {
      var few = ReviewedRecording(rate: 100, channels: ChannelSet(rawValue: channels))
      few.still(seconds: 2, az: 14_000)
      let review = try few.review()
      #expect(review.motion?.accelerationAtRest == nil)
      #expect(review.motion?.stillness.stillTime == 2_000_000_000)
      #expect(review.verdict == .good, "\(review.sentence)")
    }
    var short = ReviewedRecording(rate: 10)
    short.still(seconds: 0.7)
    #expect(try short.review().motion?.stillness == Stillness())
  }
}
