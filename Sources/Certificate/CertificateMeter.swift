// SPDX-License-Identifier: Apache-2.0

import Calibration
package import IMUModel
import LogStore
import Text

/// Measures a sensor while it records, for its certificate.
///
///     samples ──► StillnessMeter ─► StillStretch      noise, zero levels, gravity, temperature
///            └──► AxisWatch                           zero, stuck and equal axes
///            └──► AxisJudge                           axes that turn the wrong way
///     readings ─► RateMeasurement                     the chip's own rate
///
/// Constant memory; a sample allocates nothing. Once ``isMeasured``, the certificate changes only when an axis fails later.
package struct CertificateMeter {
  private let description: RecordingDescription
  private let expectation: SensorExpectation
  private var meter: StillnessMeter
  private var stretch = StillStretch()
  private var watch: AxisWatch
  /// `nil` for one sensor alone, and for an import, whose axes are not a chip's.
  private var order: AxisJudge?
  private var rate = RateMeasurement()
  private var firstTemperature: Int16?
  /// The gyroscope's, in counts, once measured.
  private var bias: SIMD3<Double>?

  package init(_ description: RecordingDescription, _ expectation: SensorExpectation) {
    (self.description, self.expectation) = (description, expectation)
    meter = StillnessMeter(description, expectation.isPlayed ? nil : expectation)
    watch = AxisWatch(description.channels, rate: description.rate)
    order =
      description.channels.isSuperset(of: [.accelerometer, .gyroscope]) && !description.isImported
      ? AxisJudge(description.sensor, rate: description.rate) : nil
    setLimits()
  }

  /// Sets the limits of one count: for a sensor by half of the data sheet's noise, for an axis by a quarter. The recording's
  /// own noise raises that to at most a half, as more may come from the place: the axis's, or that of both others of its sensor,
  /// as a dead axis has none.
  private mutating func setLimits() {
    for axis in watch.axes {
      guard let noise = axis < 3 ? expectation.acceleration : expectation.angularRate else {
        continue
      }
      let typical = noise.deviation(axis < 3 ? sensor.accelerometerScale : sensor.gyroscopeScale)
      guard typical >= CertificateBounds.leastDeviation else { continue }
      func limit(_ deviation: Double) -> UInt64 {
        AxisWatch.limit(deviation: deviation, bandwidth: noise.bandwidth, rate: description.rate)
      }
      let others = watch.axes.filter { $0 / 3 == axis / 3 && $0 != axis }.map { ownNoise($0) }
      let measured = max(ownNoise(axis), others.count == 2 ? min(others[0], others[1]) : 0)
      let least = min(
        typical * CertificateBounds.noiseBelow,
        max(typical * CertificateBounds.noiseFarBelow, measured))
      watch.setLimit(
        expectation.isPlayed ? 0 : limit(least),
        ofSensor: limit(typical * CertificateBounds.noiseBelow), of: axis)
    }
  }

  /// The least noise of an axis by the recording, in counts; 0 if unknown. Below half a count it depends on where between two
  /// counts the mean lies.
  private func ownNoise(_ axis: Int) -> Double {
    guard stretch.isWhole, stretch.deviation(axis) >= CertificateBounds.leastDeviation else {
      return 0
    }
    return stretch.deviation(axis) * CertificateBounds.leastMeasured
  }

  /// Adds a record of the recording, with the recording's ticks and times.
  package mutating func add(_ record: TickRecord) {
    switch record.kind {
    case .sample: add(record.tick, record.time, record.sample)
    case .reading: if let reading = record.reading { add(reading) }
    case .gap, .sensorEvent, .busClock, .field: break
    }
  }

  package mutating func add(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    if firstTemperature == nil { firstTemperature = sample.temperature }
    watch.add(tick, sample)
    order?.add(tick, sample, bias: bias)
    guard !stretch.isWhole, let window = meter.add(tick, time, sample) else { return }
    stretch.add(window, period: description.rate.periodNanoseconds)
    guard stretch.isWhole else { return }
    bias = SIMD3(stretch.mean(3), stretch.mean(4), stretch.mean(5))
    setLimits()
  }

  package mutating func add(_ reading: FIFOReading) { rate.add(reading) }

  /// Whether everything that can be is measured; a rate only where the chip keeps the time.
  package var isMeasured: Bool {
    stretch.isWhole && watch.isConclusive && (rate.isWhole || description.clock == .grid)
  }

  /// Whether a recording that began so many nanoseconds ago should get its first certificate.
  package func isDue(after nanoseconds: Int64) -> Bool {
    isMeasured || nanoseconds >= CertificateBounds.latest
  }

  /// - Parameter signs: Further signs of a clone.
  package func certificate(signs: [String] = []) -> SensorCertificate {
    let sensors = noiseFindings
    let known: [CertificateFinding?] = [
      identity, clone(sensors, signs), registers, busClock, rateFinding, temperature, still,
      gravity,
    ]
    return SensorCertificate(known.compactMap { $0 } + sensors + biases + axes)
  }
}

