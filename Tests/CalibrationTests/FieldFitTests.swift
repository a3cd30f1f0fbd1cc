// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogFormat
import TestSupport
import Testing

@testable import Calibration

@Suite("A magnetometer's iron from the field in many directions")
struct FieldFitTests {
  /// A field of 49 µT, 61° below the horizontal, with iron around the magnetometer.
  private struct Iron {
    var offset = Vector3(31, -52, 18)
    /// What soft iron makes of the field: not symmetric.
    var soft = [Vector3(1.06, 0.05, -0.02), Vector3(-0.03, 0.95, 0.04), Vector3(0.01, -0.06, 1.02)]
    var noise = 0.3

    /// The true field, the measured one and gravity's reaction in an attitude that is as good as any other.
    func value(_ random: inout Noise) -> (truth: Vector3, field: Vector3, pull: Vector3) {
      let pull = random.vector().direction
      let north = pull.cross(random.vector()).direction
      let truth = (north * cos(1.065) - pull * sin(1.065)) * 49
      return (truth, measured(truth, &random), pull)
    }

    func measured(_ truth: Vector3, _ random: inout Noise) -> Vector3 {
      let bent = Vector3(soft[0].dot(truth), soft[1].dot(truth), soft[2].dot(truth))
      return bent + offset + random.vector(noise)
    }

    func values(
      _ random: inout Noise, _ count: Int = 3000, where isIn: (Vector3) -> Bool = { _ in true }
    ) -> [(field: Vector3, pull: Vector3?)] {
      var values: [(field: Vector3, pull: Vector3?)] = []
      while values.count < count {
        let value = value(&random)
        if isIn(value.truth) { values.append((value.field, value.pull)) }
      }
      return values
    }
  }

  @Test(
    "hard iron and an asymmetric soft iron come back, with the dip, also if the values are few or far from zero"
  )
  func recovered() throws {
    var random = Noise()
    for (count, offset) in [
      (3000, Vector3(31, -52, 18)), (200, Vector3(-8, 3, 0)), (500, Vector3(900, -2000, 400)),
    ] {
      let iron = Iron(offset: offset)
      let fit = try FieldFit(iron.values(&random, count))
      #expect((fit.offset - offset).length < 0.5, "\(fit), seed \(random.seed)")
      #expect(fit.residual < 0.02 && abs(fit.dip - 61) < 0.5, "\(fit), seed \(random.seed)")
      let rows = fit.matrix.rows
      #expect(abs(rows[0].cross(rows[1]).dot(rows[2]) - 1) < 1e-9, "it keeps volumes")
      var worst = 0.0
      for _ in 0..<200 {
        let value = iron.value(&random)
        let field = fit.matrix * (value.field - fit.offset)
        worst = max(worst, 1 - field.direction.dot(value.truth.direction))
      }
      // Within 2.5°; the value's own noise is 0.6°.
      #expect(worst < 0.001, "\(fit): \(worst), seed \(random.seed)")
    }
  }

  @Test("the guide's poses and turns alone suffice, by a hand that is not quite still")
  func guided() throws {
    var random = Noise()
    let iron = Iron()
    var points: [(field: Vector3, pull: Vector3?)] = []
    func add(_ up: Vector3, turns: Bool) {
      let first = up.cross(random.vector()).direction
      for step in 0..<150 {
        let angle = turns ? Double(step) * 2 * .pi / 150 : 0
        let north = first * cos(angle) + up.cross(first) * sin(angle)
        let value = iron.measured(north * (49 * cos(1.065)) - up * (49 * sin(1.065)), &random)
        points.append((value, (up + random.vector(0.04)).direction))
      }
    }
    for up in ImperfectSensor.faces + ImperfectSensor.diagonals { add(up, turns: false) }
    for up in ImperfectSensor.faces.enumerated().filter({ $0.offset % 2 == 0 }) {
      add(up.element, turns: true)
    }
    let fit = try FieldFit(points)
    #expect((fit.offset - iron.offset).length < 1, "\(fit), seed \(random.seed)")
    #expect(abs(fit.dip - 61) < 1, "\(fit), seed \(random.seed)")
  }

