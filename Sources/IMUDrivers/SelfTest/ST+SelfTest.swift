// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SelfTestPlan {
  /// A self-test as ST's examples run it: the accelerometer at ±4 g (±2 g for an LSM9DS1), then the gyroscope at 2000 °/s.
  /// One sample is discarded, and five are averaged.
  ///
  /// Pairs are of accelerometer and gyroscope: `limits` in mg and °/s, `waits` in milliseconds after a beginning and after a
  /// switch. `force` is the register with ST_G in [3:2] and ST_XL in [1:0], each 1 for a push in the positive direction;
  /// `setUp` gives the registers for the ranges' codes, and those with which each sensor's part begins.
  fileprivate static func st(
    _ model: SensorModel, limits: (ClosedRange<Int64>, ClosedRange<Int64>),
    places: (SelfTestPass.Place, SelfTestPass.Place), hertz: (Double, Double),
    waits: ((Int64, Int64), (Int64, Int64)), force: Register,
    setUp: (_ accelerometer: UInt8, _ gyroscope: UInt8) -> (
      all: RegisterList, accelerometer: RegisterList, gyroscope: RegisterList
    )
  ) -> SelfTestPlan {
    let widest = model.family == .lsm9ds1 ? 2 : 4
    guard let accelerometer = model.accelerometer.first(where: { $0.fullScale == widest }),
      let gyroscope = model.gyroscope.first(where: { $0.fullScale == 2000 })
    else { preconditionFailure("every ST chip has these ranges") }
    let lists = setUp(accelerometer.code, gyroscope.code)
    func pass(
      _ channels: Range<Int>, _ place: SelfTestPass.Place, _ hertz: Double,
      _ waits: (Int64, Int64), _ begin: RegisterList, on bits: UInt8
    ) -> SelfTestPass {
      SelfTestPass(
        channels: channels, place: place, period: Int64(1e9 / hertz), count: 5,
        settle: waits.0 * 1_000_000, answer: waits.1 * 1_000_000, begin: begin,
        on: [force: bits], off: [force: 0x00])
    }
    return SelfTestPlan(
      accelerometer: accelerometer, gyroscope: gyroscope,
      criterion: .magnitude(accelerometer: limits.0, gyroscope: limits.1), setUp: lists.all,
      passes: [
        pass(0..<3, places.0, hertz.0, waits.0, lists.accelerometer, on: 0x01),
        pass(3..<6, places.1, hertz.1, waits.1, lists.gyroscope, on: 0x04),
      ])
  }
}

extension SelfTestPass.Place {
  /// The status, the temperature, and the axes after it: so in an LSM6DS and in an LSM6DSV.
  fileprivate static func lsm6(_ ready: UInt8) -> SelfTestPass.Place {
    SelfTestPass.Place(
      register: LSM6DSRegister.status.address, count: 16, ready: ready, acceleration: 10,
      angularRate: 4, isBigEndian: false)
  }
}

extension LSM6DSGeneration {
  private static var control5: Register { Register(0x14, "CTRL5_C") }
  private static var control7: Register { Register(0x16, "CTRL7_G") }

  /// At 52 and 208 Hz. Limits: data sheets, table "Mechanical characteristics": of the accelerometer for all ranges, of the
  /// gyroscope for ±2000 °/s.
  @Sendable
  static func selfTest(_ model: SensorModel) -> SelfTestPlan {
    typealias Map = LSM6DSRegister
    let generation = LSM6DSGeneration(model)
    let isNew = generation == .dso
    return .st(
      model, limits: ((isNew ? 50 : 90)...1700, 150...700), places: (.lsm6(0x01), .lsm6(0x02)),
      hertz: (52, 208), waits: ((100, 100), isNew ? (100, 100) : (150, 50)), force: control5
    ) { accelerometer, gyroscope in
      var setUp: RegisterList = [Map.bank: 0x00]
      setUp.append(generation.i3cDisabled)
      setUp.append([
        Map.control1: 0x00, Map.control2: 0x00, Map.control3: Map.running,
        Map.control4: 0x00, control5: 0x00, Map.control6: 0x00, control7: 0x00,
        Map.control8: 0x00,
      ])
      if generation == .ds3 { setUp.append(generation.allAxes) }
      return (
        setUp, [Map.control1: 0x30 | accelerometer],
        [Map.control1: 0x00, Map.control2: 0x50 | gyroscope]
      )
    }
  }
}

extension LSM6DSVRegister {
  private static var control10: Register { Register(0x19, "CTRL10") }

  /// At 60 and 240 Hz; the waits are the LSM6DSO's.
  @Sendable
  static func selfTest(_ model: SensorModel) -> SelfTestPlan {
    .st(
      model, limits: (50...1700, 150...700), places: (.lsm6(0x01), .lsm6(0x02)),
      hertz: (60, 240), waits: ((100, 100), (100, 100)), force: control10
    ) { accelerometer, gyroscope in
      (
        [
          LSM6DSRegister.bank: 0x00, control1: 0x00, control2: 0x00, control3: 0x44,
          control4: 0x00, control6: gyroscope, control7: 0x00, control8: accelerometer,
          control9: 0x00, control10: 0x00,
        ],
        [control1: 0x05], [control1: 0x00, control2: 0x07]
      )
    }
  }
}

extension LSM9DS1Register {
  /// [2] ST_G, [0] ST_XL.
  private static var control10: Register { Register(0x24, "CTRL_REG10") }
  /// The second copy of STATUS_REG, before the acceleration.
  private static var status2: Register { Register(0x27, "STATUS_REG") }

  /// The accelerometer at 50 Hz, then the gyroscope at 238 Hz, which runs both. Limits: the example's. The example waits
  /// 200 ms for the accelerometer; 300 ms are more than 14 of its samples, the most that table 12 has to be discarded.
  @Sendable
  static func selfTest(_ model: SensorModel) -> SelfTestPlan {
    func place(_ register: Register, _ ready: UInt8) -> SelfTestPass.Place {
      SelfTestPass.Place(
        register: register.address, count: 7, ready: ready, acceleration: 1, angularRate: 1,
        isBigEndian: false)
    }
    return .st(
      model, limits: (70...1500, 200...800), places: (place(status2, 0x01), place(status, 0x02)),
      hertz: (50, 238), waits: ((300, 200), (800, 800)), force: control10
    ) { accelerometer, gyroscope in
      (
        [
          control1: 0x00, control6: 0x00, control8: 0x44, control9: 0x00, control2: 0x00,
          control3: 0x00, orientation: 0x00, control7: 0x00, control10: 0x00, control4: 0x38,
          control5: 0x38,
        ],
        [control6: 0x40 | accelerometer], [control6: 0x00, control1: 0x80 | gyroscope]
      )
    }
  }
}
