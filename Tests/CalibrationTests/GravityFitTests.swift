// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import Calibration

/// A sensor with known errors.
struct ImperfectSensor {
  var offset = Vector3(0.031, -0.052, 0.12)
  var matrix = SensorMatrix(diagonal: Vector3(1.02, 0.97, 1.05))

  init(hasCrossTerms: Bool = true) {
    guard hasCrossTerms else { return }
    (matrix.rows[0].y, matrix.rows[0].z, matrix.rows[1].z) = (0.013, -0.008, 0.021)
  }

  /// What it measures of `truth`: the matrix is upper triangular, so it is solved from below.
  func measured(_ truth: Vector3) -> Vector3 {
    let z = truth.z / matrix.rows[2].z
    let y = (truth.y - matrix.rows[1].z * z) / matrix.rows[1].y
    let x = (truth.x - matrix.rows[0].y * y - matrix.rows[0].z * z) / matrix.rows[0].x
    return Vector3(x, y, z) + offset
  }

  static let faces = [
    Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0), Vector3(0, 0, 1),
    Vector3(0, 0, -1),
  ]
  static let diagonals = [
    Vector3(1, 1, 0), Vector3(1, 0, 1), Vector3(0, 1, 1), Vector3(-1, 1, 0), Vector3(1, 0, -1),
    Vector3(0, -1, -1),
  ].map { $0 / 2.0.squareRoot() }

  /// Directions all over the sphere, by the golden angle.
  static func directions(_ count: Int) -> [Vector3] {
    // Cosine and sine of the golden angle, 137.50776405003785°.
    let (cosine, sine) = (-0.7373688780783197, 0.6754902942615238)
    var (x, y) = (1.0, 0.0)
    return (0..<count).map { index in
      (x, y) = (x * cosine - y * sine, x * sine + y * cosine)
      let z = 1 - (2 * Double(index) + 1) / Double(count)
      let radius = (1 - z * z).squareRoot()
      return Vector3(x * radius, y * radius, z)
    }
  }
}

func isNear(_ one: Vector3, _ other: Vector3, _ bound: Double) -> Bool {
  (one - other).length <= bound
}

/// Still points of directions in g.
func still(_ points: [Vector3]) -> [StillPoint] {
  points.map { StillPoint(acceleration: $0) }
}

@Suite("Errors of an accelerometer from still poses")
struct GravityFitTests {
  private func failure(_ points: [Vector3]) -> GravityFit.Failure? {
    do throws(GravityFit.Failure) {
      _ = try GravityFit(still(points))
      return nil
    } catch {
      return error
    }
  }

