// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SelfTestPass {
  /// A pass as ST's examples run it: one sample discarded, five averaged.
  fileprivate static func st(
    _ channels: Range<Int>, _ place: Place, hertz: Double, settle: Int64, answer: Int64
  ) -> SelfTestPass {
    SelfTestPass(
      channels: channels, place: place, period: Int64(1e9 / hertz), count: 5,
      settle: settle * 1_000_000, answer: answer * 1_000_000)
  }
}

extension SelfTestPass.Place {
  /// The status, the temperature, and the axes after it: so in an LSM6DS and in an LSM6DSV.
  fileprivate static func lsm6(_ status: Register, _ ready: UInt8) -> SelfTestPass.Place {
    SelfTestPass.Place(
      register: status.address, count: 16, ready: ready, acceleration: 10, angularRate: 4,
      isBigEndian: false)
  }
}

extension SensorModel {
  /// The accelerometer at ±4 g (±2 g with `isFinest`) and the gyroscope at its widest of 2000 °/s.
  fileprivate func selfTestRanges(isFinest: Bool = false) -> (SensorRange, SensorRange) {
    guard let acceleration = accelerometer.first(where: { $0.fullScale == (isFinest ? 2 : 4) }),
      let rate = gyroscope.first(where: { $0.fullScale == 2000 })
    else { preconditionFailure("every ST chip has these ranges") }
    return (acceleration, rate)
  }
}

extension LSM6DSGeneration {
  /// CTRL5_C: [3:2] ST_G, [1:0] ST_XL, each 1 for a push in the positive direction.
  private static var control5: Register { Register(0x14, "CTRL5_C") }
  private static var control7: Register { Register(0x16, "CTRL7_G") }

  /// The self-test as ST's examples run it, the accelerometer at 52 Hz, then the gyroscope at 208 Hz. Limits: data sheets,
  /// table "Mechanical characteristics": of the accelerometer for all ranges, of the gyroscope for ±2000 °/s.
  @Sendable
  static func selfTest(_ model: SensorModel) -> SelfTestPlan {
    typealias Map = LSM6DSRegister
    let generation = LSM6DSGeneration(model)
    let (accelerometer, gyroscope) = model.selfTestRanges()
    var plan = SelfTestPlan(
      accelerometer: accelerometer, gyroscope: gyroscope,
      criterion: .magnitude(
        accelerometer: (generation == .dso ? 50 : 90)...1700, gyroscope: 150...700))
    plan.setUp.append(Map.bank, 0x00)
    if generation.hasI3C { plan.setUp.append(Map.control9, Map.Control9.i3cDisabled) }
    for register in [Map.control1, Map.control2] { plan.setUp.append(register, 0x00) }
    plan.setUp.append(Map.control3, Map.Control3.running)
    for register in [Map.control4, control5, Map.control6, control7, Map.control8] {
      plan.setUp.append(register, 0x00)
    }
    if generation == .ds3 {
      plan.setUp.append(Map.control9, Map.Control9.allAxes)
      plan.setUp.append(Map.control10, Map.Control9.allAxes)
    }
    var first = SelfTestPass.st(0..<3, .lsm6(Map.status, 0x01), hertz: 52, settle: 100, answer: 100)
    first.begin.append(Map.control1, 0x30 | accelerometer.code)
    first.on.append(control5, 0x01)
    first.off.append(control5, 0x00)
    let (settle, answer): (Int64, Int64) = generation == .dso ? (100, 100) : (150, 50)
    var second = SelfTestPass.st(
      3..<6, .lsm6(Map.status, 0x02), hertz: 208, settle: settle, answer: answer)
    second.begin.append(Map.control1, 0x00)
    second.begin.append(Map.control2, 0x50 | gyroscope.code)
    second.on.append(control5, 0x04)
    second.off.append(control5, 0x00)
    plan.passes = [first, second]
    return plan
  }
}

