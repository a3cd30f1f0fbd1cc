// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The unknowns of a ``GravityFit``, and how a residual depends on them.
///
///     b x y z   sx sy sz   cxy cxz cyz   d₁ x y z   d₂ x y z   …
///     offset    diagonal   cross terms   change of the offset with temperature, by order
struct GravityModel {
  let terms: GravityFit.Terms
  /// The mean temperature, and the largest distance from it; 0 without a change with temperature.
  let reference: Double
  let reach: Double
  var offset = Vector3()
  var matrix = SensorMatrix.identity
  /// The first order first.
  var drift: [Vector3]

  /// Rows and columns of the unknowns after the offset.
  static let places = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]

  init(_ points: [StillPoint], _ terms: GravityFit.Terms) {
    self.terms = terms
    drift = Array(repeating: Vector3(), count: terms.order)
    var temperatures = terms.order > 0 ? points.compactMap(\.temperature) : []
    if temperatures.count < points.count { temperatures = [] }
    let mean = temperatures.reduce(0, +) / Double(max(1, temperatures.count))
    (reference, reach) = (mean, temperatures.map { abs($0 - mean) }.max() ?? 0)
  }

  private func warmth(_ point: StillPoint) -> Double {
    reach > 0 ? (point.temperature ?? reference) - reference : 0
  }

  private func centred(_ point: StillPoint) -> Vector3 {
    let warmth = warmth(point)
    return point.acceleration - offset - drift.reversed().reduce(Vector3()) { ($0 + $1) * warmth }
  }

  /// The derivatives of a residual by the unknowns, and the residual.
  func row(_ point: StillPoint) -> ([Double], Double) {
    let centred = centred(point)
    let vector = matrix * centred
    let length = vector.length
    let direction = vector / length
    var row: [Double] = []
    for axis in 0..<3 {
      row.append(-(0..<3).reduce(0) { $0 + direction[$1] * matrix.rows[$1][axis] })
    }
    for (r, c) in GravityModel.places.prefix(terms.matrixUnknowns) {
      row.append(direction[r] * centred[c])
    }
    var power = 1.0
    for _ in drift {
      power *= warmth(point)
      for axis in 0..<3 { row.append(row[axis] * power) }
    }
    return (row, length - 1)
  }

  /// The factors of the unknowns in an axis's offset at a temperature, less the reference.
  func offsetRow(_ axis: Int, _ warmth: Double) -> [Double] {
    var row = Array(repeating: 0.0, count: terms.unknowns)
    row[axis] = 1
    var size = 1.0
    for power in drift.indices {
      size *= warmth
      row[3 + terms.matrixUnknowns + 3 * power + axis] = size
    }
    return row
  }

  func moved(by step: [Double]) -> GravityModel {
    var model = self
    model.offset += Vector3(step[0], step[1], step[2])
    for (index, (r, c)) in GravityModel.places.prefix(terms.matrixUnknowns).enumerated() {
      model.matrix.rows[r][c] += step[3 + index]
    }
    for power in drift.indices {
      let place = 3 + terms.matrixUnknowns + 3 * power
      model.drift[power] += Vector3(step[place], step[place + 1], step[place + 2])
    }
    return model
  }

  /// The magnitude of a point less 1 g.
  func residual(_ point: StillPoint) -> Double { (matrix * centred(point)).length - 1 }

  func cost(_ points: [StillPoint]) -> Double {
    points.map(residual).reduce(0) { $0 + $1 * $1 }
  }
}
