// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing
import Text

@testable import Calibration

/// What turns evenly is as still as a rest, and may last for longer than all rests.
@Suite("Rests and turns, told apart")
struct CalibrationTurnTests {
  private let bias = Vector3(-79, 26, 177) / 65.5

  private func expectBias(_ result: CalibrationResult, _ words: String) throws {
    let gyroscope = try #require(result.calibration?.gyroscope, "\(words): \(result.refusals)")
    #expect(isNear(gyroscope.offset, bias, 0.01), "\(words): \(gyroscope)")
  }

  @Test("ten turns in one go are no rest, though they are more windows than all rests")
  func tenTurns() throws {
    for rate in CaseSelection.sample(1, of: [12.0, 24, 48]) {
      var recording = try MadeUpRecording(bias: bias)
      recording.faces()
      recording.turns()
      recording.rest(Vector3(0, 0, 1))
      recording.turnEvenly(Vector3(0, 0, 1), rate, seconds: Int(3600 / rate))
      recording.rest(Vector3(0, 0, 1))
      recording.study.finish()
      #expect(recording.study.windows.count >= 5)
      let result = recording.study.result()
      try expectBias(result, "\(rate) °/s")
      #expect(!result.missing.contains(.gyroscopeScaleZ), "\(result.refusals)")
      #expect(result.calibration?.accelerometer != nil, "\(result.refusals)")
    }
  }

  @Test("a turn in minutes about a level axis is sixty poses in as many directions, and no rest")
  func slowRoll() throws {
    for seconds in CaseSelection.sample(1, of: [120, 240, 600]) {
      var recording = try MadeUpRecording(bias: bias)
      recording.faces()
      var up = Vector3(0, 0, 1)
      recording.rest(up)
      recording.roll(&up, about: 0, by: 360, seconds: seconds)
      recording.rest(up)
      recording.study.finish()
      #expect(recording.study.poses.count > 40)
      let result = recording.study.result()
      try expectBias(result, "\(seconds) s")
      #expect(result.poseCount == 8, "\(seconds) s: \(result.poseCount)")
      // Counts of 0.015 °/s, rounded without noise, cost 0.8 % of so slow a turn.
      let scale = try #require(result.calibration?.gyroscope?.scale)
      #expect(abs(scale.x - 1) < 0.01 && !result.missing.contains(.gyroscopeScaleX), "\(scale)")
    }
  }

  @Test("three turns of 90 s in one place do not outvote the faces, at no temperature")
  func slowTurns() throws {
    for warmth in [0.0, 1.5] {
      var recording = try MadeUpRecording(bias: bias)
      recording.faces()
      for _ in 0..<3 {
        recording.rest(Vector3(0, 0, 1))
        recording.temperature = 25 + warmth
        recording.turnEvenly(Vector3(0, 0, 1), 4, seconds: 90)
        recording.temperature = 25
      }
      recording.rest(Vector3(0, 0, 1))
      let result = recording.finished()
      try expectBias(result, "\(warmth) °C")
    }
  }

  @Test("one long turn at the end of the temperatures' span makes no change with temperature")
  func warmTurn() throws {
    var recording = try MadeUpRecording(bias: bias)
    recording.faces()
    recording.temperature = 31
    recording.turnEvenly(Vector3(0, 0, 1), 1, seconds: 60)
    let result = recording.finished()
    #expect(result.missing.contains(.gyroscopeDrift))
    try expectBias(result, "6 °C")
  }