  @Test("six faces give offset and scale")
  func faces() throws {
    let sensor = ImperfectSensor(hasCrossTerms: false)
    let fit = try GravityFit(still(ImperfectSensor.faces.map(sensor.measured)))
    #expect(fit.terms == .init())
    #expect(isNear(fit.offset, sensor.offset, 1e-9))
    for row in 0..<3 { #expect(isNear(fit.matrix.rows[row], sensor.matrix.rows[row], 1e-9)) }
    #expect(fit.residualBefore > 0.08 && fit.residualAfter < 1e-9)
  }

  @Test("nine poses give the cross terms too")
  func crossTerms() throws {
    let sensor = ImperfectSensor()
    for edges in [ImperfectSensor.diagonals[..<3], ImperfectSensor.diagonals[...]] {
      let fit = try GravityFit(still((ImperfectSensor.faces + edges).map(sensor.measured)))
      #expect(fit.terms == .init(hasCross: true))
      #expect(isNear(fit.offset, sensor.offset, 1e-9))
      for row in 0..<3 { #expect(isNear(fit.matrix.rows[row], sensor.matrix.rows[row], 1e-9)) }
    }
  }

  @Test("noise of 1 mg costs 0.5 mg of offset and 0.1 % of scale with 24 poses")
  func noise() throws {
    let sensor = ImperfectSensor()
    let noise = [0.001, -0.0004, 0.0007, -0.0011, 0.0002, -0.0006, 0.0009]
    let directions =
      ImperfectSensor.faces + ImperfectSensor.diagonals + ImperfectSensor.faces
      + ImperfectSensor.diagonals
    let points = directions.enumerated().map { index, direction in
      sensor.measured(direction)
        + Vector3(noise[index % 7], noise[(index + 3) % 7], noise[(index + 5) % 7])
    }
    let fit = try GravityFit(still(points))
    #expect(isNear(fit.offset, sensor.offset, 0.0005), "\(fit.offset)")
    for row in 0..<3 {
      let error = fit.matrix.rows[row] - sensor.matrix.rows[row]
      #expect(abs(error[row]) < 0.001, "\(fit.matrix)")
      // A cross term shows only in poses on the edge of its two axes: four of the 24.
      #expect(error.length < 0.004, "\(fit.matrix)")
    }
    #expect(fit.known.offset.max() < 0.001 && fit.known.offset.min() > 0.0001)
  }

  @Test("six faces three times over determine no cross terms, and are used for the others")
  func repeated() throws {
    let sensor = ImperfectSensor(hasCrossTerms: false)
    let points = (0..<3).flatMap { round in
      ImperfectSensor.faces.map { sensor.measured($0) + Vector3(repeating: 1e-5 * Double(round)) }
    }
    let fit = try GravityFit(still(points))
    #expect(fit.terms == .init())
    #expect(isNear(fit.offset, sensor.offset, 1e-4))
  }

  @Test("too few poses, and a face that was left out, are named")
  func refusals() {
    let sensor = ImperfectSensor()
    let faces = ImperfectSensor.faces.map(sensor.measured)
    #expect(failure([]) == .tooFew(0, needed: 6))
    #expect(failure(Array(faces[..<5])) == .tooFew(5, needed: 6))
    for missing in 0..<6 {
      var points = faces
      points.remove(at: missing)
      points += points
      #expect(failure(points) == .notTurned(axis: missing / 2, isPositive: missing % 2 == 0))
    }
  }

  @Test("many poses in few directions are refused for these, and not for having moved")
  func fewDirections() {
    var random = Noise()
    func failure(_ directions: [Vector3], _ times: Int) -> GravityFit.Failure? {
      let sensor = ImperfectSensor(hasCrossTerms: false)
      return self.failure(
        (0..<times * directions.count).map { index in
          let noise = random.vector(0.0005)
          let direction = directions[index % directions.count]
          return sensor.measured(direction / direction.length) + noise
        })
    }
    let pair = [Vector3(1, 1, 1), Vector3(-1, -1, -1)]
    let corners = (0..<8).map { corner in
      Vector3(corner & 1 == 0 ? 1 : -1, corner & 2 == 0 ? 1 : -1, corner & 4 == 0 ? 1 : -1)
    }
    for _ in 0..<20 {
      #expect(failure(pair, 10) == .tooFew(2, needed: 6), "seed \(random.seed)")
      guard case .undetermined? = failure(corners, 2) else {
        Issue.record("\(String(describing: failure(corners, 2))), seed \(random.seed)")
        continue
      }
    }
  }

  /// The faces and edges at `low` °C and again at `high`, measured with a slope from 25 °C on.
  private func warmed(_ low: Double, _ high: Double, _ slope: Vector3) -> [StillPoint] {
    let sensor = ImperfectSensor()
    return [low, high].flatMap { temperature in
      (ImperfectSensor.faces + ImperfectSensor.diagonals).map { direction in
        StillPoint(
          acceleration: sensor.measured(direction) + slope * (temperature - 25),
          temperature: temperature)
      }
    }
  }

  @Test("poses at more temperatures than an order give the offset's curve", arguments: [1, 2])
  func curve(order: Int) throws {
    let sensor = ImperfectSensor()
    let orders = [
      Vector3(0.001, -0.0015, 0.002), Vector3(0.00002, 0.00001, -0.00003),
      Vector3(-0.000005, 0.000003, 0.000004),
    ].prefix(order)
    let poses = ImperfectSensor.faces + ImperfectSensor.diagonals
    for count in [order + 1, order + 2] {
      // About their mean, which is 30 °C.
      let temperatures = (0..<count).map { 20 + 20 * Double($0) / Double(count - 1) }
      let points = temperatures.flatMap { temperature in
        poses.map { direction in
          let warmth = temperature - 30
          let change = orders.reversed().reduce(Vector3()) { ($0 + $1) * warmth }
          return StillPoint(
            acceleration: sensor.measured(direction) + change, temperature: temperature)
        }
      }
      let fit = try GravityFit(points)
      // A second order is looked for wherever there may be one, a third where it shows.
      let found = max(order, min(2, count - 1))
      #expect(fit.terms == GravityFit.Terms(hasCross: true, order: found), "\(fit.terms)")
      #expect(abs((fit.reference ?? 0) - 30) < 1e-9)
      for (power, change) in fit.drift.enumerated() {
        let wanted = power < order ? orders[power] : Vector3()
        #expect(isNear(change, wanted, 1e-9), "\(order), \(count): \(fit.drift)")
      }
      #expect(isNear(fit.offset, sensor.offset, 1e-9), "\(fit.offset)")
    }
  }

  @Test("an offset's bound holds all over the span: more than at its middle, of few poses")
  func boundAtEnds() throws {
    let (wide, narrow) = (
      try GravityFit(warmed(20, 30, Vector3())), try GravityFit(warmed(24, 26, Vector3()))
    )
    #expect(wide.terms.order == 1 && narrow.terms.order == 0)
    #expect(wide.known.offset.x > 1.3 * narrow.known.offset.x, "\(wide.known) \(narrow.known)")
  }

  @Test("a curve that is not determined is in the bound of the offset")
  func unseenCurve() throws {
    let line = try GravityFit(warmed(20, 40, Vector3(0.001, -0.0015, 0.002)))
    // What a curve adds to the mean of both ends: 10² times what chips have.
    #expect(line.known.offset.x > 0.0009 && line.known.offset.x < 0.002, "\(line.known.offset)")
    let narrow = try GravityFit(warmed(20, 26, Vector3(0.001, -0.0015, 0.002)))
    #expect(narrow.known.offset.x < 0.0004, "\(narrow.known.offset)")
  }

  @Test("a slope that each pose's own temperature does not tell from the offset is left out")
  func warmingUp() throws {
    let sensor = ImperfectSensor()
    let points = (ImperfectSensor.faces + ImperfectSensor.diagonals[..<3]).enumerated().map {
      StillPoint(acceleration: sensor.measured($1), temperature: 20 + Double($0))
    }
    #expect(try GravityFit(points).terms == .init(hasCross: true))
  }

  @Test("a scale that no chip can be off by is named, and one of 0.81 or 1.24 is not")
  func scales() {
    func failure(_ factor: Double) -> GravityFit.Failure? {
      let sensor = ImperfectSensor(hasCrossTerms: false)
      return self.failure(
        (ImperfectSensor.faces + ImperfectSensor.diagonals).map { sensor.measured($0) * factor })
    }
    for factor in [0.5, 0.25, 2.0, 4] {
      guard case .wrongScale(let axis, let scale)? = failure(factor) else {
        Issue.record("\(factor): \(String(describing: failure(factor)))")
        continue
      }
      #expect(abs(scale * factor - [1.02, 0.97, 1.05][axis]) < 1e-6, "\(factor)")
    }
    #expect(failure(1.05 / 1.24) == nil && failure(0.97 / 0.81) == nil)
  }

  @Test("one pose that moved by 60 mg is left out, and nothing of a set that has none")
  func spoiler() throws {
    let sensor = ImperfectSensor()
    var points = still((ImperfectSensor.faces + ImperfectSensor.diagonals).map(sensor.measured))
    #expect(try GravityFit.withoutSpoilers(points).leftOut == [])
    var spoiled = points
    spoiled[4].acceleration.z += 0.06
    let sorted = try GravityFit.withoutSpoilers(spoiled)
    #expect(sorted.leftOut == [4] && sorted.rivals == [])
    #expect(isNear(sorted.fit.offset, sensor.offset, 1e-9), "\(sorted.fit)")
    // Of two edges that alone show a cross term one moved, and either may be the one.
    points[7].acceleration.z += 0.06
    let open = try GravityFit.withoutSpoilers(points)
    #expect(open.leftOut == [] && open.rivals == [7, 10])
    // Six faces have none to spare: any could be the one.
    var faces = still(ImperfectSensor.faces.map(sensor.measured))
    faces[0].acceleration.x += 0.06
    #expect(try GravityFit.withoutSpoilers(faces).leftOut == [])
  }

  @Test("a face without which nothing is determined is not acquitted, nor the other accused")
  func neededFace() throws {
    let sensor = ImperfectSensor()
    // All edges have +x: of −x the others know little, and of +x nothing that it does not say.
    let edges = [(1, 1, 0), (1, 0, 1), (0, 1, 1), (1, -1, 0), (1, 0, -1), (0, 1, -1)].map {
      Vector3($0.0, $0.1, $0.2) / 2.0.squareRoot()
    }
    var random = Noise()
    for push in [0.05, -0.03] {
      let points = (ImperfectSensor.faces + edges).enumerated().map { place, direction in
        let noise = random.normal() * 0.0002
        return StillPoint(
          acceleration: sensor.measured(direction * (1 + noise + (place == 1 ? push : 0))))
      }
      let sorted = try GravityFit.withoutSpoilers(points)
      #expect(sorted.leftOut == [], "seed \(random.seed)")
      #expect(
        sorted.rivals.contains(0) && sorted.rivals.contains(1),
        "\(sorted.rivals), seed \(random.seed)")
      let off = sorted.fit.offset - sensor.offset
      #expect(max(off.max(), -off.min()) < sorted.known.offset, "\(off) \(sorted.known)")
    }
  }

  @Test("poses that no other one checks are named, one by one")
  func unchecked() throws {
    let sensor = ImperfectSensor()
    let (faces, edges) = (ImperfectSensor.faces, ImperfectSensor.diagonals)
    func unchecked(_ directions: [Vector3]) throws -> [Int] {
      try GravityFit.withoutSpoilers(still(directions.map(sensor.measured))).unchecked
    }
    // The turns add +x, +y and +z, twice.
    let turns = [faces[0], faces[2], faces[4], faces[0], faces[2], faces[4]]
    #expect(try unchecked(faces + edges[..<3] + turns) == [1, 3, 5, 6, 7, 8])
    // Second takes, and opposite edges.
    #expect(try unchecked(faces + edges[..<3] + faces + edges[..<3]) == [])
    #expect(try unchecked(faces + edges[..<3] + edges[..<3].map { -$0 }) == [])
    #expect(try unchecked(faces) == [0, 1, 2, 3, 4, 5])
    #expect(try unchecked(faces + faces) == [])
  }

  @Test("no point, however odd, gives a result that is no number")
  func odd() {
    for size in [0, 1e-300, 1e-9, 40, 1e300] {
      let points = (ImperfectSensor.faces + ImperfectSensor.diagonals).map { $0 * size }
      do throws(GravityFit.Failure) {
        let fit = try GravityFit(still(points))
        #expect(fit.offset.length.isFinite && fit.residualAfter.isFinite, "\(size)")
      } catch {
        // Refused, which is as good.
      }
    }
    let points = ImperfectSensor.faces + [Vector3(.nan, 0, 0)]
    #expect(failure(points) != nil)
  }
}
