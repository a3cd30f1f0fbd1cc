// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import Calibration

/// What people do with a sensor, and what must come of it: the errors that were made up, or a sentence.
@Suite("The errors that a recording was made with")
struct CalibrationTruthTests {
  /// Whole counts: without noise a part of one is lost at rest, and averaged in a turn.
  private let bias = Vector3(-79, 26, 177) / 65.5

  private func expectTruth(_ result: CalibrationResult, hasCrossTerms: Bool = true) throws {
    let part = try #require(result.calibration?.accelerometer, "\(result.refusals)")
    let sensor = ImperfectSensor(hasCrossTerms: hasCrossTerms)
    #expect(isNear(part.offset, sensor.offset, 0.0005), "\(part)")
    for row in 0..<3 { #expect(isNear(part.matrix.rows[row], sensor.matrix.rows[row], 0.001)) }
  }

  // MARK: - Poses before windows

  @Test("nine poses for a minute each give cross terms, as nine short ones do")
  func longPoses() throws {
    var recording = try MadeUpRecording()
    recording.poses(ImperfectSensor.faces + ImperfectSensor.diagonals[..<3], 7000)
    recording.study.finish()
    #expect(recording.study.windows.count >= GravityFit.leastWindows)
    let result = recording.study.result()
    #expect(result.method == .orientations)
    try expectTruth(result)
  }

  @Test("a long rest before the procedure changes nothing, and six long faces are enough")
  func longRest() throws {
    for count in [300, 10_000] {
      var recording = try MadeUpRecording(hasCrossTerms: false)
      if count == 300 { recording.rest(Vector3(0, 0, 1), 52_000) }
      recording.faces(count)
      recording.study.finish()
      #expect(recording.study.windows.count >= GravityFit.leastWindows)
      let result = recording.study.result()
      #expect(result.method == .faces && result.missing.contains(.crossTerms))
      #expect(result.remarks.contains { $0.contains("cross terms are not determined") })
      try expectTruth(result, hasCrossTerms: false)
    }
  }

  @Test("where it never rests in one place windows are used, and left-out cross terms said")
  func breathing() throws {
    var recording = try MadeUpRecording(hasCrossTerms: false)
    for direction in ImperfectSensor.directions(60) {
      // Half a second this way, half a second that way: a chest's breath, at rest as a window of 10 s sees it.
      for sample in 0..<1000 {
        recording.add(direction, Vector3(sample / 50 % 2 == 0 ? 0.6 : -0.6, 0, 0))
      }
    }
    recording.study.finish()
    #expect(recording.study.poses.isEmpty && recording.study.windows.count == 60)
    let result = recording.study.result()
    #expect(result.method == .windows && result.missing.contains(.crossTerms))
    #expect(
      result.remarks.contains {
        $0.contains("60 still windows in 60 directions") && $0.contains("cross")
      }, "\(result.remarks)")
    let part = try #require(result.calibration?.accelerometer)
    let (offset, scale) = (try #require(result.bounds.offset), try #require(result.bounds.scale))
    #expect(offset < 0.005 && scale < 0.01, "\(offset) \(scale)")
    let off = part.offset - ImperfectSensor().offset
    #expect(max(off.max(), -off.min()) < offset, "\(part)")
  }

  @Test("a pose that moved is named with its time and side, and left out")
  func spoiled() throws {
    var recording = try MadeUpRecording()
    recording.rest(Vector3(0, 0, 1.06))
    recording.move()
    recording.poses(ImperfectSensor.faces + ImperfectSensor.diagonals)
    let result = recording.finished()
    #expect(result.remarks.contains { $0.contains("the pose at 0 s with +z up is left out") })
    try expectTruth(result)
  }

  @Test("of two poses on one face that contradict each other none is left out, and both are named")
  func contradiction() throws {
    for (spoiled, excess) in [(2, 0.02), (8, 0.02), (0, -0.012), (11, 0.008)] {
      var recording = try MadeUpRecording(hasCrossTerms: false)
      recording.poses(
        ImperfectSensor.faces + ImperfectSensor.faces, spoiled: spoiled, by: 1 + excess)
      let result = recording.finished()
      #expect(!result.remarks.contains { $0.contains("left out") }, "\(result.remarks)")
      let (first, second) = (spoiled % 6 * 4, spoiled % 6 * 4 + 24)
      let side = ["+x", "−x", "+y", "−y", "+z", "−z"][spoiled % 6]
      #expect(
        result.remarks.contains {
          $0.contains("the pose at \(first) s with \(side) up")
            && $0.contains("the pose at \(second) s with \(side) up contradict each other")
        }, "\(result.remarks)")
      let part = try #require(result.calibration?.accelerometer)
      let known = try #require(result.bounds.offset)
      let off = part.offset - ImperfectSensor().offset
      #expect(max(off.max(), -off.min()) < known, "\(off) \(known)")
    }
    // A third one on the face says which it was.
    var recording = try MadeUpRecording(hasCrossTerms: false)
    recording.poses((0..<3).flatMap({ _ in ImperfectSensor.faces }), spoiled: 8, by: 1.02)
    let result = recording.finished()
    #expect(result.remarks.contains { $0.contains("the pose at 32 s with +y up is left out") })
    try expectTruth(result, hasCrossTerms: false)
  }

