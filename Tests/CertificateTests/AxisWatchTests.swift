// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogStoreTesting
import TestSupport
import Testing

@testable import Certificate

/// Axes that are dead, and healthy ones that are nearly as still.
@Suite("Dead axes")
struct AxisWatchTests {
  private let meter = CertificateMeterTests()

  /// Without figures of noise, as of a recording that is played back.
  private var withoutNoise: SensorExpectation {
    var expectation = CertificateMeterTests.expectation
    (expectation.acceleration, expectation.angularRate) = (nil, nil)
    return expectation
  }

  /// Through so narrow a filter that the gyroscope's noise is 0.4 counts.
  private var coarse: SensorExpectation {
    var expectation = CertificateMeterTests.expectation
    expectation.angularRate?.bandwidth = 2
    return expectation
  }

  /// Moves `axes` by ±`amplitude` counts, in periods of their own; all others rest.
  private static func move(
    _ tick: UInt64, _ sample: inout RawSample, _ axes: [Int], by amplitude: Double
  ) {
    sample = RawSample(ax: -500, ay: 300, az: 8170, gx: -131, gy: 65, gz: 20)
    for axis in axes {
      let phase = Double(tick) * (0.03 + 0.01 * Double(axis))
      sample[axis] = sample[axis] &+ Int16((amplitude * sin(phase)).rounded())
    }
  }

  @Test("an axis that does not move while the others do is dead, whatever is known of its noise")
  func motion() throws {
    for expectation in [withoutNoise, coarse] {
      func failures(_ dead: Int, at count: Int16, from first: UInt64 = 0) throws -> [String] {
        let certificate = try meter.certificate(seconds: 20, expectation) { tick, sample in
          Self.move(tick, &sample, [0, 1, 2, 3, 4, 5], by: 400)
          if tick >= first { sample[dead] = count }
        }
        return meter.failures(certificate).filter { !$0.hasPrefix("axes") }
      }
      #expect(try failures(5, at: 0) == ["zero: gz"])
      #expect(try failures(4, at: -7) == ["stuck: gy at -7"])
      #expect(try failures(3, at: 0, from: 702) == ["stuck: gx at 0 from tick 702"])
      #expect(try failures(1, at: 12) == ["stuck: ay at 12"])
      // At an end of the range for all the time it is dead; for some of it the motion may be too large.
      #expect(try failures(1, at: .max) == ["stuck: ay at 32767"])
      #expect(try failures(4, at: .min) == ["stuck: gy at -32768"])
      #expect(try failures(1, at: .max, from: 702).isEmpty)
    }
  }

  @Test(
    "an axis that is not turned, and whose noise is far below a count, is alive once it changes, wherever the others go"
  )
  func unturned() throws {
    for expectation in [withoutNoise, coarse] {
      let certificate = try meter.certificate(seconds: 20, expectation) { tick, sample in
        Self.move(tick, &sample, [0, 1, 2, 3, 4], by: 400)
        sample.gz = tick % 1100 < 800 ? 3 : 2
      }
      let failures = meter.failures(certificate).filter { !$0.hasPrefix("axes") }
      #expect(failures.isEmpty, "\(failures)")
    }
  }

  @Test("an axis that leaves the end of its range after some seconds is alive")
  func railed() throws {
    for expectation in [withoutNoise, CertificateMeterTests.expectation] {
      let certificate = try meter.certificate(seconds: 20, expectation) { tick, sample in
        Self.move(tick, &sample, [0, 1, 2, 3, 4, 5], by: 400)
        if tick < 1200 { sample.gz = .max }
      }
      let stuck = try #require(certificate["stuck"])
      #expect(stuck.verdict == .pass, "\(stuck)")
    }
  }

  @Test("an axis that moves as another one does in each sample of three seconds is its copy")
  func copies() throws {
    for expectation in [withoutNoise, coarse] {
      func equal(_ copy: Int, of other: Int, by amplitude: Double, _ ticks: Range<UInt64>) throws
        -> SensorCertificate
      {
        try meter.certificate(seconds: 20, expectation) { tick, sample in
          Self.move(tick, &sample, [0, 1, 2, 3, 4, 5], by: amplitude)
          if ticks.contains(tick) { sample[copy] = sample[other] }
        }
      }
      let all: Range<UInt64> = 0..<5000
      #expect(try equal(4, of: 3, by: 2000, all)["equal"]?.value == "gy = gx")
      #expect(try equal(4, of: 3, by: 2000, all)["equal"]?.verdict == .fail)
      #expect(try equal(1, of: 0, by: 130, all)["equal"]?.value.contains("ay = ax") == true)
      // Of both sensors, and from half of the time on.
      #expect(try equal(5, of: 1, by: 900, 1000..<5000)["equal"]?.value == "gz = ay")
      // For less than a window, and by less than what a hand moves, it is not known.
      #expect(try equal(4, of: 3, by: 900, 1000..<1250)["equal"]?.value == "none")
      #expect(try equal(4, of: 3, by: 100, all)["equal"]?.value == "none, not judged: gx, gy")
    }
  }