extension LSM6DSVRegister {
  /// CTRL10: [3:2] ST_G, [1:0] ST_XL, as in an LSM6DS's CTRL5_C.
  private static var control10: Register { Register(0x19, "CTRL10") }

  /// The self-test as ST's example runs it, the accelerometer at 60 Hz, then the gyroscope at 240 Hz; the waits are the
  /// LSM6DSO's.
  @Sendable
  static func selfTest(_ model: SensorModel) -> SelfTestPlan {
    let (accelerometer, gyroscope) = model.selfTestRanges()
    var plan = SelfTestPlan(
      accelerometer: accelerometer, gyroscope: gyroscope,
      criterion: .magnitude(accelerometer: 50...1700, gyroscope: 150...700))
    for register in [bank, control1, control2] { plan.setUp.append(register, 0x00) }
    plan.setUp.append(control3, 0x44)
    plan.setUp.append(control4, 0x00)
    plan.setUp.append(control6, gyroscope.code)
    plan.setUp.append(control7, 0x00)
    plan.setUp.append(control8, accelerometer.code)
    plan.setUp.append(control9, 0x00)
    plan.setUp.append(control10, 0x00)
    var first = SelfTestPass.st(0..<3, .lsm6(status, 0x01), hertz: 60, settle: 100, answer: 100)
    first.begin.append(control1, 0x05)
    first.on.append(control10, 0x01)
    first.off.append(control10, 0x00)
    var second = SelfTestPass.st(3..<6, .lsm6(status, 0x02), hertz: 240, settle: 100, answer: 100)
    second.begin.append(control1, 0x00)
    second.begin.append(control2, 0x07)
    second.on.append(control10, 0x04)
    second.off.append(control10, 0x00)
    plan.passes = [first, second]
    return plan
  }
}

extension LSM9DS1Register {
  /// CTRL_REG10: [2] ST_G, [0] ST_XL.
  private static var control10: Register { Register(0x24, "CTRL_REG10") }
  /// The second copy of STATUS_REG, before the acceleration.
  private static var status2: Register { Register(0x27, "STATUS_REG") }

  /// The self-test as ST's example runs it: the accelerometer at ±2 g and 50 Hz, then the gyroscope at 238 Hz, which runs
  /// both. Limits: the example's. The example waits 200 ms for the accelerometer; 300 ms are more than 14 of its
  /// samples, the most that table 12 has to be discarded.
  @Sendable
  static func selfTest(_ model: SensorModel) -> SelfTestPlan {
    let (accelerometer, gyroscope) = model.selfTestRanges(isFinest: true)
    var plan = SelfTestPlan(
      accelerometer: accelerometer, gyroscope: gyroscope,
      criterion: .magnitude(accelerometer: 70...1500, gyroscope: 200...800))
    for register in [control1, control6] { plan.setUp.append(register, 0x00) }
    plan.setUp.append(control8, 0x44)
    for register in [control9, control2, control3, orientation, control7, control10] {
      plan.setUp.append(register, 0x00)
    }
    for register in [control4, control5] { plan.setUp.append(register, 0x38) }
    func place(_ register: Register, _ ready: UInt8) -> SelfTestPass.Place {
      SelfTestPass.Place(
        register: register.address, count: 7, ready: ready, acceleration: 1, angularRate: 1,
        isBigEndian: false)
    }
    var first = SelfTestPass.st(0..<3, place(status2, 0x01), hertz: 50, settle: 300, answer: 200)
    first.begin.append(control6, 0x40 | accelerometer.code)
    first.on.append(control10, 0x01)
    first.off.append(control10, 0x00)
    var second = SelfTestPass.st(3..<6, place(status, 0x02), hertz: 238, settle: 800, answer: 800)
    second.begin.append(control6, 0x00)
    second.begin.append(control1, 0x80 | gyroscope.code)
    second.on.append(control10, 0x04)
    second.off.append(control10, 0x00)
    plan.passes = [first, second]
    return plan
  }
}
