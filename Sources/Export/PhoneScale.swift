import IMUModel

/// The full scale in which a phone's values become counts.
///
/// Accelerations take the usual 2, 4, 8 or 16 g at 16384 to 2048 counts a g, rates 250, 500, 1000 or 2000 °/s
/// at 131 to 16.4 counts a °/s (MPU-6000 product specification, sections 6.1 and 6.2). What is larger takes
/// the last of them doubled as often as needed.
struct PhoneScale {
  let sensor: SensorDescription
  private let isAccelerometer: Bool
  private let countsPerValue: Double

  /// The smallest scale in which `largest` (g or rad/s) is a count; `nil` beyond a million full scales.
  init?(holding largest: Double, sensor: ExportChannels) {
    isAccelerometer = sensor == .accel
    let steps = isAccelerometer ? PhoneScale.accelerations : PhoneScale.rates
    var step = steps[0]
    var next = 1
    while !step.holds(largest, isAccelerometer) {
      if next < steps.count { step = steps[next] } else { step = step.doubled }
      next += 1
      guard next < 24 else { return nil }
    }
    countsPerValue = step.countsPerValue(isAccelerometer)
    self.sensor = .imported(
      accelerometerRange: isAccelerometer ? step.range : 0,
      gyroscopeRange: isAccelerometer ? 0 : step.range,
      accelerometerScale: isAccelerometer ? step.scale : PhoneScale.accelerations[0].scale,
      gyroscopeScale: isAccelerometer ? PhoneScale.rates[0].scale : step.scale,
      temperatureScale: Fraction(1, 340), temperatureOffset: Fraction(3653, 100))
  }

  /// The counts nearest to a value in each axis.
  func sample(_ vector: (x: Double, y: Double, z: Double)) -> RawSample {
    let (x, y, z) = (count(vector.x), count(vector.y), count(vector.z))
    return isAccelerometer ? RawSample(ax: x, ay: y, az: z) : RawSample(gx: x, gy: y, gz: z)
  }

  private func count(_ value: Double) -> Int16 {
    // In range: the scale was chosen so that the largest value is.
    Int16((value * countsPerValue).rounded())
  }

  private struct Step {
    var range: Int
    var scale: Fraction

    var doubled: Step {
      Step(range: 2 * range, scale: Fraction(2 * scale.numerator, scale.denominator))
    }

    func countsPerValue(_ isAccelerometer: Bool) -> Double {
      isAccelerometer ? 1 / scale.value : 180 / Double.pi / scale.value
    }

    func holds(_ largest: Double, _ isAccelerometer: Bool) -> Bool {
      (largest * countsPerValue(isAccelerometer)).rounded() <= 32767
    }
  }

  private static let accelerations = [
    Step(range: 2, scale: Fraction(1, 16384)), Step(range: 4, scale: Fraction(1, 8192)),
    Step(range: 8, scale: Fraction(1, 4096)), Step(range: 16, scale: Fraction(1, 2048)),
  ]
  private static let rates = [
    Step(range: 250, scale: Fraction(1, 131)), Step(range: 500, scale: Fraction(2, 131)),
    Step(range: 1000, scale: Fraction(5, 164)), Step(range: 2000, scale: Fraction(5, 82)),
  ]
}