  // MARK: - Rest and turns

  @Test("slow turns lose nothing at their ends, and nothing of them is in the rate at rest")
  func slowTurns() throws {
    for seconds in CaseSelection.sample(2, of: [4, 10, 20, 30, 60]) {
      var recording = try MadeUpRecording(bias: bias)
      recording.faces()
      recording.turns(seconds: seconds)
      let gyroscope = try #require(recording.finished().calibration?.gyroscope)
      #expect(isNear(gyroscope.offset, bias, 0.01), "\(seconds) s: \(gyroscope)")
      #expect(isNear(gyroscope.scale, Vector3(1, 1, 1), 0.0008), "\(seconds) s: \(gyroscope)")
    }
  }

  @Test("a pose that turns evenly is named and left out, however fast, and a steady turn counts")
  func turningPoses() throws {
    for rate in CaseSelection.sample(2, of: [0.5, 2, 10, 50]) {
      var recording = try MadeUpRecording(bias: bias)
      recording.faces()
      recording.turnEvenly(Vector3(0, 0, 1), rate, seconds: 5)
      recording.turns()
      let result = recording.finished()
      let gyroscope = try #require(result.calibration?.gyroscope)
      #expect(isNear(gyroscope.offset, bias, 0.01), "\(rate) °/s: \(gyroscope)")
      #expect(isNear(gyroscope.scale, Vector3(1, 1, 1), 0.0005), "\(rate) °/s: \(gyroscope)")
      let named = result.remarks.filter { $0.contains("with +z up is left out: it turned at") }
      #expect(named.count == 1 && named[0].contains("at 24 s"), "\(result.remarks)")
    }
    var recording = try MadeUpRecording(bias: bias)
    recording.faces()
    recording.rest(Vector3(0, 0, 1))
    recording.turnEvenly(Vector3(0, 0, 1), 24, seconds: 15)
    recording.rest(Vector3(0, 0, 1))
    let result = recording.finished()
    #expect(!result.missing.contains(.gyroscopeScaleZ), "\(result.refusals)")
    #expect(!result.remarks.contains { $0.contains("it turned at") }, "\(result.remarks)")
  }

  @Test("faces between which gravity changes the bias by the data sheet do not count as turning")
  func gravity() throws {
    var recording = try MadeUpRecording()
    recording.rateGravity = 0.1
    recording.faces()
    let result = recording.finished()
    #expect(!result.remarks.contains { $0.contains("it turned at") }, "\(result.remarks)")
    #expect(result.calibration?.accelerometer != nil, "\(result.refusals)")
  }

  @Test("when as many poses turned as were at rest no rate is taken for that at rest")
  func noMajority() throws {
    var recording = try MadeUpRecording()
    recording.turnEvenly(Vector3(0, 0, 1), 2, seconds: 5)
    recording.move()
    recording.rest(Vector3(0, 0, 1))
    let result = recording.finished()
    #expect(result.calibration?.gyroscope == nil)
    #expect(result.refusals.contains { $0.contains("differ by more than 0.3 °/s") })
  }

