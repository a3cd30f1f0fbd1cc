// SPDX-License-Identifier: Apache-2.0

@testable import Analysis
import Glibc
import IMUModel
import LogFormat

/// A sensor whose true motion is known, and the samples that it gives: 1/8192 g and 1/131 °/s a count.
struct Turntable {
  var columns: MotionColumns
  private let recording: RecordingDescription
  private var readings: [FieldReading] = []
  /// Whether there was room for the last sample.
  private(set) var hasRoom = true

  init(
    hertz: UInt32, model: String = "MPU-6050", limit: Int = MotionColumns.limit,
    fieldHertz: UInt32? = nil
  ) throws {
    guard let rate = SampleRate(hertz) else { fatalError("not a rate") }
    var recording = RecordingDescription(
      id: RecordingID(high: 1, low: 2), number: 1, rate: rate, channels: .all, plannedTicks: nil,
      timeUnit: 1,
      sensor: SensorDescription(
        model: model, identity: nil, address: nil, accelerometerRange: 4, gyroscopeRange: 250,
        accelerometerScale: Fraction(1, 8192), gyroscopeScale: Fraction(1, 131),
        temperatureScale: Fraction(1, 340), temperatureOffset: Fraction(3653, 100),
        outputDataRate: 0, filter: ""),
      board: "simulator", host: "lab", software: "imulog", note: "", syncInterval: 0, realTime: "")
    if let fieldHertz, let rate = SampleRate(fieldHertz), let axes = AxisMap("x,y,z") {
      recording.sensor.field = FieldDescription(
        model: "AK09916", scale: Fraction(1, 500), rate: rate, axes: axes)
    }
    columns = MotionColumns(recording, limit: limit)
    self.recording = recording
  }

  /// Adds a value of the magnetometer, in µT along the sensor's axes.
  mutating func field(_ field: SIMD3<Double>, at time: Int64, flags: FieldReading.Flags = []) {
    let counts = (field * 500).rounded(.toNearestOrEven)
    readings.append(
      FieldReading(
        time: time, width: 0, x: Int16(counts.x), y: Int16(counts.y), z: Int16(counts.z),
        flags: flags))
  }

  /// Adds a sample of a sensor that lies so and turns at so many °/s around its own axes.
  ///
  /// - Parameter push: Acceleration beside gravity in the sensor's frame, g.
  mutating func sample(
    _ tick: UInt64, at time: Int64 = 0, _ orientation: Quaternion, turning rate: SIMD3<Double>,
    push: SIMD3<Double> = .zero
  ) throws {
    let force = (orientation.conjugate.turn(SIMD3(0, 0, 1)) + push) * 8192
    let rate = rate * 131
    try sample(
      tick, at: time,
      RawSample(
        ax: Int16(force.x.rounded()), ay: Int16(force.y.rounded()), az: Int16(force.z.rounded()),
        gx: Int16(rate.x.rounded()), gy: Int16(rate.y.rounded()), gz: Int16(rate.z.rounded())))
  }

  mutating func sample(_ tick: UInt64, at time: Int64 = 0, _ sample: RawSample) throws {
    var block = SampleBlock()
    block.append(tick: tick, time: time, sample: sample)
    hasRoom = columns.append(0..<1, of: block)
  }

  /// The motion at each sample.
  func motions() -> [Motion] {
    var columns = columns
    if let field = recording.sensor.field {
      columns.findNorth(by: readings, rate: field.rate) { [recording] in recording.microteslas($0) }
    }
    var sequence = MotionSequence(columns)
    var motions: [Motion] = []
    while let motion = sequence.next() { motions.append(motion) }
    return motions
  }
}

/// A turn of so many degrees around an axis of length 1.
func turn(_ degrees: Double, around axis: SIMD3<Double>) -> Quaternion {
  let half = degrees * .pi / 360
  return Quaternion(w: cos(half), axis: axis * sin(half))
}

/// The angle between two orientations in degrees.
func degrees(from a: Quaternion, to b: Quaternion) -> Double {
  let between = a.conjugate * b
  let sine = (between.axis * between.axis).sum().squareRoot()
  return 360 / .pi * atan2(sine, abs(between.w))
}

/// The length of a vector.
func size(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
