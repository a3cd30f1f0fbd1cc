// SPDX-License-Identifier: Apache-2.0

/// The change of the axes' offsets with temperature, as a polynomial of at most third order about a reference.
///
///     drift(T) = c1 · (T − reference) + c2 · (T − reference)² + c3 · (T − reference)³
///
/// Outside the span of the calibration it keeps the value of the nearer end: a polynomial runs away there.
public struct TemperatureDrift: Equatable, Sendable {
  /// The temperature at which the calibration's own offset holds, in °C.
  public let reference: Double
  /// The temperatures that were seen, in °C.
  public let span: ClosedRange<Double>
  /// By axis: the coefficients from the first order on, in the axis's unit a °C, a °C² and a °C³.
  public let coefficients: [[Double]]

  /// A polynomial for each axis; `nil` for other orders than 1 to 3, a reference outside the span, and numbers not finite.
  public init?(reference: Double, span: ClosedRange<Double>, coefficients: [[Double]]) {
    guard coefficients.count == 3, span.contains(reference), span.lowerBound.isFinite,
      span.upperBound.isFinite,
      coefficients.allSatisfy({ 1...3 ~= $0.count && $0.allSatisfy(\.isFinite) })
    else { return nil }
    (self.reference, self.span, self.coefficients) = (reference, span, coefficients)
  }

  /// The drift at `temperature`, to be subtracted, by axis.
  public func offset(at temperature: Double) -> Vector3 {
    let distance = min(max(temperature, span.lowerBound), span.upperBound) - reference
    var result = Vector3()
    for axis in 0..<3 {
      result[axis] = coefficients[axis].reversed().reduce(0) { ($0 + $1) * distance }
    }
    return result
  }
}
