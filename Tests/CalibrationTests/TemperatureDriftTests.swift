// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import Calibration

@Suite("The change of an offset with temperature")
struct TemperatureDriftTests {
  private func values(
    _ temperatures: [Double], _ curve: (Double) -> Vector3
  ) -> [(temperature: Double, value: Vector3)] {
    temperatures.map { ($0, curve($0)) }
  }

  @Test("a curve is recovered where the span and the number of values let it")
  func curve() throws {
    let curve = { (t: Double) in
      Vector3(0.1 + 0.02 * t, -0.3 + 0.001 * t * t, 0.0001 * t * t - 0.01 * t)
    }
    let drift = try #require(
      TemperatureDrift(fitting: values((0...20).map { 15 + Double($0) }, curve)))
    #expect(drift.span == 15...35 && drift.coefficients.allSatisfy { $0.count == 2 })
    for t in [15.0, 22.5, 35] {
      let step = curve(t) - curve(drift.reference)
      #expect(isNear(drift.offset(at: t), step, 1e-9), "\(t)")
    }
  }

  @Test("the order grows with the span and with the values; a span below 5 °C shows nothing")
  func order() {
    let line = { (t: Double) in Vector3(t, -t, 2 * t) }
    #expect(TemperatureDrift(fitting: values([20, 22, 24.9], line)) == nil)
    #expect(TemperatureDrift(fitting: []) == nil)
    let orders = [5.0, 9, 10, 15, 40].map { span in
      TemperatureDrift(fitting: values((0...9).map { 20 + span * Double($0) / 9 }, line))?
        .coefficients[0].count
    }
    #expect(orders == [1, 1, 2, 2, 2])
    #expect(TemperatureDrift(fitting: values([20, 22, 38, 40], line))?.coefficients[0].count == 1)
  }

  @Test("a polynomial is determined all over its span, or of a lower order; not by one warm value")
  func spread() throws {
    let cubic = { (t: Double) in
      Vector3(repeating: 0.05 * (t - 25) - 0.002 * (t - 25) * (t - 25))
    }
    let cool = (0..<190).map { 25 + 0.1 * Double($0) / 190 }
    #expect(TemperatureDrift(fitting: values(cool + [40], cubic)) == nil)
    let line = try #require(TemperatureDrift(fitting: values(cool + [39.5, 40], cubic)))
    #expect(line.coefficients.allSatisfy { $0.count == 1 })
    // Noise that a line averages and a curve does not.
    let noise = [0.2, -0.1, -0.2, 0.15, -0.05]
    let noisy = (0..<20).map { index in
      (temperature: 20 + Double(index), value: Vector3(repeating: noise[index * index % 5]))
    }
    #expect(TemperatureDrift(fitting: noisy)?.coefficients.allSatisfy { $0.count == 1 } == true)
  }
}