  @Test("three reversed axes look like the other hemisphere")
  func reversed() throws {
    var random = Noise()
    let values = Iron().values(&random).map { (field: -$0.field, pull: $0.pull) }
    #expect(abs(try FieldFit(values).dip + 61) < 0.5, "seed \(random.seed)")
  }

  private func failure(_ points: [(field: Vector3, pull: Vector3?)]) -> FieldFit.Failure? {
    do throws(FieldFit.Failure) {
      _ = try FieldFit(points)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "a side that the field never came along is refused by name, and so are a plane and one direction"
  )
  func directions() {
    var random = Noise()
    let iron = Iron()
    #expect(failure([]) == .shape(.tooFew(0, needed: 6)))
    #expect(failure([(Vector3(20, 0, -40), nil)]) == .shape(.tooFew(1, needed: 6)))
    let still = (0..<500).map { _ in
      (field: Vector3(20, 0, -40) + random.vector(0.4), pull: Vector3?.some(Vector3(0, 0, 1)))
    }
    #expect(failure(still) == .shape(.tooFew(1, needed: 6)), "seed \(random.seed)")
    let level = failure(iron.values(&random) { abs($0.z) < 3 })
    guard case .shape? = level else {
      Issue.record("\(level.map { "\($0)" } ?? "accepted"), seed \(random.seed)")
      return
    }
    let half = failure(iron.values(&random) { $0.y > -5 })
    #expect(
      half == .shape(.notTurned(axis: 1, isPositive: false)), "\(half as Any), seed \(random.seed)")
  }

  @Test("iron that moves, soft iron beyond a quarter, and values on no ellipsoid are refused")
  func shapes() {
    var random = Noise()
    var values = Iron().values(&random)
    for index in values.indices.suffix(1000) { values[index].field.x += 12 }
    guard case .uneven(let part)? = failure(values), part > 0.03 else {
      Issue.record("\(failure(values) as Any), seed \(random.seed)")
      return
    }
    var iron = Iron()
    iron.soft[2].z = 1.6
    guard case .shape(.wrongScale)? = failure(iron.values(&random)) else {
      Issue.record("\(failure(iron.values(&random)) as Any), seed \(random.seed)")
      return
    }
    let cloud = (0..<2000).map { _ in (field: random.vector(40), pull: Vector3?.none) }
    #expect(failure(cloud) != nil, "seed \(random.seed)")
  }

  @Test(
    "axes that are not the accelerometer's do not keep the dip",
    arguments: [
      ("x,-y,-z", [1.0, -1, -1], [0, 1, 2]), ("y,x,-z", [1, 1, -1], [1, 0, 2]),
      ("-x,y,z", [-1, 1, 1], [0, 1, 2]),
      ("y,z,x", [1, 1, 1], [1, 2, 0]),
    ])
  func axes(name: String, signs: [Double], sources: [Int]) {
    var random = Noise()
    let values = Iron().values(&random).map { value in
      var field = Vector3()
      for axis in 0..<3 { field[axis] = signs[axis] * value.field[sources[axis]] }
      return (field: field, pull: value.pull)
    }
    do throws(FieldFit.Failure) {
      let fit = try FieldFit(values)
      let made = SensorCalibration(
        id: RecordingID(high: 1, low: 2), name: "", sensor: "", made: 0,
        field: SensorCalibration.Field(offset: fit.offset, matrix: fit.matrix))
      #expect(made.implausible != nil, "\(name): \(fit), seed \(random.seed)")
    } catch {
      guard case .tilting = error else {
        Issue.record("\(name): \(error), seed \(random.seed)")
        return
      }
    }
  }