  @Test("ten turns of an axis that is off by 6 % are counted after a single one, and else left out")
  func manyTurns() throws {
    for hasSingle in [false, true] {
      var recording = try MadeUpRecording()
      recording.rateScale = Vector3(1, 1 / 1.06, 1)
      recording.faces()
      let up = Vector3(0, 1, 0)
      recording.rest(up)
      if hasSingle {
        recording.turntable(up, by: 360, seconds: 4)
        recording.rest(up)
      }
      recording.turntable(up, by: 3600, seconds: 40)
      recording.rest(up)
      let result = recording.finished()
      let scale = try #require(result.calibration?.gyroscope?.scale)
      #expect(result.missing.contains(.gyroscopeScaleY) == !hasSingle)
      #expect(abs(scale.y - (hasSingle ? 1.06 : 1)) < 0.0005, "\(scale)")
      #expect(
        result.remarks.contains { $0.contains("turn 1") && $0.contains("a single one") }
          == !hasSingle, "\(result.remarks)")
    }
  }

  @Test("turns about one axis that do not agree are said to be known no better")
  func disagreement() throws {
    var recording = try MadeUpRecording()
    recording.faces()
    let up = Vector3(0, 0, 1)
    for degrees in [360.0, 352] {
      recording.rest(up)
      recording.turntable(up, by: degrees, seconds: 4)
    }
    recording.rest(up)
    let remarks = recording.finished().remarks
    #expect(remarks.contains { $0.contains("the turns about z differ by 2.2 %") }, "\(remarks)")
  }

  // MARK: - Temperature

  @Test("the accelerometer's change with temperature comes of poses at two temperatures")
  func warmed() throws {
    var recording = try MadeUpRecording()
    recording.accelerationSlope = Vector3(0.001, -0.0015, 0.002)
    for temperature in [15.0, 40] {
      recording.temperature = temperature
      recording.poses(ImperfectSensor.faces + ImperfectSensor.diagonals)
    }
    let result = recording.finished()
    let part = try #require(result.calibration?.accelerometer, "\(result.refusals)")
    let drift = try #require(part.drift)
    for temperature in [15.0, 25, 40] {
      let truth = ImperfectSensor().offset + recording.accelerationSlope * (temperature - 25)
      #expect(isNear(part.offset + drift.offset(at: temperature), truth, 0.0005), "\(part)")
    }
    let made = try #require(result.calibration?.conditions?.temperatures)
    #expect(abs(made.lowerBound - 15) < 0.01 && abs(made.upperBound - 40) < 0.01)
  }

  @Test("a change with temperature that cannot be told from the rest is named as the cause")
  func unknownWarmth() throws {
    var recording = try MadeUpRecording()
    // The chip warms up while it is laid on its sides once: 50 mg that no offset explains.
    recording.accelerationSlope = Vector3(0.004, -0.003, 0.003)
    for (index, direction) in (ImperfectSensor.faces + ImperfectSensor.diagonals).enumerated() {
      recording.temperature = 15 + 25 * Double(index * 5 % 12) / 11
      recording.rest(direction)
      recording.move()
    }
    let result = recording.finished()
    let said = result.refusals + result.remarks
    #expect(said.contains { $0.contains("the temperature changed by 25 °C") }, "\(said)")
  }

  @Test("why there is no change with temperature: not recorded, too small a span, one warm rest")
  func noDrift() throws {
    var plain = try MadeUpRecording(channels: [.accelerometer, .gyroscope])
    plain.faces()
    #expect(plain.finished().remarks.contains { $0.contains("temperature is not recorded") })
    for (warm, words) in [(27.0, "it changed by 2 °C"), (40, "rest all over this span")] {
      var recording = try MadeUpRecording()
      recording.faces()
      recording.temperature = warm
      recording.rest(Vector3(0, 0, 1))
      let result = recording.finished()
      #expect(result.remarks.contains { $0.contains(words) }, "\(result.remarks)")
      #expect(result.missing.contains(.gyroscopeDrift))
    }
  }

  // MARK: - What is refused

  @Test("a chip that was taken for its relative is refused, and the relative is named")
  func relative() throws {
    var recording = try MadeUpRecording(model: "LSM6DSO")
    recording.accelerationScale = 0.5
    recording.faces()
    let result = recording.finished()
    #expect(result.calibration?.accelerometer == nil)
    #expect(result.refusals.contains { $0.contains("LSM6DSO32, whose ranges are twice as wide") })
  }

  @Test("an axis that is not recorded or does not change is named, in place of a side")
  func lackingAxes() throws {
    var dead = try MadeUpRecording()
    dead.stuck = [2: 0]
    dead.faces()
    #expect(dead.finished().refusals.contains { $0.contains("az does not change while") })
    for (channels, words) in [
      (ChannelSet(rawValue: 0b000_0011), "az is not recorded"),
      (ChannelSet(rawValue: 0b010_0111), "gx, gy are not recorded"),
    ] {
      var recording = try MadeUpRecording(channels: channels)
      recording.faces()
      let result = recording.finished()
      #expect(result.refusals.contains { $0.contains(words) }, "\(result.refusals)")
    }
    var warmth = try MadeUpRecording(channels: .temperature)
    warmth.faces()
    #expect(warmth.finished().refusals.count == 1)
  }

  @Test("a side that was held by a trembling hand, or too short, is named with what it did")
  func trembling() throws {
    var recording = try MadeUpRecording()
    for (index, direction) in ImperfectSensor.faces.enumerated() {
      switch index {
      case 2: recording.tremble(direction, by: 0.04, seconds: 3)
      case 5: recording.rest(direction, 150)
      default: recording.rest(direction)
      }
      recording.move()
    }
    let refusals = recording.finished().refusals
    #expect(refusals[0].contains("still in 4 of 6 poses"), "\(refusals)")
    #expect(refusals[0].contains("with +y up it trembled: by 4"), "\(refusals)")
    #expect(refusals[0].contains("with −z up it was not still for 3 s on end"), "\(refusals)")
    #expect(!refusals[0].contains("never pointed up"), "\(refusals)")
  }

  @Test("how well it is known is said: less with six faces than with twelve poses")
  func bounds() throws {
    var recording = try MadeUpRecording(hasCrossTerms: false)
    recording.faces()
    let few = recording.study.result().bounds
    recording.poses(ImperfectSensor.diagonals)
    let many = recording.finished().bounds
    let (worse, better) = (try #require(few.offset), try #require(many.offset))
    #expect(worse > 0.001 && worse < 0.002 && better < worse * 0.6, "\(worse) \(better)")
    #expect(many.scale != nil && many.rate.map { $0 < 0.02 } == true)
  }
}
