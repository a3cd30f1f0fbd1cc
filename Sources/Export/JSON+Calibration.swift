// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import Text

extension JSONWriter {
  /// `calibration`: what a sensor measures too much or too little, or `null`.
  public mutating func calibration(_ calibration: SensorCalibration?) {
    guard let calibration else { return null() }
    object { json in
      json.member("id", "\(calibration.id)")
      json.member("name", calibration.name)
      json.member("sensor", calibration.sensor)
      json.member("made", RFC3339.text(nanoseconds: calibration.made))
      json.part("conditions", calibration.conditions) { json, made in
        json.number("rate_hz", made.rate)
        json.member(
          "accelerometerRange_g", made.accelerometerRange == 0 ? nil : made.accelerometerRange)
        json.member("gyroscopeRange_dps", made.gyroscopeRange == 0 ? nil : made.gyroscopeRange)
        json.member("lowest_c", number: made.temperatures.map { "\($0.lowerBound)" })
        json.member("highest_c", number: made.temperatures.map { "\($0.upperBound)" })
      }
      json.part("accelerometer", calibration.accelerometer) { json, part in
        json.vector("offset_g", part.offset)
        json.member("matrix", part.matrix.rows) { $0.numbers($1) }
        json.drift(part.drift, unit: "g")
        json.member("points", part.points)
        json.member("unchecked", part.unchecked)
        json.number("residualBefore_g", part.residual.before)
        json.number("residualAfter_g", part.residual.after)
      }
      json.part("gyroscope", calibration.gyroscope) { json, part in
        json.vector("offset_dps", part.offset)
        json.vector("scale", part.scale)
        json.drift(part.drift, unit: "dps")
      }
      json.part("field", calibration.field) { json, part in
        json.vector("offset_ut", part.offset)
        json.member("matrix", part.matrix.rows) { $0.numbers($1) }
      }
    }
  }

  /// An object of what is known, or `null`.
  private mutating func part<Value>(
    _ name: String, _ value: Value?, _ fill: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    guard let value else { return null() }
    object { fill(&$0, value) }
  }

  private mutating func drift(_ drift: TemperatureDrift?, unit: String) {
    part("drift", drift) { json, drift in
      json.number("reference_c", drift.reference)
      json.number("lowest_c", drift.span.lowerBound)
      json.number("highest_c", drift.span.upperBound)
      json.member("coefficients_\(unit)", drift.coefficients) { $0.numbers($1) }
    }
  }

  private mutating func vector(_ name: String, _ vector: Vector3) {
    key(name)
    numbers(vector)
  }

  private mutating func numbers(_ vector: Vector3) { numbers([vector.x, vector.y, vector.z]) }

  private mutating func number(_ name: String, _ value: Double) {
    member(name, number: value.isFinite ? "\(value)" : nil)
  }

  private mutating func numbers(_ values: [Double]) {
    open("[")
    for value in values { number(value.isFinite ? "\(value)" : "null") }
    close("]")
  }
}
