// SPDX-License-Identifier: Apache-2.0

import Certificate
import IMUModel
import LogStore
import LogStoreTesting
import TestSupport
import Testing

/// Samples of a known sensor, and what its certificate must say: 400 µg/√Hz and 5 m°/s/√Hz through 44 and 42 Hz, at ±4 g and
/// ±500 °/s, are 21.7 and 2.1 counts.
@Suite("A certificate's meter")
struct CertificateMeterTests {
  /// What the samples are made of.
  struct Sensor {
    var deviations: [Double] = [21.7, 21.7, 21.7, 2.1, 2.1, 2.1]
    var levels: [Double] = [-500, 300, 8170, -131, 65, 20]
    var seed: UInt64 = 1

    /// A sample; each has noise of its own, summed from twelve even numbers.
    func sample(_ generator: inout SeededGenerator) -> RawSample {
      var sample = RawSample(temperature: -4000)
      for axis in 0..<6 {
        var sum = -6.0
        for _ in 0..<12 { sum += Double.random(in: 0..<1, using: &generator) }
        sample[axis] = Int16((levels[axis] + sum * deviations[axis]).rounded())
      }
      return sample
    }
  }

  static var expectation: SensorExpectation {
    var expectation = SensorExpectation(
      identity: 0x68, maximumBusClock: 400_000, zeroG: 0.107, zeroRate: 20,
      rateTolerance: SensorExpectation.Tolerance(usual: 0.01, largest: 0.05))
    expectation.acceleration = SensorExpectation.Noise(
      density: 400e-6, bandwidth: 44, isPublished: true)
    expectation.angularRate = SensorExpectation.Noise(
      density: 0.005, bandwidth: 42, isPublished: true)
    return expectation
  }

  /// - Parameter isWide: Whether the gyroscope is at ±2000 °/s, where its noise is 0.53 counts.
  static func description(_ hertz: UInt32 = 100, isWide: Bool = false) throws
    -> RecordingDescription
  {
    var description = ExampleLog.description()
    description.rate = try #require(SampleRate(hertz))
    if isWide { description.sensor.gyroscopeScale = Fraction(10, 164) }
    return description
  }

  func certificate(
    of sensor: Sensor = Sensor(), seconds: Double = 6, hertz: UInt32 = 100,
    _ expectation: SensorExpectation = CertificateMeterTests.expectation, isWide: Bool = false,
    without missing: Range<UInt64> = 0..<0,
    change: (UInt64, inout RawSample) -> Void = { _, _ in }
  ) throws -> SensorCertificate {
    let description = try CertificateMeterTests.description(hertz, isWide: isWide)
    var meter = CertificateMeter(description, expectation)
    var generator = SeededGenerator(seed: sensor.seed)
    for tick in 0..<UInt64(seconds * Double(hertz)) {
      var sample = sensor.sample(&generator)
      change(tick, &sample)
      guard !missing.contains(tick) else { continue }
      meter.add(tick, description.rate.nanoseconds(atTick: tick), sample)
    }
    return meter.certificate()
  }

  func failures(_ certificate: SensorCertificate) -> [String] {
    certificate.findings(.fail).map { "\($0.name): \($0.value)" }
  }

