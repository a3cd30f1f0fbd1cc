// SPDX-License-Identifier: Apache-2.0

@testable import Calibration
import Glibc
import IMUModel
import LogFormat
import Testing

/// A recording at 100 Hz of an MPU-6050 at ±4 g and ±500 °/s, made up sample by sample.
struct MadeUpRecording {
  var study: CalibrationStudy
  var guide: CalibrationGuide
  private var tick: UInt64 = 0
  private let sensor: ImperfectSensor
  private let bias: Vector3
  var temperature = 25.0
  /// Of the rate at rest, in °/s a °C from 25 °C on.
  var rateSlope = Vector3()
  /// What the rate at rest has beside that, in °/s by °C from 25 °C on.
  var rateCurve: (Double) -> Vector3 = { _ in Vector3() }
  /// Of the acceleration, in g a °C from 25 °C on.
  var accelerationSlope = Vector3()
  /// Factors of what the gyroscope measures.
  var rateScale = Vector3(1, 1, 1)
  /// Factor of what the accelerometer measures.
  var accelerationScale = 1.0
  /// Counts of channels instead of the measured ones.
  var stuck: [Int: Int16] = [:]
  /// What gravity adds to the gyroscope's bias, in °/s a g along each axis.
  var rateGravity = 0.0
  /// What the gyroscope's bias gains in a second, in °/s.
  var trend = Vector3()
  /// What the gyroscope has of the true rates: as they are, unless its axes are others.
  var turned: (Vector3) -> Vector3 = { $0 }
  /// °/s a count.
  private let rateUnit: Fraction

  init(
    bias: Vector3 = Vector3(-1.2, 0.4, 2.7), channels: ChannelSet = .all,
    model: String = "MPU-6050", hasCrossTerms: Bool = true, rateUnit: Fraction = Fraction(10, 655)
  ) throws {
    (self.bias, self.rateUnit) = (bias, rateUnit)
    sensor = ImperfectSensor(hasCrossTerms: hasCrossTerms)
    let rate = try #require(SampleRate(100))
    let sensor = SensorDescription(
      model: model, identity: 0x68, address: 0x68, accelerometerRange: 4,
      gyroscopeRange: 500, accelerometerScale: Fraction(1, 8192),
      gyroscopeScale: rateUnit, temperatureScale: Fraction(1, 340),
      temperatureOffset: Fraction(3653, 100), outputDataRate: 1000, filter: "")
    study = CalibrationStudy(sensor, channels: channels, rate: rate)
    guide = CalibrationGuide(sensor, channels: channels, rate: rate)
  }

  mutating func add(_ truth: Vector3, _ rate: Vector3) {
    let warmth = temperature - 25
    let acceleration = sensor.measured(truth) + accelerationSlope * warmth
    let a = (acceleration * accelerationScale * 8192).rounded(.toNearestOrEven)
    let offset =
      bias + rateSlope * warmth + rateCurve(warmth) + truth * rateGravity + trend
      * (Double(tick) / 100)
    let g = ((turned(rate) * rateScale + offset) / rateUnit.value).rounded(.toNearestOrEven)
    let t = ((temperature - 36.53) * 340).rounded()
    var sample = RawSample(
      ax: Int16(a.x), ay: Int16(a.y), az: Int16(a.z), gx: Int16(g.x), gy: Int16(g.y),
      gz: Int16(g.z), temperature: Int16(t))
    for (channel, count) in stuck { sample[channel] = count }
    let time = Int64(tick) * 10_000_000
    var block = SampleBlock()
    block.append(tick: tick, time: time, sample: sample)
    study.add(block)
    guide.add(TickRecord(tick: tick, time: time, sample: sample))
    tick += 1
  }

  /// At rest for so many samples, in one direction.
  mutating func rest(_ direction: Vector3, _ count: Int = 300) {
    for _ in 0..<count { add(direction, Vector3()) }
  }

  /// Shaken for a second.
  mutating func move() {
    for index in 0..<100 {
      let swing = Double(index % 8) / 8
      add(
        Vector3(swing, 1 - swing, 0.5 + swing / 5),
        Vector3(40 * swing - 18, 20 - 40 * swing, 7 * swing))
    }
  }

