// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Testing

@testable import Calibration

extension CalibrationStudy {
  func result() -> CalibrationResult {
    calibration(id: RecordingID(high: 3, low: 4), name: "n", made: 5)
  }
}

@Suite("What a recording shows about its sensor's errors")
struct CalibrationStudyTests {
  private let directions = ImperfectSensor.faces + ImperfectSensor.diagonals

  @Test("poses that are held for 2 s are found, and give offset, scale and cross terms")
  func orientations() throws {
    var recording = try MadeUpRecording()
    recording.poses(directions)
    // Too short to count.
    recording.rest(Vector3(0.6, 0.8, 0), 150)
    recording.study.finish()
    #expect(recording.study.poses.count == 12)
    let result = recording.study.result()
    #expect(result.method == .orientations && result.missing.contains(.gyroscopeScaleX))
    let part = try #require(result.calibration?.accelerometer)
    #expect(isNear(part.offset, ImperfectSensor().offset, 0.0005), "\(part)")
    for row in 0..<3 {
      #expect(isNear(part.matrix.rows[row], ImperfectSensor().matrix.rows[row], 0.001), "\(part)")
    }
    let gyroscope = try #require(result.calibration?.gyroscope)
    #expect(isNear(gyroscope.offset, Vector3(-1.2, 0.4, 2.7), 0.02), "\(gyroscope)")
    #expect(gyroscope.scale == Vector3(1, 1, 1))
    #expect(result.refusals.count == 1 && result.refusals[0].contains("about x, y, z is not"))
  }

  @Test("the rate of a pose is the mean of its windows between the first and the last one")
  func poseRate() throws {
    var recording = try MadeUpRecording()
    recording.trend = Vector3(0.004, 0, 0)
    recording.rest(Vector3(0, 0, 1), 700)
    recording.study.finish()
    let pose = try #require(recording.study.poses.first)
    #expect(pose.windowCount > 6)
    #expect(abs(pose.point.rate.x - (-1.2 + 0.004 * 3.5)) < 0.003, "\(pose)")
  }

