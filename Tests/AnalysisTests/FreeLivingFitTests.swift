// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Analysis

@Suite("Errors of an accelerometer from a long recording's still windows")
struct FreeLivingFitTests {
  @Test("offset and scale are recovered, and the error falls below a milligravity")
  func recovered() throws {
    let sensor = ImperfectSensor(hasCrossTerms: false)
    let points = ImperfectSensor.directions(80).map {
      StillPoint(acceleration: sensor.measured($0))
    }
    let fit = try FreeLivingFit(points, usesTemperature: false)
    // a' = offset + scale · a is scale · (a − b).
    #expect(isNear(-fit.offset / fit.scale, sensor.offset, 0.002), "\(fit)")
    #expect(isNear(fit.scale, Vector3(1.02, 0.97, 1.05), 0.002), "\(fit)")
    #expect(fit.errorBefore > 0.05 && fit.errorAfter < 0.001 && fit.rounds > 1)
  }

  @Test("a slope with temperature is told apart from the offset")
  func temperature() throws {
    let sensor = ImperfectSensor(hasCrossTerms: false)
    let slope = Vector3(0.0004, -0.0006, 0.0009)
    let points = ImperfectSensor.directions(200).enumerated().map { index, direction in
      let temperature = 20 + Double(index * 7 % 16)
      return StillPoint(
        acceleration: sensor.measured(direction) - slope * (temperature - 27),
        temperature: temperature)
    }
    let fit = try FreeLivingFit(points, usesTemperature: true)
    #expect(isNear(fit.temperatureSlope / fit.scale, slope, 0.00003), "\(fit)")
    #expect(fit.errorAfter < 0.001)
  }

  @Test("49 windows, or windows that leave a side out, are refused")
  func refused() {
    func failure(_ directions: [Vector3]) -> GravityFit.Failure? {
      do throws(GravityFit.Failure) {
        _ = try FreeLivingFit(
          directions.map { StillPoint(acceleration: $0) }, usesTemperature: false)
        return nil
      } catch {
        return error
      }
    }
    #expect(failure(ImperfectSensor.directions(49)) == .tooFew(49, needed: 50))
    #expect(
      failure(ImperfectSensor.directions(200).filter { $0.y > -0.29 })
        == .notTurned(axis: 1, isPositive: false))
    #expect(
      failure(ImperfectSensor.directions(200).filter { $0.z < 0.29 })
        == .notTurned(axis: 2, isPositive: true))
  }
}