extension CertificateFinding {
  init(_ name: String, _ value: String, _ bound: String, _ verdict: Verdict) {
    self.init(name: name, value: value, bound: bound, verdict: verdict)
  }
}

extension SensorExpectation.Noise {
  /// Standard deviation in counts of `scale` units.
  fileprivate func deviation(_ scale: Fraction) -> Double {
    density * bandwidth.squareRoot() / abs(scale.value)
  }
}

// MARK: What is known without a sample

extension CertificateMeter {
  private var sensor: SensorDescription { description.sensor }

  private var identity: CertificateFinding {
    let bound = CertificateMeter.hexadecimal(expectation.identity)
    guard let found = sensor.identity else {
      return CertificateFinding("identity", "not read", bound, .unknown)
    }
    let remark = expectation.remark.isEmpty ? "" : ", \(expectation.remark)"
    let isOwn = found == expectation.identity
    let model = isOwn ? " \(sensor.model)\(remark)" : ", driven as \(sensor.model)"
    return CertificateFinding(
      "identity", CertificateMeter.hexadecimal(found) + model, bound, isOwn ? .pass : .warn)
  }

  /// Whether it is another chip than it is driven as.
  private func clone(_ noise: [CertificateFinding], _ seen: [String]) -> CertificateFinding {
    var signs = (identity.verdict == .warn ? ["identity"] : []) + seen
    for (name, axes) in [
      ("accelerometer", ["ax", "ay", "az"]), ("gyroscope", ["gx", "gy", "gz"]),
    ] {
      let names = axes.map { "noise-density-" + $0 }
      // One silent axis is broken; a silent sensor is another one.
      let failed = noise.filter { $0.verdict == .fail && names.contains($0.name) }
      if failed.count == 3 { signs.append("noise of the \(name)") }
    }
    return CertificateFinding(
      "clone", signs.isEmpty ? "no sign" : "by " + signs.joined(separator: ", "),
      "identity and noise of the data sheet", signs.isEmpty ? .pass : .warn)
  }

  private var registers: CertificateFinding? {
    guard !expectation.registers.isEmpty else { return nil }
    let pairs = expectation.registers.map { content in
      Plain.hexadecimal(content.register) + "=" + Plain.hexadecimal(content.value)
    }
    return CertificateFinding("registers", pairs.joined(separator: " "), "as written", .pass)
  }

  private var busClock: CertificateFinding {
    let bound = "at most \(expectation.maximumBusClock) Hz"
    // A faster clock is not judged by its measurement: a short read that was held up makes it too fast.
    guard let clock = expectation.busClock else {
      return CertificateFinding("bus-clock", "not known", bound, .unknown)
    }
    // Whether the measurement says the same, but for the kernel's share of the time.
    let isMeasured = description.busClockMeasured.map { abs(clock - $0) * 32 <= $0 } ?? false
    return CertificateFinding(
      "bus-clock", "\(clock) Hz \(isMeasured ? TimeWord.estimated : .claimed)", bound,
      clock <= expectation.maximumBusClock ? .pass : .warn)
  }

  private static func hexadecimal(_ byte: UInt8) -> String { "0x" + Plain.hexadecimal(byte) }
}

// MARK: What the still stretch shows

extension CertificateMeter {
  private var still: CertificateFinding {
    let bound = StillStretch.bound(window: meter.length, rate: description.rate)
    guard stretch.isWhole else {
      return CertificateFinding("still", "never", bound, .unknown)
    }
    let length = Plain.seconds(stretch.end - stretch.start)
    return CertificateFinding(
      "still", "\(length) from \(Plain.seconds(stretch.start)), estimated", bound, .pass)
  }