  @Test(
    "three axes in motion say nothing of the others, nor do the accelerometer's of the gyroscope's")
  func plane() throws {
    func certificate(_ axes: [Int], by amplitude: Double = 400) throws -> SensorCertificate {
      try meter.certificate(seconds: 20, withoutNoise) { tick, sample in
        Self.move(tick, &sample, axes, by: amplitude)
        if !axes.contains(4) { sample.gy = 0 }
      }
    }
    // A wheel that is shaken along its axle.
    let wheel = try certificate([0, 1, 2, 3])
    #expect(wheel["zero"]?.value == "none, not judged: gy")
    #expect(wheel["stuck"]?.value == "none, not judged: gy, gz")
    let dead = try certificate([0, 2, 3, 4, 5])
    #expect(dead["stuck"]?.value == "ay at 300")
    // A made-up turn in a plane.
    let plane = try certificate([0, 1, 5])
    #expect(plane["zero"]?.value == "none, not judged: gy" && plane["zero"]?.verdict == .pass)
    #expect(plane["stuck"]?.value == "none, not judged: az, gx, gy")
    let little = try certificate([0, 1, 2, 3, 5], by: 120)
    #expect(little["zero"]?.value == "none, not judged: gy")
  }

  @Test("turns about an axle that is askew to two axes of the gyroscope say nothing of the third")
  func askew() throws {
    for (first, second, still, part) in [
      (3, 4, 5, 1.0), (3, 5, 4, -0.7), (4, 5, 3, 2.1), (5, 3, 4, -1.6),
    ] {
      func certificate(wobbling: Double) throws -> SensorCertificate {
        try meter.certificate(seconds: 20, withoutNoise) { tick, sample in
          Self.move(tick, &sample, [0, 1, 2, first], by: 400)
          let turn = Double(sample[first])
          let wobble = wobbling * sin(Double(tick) * 0.11)
          sample[second] = Int16((part * turn + wobble).rounded())
          sample[still] = -9
        }
      }
      let name = ["gx", "gy", "gz"][still - 3]
      #expect(try certificate(wobbling: 0)["stuck"]?.value == "none, not judged: \(name)")
      #expect(try certificate(wobbling: 200)["stuck"]?.value == "\(name) at -9")
    }
  }

  @Test("an axis of a gyroscope alone is dead when both others move")
  func gyroscopeAlone() throws {
    var description = try CertificateMeterTests.description()
    description.channels = .gyroscope
    for (axes, value) in [([3, 5], "gy at 65"), ([5], "not judged: gx, gy")] {
      var meter = CertificateMeter(description, withoutNoise)
      for tick in 0..<2000 as Range<UInt64> {
        var sample = RawSample()
        Self.move(tick, &sample, axes, by: 400)
        meter.add(tick, description.rate.nanoseconds(atTick: tick), sample)
      }
      #expect(meter.certificate()["stuck"]?.value.hasSuffix(value) == true)
    }
  }

  @Test("a gyroscope of half the typical noise is not stuck when it rests for some seconds")
  func quiet() throws {
    // Half of the typical 0.53 counts keeps one count for 300 samples every day.
    let seed = UInt64.random(in: 0..<1_000_000)
    for rest in [false, true] {
      var sensor = CertificateMeterTests.Sensor(seed: seed)
      sensor.deviations[3...5] = [0.27, 0.27, 0.27]
      sensor.levels[3...5] = [-8, 4, 1]
      let certificate = try meter.certificate(of: sensor, seconds: 30, isWide: true) {
        tick, sample in
        // It moves before, so that nothing is measured.
        if !rest, tick % 50 < 25 { sample.ax = 9000 }
        if (900..<1400).contains(tick) { sample.gx = -8 }
      }
      let stuck = try #require(certificate["stuck"])
      #expect(stuck.verdict == .pass, "\(stuck.value), seed \(seed)")
    }
  }

  @Test(
    "an axis at an end of its range from the first sample on fails by itself, until it has another count",
    arguments: [Int16.max, .min])
  func railed(end: Int16) throws {
    // The noise is far below a count, and says nothing; nothing moves either.
    let description = try CertificateMeterTests.description(isWide: true)
    var expectation = CertificateMeterTests.expectation
    expectation.angularRate?.bandwidth = 2
    var meter = CertificateMeter(description, expectation)
    var generator = SeededGenerator(seed: 5)
    var sensor = CertificateMeterTests.Sensor()
    sensor.deviations[3...5] = [0, 0.1, 0.1]
    func add(_ ticks: Range<UInt64>, _ count: Int16) {
      for tick in ticks {
        var sample = sensor.sample(&generator)
        sample.gx = count
        meter.add(tick, description.rate.nanoseconds(atTick: tick), sample)
      }
    }
    add(0..<299, end)
    #expect(meter.certificate()["stuck"]?.verdict != .fail)
    add(299..<400, end)
    let stuck = try #require(meter.certificate()["stuck"])
    #expect(stuck.verdict == .fail && stuck.value.hasPrefix("gx at \(end)"), "\(stuck.value)")
    #expect(meter.certificate().verdict == .fail)
    // Motion held it there.
    add(400..<401, end / 2)
    add(401..<1000, end)
    #expect(meter.certificate()["stuck"]?.verdict != .fail)
  }