  @Test("turns from rest to rest in the same place give the scale of their axis")
  func turns() throws {
    var recording = try MadeUpRecording()
    for axis in 0..<3 {
      var direction = Vector3()
      direction[axis] = 1
      recording.rest(direction)
      recording.turn(axis, by: [365, -350, 720][axis], direction)
      recording.rest(direction)
      recording.move()
    }
    let result = recording.finished()
    let scale = try #require(result.calibration?.gyroscope?.scale)
    #expect(isNear(scale, Vector3(360.0 / 365, 360.0 / 350, 1), 0.001), "\(scale)")
    // Three faces are no calibration of the accelerometer, and that is said.
    #expect(result.calibration?.accelerometer == nil)
    #expect(
      result.refusals.first?.contains("−x, −y, −z never pointed up") == true, "\(result.refusals)")
  }

  @Test("a turn with a gap, or that is not whole, is left out and named")
  func badTurns() throws {
    var recording = try MadeUpRecording()
    let up = Vector3(0, 0, 1)
    // Two moves between faces come first, and are no turns.
    recording.rest(Vector3(1, 0, 0))
    recording.move()
    recording.rest(Vector3(0, 1, 0))
    recording.move()
    recording.rest(up)
    recording.turn(2, by: 360, up)
    recording.leaveOut(3)
    recording.rest(up)
    recording.turn(2, by: 250, up)
    recording.rest(up)
    let result = recording.finished()
    #expect(result.calibration?.gyroscope?.scale == Vector3(1, 1, 1))
    #expect(
      result.remarks.contains {
        $0.contains("turn 1, after the rest at 8 s, is left out: samples are missing")
      },
      "\(result.remarks)")
    #expect(
      result.remarks.contains {
        $0.contains("turn 2, after the rest at 15 s, is left out: 250° about z")
      },
      "\(result.remarks)")
  }

  @Test("a temperature that changes by 5 °C shows the drift of the rate at rest")
  func drift() throws {
    var recording = try MadeUpRecording(bias: Vector3(1, 2, 3))
    for index in 0..<12 {
      recording.temperature = 20 + Double(index)
      recording.rest(ImperfectSensor.faces[index % 6])
      recording.move()
    }
    let drift = try #require(recording.finished().calibration?.gyroscope?.drift)
    #expect(abs(drift.span.lowerBound - 20) < 0.01 && abs(drift.span.upperBound - 31) < 0.01)
    #expect(isNear(drift.offset(at: 31), Vector3(), 0.02))
  }

  @Test("a sensor that was never still gives nothing, and both refusals say what to do")
  func nothing() throws {
    var recording = try MadeUpRecording()
    for _ in 0..<20 { recording.move() }
    let result = recording.finished()
    #expect(result.calibration == nil && result.method == nil)
    #expect(result.refusals.count == 2)
    #expect(result.refusals.allSatisfy { $0.contains("still") })
  }

  @Test("of a few samples it is not said that an axis is dead, but that no rest is long enough")
  func fewSamples() throws {
    for count in 0...3 {
      var recording = try MadeUpRecording()
      recording.rest(Vector3(0, 0, 1), count)
      let result = recording.finished()
      #expect(result.calibration == nil && result.missing == [.accelerometer, .gyroscope])
      guard count > 0 else {
        #expect(result.refusals.count == 1 && result.refusals[0].hasPrefix("there is no sample"))
        continue
      }
      #expect(result.refusals.count == 2 && result.remarks.isEmpty, "\(result)")
      #expect(result.refusals[0].contains("it was still in 0 of 6 poses"), "\(result.refusals)")
      #expect(
        result.refusals[1].contains("the sensor was never still for 3 s"), "\(result.refusals)")
    }
  }

  @Test("a single rest bounds its rate by what gravity does to a gyroscope's bias")
  func singleRest() throws {
    var recording = try MadeUpRecording()
    recording.rateGravity = 0.06
    recording.move()
    recording.rest(Vector3(0, 0, 1), 6000)
    let result = recording.finished()
    let (rate, known) = (
      try #require(result.calibration?.gyroscope, "\(result.refusals)").offset,
      try #require(result.bounds.rate)
    )
    #expect(known > 0.1 && known < 0.15, "\(known)")
    #expect(isNear(rate, Vector3(-1.2, 0.4, 2.7), known), "\(rate) \(known)")
  }

  @Test("rests that were clipped and places where samples are missing are said beside a result")
  func leftOut() throws {
    var recording = try MadeUpRecording()
    recording.faces()
    let plain = recording.finished().remarks
    #expect(!plain.contains { $0.contains("left out") || $0.contains("missing") }, "\(plain)")
    recording.stuck = [2: .max]
    recording.rest(Vector3(0, 0, 1), 300)
    recording.stuck = [:]
    recording.rest(Vector3(0, 0, 1), 300)
    recording.leaveOut(3)
    recording.rest(Vector3(0, 0, 1), 300)
    let result = recording.finished()
    #expect(result.calibration?.accelerometer != nil)
    let remarks = result.remarks
    #expect(
      remarks.contains("3 s of rest are left out: az was at an end of its range"), "\(remarks)")
    #expect(
      remarks.contains("samples are missing in 1 place: a rest and a window end there"),
      "\(remarks)")
  }

  @Test("windows are 10 s, and of slow samples as long as twenty of them")
  func windowLength() throws {
    let recording = try MadeUpRecording()
    for (hertz, seconds) in [(100, 10), (2, 10), (1, 20)] as [(UInt32, Int64)] {
      var study = CalibrationStudy(
        recording.study.sensor, channels: .all, rate: try #require(SampleRate(hertz)))
      study.add(0, 0, RawSample(az: 8192))
      study.finish()
      #expect(study.result().windowLength == seconds * 1_000_000_000)
    }
  }

  @Test("without a gyroscope no rates are integrated, whatever its columns hold")
  func accelerometerOnly() throws {
    var recording = try MadeUpRecording(channels: [.accelerometer, .temperature])
    recording.rest(Vector3(0, 0, 1))
    recording.turn(2, by: 360, Vector3(0, 0, 1))
    recording.rest(Vector3(0, 0, 1))
    recording.study.finish()
    #expect(recording.study.poses.count == 2)
    for pose in recording.study.poses {
      #expect(pose.departure.degrees == Vector3() && pose.departure.seconds == 0)
    }
    #expect(recording.study.result().turnCount == 0)
  }

  @Test("one sensor only is calibrated by itself")
  func oneSensor() throws {
    var recording = try MadeUpRecording(channels: .gyroscope)
    recording.rest(Vector3(0, 0, 1))
    recording.move()
    let result = recording.finished()
    #expect(result.calibration?.accelerometer == nil && result.refusals.count == 1)
    #expect(result.refusals[0].contains("the gyroscope's scale about x, y, z"))
    #expect(result.calibration?.gyroscope != nil)
  }
}
