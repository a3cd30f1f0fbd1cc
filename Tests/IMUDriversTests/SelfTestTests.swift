// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import SimulatedIMU
import Testing

@Suite("Self-test")
struct SelfTestTests {
  static let models = SensorModel.allCases

  @Test(
    "every model passes on its simulated chip, and its registers are as before", arguments: models)
  func passes(model: SensorModel) throws {
    let outcome = try SelfTestBench(model)()
    #expect(outcome.answers.map(\.channel) == Array(0..<6))
    #expect(outcome.verdicts == Array(repeating: .pass, count: 6), "\(outcome.report)")
    #expect(outcome.isRestored)
    #expect(outcome.before == outcome.after)
  }

  @Test("the answers are those that the chip was made with", arguments: models)
  func amounts(model: SensorModel) throws {
    let answers = try SelfTestBench(model)().answers.map(\.response)
    let expected: [Double]
    switch (model.family, model) {
    // Codes 14, 17, 22; 12, 9, 21, by the register map's formulas.
    case (.mpu6050, .mpu6050): expected = [0.5234, 0.5782, 0.6825, 41.00, -35.83, 61.46]
    // Codes 103, 117, 131; 95, 110, 88.
    case (.mpu6050, _): expected = [0.4412, 0.5072, 0.5830, 50.96, 59.16, 47.53]
    // Codes 97, 109, 126; 101, 91, 113.
    case (.icm20948, _): expected = [0.4157, 0.4684, 0.5547, 54.10, 48.97, 60.96]
    case (.lsm9ds1, _): expected = [0.44, 0.57, -0.63, -430, 385, 520]
    default:
      // The simulated chip is the narrower relative: driven as the wider one, accelerations double.
      let factor = [SensorModel.lsm6dso32, .lsm6dsv32x].contains(model) ? 2.0 : 1
      expected = [0.52 * factor, -0.38 * factor, 0.71 * factor, 310, 405, -280]
    }
    try #require(answers.count == 6)
    for (channel, (answer, expected)) in zip(answers, expected).enumerated() {
      #expect(abs(answer - expected) < (channel < 3 ? 0.006 : 0.4), "\(channel): \(answer)")
    }
  }

  /// Counts at the limits of acceleration and of angular rate, lowest and highest that pass.
  ///
  ///     0.122 mg a count at ±4 g: 50 mg 409.8, 90 mg 737.7, 1700 mg 13934.4     0.061 mg: 70 mg 1147.5, 1500 mg 24590.2
  ///     70 m°/s a count: 150 °/s 2142.9, 200 °/s 2857.1, 700 °/s 10000, 800 °/s 11428.6
  private static func limits(_ model: SensorModel) -> (ClosedRange<Int>, ClosedRange<Int>) {
    switch model {
    case .lsm9ds1: (1148...24590, 2858...11428)
    case .lsm6ds3, .lsm6ds33, .lsm6dsl, .lsm6dsm, .lsm6ds3trc: (738...13934, 2143...10000)
    default: (410...13934, 2143...10000)
    }
  }

  /// Counts at both ends of what passes, just beyond them, and 0.
  private func edges(
    _ acceleration: ClosedRange<Int>, _ rate: ClosedRange<Int>
  ) -> [(a: Int, g: Int, verdict: CertificateFinding.Verdict)] {
    [
      (acceleration.lowerBound, rate.lowerBound, .pass),
      (acceleration.upperBound, rate.upperBound, .pass),
      (acceleration.lowerBound - 1, rate.lowerBound - 1, .fail),
      (acceleration.upperBound + 1, rate.upperBound + 1, .fail), (0, 0, .fail),
    ]
  }

  @Test(
    "an ST chip passes at its limits and fails one count beyond, in both directions",
    arguments: models.filter { $0.addresses[0].rawValue == 0x6A })
  func limits(model: SensorModel) {
    let (acceleration, rate) = Self.limits(model)
    for sign in [1, -1] {
      for (a, g, verdict) in edges(acceleration, rate) {
        let counts = [a, -a, a, g, -g, g].map { $0 * sign }
        let verdicts = SelfTestCounts(model, counts: counts).verdicts()
        #expect(verdicts == Array(repeating: verdict, count: 6), "\(counts)")
      }
    }
  }

