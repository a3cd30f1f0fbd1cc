// SPDX-License-Identifier: Apache-2.0

public import IMUModel

extension TemperatureDrift {
  /// The least span that a fit needs, in °C.
  public static let leastSpan = 5.0

  /// The fit of values by temperature, about their mean temperature; `nil` when the temperatures span less than
  /// ``leastSpan``, or do not determine a line.
  ///
  /// The order is one for each ``leastSpan``, at most three, and at most what leaves as many values to spare as the
  /// polynomial has coefficients.
  public init?(fitting values: [(temperature: Double, value: Vector3)]) {
    let temperatures = values.map(\.temperature)
    guard let low = temperatures.min(), let high = temperatures.max(),
      high - low >= TemperatureDrift.leastSpan
    else { return nil }
    let reference = temperatures.reduce(0, +) / Double(values.count)
    let most = min(3, Int((high - low) / TemperatureDrift.leastSpan), (values.count - 1) / 2)
    for order in stride(from: most, through: 1, by: -1) {
      let fits = (0..<3).compactMap { TemperatureDrift.fit(values, $0, order, reference) }
      guard fits.count == 3 else { continue }
      self.init(reference: reference, span: low...high, coefficients: fits)
      return
    }
    return nil
  }

  private static func fit(
    _ values: [(temperature: Double, value: Vector3)], _ axis: Int, _ order: Int,
    _ reference: Double
  ) -> [Double]? {
    var equations = NormalEquations(unknowns: order + 1)
    for (temperature, value) in values {
      var row = [1.0]
      for power in 1...order { row.append(row[power - 1] * (temperature - reference)) }
      equations.add(row, value: value[axis])
    }
    return equations.solve().map { Array($0.unknowns.dropFirst()) }
  }
}