  private var temperature: CertificateFinding? {
    guard description.channels.contains(.temperature), let firstTemperature else { return nil }
    let count = stretch.isWhole ? stretch.mean(6) : Double(firstTemperature)
    let celsius = count * sensor.temperatureScale.value + sensor.temperatureOffset.value
    let range = CertificateBounds.temperatures
    return CertificateFinding(
      "temperature", "\(CertificateMeter.figure(celsius, 1)) °C",
      "\(Int(range.lowerBound)) to \(Int(range.upperBound)) °C",
      range.contains(celsius) ? .pass : .warn)
  }

  private var gravity: CertificateFinding? {
    guard description.channels.isSuperset(of: .accelerometer) else { return nil }
    let usual = expectation.zeroG + CertificateBounds.sensitivity
    let (low, high) = (CertificateMeter.figure(1 - usual, 3), CertificateMeter.figure(1 + usual, 3))
    let bound = "\(low) to \(high) g"
    guard stretch.isWhole else {
      return CertificateFinding("gravity", "-", bound, .unknown)
    }
    let squares = (0..<3).reduce(0.0) { $0 + stretch.mean($1) * stretch.mean($1) }
    let g = squares.squareRoot() * abs(sensor.accelerometerScale.value)
    var value = "\(CertificateMeter.figure(g, 3)) g"
    // As of an LSM6DSO32 that is driven as an LSM6DSO, or the other way round.
    let near = CertificateBounds.halfOrTwice
    if abs(g / 0.5 - 1) < near {
      value += ", half: the chip has twice the range it is driven with"
    }
    if abs(g / 2 - 1) < near { value += ", twice: the chip has half the range it is driven with" }
    let error = abs(g - 1)
    return CertificateFinding(
      "gravity", value, bound,
      error > CertificateBounds.gravity ? .fail : error > usual ? .warn : .pass)
  }

  private var noiseFindings: [CertificateFinding] {
    noise(of: 0..<3, expectation.acceleration, sensor.accelerometerScale, 1e6, 0, "µg/√Hz")
      + noise(of: 3..<6, expectation.angularRate, sensor.gyroscopeScale, 1e3, 1, "m°/s/√Hz")
  }

  /// The densities of a sensor's axes, with so many `digits` of g or °/s times `factor`.
  private func noise(
    of axes: Range<Int>, _ noise: SensorExpectation.Noise?, _ scale: Fraction, _ factor: Double,
    _ digits: Int, _ unit: String
  ) -> [CertificateFinding] {
    guard let noise, !expectation.isPlayed else { return [] }
    func text(_ density: Double) -> String { CertificateMeter.figure(density * factor, digits) }
    let low = noise.density * CertificateBounds.noiseBelow
    let high = noise.density * CertificateBounds.noiseAbove
    let bound =
      noise.isPublished ? "\(text(low)) to \(text(high)) \(unit)" : "the data sheet gives none"
    return axes.filter { description.channels.contains(ChannelSet(rawValue: 1 << UInt8($0))) }.map {
      axis in
      func finding(_ value: String, _ verdict: CertificateFinding.Verdict) -> CertificateFinding {
        CertificateFinding("noise-density-" + ChannelSet.names[axis], value, bound, verdict)
      }
      guard stretch.isWhole else { return finding("-", .unknown) }
      guard noise.deviation(scale) >= CertificateBounds.leastDeviation else {
        return finding("less than a count", .unknown)
      }
      let density =
        stretch.deviation(axis) * abs(scale.value) / noise.bandwidth.squareRoot()
      guard noise.isPublished else { return finding("\(text(density)) \(unit)", .unknown) }
      let isFarBelow = density < noise.density * CertificateBounds.noiseFarBelow
      return finding(
        "\(text(density)) \(unit)",
        isFarBelow ? .fail : (low...high).contains(density) ? .pass : .warn)
    }
  }