  @Test("one axis out of its limits fails, and no other")
  func oneAxis() {
    for model in Self.models where model.addresses[0].rawValue == 0x6A {
      let (acceleration, rate) = Self.limits(model)
      for axis in 0..<6 {
        var counts = [2000, -2000, 2000, 5000, -5000, 5000]
        counts[axis] = axis < 3 ? acceleration.lowerBound - 1 : rate.upperBound + 1
        let failed = SelfTestCounts(model, counts: counts).verdicts().enumerated()
          .filter { $0.element == .fail }.map(\.offset)
        #expect(failed == [axis], "\(model)")
      }
    }
  }

  /// An MPU-6050's registers for a code of all axes: 0D to 0F with three bits of acceleration above five of angular rate,
  /// 10 with two of each axis.
  private static func firstCodes(_ code: UInt8) -> [UInt8: UInt8] {
    let (high, low) = (code >> 2, code & 3)
    let upper = high << 5 | code
    return [0x0D: upper, 0x0E: upper, 0x0F: upper, 0x10: low << 4 | low << 2 | low]
  }

  @Test(
    "an MPU-6050 passes within 14 % of its trim and fails one count beyond, with angular rate in Y negative",
    arguments: [
      // Code, and what passes: 86 to 114 % of 1392.64 and 3275, of 2290.83 and 6429.64, of 3768.32 and 12622.98.
      (1, 1198...1587, 2817...3733), (16, 1971...2611, 5530...7329),
      (31, 3241...4295, 10856...14390),
    ] as [(UInt8, ClosedRange<Int>, ClosedRange<Int>)])
  func firstTrim(code: UInt8, acceleration: ClosedRange<Int>, rate: ClosedRange<Int>) {
    for (a, g, verdict) in edges(acceleration, rate) {
      let right = SelfTestCounts(
        .mpu6050, counts: [a, a, a, g, -g, g], codes: Self.firstCodes(code))
      #expect(right.verdicts() == Array(repeating: verdict, count: 6))
      // The sign is a part of the answer.
      let wrong = SelfTestCounts(
        .mpu6050, counts: [-a, -a, -a, -g, g, -g], codes: Self.firstCodes(code))
      #expect(wrong.verdicts() == Array(repeating: .fail, count: 6))
    }
  }

  @Test(
    "its successors pass at half and at one and a half of their trim and fail one count beyond, in both directions",
    arguments: models.filter { $0.addresses[0].rawValue == 0x68 && $0 != .mpu6050 })
  func laterTrim(model: SensorModel) {
    // 2620 counts; 2620·1.01^100 = 7086.61.
    for (code, range) in [(UInt8(1), 1310...3930), (101, 3544...10629)] {
      let codes = Dictionary(
        uniqueKeysWithValues: (model == .icm20948
          ? [2, 3, 4, 0x0E, 0x0F, 0x10] : [UInt8(0), 1, 2, 0x0D, 0x0E, 0x0F]).map { ($0, code) })
      for (count, _, verdict) in edges(range, range) {
        for sign in [1, -1] {
          let counts = [count, -count, count, -count, count, -count].map { $0 * sign }
          let verdicts = SelfTestCounts(model, counts: counts, codes: codes).verdicts()
          #expect(verdicts == Array(repeating: verdict, count: 6), "\(counts)")
        }
      }
    }
  }

  @Test("each axis has its own trim: a wrong one of six fails", arguments: 0..<6)
  func ownTrim(axis: Int) throws {
    var bench = SelfTestBench(.mpu6050)
    if axis < 3 {
      bench.chip.selfTest.acceleration[axis] = 1.2
    } else {
      bench.chip.selfTest.angularRate[axis - 3] = 0.8
    }
    let failed = try bench().answers.filter { $0.verdict == .fail }.map(\.channel)
    #expect(failed == [axis])
  }

  @Test(
    "a trim code of 0 is a warning that names it, whatever the answer",
    arguments: models.filter { $0.addresses[0].rawValue == 0x68 })
  func noTrim(model: SensorModel) throws {
    var bench = SelfTestBench(model)
    bench.chip.selfTest.hasTrim = false
    let outcome = try bench()
    #expect(outcome.verdicts == Array(repeating: .warn, count: 6))
    #expect(outcome.isRestored)
    let finding = try #require(outcome.report.findings.first)
    #expect(finding.name == "self-test-ax" && finding.verdict == .warn)
    let reason = ", with nothing to compare it with: its trim code is 0, as a clone's"
    #expect(finding.value.contains(reason))
    #expect(finding.bound == (model == .mpu6050 ? "a code of 1 to 31" : "a code of 1 to 255"))
  }

