// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Calibration

/// What a calibration must not claim, and what it must not blame on the wrong thing.
@Suite("What a calibration doubts, and its causes")
struct CalibrationDoubtTests {
  private let edges = ImperfectSensor.diagonals[..<3]
  private let bias = Vector3(-79, 26, 177) / 65.5

  @Test("a pose that nothing checks is named, and what is known is said to hold only without it")
  func unchecked() throws {
    var recording = try MadeUpRecording()
    recording.poses(ImperfectSensor.faces + edges, spoiled: 1, by: 1.05)
    recording.turns()
    let result = recording.finished()
    #expect(result.uncheckedCount == 6 && result.calibration?.accelerometer?.unchecked == 6)
    let remark = try #require(
      result.remarks.first { $0.contains("no other pose would show") },
      "\(result.remarks)")
    for name in ["the pose at 4 s with −x up", "12 s with −y up", "20 s with −z up", "on an edge"] {
      #expect(remark.contains(name), "\(remark)")
    }
    #expect(!remark.contains("+x up") && remark.contains("hold each a second time"), "\(remark)")
  }

  @Test("with the opposite edges a face that moved is found, and none is unchecked")
  func checked() throws {
    for moved in [nil, 1, 4] {
      var recording = try MadeUpRecording()
      recording.poses(ImperfectSensor.faces + edges + edges.map { -$0 }, spoiled: moved, by: 1.05)
      recording.turns()
      let result = recording.finished()
      #expect(!result.remarks.contains { $0.contains("would show") }, "\(result.remarks)")
      guard let moved else { continue }
      #expect(
        result.remarks.contains { $0.contains("the pose at \(4 * moved) s") }, "\(result.remarks)")
      let part = try #require(result.calibration?.accelerometer)
      let off = part.offset - ImperfectSensor().offset
      let known = try #require(result.bounds.offset)
      #expect(max(off.max(), -off.min()) < known, "\(off) \(known)")
    }
  }

  // MARK: - Counts

  @Test("rates of coarse counts are known to half a count at best")
  func coarse() throws {
    // 70 m°/s a count, as an LSM6DSO at ±2000 °/s.
    let unit = Fraction(7, 100)
    let bias = Vector3(10.4, -3.4, 2.45) * unit.value
    var recording = try MadeUpRecording(bias: bias, rateUnit: unit)
    recording.faces()
    let result = recording.finished()
    let offset = try #require(result.calibration?.gyroscope?.offset)
    let known = try #require(result.bounds.rate)
    let off = offset - bias
    let most = max(off.max(), -off.min())
    #expect(most > 0.02 && most < known && known < 0.06, "\(off) \(known)")
  }

  // MARK: - The gyroscope

  @Test("twelve rests on one face are one witness of what gravity does to the bias")
  func gravity() throws {
    var recording = try MadeUpRecording(bias: bias)
    recording.rateGravity = 0.1
    for _ in 0..<12 {
      recording.rest(Vector3(0, 0, 1))
      recording.move()
    }
    let result = recording.finished()
    let off = try #require(result.calibration?.gyroscope?.offset) - bias
    let known = try #require(result.bounds.rate)
    #expect(off.z > 0.09 && off.z < known && known < 0.2, "\(off) \(known)")
  }

  /// Rolled about the axes by angles that are no quarters, each of which turns gravity: other axes fit ten of them at most.
  private func rolled(_ turned: @escaping (Vector3) -> Vector3) throws -> CalibrationResult {
    var recording = try MadeUpRecording()
    recording.turned = turned
    var up = Vector3(0.48, 0.6, 0.64)
    recording.rest(up)
    for (axis, degrees) in [
      (2, 100.0), (1, -60), (1, 80), (1, -80), (0, 120), (2, -110), (1, -70), (0, 70), (0, -100),
      (2, 110), (0, 70), (2, -100), (2, 120), (2, 60),
    ] {
      recording.roll(&up, about: axis, by: degrees, seconds: 2)
      recording.rest(up)
    }
    recording.study.finish()
    return recording.study.result()
  }

  @Test("rates of the other sign are named as such, and so are axes that are exchanged")
  func axes() throws {
    let right = try rolled { $0 }
    #expect(right.calibration?.gyroscope != nil, "\(right.refusals)")
    let cases: [((Vector3) -> Vector3, String)] = [
      ({ -$0 }, "gravity turned the other way than the rates say: the signs"),
      ({ Vector3($0.x, $0.y, -$0.z) }, "gravity turned about z as −gz says: the axes"),
      ({ Vector3($0.y, $0.x, $0.z) }, "turned about x as gy says, about y as gx says: the axes"),
      (
        { Vector3($0.z, -$0.x, $0.y) },
        "turned about x as −gy says, about y as gz says, about z as gx says"
      ),
    ]
    for (turned, words) in cases {
      let result = try rolled(turned)
      #expect(result.calibration?.gyroscope == nil && result.missing.contains(.gyroscope))
      #expect(result.refusals.contains { $0.contains(words) }, "\(words): \(result.refusals)")
      #expect(result.refusals.contains { $0.contains("certificate") })
    }
  }

  @Test("a gyroscope that is clipped or too fast is named, and the accelerometer calibrated")
  func useless() throws {
    var railed = try MadeUpRecording()
    railed.stuck = [3: .max]
    railed.faces(2100)
    railed.stuck = [3: .max - 1]
    railed.move()
    var fast = try MadeUpRecording(bias: Vector3(61, 0.4, 2.7))
    fast.faces(2100)
    for (recording, words) in [
      (railed, "gx was at an end of its range"), (fast, "rate was 61 °/s"),
    ] {
      var recording = recording
      let result = recording.finished()
      #expect(result.calibration?.accelerometer != nil, "\(result.refusals)")
      #expect(result.calibration?.gyroscope == nil && result.missing.contains(.gyroscope))
      #expect(
        result.refusals.count == 1 && result.refusals[0].contains(words), "\(result.refusals)")
      // Those of the accelerometer, which it was calibrated by.
      #expect(result.poseCount == 6 && result.windowCount >= 6)
    }
  }

  @Test("a face whose counts are at an end of their range did not tremble, and that is said")
  func clippedFace() throws {
    var recording = try MadeUpRecording()
    for direction in ImperfectSensor.faces {
      recording.stuck[3] = direction.x < 0 ? .min : nil
      recording.rest(direction)
      recording.stuck = [:]
      recording.move()
    }
    let refusals = recording.finished().refusals
    #expect(
      refusals.contains { $0.contains("with −x up gx was at an end of its range") }, "\(refusals)")
    #expect(!refusals.contains { $0.contains("trembled") })
  }

  // MARK: - Temperature

  @Test("what a temperature does is not blamed on a hand alone")
  func temperature() throws {
    var recording = try MadeUpRecording()
    recording.accelerationSlope = Vector3(0.001, -0.0008, 0.0012)
    recording.temperature = 20
    recording.poses(ImperfectSensor.faces + edges + edges.map({ -$0 }))
    recording.temperature = 45
    recording.rest(ImperfectSensor.faces[4])
    let remarks = recording.finished().remarks
    #expect(remarks.contains { $0.contains("temperature") && $0.contains("moved") }, "\(remarks)")
    #expect(!remarks.contains { $0.contains("so it moved; take it again") }, "\(remarks)")
  }

  @Test("so is one over less than 5 °C, at which one rest of many was")
  func smallDrift() throws {
    for warmth in [1.2, 3, 4.8] {
      var recording = try MadeUpRecording(bias: bias)
      recording.rateSlope = Vector3(0.03, -0.02, 0.05)
      for temperature in [25.0, 25, 25, 25 + warmth] {
        recording.temperature = temperature
        recording.faces()
      }
      let result = recording.finished()
      let off = try #require(result.calibration?.gyroscope?.offset) - bias
      let known = try #require(result.bounds.rate)
      let most = (off - recording.rateSlope * warmth)
      #expect(max(most.max(), -most.min()) < known, "\(warmth): \(off) \(known)")
    }
  }

  @Test("what a curve leaves of a change over a wide span is in what the rate is known to")
  func wideSpan() throws {
    var recording = try MadeUpRecording(bias: bias)
    recording.rateSlope = Vector3(0.03, -0.02, 0.05)
    recording.rateCurve = { Vector3(0.00004, -0.00003, 0.00002) * ($0 * $0 * $0) }
    let temperatures = [10.0, 17, 25, 33, 40]
    for temperature in temperatures {
      recording.temperature = temperature
      recording.faces()
    }
    let result = recording.finished()
    let part = try #require(result.calibration?.gyroscope)
    let (drift, known) = (try #require(part.drift), try #require(result.bounds.rate))
    #expect(drift.order == 2)
    for temperature in temperatures {
      let warmth = temperature - 25
      let truth = bias + recording.rateSlope * warmth + recording.rateCurve(warmth)
      let off = part.offset + drift.offset(at: temperature) - truth
      #expect(max(off.max(), -off.min()) < known, "\(temperature) °C: \(off) \(known)")
    }
  }

  @Test("a change of the rate with temperature that is not determined is in what it is known to")
  func unknownDrift() throws {
    var recording = try MadeUpRecording(bias: bias)
    recording.rateSlope = Vector3(0.03, -0.02, 0.05)
    for temperature in [20.0, 24.9] {
      recording.temperature = temperature
      recording.faces()
    }
    let result = recording.finished()
    let part = try #require(result.calibration?.gyroscope)
    let known = try #require(result.bounds.rate)
    #expect(part.drift == nil)
    for temperature in [20.0, 24.9] {
      let truth = bias + recording.rateSlope * (temperature - 25)
      let off = part.offset - truth
      #expect(max(off.max(), -off.min()) < known, "\(off) \(known)")
    }
  }
}
