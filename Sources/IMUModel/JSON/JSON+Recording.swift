// SPDX-License-Identifier: Apache-2.0

public import Text

// Members that several documents share.

extension JSONWriter {
  /// `sensor`: how the sensor was set. Scales are exact ratios, so that counts can be scaled without rounding.
  public mutating func sensor(of description: RecordingDescription) {
    let sensor = description.sensor
    object { json in
      json.member("model", sensor.model)
      json.member("identity", sensor.identity)
      json.member("address", sensor.address)
      json.member("channels", description.channels.indices.map { ChannelSet.names[$0] })
      json.member(
        "accelerometerRange_g", sensor.accelerometerRange == 0 ? nil : sensor.accelerometerRange)
      json.member(
        "gyroscopeRange_dps", sensor.gyroscopeRange == 0 ? nil : sensor.gyroscopeRange)
      json.member("accelerometerScale_g", sensor.accelerometerScale)
      json.member("gyroscopeScale_dps", sensor.gyroscopeScale)
      json.member("temperatureScale_c", sensor.temperatureScale)
      json.member("temperatureOffset_c", sensor.temperatureOffset)
      json.key("outputDataRate_hz")
      json.outputDataRate(sensor.outputDataRate)
      json.member("filter", sensor.filter.isEmpty ? nil : sensor.filter)
    }
  }

  /// A damaged or foreign header may hold any number, and JSON has no word for infinity.
  private mutating func outputDataRate(_ hertz: Double) {
    guard hertz > 0, hertz < 1e9 else { return null() }
    ratio(UInt64((hertz * 1000).rounded()), 1000, decimals: 3)
  }

  /// A ratio as `[numerator,denominator]`.
  public mutating func member(_ name: String, _ fraction: Fraction) {
    member(name, [fraction.numerator, fraction.denominator]) { $0.integer($1) }
  }

  /// A rate in hertz.
  public mutating func rate(_ rate: SampleRate) {
    ratio(UInt64(rate.numerator), UInt64(rate.denominator), decimals: 12)
  }

  /// `ticks`: the count of each name in ``TickTally/named``, or `null`.
  public mutating func ticks(_ tally: TickTally?) {
    guard let tally else { return null() }
    object { json in
      for (name, count) in tally.named { json.member(name, count) }
    }
  }

  /// `certificate`: the recorder's findings about the sensor, or `null`.
  public mutating func certificate(_ certificate: SensorCertificate?) {
    guard let certificate else { return null() }
    object { json in
      json.member("verdict", certificate.verdict.rawValue)
      json.member("findings", certificate.findings) { $0.finding($1) }
    }
  }

  /// One finding of a certificate.
  public mutating func finding(_ finding: CertificateFinding) {
    object { json in
      json.member("name", finding.name)
      json.member("value", finding.value)
      json.member("bound", finding.bound)
      json.member("verdict", finding.verdict.rawValue)
    }
  }

  /// `lateness`: how late the sampler woke, or `null`.
  public mutating func lateness(_ lateness: LatenessSummary?) {
    guard let lateness else { return null() }
    object { json in
      json.member("median_ns", lateness.median)
      json.member("p99_ns", lateness.percentile99)
      json.member("maximum_ns", lateness.maximum)
    }
  }
}

extension JSONReader {
  /// Reads the tally that ``JSONWriter/ticks(_:)`` wrote; `nil` for other values.
  public mutating func ticks() throws(Failure) -> TickTally? {
    guard try enterObject() else { return nil }
    var tally = TickTally()
    while let key = try nextKey() {
      let count: UInt64? = try integer()
      if "sampled" ~= key { tally.sampled = count ?? 0 }
      if let cause = GapCause.allCases.first(where: { $0.name ~= key }) {
        tally[cause] = count ?? 0
      }
    }
    return tally
  }

  /// Reads the summary that ``JSONWriter/lateness(_:)`` wrote; `nil` for other values.
  public mutating func lateness() throws(Failure) -> LatenessSummary? {
    guard try enterObject() else { return nil }
    var lateness = LatenessSummary()
    while let key = try nextKey() {
      let value: Int64? = try integer()
      switch key {
      case "median_ns": lateness.median = value ?? 0
      case "p99_ns": lateness.percentile99 = value ?? 0
      case "maximum_ns": lateness.maximum = value ?? 0
      default: break
      }
    }
    return lateness
  }
}
