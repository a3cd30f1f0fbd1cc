// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension TemperatureDrift {
  /// The least span of a fit, in °C.
  static let leastSpan = 5.0
  /// The largest standard error of a fit anywhere in the span, in °/s.
  private static let largestError = 0.02
  /// The least noise of a value, in °/s: a few values may fit too well.
  private static let leastNoise = 0.002
  /// Parts of a span at whose ends a curve's error is checked; a curve has at most one bend between them.
  private static let steps = 20
  /// The least number of values in each part of the span.
  private static let leastValues = 2

  /// The highest order for a span of temperatures: one for each ``leastSpan``, at most two.
  static func order(ofSpan span: Double) -> Int { Int(min(2, span / leastSpan)) }

  /// The highest order for the temperatures of points; 0 unless all have one.
  static func order(of points: [StillPoint]) -> Int { order(ofSpan: StillPoint.width(of: points)) }

  /// Temperatures all over a span, with its ends.
  static func places(in span: ClosedRange<Double>) -> [Double] {
    (0...steps).map {
      span.lowerBound + (span.upperBound - span.lowerBound) * Double($0) / Double(steps)
    }
  }

  var order: Int { coefficients.map(\.count).max() ?? 0 }

  /// The fit of values in °/s about their mean temperature; `nil` if the temperatures span less than ``leastSpan``, or do
  /// not determine a line.
  ///
  /// The span must determine an order throughout, or the polynomial is wild between values. The span is divided into as many
  /// equal parts as there are coefficients: each part must hold two values. Beyond a line, the standard error must also be
  /// below 0.02 °/s throughout. Else the fit has a lower order.
  ///
  /// - Complexity: three times the number of values for each order.
  init?(fitting values: [(temperature: Double, value: Vector3)]) {
    let temperatures = values.map(\.temperature)
    guard let low = temperatures.min(), let high = temperatures.max(),
      high - low >= TemperatureDrift.leastSpan
    else { return nil }
    let reference = temperatures.reduce(0, +) / Double(values.count)
    let most = min(TemperatureDrift.order(ofSpan: high - low), (values.count - 1) / 2)
    for order in stride(from: most, through: 1, by: -1)
    where TemperatureDrift.isSpread(temperatures, over: low...high, parts: order + 1) {
      let fits = (0..<3).compactMap {
        TemperatureDrift.fit(values, $0, order, reference, low...high)
      }
      guard fits.count == 3 else { continue }
      self.init(reference: reference, span: low...high, coefficients: fits)
      return
    }
    return nil
  }

  /// Whether each of some equal parts of a span holds enough values.
  private static func isSpread(
    _ temperatures: [Double], over span: ClosedRange<Double>, parts: Int
  ) -> Bool {
    var counts = Array(repeating: 0, count: parts)
    let width = (span.upperBound - span.lowerBound) / Double(parts)
    for temperature in temperatures {
      counts[min(parts - 1, Int((temperature - span.lowerBound) / width))] += 1
    }
    return counts.allSatisfy { $0 >= leastValues }
  }

  private static func row(_ distance: Double, _ order: Int) -> [Double] {
    var row = [1.0]
    for power in 1...order { row.append(row[power - 1] * distance) }
    return row
  }

  /// The coefficients of an axis from the first order on; `nil` if they are not determined all over the span.
  private static func fit(
    _ values: [(temperature: Double, value: Vector3)], _ axis: Int, _ order: Int,
    _ reference: Double, _ span: ClosedRange<Double>
  ) -> [Double]? {
    var equations = NormalEquations(unknowns: order + 1)
    for (temperature, value) in values {
      equations.add(row(temperature - reference, order), value: value[axis])
    }
    guard let factors = equations.factored() else { return nil }
    let unknowns = factors.unknowns
    // A line is not wild between its values.
    guard order > 1 else { return Array(unknowns.dropFirst()) }
    var sum = 0.0
    for (temperature, value) in values {
      let row = row(temperature - reference, order)
      let difference = zip(row, unknowns).reduce(value[axis]) { $0 - $1.0 * $1.1 }
      sum += difference * difference
    }
    let spare = Double(max(1, values.count - order - 1))
    let noise = max(leastNoise, (sum / spare).squareRoot())
    for temperature in places(in: span) {
      let variance = factors.variance(of: row(temperature - reference, order))
      guard variance.squareRoot() * noise < largestError else { return nil }
    }
    return Array(unknowns.dropFirst())
  }
}