  /// What a study of a sensor that turns about two axes for a minute finds, with a value at 50 Hz.
  private func studied(
    _ channels: ChannelSet = .all, flags: FieldReading.Flags = [], turnsUntil end: Int = 6000
  ) throws -> CalibrationResult {
    var sensor = try MadeUpRecording().study.sensor
    sensor.field = FieldDescription(
      model: "AK09916", scale: Fraction(3, 20), rate: try #require(SampleRate(50)),
      axes: try #require(AxisMap("x,-y,-z")))
    var study = CalibrationStudy(sensor, channels: channels, rate: try #require(SampleRate(100)))
    for tick in 0..<6000 {
      let time = Int64(tick) * 10_000_000
      let turned = Double(min(tick, end)) / 100
      let (a, b) = (turned * 1.3, turned * 1.7)
      func inChip(_ world: Vector3) -> Vector3 {
        let (y, z) = (world.y * cos(a) + world.z * sin(a), world.z * cos(a) - world.y * sin(a))
        return Vector3(world.x * cos(b) - z * sin(b), y, z * cos(b) + world.x * sin(b))
      }
      let pull = (inChip(Vector3(0, 0, 1)) * 8192).rounded(.toNearestOrEven)
      var block = SampleBlock()
      block.append(
        tick: UInt64(tick), time: time,
        sample: RawSample(
          ax: Int16(pull.x), ay: Int16(pull.y), az: Int16(pull.z), gx: Int16(tick % 3)))
      study.add(block)
      guard tick % 2 == 0 else { continue }
      let field = ((inChip(Vector3(23, -7, -43)) + Vector3(10, 20, -30)) / 0.15).rounded(
        .toNearestOrEven)
      study.add(
        FieldReading(
          time: time + 1_000_000, width: 2_000_000, x: Int16(field.x), y: -Int16(field.y),
          z: -Int16(field.z),
          flags: tick == 100 ? flags : []))
    }
    study.finish()
    return study.result()
  }

  @Test("a study finds the iron beside what else it finds, along the accelerometer's axes")
  func study() throws {
    let result = try studied()
    let field = try #require(result.calibration?.field, "\(result)")
    #expect((field.offset - Vector3(10, 20, -30)).length < 0.1, "\(field)")
    #expect(abs(try #require(result.dip) - 60.8) < 0.2 && result.bounds.field ?? 1 < 0.005)
    #expect(result.calibration?.parts == [.field])
  }

  @Test(
    "gravity is the calibrated acceleration nearest in time, where it is near and nothing is beside it"
  )
  func track() throws {
    var track = FieldTrack()
    let sensor = FieldDescription(
      model: "AK09916", scale: Fraction(1, 2), rate: try #require(SampleRate(50)),
      axes: try #require(AxisMap("x,-y,-z")))
    for time in [0, 100, 200, 300] as [Int64] {
      track.add(FieldReading(time: time * 1_000_000, width: 0, x: 2, y: 4, z: 6), sensor)
    }
    for (time, acceleration) in [
      (-10, Vector3(0, 0, 1.3)), (15, Vector3(0, 3, 0)), (98, Vector3(0, 0, 1.3)),
      (210, Vector3(0, 1.3, 0)),
      (330, Vector3(0, 0, 1.3)),
    ] as [(Int64, Vector3)] {
      track.add(time * 1_000_000, acceleration)
    }
    #expect(track.points(nil).map(\.pull) == [nil, nil, nil, nil])
    let part = SensorCalibration.Accelerometer(
      offset: Vector3(0, 0, 0.25), matrix: .identity, points: 9, residual: (0, 0))
    #expect(track.points(part).map(\.pull) == [Vector3(0, 0, 1), Vector3(0, 0, 1), nil, nil])
    #expect(track.points(part)[0].field == Vector3(1, -2, -3))
  }

  @Test("each refusal of the study names what is missing")
  func sentences() throws {
    for (result, words) in [
      (try studied(flags: .saturated), "it was saturated in 1 value: a magnet is too near"),
      (
        try studied(.gyroscope),
        "gravity is needed beside it, and the accelerometer is not recorded"
      ),
      (
        try studied(turnsUntil: 0),
        "the magnetometer is not calibrated: it shows the field in 1 direction, and 6 are needed"
      ),
      (try studied(turnsUntil: 60), "the field never was along "),
    ] {
      #expect(result.calibration?.field == nil && result.missing.contains(.field))
      #expect(result.refusals.last?.contains(words) == true, "\(result.refusals)")
    }
  }

  @Test("without gravity beside the values, or with too little of it, nothing shows a rotation")
  func gravity() {
    var random = Noise()
    var values = Iron().values(&random)
    for index in values.indices.dropFirst(20) { values[index].pull = nil }
    #expect(failure(values) == .withoutGravity(20), "seed \(random.seed)")
  }
}