  @Test("a bias beyond the chip's data sheet is refused of one direction, and said of several")
  func implausible() throws {
    var turning = try MadeUpRecording()
    turning.move()
    turning.turnEvenly(Vector3(0, 0, 1), 12, seconds: 100)
    turning.study.finish()
    let id = RecordingID(high: 3, low: 4)
    let refused = turning.study.calibration(id: id, name: "n", made: 5, zeroRate: 1)
    #expect(refused.calibration?.gyroscope == nil && refused.missing.contains(.gyroscope))
    #expect(
      refused.refusals.contains { $0.contains("14.7 °/s, and the chip's data sheet has ±1") },
      "\(refused.refusals)")
    var faulty = try MadeUpRecording(bias: Vector3(-2.7, 0.4, 1.2))
    faulty.faces()
    faulty.study.finish()
    let said = faulty.study.calibration(id: id, name: "n", made: 5, zeroRate: 1)
    #expect(said.calibration?.gyroscope != nil)
    #expect(
      said.remarks.contains {
        $0.contains("x would be -2.7 °/s, and the chip's data sheet has ±1")
      })
    let usual = faulty.study.calibration(id: id, name: "n", made: 5, zeroRate: 20)
    #expect(!usual.remarks.contains { $0.contains("data sheet") })
  }

  @Test("rates of a wrong full scale are refused, as gravity turned otherwise from face to face")
  func wrongScale() throws {
    for (factor, words) in [
      (2.0, "0.5 times as far"), (0.5, "2 times as far"), (3, "0.3 times as far"),
    ] {
      var recording = try MadeUpRecording()
      recording.rateScale = Vector3(repeating: factor)
      recording.rolledFaces()
      recording.turns(seconds: 8)
      let result = recording.finished()
      #expect(result.calibration?.gyroscope == nil && result.missing.contains(.gyroscope))
      #expect(result.refusals.contains { $0.contains(words) }, "\(factor): \(result.refusals)")
    }
    for factor in [1 / 1.09, 1, 1.09] {
      var recording = try MadeUpRecording()
      recording.rateScale = Vector3(repeating: factor)
      recording.rolledFaces()
      recording.turns()
      let result = recording.finished()
      let scale = try #require(result.calibration?.gyroscope?.scale)
      #expect(isNear(scale, Vector3(repeating: 1 / factor), 0.001), "\(scale)")
      // Nothing shows a factor of two in turns about the vertical.
      let words = "how often it was turned about z is known of the"
      #expect(result.remarks.contains { $0.hasPrefix(words) } || factor != 1, "\(result.remarks)")
    }
  }

  @Test("one axis of another scale is named where gravity shows how far it went round")
  func wrongAxis() throws {
    let cases: [(Int, Double)] = [(0, 2), (1, 0.5), (2, 1.6), (0, 2.4), (1, 2)]
    for (axis, factor) in CaseSelection.sample(2, of: cases) {
      var recording = try MadeUpRecording(bias: bias)
      recording.rateScale[axis] = factor
      recording.faces()
      for turned in 0..<3 {
        var up = Vector3()
        up[(turned + 1) % 3] = 1
        recording.rest(up)
        recording.roll(&up, about: turned, by: 360, seconds: 8)
        recording.rest(up)
        recording.move()
      }
      let result = recording.finished()
      // The factor is estimated to a tenth.
      let words = " times as far about \(["x", "y", "z"][axis]) as"
      #expect(result.calibration?.gyroscope == nil && result.missing.contains(.gyroscope))
      let said = result.refusals.lazy.compactMap { $0.split(separator: words).first }.first
      let stated = said?.split(separator: " ").last.flatMap { Double($0) }
      #expect(abs((stated ?? 0) - 1 / factor) < 0.11, "\(words): \(result.refusals)")
    }
  }

  @Test("axes that have nothing but noise while gravity turns are named, and no turn is asked for")
  func silent() throws {
    for (dead, words) in [
      ([0, 1, 2], "gx, gy do not answer"), ([0], "gx does not answer"),
    ] {
      var recording = try MadeUpRecording(bias: bias)
      var tick = 0.0
      recording.turned = { rate in
        var rate = rate
        tick += 1
        for axis in dead { rate[axis] = tick.truncatingRemainder(dividingBy: 2) * 0.1 }
        return rate
      }
      recording.rolledFaces()
      // Or gz has one count only.
      recording.move()
      let result = recording.finished()
      #expect(result.calibration?.gyroscope == nil)
      #expect(result.refusals.contains { $0.contains(words) }, "\(result.refusals)")
      #expect(!result.refusals.contains { $0.contains("turn it by 360°") })
    }
    var alive = try MadeUpRecording(bias: bias)
    alive.rolledFaces()
    alive.move()
    #expect(!alive.finished().refusals.contains { $0.contains("answer") })
  }

  @Test("what the rate's scale is known to holds in 95 of 100 sensors and more")
  func scaleBound() throws {
    var random = Noise()
    for counts in [[1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1], [10, 10, 10]] {
      var within = 0
      for _ in 0..<400 {
        let truth = Vector3(1.02, 0.97, 1.01)
        let fits = try counts.enumerated().map { index, turns in
          var degrees = Vector3()
          let axis = index % 3
          degrees[axis] = (360 * Double(turns) + random.normal() * 0.5) / truth[axis]
          return try TurnFit(degrees: degrees, scale: truth, error: TurnFit.knownError)
        }
        let (scales, known) = TurnFit.solution(fits)
        let off = scales - truth
        if max(off.max(), -off.min()) <= (try #require(known)) { within += 1 }
      }
      #expect(within >= 367, "\(counts): \(within), seed \(random.seed)")
    }
  }

  @Test("a gyroscope whose counts never change is refused by name, at zero or elsewhere")
  func dead() throws {
    for count: Int16 in [0, 3] {
      var recording = try MadeUpRecording()
      recording.stuck = [3: count, 4: count, 5: count]
      recording.faces()
      let result = recording.finished()
      #expect(result.calibration?.gyroscope == nil && result.missing.contains(.gyroscope))
      #expect(result.refusals.contains { $0.contains("gx, gy, gz do not change") })
      #expect(result.calibration?.accelerometer != nil)
    }
  }

  @Test("a bias that drifts from rest to rest leaves no error in the scale of a slow turn")
  func driftingBias() throws {
    var recording = try MadeUpRecording(bias: bias)
    recording.trend = Vector3(0.0004, -0.0003, 0.0005)
    recording.faces()
    recording.turns(seconds: 60)
    let scale = try #require(recording.finished().calibration?.gyroscope?.scale)
    #expect(isNear(scale, Vector3(1, 1, 1), 0.002), "\(scale)")
  }

  @Test("a turn that begins so softly as rest gives a scale within what is said of it, or none")
  func soft() throws {
    for seconds in CaseSelection.sample(3, of: [20, 60, 80, 90, 100, 120, 180, 300]) {
      var recording = try MadeUpRecording(bias: bias)
      recording.faces()
      recording.rest(Vector3(0, 0, 1))
      recording.turnSoftly(Vector3(0, 0, 1), seconds: seconds)
      recording.rest(Vector3(0, 0, 1))
      let result = recording.finished()
      try expectBias(result, "\(seconds) s")
      guard !result.missing.contains(.gyroscopeScaleZ) else { continue }
      let scale = try #require(result.calibration?.gyroscope?.scale)
      let isSaid = result.remarks.contains { $0.contains("known to") && $0.contains("turn") }
      #expect(
        abs(scale.z - 1) < (isSaid ? 0.03 : 0.006), "\(seconds) s: \(scale) \(result.remarks)")
    }
  }

  @Test("a turn that is too slow for what the bias did in it is left out, with both figures")
  func vague() throws {
    var recording = try MadeUpRecording(bias: bias)
    recording.faces()
    recording.trend = Vector3(0, 0, 0.0005)
    recording.rest(Vector3(0, 0, 1))
    recording.turnEvenly(Vector3(0, 0, 1), 0.8, seconds: 450)
    recording.rest(Vector3(0, 0, 1))
    let result = recording.finished()
    #expect(result.missing.contains(.gyroscopeScaleZ))
    #expect(
      result.remarks.contains { $0.contains("turn 1") && $0.contains("would be known to 30") },
      "\(result.remarks)")
  }
}