  @Test("lines of the report have the value in mg or °/s, its bound and its verdict")
  func lines() throws {
    let lsm = SelfTestCounts(.lsm6dsl, counts: [2557, -738, 737, 2143, -10_000, 10_001])
    #expect(
      lsm.report().findings == [
        .init(name: "self-test-ax", value: "312 mg", bound: "90 to 1700 mg", verdict: .pass),
        .init(name: "self-test-ay", value: "90 mg", bound: "90 to 1700 mg", verdict: .pass),
        .init(name: "self-test-az", value: "89.9 mg", bound: "90 to 1700 mg", verdict: .fail),
        .init(name: "self-test-gx", value: "150 °/s", bound: "150 to 700 °/s", verdict: .pass),
        .init(name: "self-test-gy", value: "700 °/s", bound: "150 to 700 °/s", verdict: .pass),
        .init(name: "self-test-gz", value: "700.1 °/s", bound: "150 to 700 °/s", verdict: .fail),
        .init(
          name: "restored", value: "9 registers", bound: "as before the self-test",
          verdict: .pass),
      ])
    let mpu = SelfTestCounts(
      .mpu6050, counts: [2291, 2291, 2200, 6430, -6000, 5000], codes: Self.firstCodes(16))
    #expect(
      mpu.report().findings.prefix(6).map(\.value) == [
        "559.3 mg, 100 % of the factory's trim", "559.3 mg, 100 % of the factory's trim",
        "537.1 mg, 96 % of the factory's trim", "49.1 °/s, 100 % of the factory's trim",
        "-45.8 °/s, 93.3 % of the factory's trim", "38.2 °/s, 77.8 % of the factory's trim",
      ])
    #expect(mpu.report().findings[5].bound == "86 to 114 %")
  }

  @Test(
    "an answer whose output reaches an end of the range does not pass: it fails where it is too much already, and else warns",
    arguments: [SensorModel.mpu6500, .mpu9250, .lsm6dsl], [1, -1])
  func clipped(model: SensorModel, sign: Int) throws {
    // 2620·1.01^149 = 11540 counts.
    let registers: [UInt8] = model == .lsm6dsl ? [] : [0, 1, 2, 0x0D, 0x0E, 0x0F]
    let codes = Dictionary(uniqueKeysWithValues: registers.map { ($0, UInt8(150)) })
    // What is left up to the end would pass on az, and is too much on gy.
    let (left, counts) = (
      [2: 9000, 4: 30_000], [11_540, 11_540, sign * 60_000, 11_540, 60_000, 11_540]
    )
    let report = SelfTestCounts(model, counts: counts, codes: codes) { _, channel, _ in
      switch channel {
      case 2: sign * (32_767 - (left[2] ?? 0)) - 560
      case 4: 2767 - 23
      default: 0
      }
    }.report()
    let findings = report.findings.filter { $0.name.hasPrefix("self-test-") }
    try #require(findings.count == 6)
    #expect(findings[2].verdict == .warn, "\(findings[2])")
    #expect(
      findings[2].value.contains(" or more, as its output was at an end of the range"),
      "\(findings[2])")
    #expect(findings[2].value.hasSuffix("; lay another face up"), "\(findings[2])")
    #expect(findings[4].verdict == .fail, "\(findings[4])")
    #expect(findings[4].value.contains(" or more, as its"), "\(findings[4])")
    #expect([0, 1, 3, 5].allSatisfy { !findings[$0].value.contains("or more") })
  }

  @Test("the waits are at least those of the makers' examples")
  func waits() throws {
    func longest(_ model: SensorModel) throws -> [Int64] {
      try SelfTestBench(model)().waits.filter { $0 >= 50_000_000 }.map { $0 / 1_000_000 }
    }
    // Settle, on, off; acceleration, then angular rate.
    #expect(try longest(.lsm6dso) == [100, 100, 100, 100, 100, 100])
    #expect(try longest(.lsm6ds3trc) == [100, 100, 100, 150, 50, 50])
    #expect(try longest(.lsm9ds1) == [300, 200, 200, 800, 800, 800])
    #expect(try longest(.mpu6050) == [200, 200, 200])
  }
}