  @Test(
    "all axes of a sensor that keep their counts are stuck sooner than one alone, until one changes",
    arguments: [false, true])
  func together(isPlayed: Bool) throws {
    let description = try CertificateMeterTests.description(isWide: true)
    var expectation = CertificateMeterTests.expectation
    expectation.isPlayed = isPlayed
    var meter = CertificateMeter(description, expectation)
    var generator = SeededGenerator(seed: 3)
    var sensor = CertificateMeterTests.Sensor()
    sensor.deviations[3...5] = [0, 0, 0]
    sensor.levels[3...5] = [4, 5, 6]
    func add(_ ticks: Range<UInt64>) {
      for tick in ticks {
        meter.add(tick, description.rate.nanoseconds(atTick: tick), sensor.sample(&generator))
      }
    }
    add(0..<400)
    #expect(meter.certificate()["stuck"]?.verdict == .unknown)
    add(400..<900)
    #expect(meter.certificate()["stuck"]?.value == "gx at 4, gy at 5, gz at 6")
    sensor.levels[5] = 7
    add(900..<1000)
    #expect(meter.certificate()["stuck"]?.value == "not judged: gx, gy, gz")
  }

  @Test("an axis of little noise is not judged by its figure until that is ruled out by chance")
  func undecided() throws {
    var sensor = CertificateMeterTests.Sensor(seed: 3)
    sensor.deviations[3...5] = [0, 0.3, 0.3]
    sensor.levels[3] = 0
    let certificate = try meter.certificate(of: sensor, seconds: 20, isWide: true)
    #expect(certificate["zero"]?.value == "none, not judged: gx")
    #expect(certificate["stuck"]?.value == "none, not judged: gx")
  }

  @Test("an axis that is dead from the beginning is found by the noise of the others, in 20 s")
  func others() throws {
    for (count, words) in [(0, "zero: gx"), (-7, "stuck: gx at -7")] {
      var sensor = CertificateMeterTests.Sensor(seed: .random(in: 0..<1_000_000))
      sensor.deviations[3...5] = [0, 0.8, 0.8]
      sensor.levels[3] = Double(count)
      let found = meter.failures(try meter.certificate(of: sensor, seconds: 20, isWide: true))
      #expect(found.contains(words), "\(found), seed \(sensor.seed)")
    }
  }

  /// From a quarter of half a count on, over all rates of the chips and their filters.
  @Test("a day has a false alarm once in a million at the limit")
  func falseAlarms() throws {
    for deviation in [0.125, 0.15, 0.2, 0.265, 0.5, 1.06, 5.4, 200] {
      for hertz in [1, 10, 104, 1000, 6667] as [UInt32] {
        for bandwidth in [0.5, 5, 44, 400, 3000] {
          let rate = try #require(SampleRate(hertz))
          let limit = AxisWatch.limit(deviation: deviation, bandwidth: bandwidth, rate: rate)
          // In the middle of a count, where a Gaussian stays most; values half a period of the filter apart.
          let stay = erf(0.5 / deviation / 2.0.squareRoot())
          let spacing = max(1, Double(hertz) / (2 * bandwidth))
          let looks = Double(limit) / spacing
          let perDay = 6 * 86_400 * Double(hertz) / spacing
          // A run of that length begins where one ends.
          #expect(
            perDay * (1 - stay) * pow(stay, looks) < 1e-6, "\(deviation) \(hertz) \(bandwidth)")
        }
      }
    }
    let rate = try #require(SampleRate(100))
    #expect(AxisWatch.limit(deviation: 0.124, bandwidth: 44, rate: rate) == 0)
    let slow = try #require(SampleRate(1))
    #expect(AxisWatch(.gyroscope, rate: slow).longestLimit == 30)
  }

  @Test("noise that the recording has shortens the time that an axis may rest, down to half")
  func measured() throws {
    let certificate = try meter.certificate(seconds: 5)
    #expect(certificate["stuck"]?.bound == "no axis the same for 3 s")
    func seconds(_ deviation: Double) throws -> Double {
      var sensor = CertificateMeterTests.Sensor(seed: 3)
      sensor.deviations[3...5] = [deviation, deviation, deviation]
      let bound = try #require(meter.certificate(of: sensor, isWide: true)["stuck"]?.bound)
      return try #require(Double(bound.split(separator: " ").dropLast().last ?? ""))
    }
    // A quarter of 0.53 counts, of which a run of 135,000 is chance, and half of it, of which one of 450 is.
    #expect(try (1500...1700).contains(seconds(0.2)))
    #expect(try (5...5.6).contains(seconds(0.8)))
  }
}
