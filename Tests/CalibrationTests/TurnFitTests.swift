// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Calibration

@Suite("The scale of a gyroscope from turns")
struct TurnFitTests {
  private func failure(
    _ degrees: Vector3, _ scale: Vector3 = Vector3(1, 1, 1),
    error: Double = TurnFit.largestError
  ) -> TurnFit.Failure? {
    do throws(TurnFit.Failure) {
      _ = try TurnFit(degrees: degrees, scale: scale, error: error)
      return nil
    } catch {
      return error
    }
  }

  @Test("whole turns in either sense are counted, and give the factor")
  func whole() throws {
    let one = try TurnFit(degrees: Vector3(0, -350, 0))
    #expect(one.axis == 1 && one.turns == -1)
    #expect(abs(TurnFit.solution([one]).scales.y - 360.0 / 350) < 1e-12)
    let three = try TurnFit(degrees: Vector3(1100, 0, 0))
    #expect(three.axis == 0 && three.turns == 3)
    // Three turns weigh as nine: they are laid back once, to 1°, and the bias may add to that.
    for (uncertainty, weight) in [(0.0, 9), (2, 9.0 / 5)] {
      let three = try TurnFit(degrees: Vector3(1100, 0, 0), uncertainty: uncertainty)
      let both = TurnFit.solution([three, try TurnFit(degrees: Vector3(350, 0, 0))]).scales
      let (more, less) = (1100.0 * 1100 / 1080 / 1080, 350.0 * 350 / 360 / 360)
      let square = (weight * more + less) / (weight * more * more + less * less)
      #expect(abs(both.x - square.squareRoot()) < 1e-12)
      #expect(both.y.isNaN && both.z.isNaN)
    }
  }

  @Test("axes that are tilted by up to 14° give their scales, by what each sees of the turn")
  func tilted() throws {
    let scale = Vector3(1.03, 0.97, 1.05)
    let (cosine, sine) = (0.9743700647852352, 0.2249510543438650)
    let fits = try [
      Vector3(cosine, sine, 0), Vector3(0, cosine, sine), Vector3(sine, 0, cosine),
    ].map { try TurnFit(degrees: $0 * 360 / scale) }
    #expect(isNear(TurnFit.solution(fits).scales, scale, 1e-12), "\(TurnFit.solution(fits).scales)")
  }

  @Test("none, a tilted one and one that is not whole are told apart")
  func others() {
    #expect(failure(Vector3(0, 0, -179)) == .noTurn(degrees: 179))
    #expect(failure(Vector3(360, 0, -95)) == .tilted(axis: 0, other: 2, degrees: -95))
    #expect(failure(Vector3(0, 0, 200)) == .notWhole(axis: 2, degrees: 200))
    #expect(failure(Vector3(0, 0, 540)) == .notWhole(axis: 2, degrees: 540))
    #expect(failure(Vector3(0, .nan, 0)) != nil && failure(Vector3(.infinity, 0, 0)) != nil)
  }

  @Test("a tenth of one turn is the most that several may be off, whatever their number")
  func several() {
    #expect(failure(Vector3(0, 0, 1080 - 35)) == nil)
    #expect(failure(Vector3(0, 0, 1080 - 51)) == .notWhole(axis: 2, degrees: 1029))
    #expect(failure(Vector3(0, 3600 / 1.06, 0)) == .notWhole(axis: 1, degrees: 3600 / 1.06))
  }

  @Test("many turns are not counted before single ones have given the scale")
  func counted() throws {
    // 21 of an axis that is right, or 20 of one that is off by 5 %.
    let many = Vector3(7200 / 0.95, 0, 0)
    #expect(failure(many) == .uncertain(axis: 0, degrees: many.x))
    #expect(failure(Vector3(3600, 0, 0)) == .uncertain(axis: 0, degrees: 3600))
    #expect(failure(Vector3(1e9, 0, 0)) == .uncertain(axis: 0, degrees: 1e9))
    let known = Vector3(0.953, 1, 1)
    let fit = try TurnFit(degrees: many, scale: known, error: TurnFit.knownError)
    #expect(fit.turns == 20 && abs(TurnFit.solution([fit]).scales.x - 0.95) < 1e-12)
    #expect(
      failure(Vector3(100 * 360, 0, 0), known, error: TurnFit.knownError)
        == .notWhole(axis: 0, degrees: 36000))
  }
}