  private var biases: [CertificateFinding] {
    let limit = expectation.zeroRate * CertificateBounds.zeroLevels
    return (3..<6).filter { description.channels.contains(ChannelSet(rawValue: 1 << UInt8($0))) }
      .map { axis in
        let bias = stretch.mean(axis) * sensor.gyroscopeScale.value
        // About the vertical both look the same.
        let turn = abs(bias) > limit ? ", or an even turn" : ""
        return CertificateFinding(
          "bias-" + ChannelSet.names[axis],
          stretch.isWhole ? "\(CertificateMeter.figure(bias, 2)) °/s\(turn)" : "-",
          "within ±\(CertificateMeter.figure(limit, 2)) °/s",
          !stretch.isWhole ? .unknown : abs(bias) > limit ? .warn : .pass)
      }
  }

  /// A number with at most so many digits after the point.
  private static func figure(_ value: Double, _ digits: Int) -> String {
    let divisor = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
    return Plain.number(value, per: divisor)
  }
}

// MARK: What all samples show

extension CertificateMeter {
  private var axes: [CertificateFinding] {
    func names(_ axes: [Int]) -> String {
      axes.map { ChannelSet.names[$0] }.joined(separator: ", ")
    }
    func finding(
      _ name: String, _ bad: [String], not undecided: [Int], _ bound: String
    ) -> CertificateFinding {
      func result(_ value: String, _ verdict: CertificateFinding.Verdict) -> CertificateFinding {
        CertificateFinding(name, value, bound, verdict)
      }
      let open = undecided.isEmpty ? "" : "not judged: \(names(undecided))"
      if !bad.isEmpty {
        return result((bad + [open]).filter { !$0.isEmpty }.joined(separator: ", "), .fail)
      }
      if undecided.count == watch.axes.count { return result("-", .unknown) }
      // A sensor without a judged axis has not passed, whatever the other one did.
      let isSensorOpen = [0..<3, 3..<6].contains { sensor in
        let recorded = watch.axes.filter { sensor.contains($0) }
        return !recorded.isEmpty && recorded.allSatisfy { undecided.contains($0) }
      }
      if isSensorOpen { return result(open, .unknown) }
      return result(open.isEmpty ? "none" : "none, \(open)", .pass)
    }
    var watch = watch
    watch.markUnanswered((order?.silent ?? []).map { $0 + 3 })
    let stuck = watch.axes.compactMap { axis in watch.stuck[axis].map { (axis, $0) } }
    let isZero = { (stuck: AxisWatch.Stuck) in stuck.count == 0 && stuck.tick == nil }
    let zero = stuck.filter { isZero($0.1) }.map { ChannelSet.names[$0.0] }
    let held = stuck.filter { !isZero($0.1) }.map { axis, stuck in
      "\(ChannelSet.names[axis]) at \(stuck.count)" + (stuck.tick.map { " from tick \($0)" } ?? "")
    }
    // Longer at low rates, and with noise near half a count.
    let longest = max(
      CertificateBounds.stillTime, description.rate.nanoseconds(atTick: watch.longestLimit))
    let equal = watch.equal.map { "\(ChannelSet.names[$0.1]) = \(ChannelSet.names[$0.0])" }
    return [
      finding("zero", zero, not: watch.undecidedZeros, "no axis always 0"),
      finding(
        "stuck", held, not: watch.undecided,
        watch.isStuckBeside
          ? "no axis the same while the others move for \(Plain.seconds(CertificateBounds.stillTime))"
          : "no axis the same for \(Plain.seconds(longest))"),
      finding("equal", equal, not: watch.undecidedCopies, "no axis the copy of another"),
      order?.finding,
    ].compactMap { $0 }
  }

  private var rateFinding: CertificateFinding? {
    guard description.clock != .grid else { return nil }
    let nominal = description.rate.hertz
    let (usual, largest) = (expectation.rateTolerance.usual, expectation.rateTolerance.largest)
    let bound =
      "\(Plain.hertz(description.rate)) Hz ± \(CertificateMeter.figure(usual * 100, 1)) %"
    guard let hertz = rate.hertz else {
      return CertificateFinding("rate", "-", bound, .unknown)
    }
    func isWithin(_ tolerance: Double) -> Bool {
      hertz.overlaps(nominal * (1 - tolerance)...nominal * (1 + tolerance))
    }
    let (low, high) = (
      CertificateMeter.figure(hertz.lowerBound, 2), CertificateMeter.figure(hertz.upperBound, 2)
    )
    return CertificateFinding(
      "rate", "\(low) to \(high) Hz proved", bound,
      isWithin(usual) ? .pass : isWithin(largest) ? .warn : .fail)
  }
}