  /// A turn about an axis in 4 s, at a rate that rises and falls.
  mutating func turn(_ axis: Int, by degrees: Double, _ direction: Vector3) {
    for index in 0..<400 {
      var rate = Vector3()
      let share = Double(index) + 0.5
      rate[axis] = degrees * 100 / 400 * 2 * (1 - abs(share / 200 - 1))
      // Shaken a little, so that no half second of it is at rest.
      add(direction * (index % 2 == 0 ? 1.05 : 0.95), rate)
    }
  }

  /// A turn about a vertical axis, which need not be one of the sensor's: gently, on a turntable, as sin² of the time.
  ///
  /// - Parameter direction: The axis, as the sensor sees it.
  mutating func turntable(_ direction: Vector3, by degrees: Double, seconds: Int) {
    let count = seconds * 100
    for index in 0..<count {
      let wave = sin(Double.pi * (Double(index) + 0.5) / Double(count))
      add(direction, direction * (degrees * 100 / Double(count) * 2 * wave * wave))
    }
  }

  /// Turned about the vertical at one rate, in °/s, for so many seconds.
  mutating func turnEvenly(_ direction: Vector3, _ rate: Double, seconds: Int) {
    for _ in 0..<(seconds * 100) { add(direction, direction * rate) }
  }

  /// Turned once about the vertical, so softly at both ends that their first seconds are still: the rate is 1 − cos.
  mutating func turnSoftly(_ direction: Vector3, seconds: Int) {
    let count = seconds * 100
    for index in 0..<count {
      let phase = 2 * Double.pi * (Double(index) + 0.5) / Double(count)
      add(direction, direction * (360 / Double(seconds) * (1 - cos(phase))))
    }
  }

  /// Rolled evenly about a level axis, from one direction of gravity on, with the rates that belong to it.
  ///
  /// - Parameter direction: Where gravity's reaction points; becomes that at the end.
  mutating func roll(_ direction: inout Vector3, about axis: Int, by degrees: Double, seconds: Int)
  {
    let (one, other) = ((axis + 1) % 3, (axis + 2) % 3)
    let (start, count) = (direction, seconds * 100)
    var rate = Vector3()
    rate[axis] = degrees / Double(seconds)
    for index in 0..<count {
      let angle = -degrees * Double.pi / 180 * Double(index + 1) / Double(count)
      direction[one] = start[one] * cos(angle) - start[other] * sin(angle)
      direction[other] = start[one] * sin(angle) + start[other] * cos(angle)
      add(direction, rate)
    }
  }

  /// All six faces, rolled from one to the next.
  mutating func rolledFaces() {
    var up = Vector3(0, 0, 1)
    rest(up)
    for _ in 0..<3 {
      roll(&up, about: 0, by: 90, seconds: 1)
      rest(up)
    }
    roll(&up, about: 0, by: 90, seconds: 1)
    for degrees in [90.0, 180] {
      roll(&up, about: 1, by: degrees, seconds: 2)
      rest(up)
    }
  }

  /// Held by a trembling hand: swings of an amplitude in g.
  mutating func tremble(_ direction: Vector3, by amplitude: Double, seconds: Int) {
    for index in 0..<(seconds * 100) {
      add(direction * (index % 2 == 0 ? 1 + amplitude : 1 - amplitude), Vector3())
    }
  }

  /// At rest in directions, with a move after each; one of them may be off by a factor.
  mutating func poses(
    _ directions: [Vector3], _ count: Int = 300, spoiled: Int? = nil, by factor: Double = 1
  ) {
    for (index, direction) in directions.enumerated() {
      rest(direction * (index == spoiled ? factor : 1), count)
      move()
    }
  }

  /// All six faces, with a move between them.
  mutating func faces(_ count: Int = 300) { poses(ImperfectSensor.faces, count) }

  /// A turn about each axis, on a turntable.
  mutating func turns(by degrees: Double = 360, seconds: Int = 4) {
    for direction in ImperfectSensor.faces.enumerated().filter({ $0.offset % 2 == 0 }) {
      rest(direction.element)
      turntable(direction.element, by: degrees, seconds: seconds)
      rest(direction.element)
      move()
    }
  }

  mutating func leaveOut(_ ticks: UInt64) { tick += ticks }

  /// What all of it shows.
  mutating func finished() -> CalibrationResult {
    study.finish()
    return study.result()
  }
}
