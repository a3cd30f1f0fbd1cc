// SPDX-License-Identifier: Apache-2.0

import Export
public import IMUModel
import Text

/// Makes a recording from a document of one of the phone apps.
///
///     {"identifier":…,"dataType":0|1,"coordinateList":[{"x":…,"y":…,"z":…},…],"date":…,"duration":…}
///     {"sensor":0|1,"axisValues":[{"x":…,"y":…,"z":…},…],"date":…,"time":…}
///
/// 0 is the accelerometer in g, 1 the gyroscope in rad/s. The documents have no times of samples: their rate is that of the
/// options, or that of the duration, or 10 Hz. A duration that makes no rate is refused. `date` counts seconds from 2001 to
/// the last sample in the first shape and to the first sample in the second. Values are rounded to counts of 16 bits in the
/// smallest usual full scale that holds them: see `PhoneScale`.
public struct PhoneImporter: Importer, ~Copyable {
  /// The header of the new log.
  public let description: RecordingDescription
  /// The document's date.
  public let clockPairs: [ClockPair]
  /// Documents of phones have none.
  public var marks: [Mark] { [] }
  /// The same.
  public var labels: [RecordingLabel] { [] }
  /// The end of the new log.
  public let end: RecordingEnd
  /// Whether the rate is a guess.
  public let remarks: [String]

  private let samples: [RawSample]
  private var tick = 0

  /// Reads the whole document, at most 64 MiB: a recording of the apps has about 60 KB.
  ///
  /// - Throws: ``ImportError`` when it is not of one of the two shapes, or has no samples.
  public init<Source: ImportSource & ~Copyable>(
    _ source: consuming Source, _ options: ImportOptions
  )
    throws(ImportError)
  {
    let document = try PhoneDocument(&source)
    guard !document.vectors.isEmpty else { throw .noSamples(name: source.name) }
    guard let scale = PhoneScale(holding: document.largest, sensor: document.sensor) else {
      throw .document(
        name: source.name,
        what: "a value of \(document.largest) is beyond anything that a sensor gives")
    }
    let rate: SampleRate
    if let given = options.rate {
      rate = given
    } else {
      rate = try PhoneImporter.rate(of: document, source.name)
    }
    let count = UInt64(document.vectors.count)
    let lastTime = rate.nanoseconds(atTick: count - 1)
    guard lastTime < RecordingTime.limit - 1 else {
      throw .rateTooLow(name: source.name, given: Plain.hertz(rate))
    }
    let isRateKnown = options.rate != nil || document.duration != nil
    remarks =
      isRateKnown
      ? [] : ["\(source.name) does not say how long it took: 10 Hz is assumed; give it with --rate"]
    samples = document.vectors.map { scale.sample($0) }
    description = options.description(
      channels: document.sensor == .accel ? .accelerometer : .gyroscope, rate: rate,
      timeUnit: rate.timeUnit, ticks: count, sensor: scale.sensor)
    clockPairs =
      document.wall.map { wall in
        document.isDatedAtEnd
          ? [ClockPair(time: lastTime, wall: wall, isSynchronised: false, reason: .end)]
          : [ClockPair(time: 0, wall: wall, isSynchronised: false, reason: .start)]
      } ?? []
    end = .imported(samples: count)
  }

  /// The next sample; `nil` after the last one.
  public mutating func next() throws(ImportError) -> TickRecord? {
    guard tick < samples.count else { return nil }
    defer { tick += 1 }
    let time = description.rate.nanoseconds(atTick: UInt64(tick))
    return TickRecord(tick: UInt64(tick), time: time, sample: samples[tick])
  }

  /// 10 Hz, unless the duration differs from that by more than a twentieth: then the rate of the duration, to a thousandth
  /// of a hertz.
  private static func rate(of document: PhoneDocument, _ name: String) throws(ImportError)
    -> SampleRate
  {
    guard let duration = document.duration else { return rate }
    let hertz = Double(document.vectors.count) / duration
    if abs(hertz - 10) <= 0.5 { return rate }
    // Above 0 and not infinite, or it is no number of 32 bits.
    guard let thousandths = UInt32(exactly: (hertz * 1000).rounded()), hertz < 1e6,
      let rate = SampleRate(thousandths, per: 1000)
    else {
      throw .document(
        name: name,
        what:
          "\(document.vectors.count) samples in \(duration) seconds make no rate: give it with --rate"
      )
    }
    return rate
  }

  /// Both apps ask for a sample every 0.1 s.
  private static let rate = SampleRate(10) ?? { preconditionFailure("10 Hz is a rate") }()
}

/// The full scale for a phone's values as counts.
///
/// Accelerations take the usual 2, 4, 8 or 16 g at 16384 to 2048 counts a g, rates 250, 500, 1000 or 2000 °/s
/// at 131 to 16.4 counts a °/s (MPU-6000 product specification, sections 6.1 and 6.2). Larger values
/// take the last of them, doubled as often as needed.
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