  @Test(
    "passes a sensor that is as its data sheet says", arguments: [10, 25, 100, 1000] as [UInt32])
  func good(hertz: UInt32) throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    let certificate = try certificate(of: Sensor(seed: seed), seconds: 13, hertz: hertz)
    #expect(certificate.verdict == .pass, "seed \(seed): \(certificate.sentence)")
    #expect(certificate["temperature"]?.value == "24.8 °C")
    let bias = try #require(certificate["bias-gx"]?.value.split(separator: " ").first)
    #expect(try abs(#require(Double(bias)) + 2) < 0.03, "seed \(seed): \(bias)")
    let gravity = try #require(certificate["gravity"]?.value.split(separator: " ").first)
    #expect(try abs(#require(Double(gravity)) - 1) < 0.003, "seed \(seed): \(gravity)")
  }

  @Test(
    "measures noise within a tenth, and judges it against half, twice and a quarter of the figure")
  func noise() throws {
    let cases: [(factor: Double, verdict: CertificateFinding.Verdict)] = [
      (1, .pass), (0.6, .pass), (1.7, .pass), (0.4, .warn), (2.5, .warn), (0.2, .fail),
    ]
    for (factor, verdict) in cases {
      var sensor = Sensor()
      sensor.deviations[1] *= factor
      let certificate = try certificate(of: sensor)
      let found = try #require(certificate["noise-density-ay"])
      #expect(found.verdict == verdict, "\(factor): \(found.value)")
      let density = try #require(found.value.split(separator: " ").first.flatMap { Double($0) })
      #expect(abs(density - 400 * factor) < 40 * max(1, factor), "\(factor): \(found.value)")
      #expect(certificate["noise-density-az"]?.verdict == .pass)
    }
  }

  @Test("judges the clock of the bus that is claimed, as a measurement may be too fast")
  func bus() throws {
    var expectation = CertificateMeterTests.expectation
    expectation.busClock = 400_000
    for (measured, value, verdict) in [
      (nil, "400000 Hz claimed", .pass), (250_000, "400000 Hz claimed", .pass),
      (400_100, "400000 Hz estimated", .pass), (640_000, "400000 Hz claimed", .pass),
    ] as [(Int?, String, CertificateFinding.Verdict)] {
      var description = try CertificateMeterTests.description()
      description.busClockMeasured = measured
      let finding = CertificateMeter(description, expectation).certificate()["bus-clock"]
      #expect(finding?.value == value && finding?.verdict == verdict)
    }
  }

  @Test("measures twice the noise and more through a wide filter, and calls it no motion")
  func loud() throws {
    // 260 and 256 Hz: 52.8 counts, which are 6.5 mg, and 5.2.
    var expectation = CertificateMeterTests.expectation
    expectation.acceleration?.bandwidth = 260
    expectation.angularRate?.bandwidth = 256
    for (factor, verdict) in [
      (1.4, .pass), (1.9, .pass), (2.5, .warn),
    ] as [(Double, CertificateFinding.Verdict)] {
      var sensor = Sensor()
      sensor.deviations = [52.8, 52.8, 52.8, 5.2, 5.2, 5.2].map { $0 * factor }
      let certificate = try certificate(of: sensor, hertz: 1000, expectation)
      #expect(certificate["still"]?.value == "3 s from 0 s, estimated")
      for name in ["ax", "az", "gy"] {
        #expect(certificate["noise-density-\(name)"]?.verdict == verdict, "\(factor) \(name)")
      }
    }
    // Five times is no rest.
    var shaken = Sensor()
    shaken.deviations[2] = 5 * 52.8
    let moved = try certificate(of: shaken, hertz: 1000, expectation)
    #expect(moved["still"]?.value == "never")
  }

  @Test(
    "says nothing of noise that is smaller than half a count, nor of axes that it may hold still")
  func coarse() throws {
    var expectation = CertificateMeterTests.expectation
    expectation.angularRate?.bandwidth = 2
    var sensor = Sensor()
    sensor.deviations[3...5] = [0, 0, 0]
    let certificate = try certificate(of: sensor, expectation)
    for axis in ["gx", "gy", "gz"] {
      #expect(certificate["noise-density-\(axis)"]?.verdict == .unknown)
    }
    #expect(certificate["stuck"]?.verdict == .unknown)
    #expect(certificate["stuck"]?.value == "not judged: gx, gy, gz")
    // They are held at other counts than 0, and each at another one.
    #expect(certificate["zero"]?.value == "none" && certificate["equal"]?.value == "none")
    #expect(certificate.verdict == .unknown && certificate.sentence == "unknown: not judged: stuck")
  }

  @Test("is measured in the first stretch of three seconds, and without one says so")
  func stretch() throws {
    func shake(_ tick: UInt64, _ sample: inout RawSample) {
      if tick < 250 || tick >= 600 { sample.ax = tick % 2 == 0 ? 9000 : -9000 }
    }
    let certificate = try certificate(seconds: 9, change: shake)
    #expect(certificate["still"]?.value == "3 s from 2.5 s, estimated")
    #expect(certificate["noise-density-ax"]?.verdict == .pass)
    let never = try self.certificate(seconds: 2.4, change: shake)
    #expect(never["still"]?.verdict == .unknown)
    #expect(never["noise-density-ax"]?.verdict == .unknown)
    #expect(never["gravity"]?.verdict == .unknown)
    #expect(never["temperature"]?.value == "24.8 °C")
  }

  @Test(
    "prints how long it must be still at its rate, and needs no more than whole windows of that",
    arguments: [
      (1, "64 samples, 64 s", 64), (5, "64 samples, 12.8 s", 12.8), (10, "64 samples, 6.4 s", 6.4),
      (17, "64 samples, 3.764 s", 3.764), (20, "3 s", 3), (104, "3 s", 3.5), (833, "3 s", 3.495),
    ] as [(UInt32, String, Double)])
  func shortest(hertz: UInt32, bound: String, length: Double) throws {
    let whole = try certificate(seconds: length + 1, hertz: hertz)
    #expect(whole["still"]?.bound == bound)
    let value = try #require(whole["still"]?.value.split(separator: " ").first)
    #expect(try abs(#require(Double(value)) - length) < 0.0015)
    let short = try certificate(seconds: length - 1.5 / Double(hertz), hertz: hertz)
    #expect(short["still"]?.value == "never" && short["still"]?.bound == bound)
  }

  @Test("names a dead axis, a stuck one with the tick from which it is, and a copy")
  func axes() throws {
    let dead = try certificate { _, sample in sample.gz = 0 }
    #expect(failures(dead) == ["noise-density-gz: 0 m°/s/√Hz", "zero: gz"])
    let stuck = try certificate(seconds: 9) { tick, sample in
      if tick >= 423 { sample.ay = 317 }
    }
    #expect(failures(stuck) == ["stuck: ay at 317 from tick 423"])
    let gappy = try certificate(seconds: 9, without: 450..<500) { tick, sample in
      if tick >= 423 { sample.ay = 317 }
    }
    #expect(failures(gappy) == ["stuck: ay at 317 from tick 423"])
    let fixed = try certificate { _, sample in sample.ax = -500 }
    #expect(failures(fixed) == ["noise-density-ax: 0 µg/√Hz", "stuck: ax at -500"])
    let copied = try certificate { _, sample in sample.gy = sample.gx }
    #expect(failures(copied) == ["equal: gy = gx"])
  }

  @Test("does not call an axis stuck for a second, nor one at the end of its range")
  func notStuck() throws {
    let certificate = try certificate(seconds: 9) { tick, sample in
      if (400..<500).contains(tick) { sample.gx = 12 }
      if tick >= 500 { (sample.gy, sample.gz) = (.max, .min) }
    }
    #expect(failures(certificate).isEmpty)
  }

  @Test("what was found stays found when the axis comes back")
  func latched() throws {
    let certificate = try certificate(seconds: 12) { tick, sample in
      if (400..<800).contains(tick) { sample.gx = 12 }
    }
    #expect(failures(certificate) == ["stuck: gx at 12 from tick 400"])
  }

  @Test("sees a wrong scale by gravity, and a zero level by the rate at rest")
  func levels() throws {
    var half = Sensor()
    half.levels[0...2] = [-250, 150, 4085]
    let found = try #require(try certificate(of: half)["gravity"])
    #expect(found.verdict == .fail && found.value.contains("half"), "\(found.value)")
    var off = Sensor()
    off.levels[2] = 8192 * 1.2
    #expect(try certificate(of: off)["gravity"]?.verdict == .warn)
  }

  @Test(
    "warns of a rate at rest beyond twice the data sheet's, however large, and is measured beside it",
    arguments: [-45.0, 41, 120, -330])
  func biases(rate: Double) throws {
    var biased = Sensor()
    biased.levels[3...5] = [rate * 65.5, 65, 20]
    let certificate = try certificate(of: biased)
    #expect(certificate["bias-gx"]?.verdict == .warn && certificate["bias-gy"]?.verdict == .pass)
    #expect(certificate["bias-gx"]?.value.hasSuffix("°/s, or an even turn") == true)
    #expect(certificate["still"]?.verdict == .pass && certificate["gravity"]?.verdict == .pass)
    #expect(certificate.verdict == .warn, "\(certificate.sentence)")
    // Three at once, each within its bound.
    var all = Sensor()
    all.levels[3...5] = [39 * 65.5, -39 * 65.5, 38 * 65.5]
    #expect(try self.certificate(of: all).verdict == .pass)
  }

  @Test("bounds the chip's rate by its readings", arguments: [-0.02, -0.004, 0, 0.009, 0.03, 0.07])
  func rate(error: Double) throws {
    var description = try CertificateMeterTests.description(1000)
    description.clock = .chip(busClock: 400_000)
    var meter = CertificateMeter(description, CertificateMeterTests.expectation)
    let hertz = 1000 * (1 + error)
    for drain in 1...300 as ClosedRange<Int64> {
      // Latched somewhere in a read of 300 µs.
      let (before, latch) = (drain * 20_000_000, drain * 20_000_000 + drain % 300 * 1000)
      meter.add(
        FIFOReading(
          epoch: 1, cause: .start, firstTick: 0, countBefore: 0,
          count: Int64(Double(latch) * hertz / 1e9), before: before, length: 300_000, offset: 0,
          isDrained: true))
    }
    let found = try #require(meter.certificate()["rate"])
    let ends = found.value.split(separator: " ").compactMap { Double($0) }
    #expect(ends.count == 2 && ends[0] <= hertz && hertz <= ends[1], "\(found.value)")
    #expect(ends.count == 2 && ends[1] - ends[0] < 1)
    let size = abs(error)
    #expect(found.verdict == (size < 0.01 ? .pass : size < 0.05 ? .warn : .fail))
  }

  @Test("judges no noise of a recording that is played back")
  func playedBack() throws {
    var expectation = CertificateMeterTests.expectation
    (expectation.acceleration, expectation.angularRate) = (nil, nil)
    let certificate = try certificate(expectation) { _, sample in (sample.gx, sample.gy) = (0, 0) }
    #expect(failures(certificate).isEmpty)
    for name in ["zero", "stuck", "equal"] {
      #expect(certificate[name]?.value == "none, not judged: gx, gy")
    }
    // Of a sensor with no axis that was judged nothing passes.
    let gyroscope = try self.certificate(expectation) { _, sample in
      (sample.gx, sample.gy, sample.gz) = (0, 0, 0)
    }
    for name in ["zero", "stuck", "equal"] {
      #expect(gyroscope[name]?.value == "not judged: gx, gy, gz")
      #expect(gyroscope[name]?.verdict == .unknown)
    }
    #expect(gyroscope.sentence == "unknown: not judged: zero, stuck")
    let nothing = try self.certificate(expectation) { _, sample in sample = RawSample() }
    for name in ["zero", "stuck", "equal"] {
      #expect(nothing[name]?.verdict == .unknown && nothing[name]?.value == "-")
    }
    #expect(nothing.sentence.hasPrefix("fail: gravity"))
    let held = try self.certificate(expectation) { _, sample in
      sample = RawSample(ax: 1, ay: 2, az: 8192, gx: 4, gy: 5, gz: 6)
    }
    #expect(held.verdict == .unknown && held.sentence == "unknown: not judged: stuck")
  }

  @Test("marks a chip with another identity, or of which a whole sensor is too quiet")
  func clone() throws {
    var expectation = CertificateMeterTests.expectation
    expectation.identity = 0x70
    let other = try certificate(expectation)
    #expect(other["identity"]?.verdict == .warn)
    #expect(other["clone"]?.value == "by identity")
    var quiet = Sensor()
    for axis in 0..<3 { quiet.deviations[axis] *= 0.2 }
    #expect(try certificate(of: quiet)["clone"]?.value == "by noise of the accelerometer")
    #expect(try certificate()["clone"]?.verdict == .pass)
  }

  @Test("fits its place in a log with everything wrong that can be wrong")
  func size() throws {
    var expectation = CertificateMeterTests.expectation
    expectation.identity = 0x70
    expectation.remark = "which boards sold as MPU-6050 have too"
    expectation.registers = (0..<20).map {
      SensorExpectation.RegisterContent(register: 0xE0 + $0, value: 0xFF - $0)
    }
    let certificate = try certificate(seconds: 30, expectation) { tick, sample in
      if tick > 1000 {
        for axis in 0..<6 { sample[axis] = -32_000 }
      } else {
        for axis in 1..<6 { sample[axis] = sample.ax }
      }
    }
    #expect(certificate.findings(.fail).count > 1)
    #expect(certificate.shortened == certificate)
  }
}
