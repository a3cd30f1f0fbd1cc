// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The FIFOs of LSM6DS and LSM6DSV. The temperature is never in them: it is read beside them.
extension LSM6DSGeneration {
  private typealias Map = LSM6DSRegister

  /// The data rates of a FIFO, rising: those for polling, and some that no bus carries with two bursts a sample.
  var fifoDataRates: [DataRate] {
    let (code, hertz): (Int, [Double]) =
      self == .dsv ? (10, [1920, 3840, 7680]) : (9, [3332, 6664])
    return dataRates + DataRate.ladder(hertz, from: code)
  }

  /// The rates with these channels. The LSM6DS3's gyroscope ends at 1666 Hz.
  func fifoRates(_ channels: ChannelSet) -> [SampleRate] {
    let rates = fifoDataRates.compactMap(\.rate)
    return self == .ds3 && channels.contains(.gyroscope) ? rates.dropLast(2) : rates
  }

  var fifoMethod: FIFOLayout.Method { self == .dso || self == .dsv ? .tagged : .pattern }

  /// The layout for these channels at this data rate, with a watermark of so many slots, to which `isLimited` limits it.
  func fifo(
    _ channels: ChannelSet, _ dataRate: DataRate, watermark: Int?, isStamped: Bool = false,
    isLimited: Bool = false
  ) -> FIFOLayout {
    let slot = fifoMethod.slotBytes(channels, isStamped: isStamped) / fifoMethod.unitBytes
    // In the bits of all models.
    let units = min((watermark ?? 0) * slot, (self == .dsv ? 254 : 510) / slot * slot)
    var timer: RegisterList = [:]
    if isStamped {
      // In steps of 25 µs: TIMER_HR of WAKE_UP_DUR first, which an LSM6DSO lacks.
      switch self {
      case .ds3: timer = [Map.wakeUpDuration: 0x10, Map.tapConfiguration: 0x80]
      case .dsl: timer = [Map.wakeUpDuration: 0x10, Map.control10: 0x20]
      case .dso: timer = [Map.control10: 0x20]
      case .dsv: timer = [LSM6DSVRegister.functions: 0x40]
      }
    }
    // A slot of the fastest data rate, code 10 or 12, has 6 ticks.
    let counter = StampCounter(
      register: Map.timestamp.address, count: fifoMethod == .tagged ? 4 : 3,
      ticksPerSlot: 6 << ((self == .dsv ? 12 : 10) - UInt16(dataRate.code)))
    let interrupt: RegisterList =
      units > 0 && !isLimited ? [Map.interrupt2: Map.watermarkInterrupt] : [:]
    let selected = { (gyroscope: UInt8, accelerometer: UInt8) in
      (channels.contains(.gyroscope) ? gyroscope : 0)
        | (channels.contains(.accelerometer) ? accelerometer : 0)
    }
    let (low, high) = (UInt8(units & 0xFF), UInt8(units >> 8))
    var start: RegisterList
    guard fifoMethod == .pattern else {
      // LSM6DSO (DS12140 section 9) with 512 words, LSM6DSV with 256.
      start = [Map.fifoControl1: low, Map.fifoControl2: high | (isLimited ? 0x80 : 0)]
      start.append(interrupt)
      start.append(Map.fifoControl3, selected(dataRate.code << 4, dataRate.code))
      start.append(timer)
      // [2:0]: 0 empties the FIFO, 6 is continuous. [7:6] 1: a stamp in each slot.
      start.append(Map.fifoControl4, isStamped ? 0x46 : 0x06)
      return FIFOLayout(
        method: .tagged, size: (self == .dsv ? 256 : 512) * 7,
        status: (self == .dsv ? LSM6DSVRegister.fifoStatus : Map.fifoStatus).address,
        upperCount: self == .dsv ? 0x01 : 0x03, reserved: self == .dsv ? 0x06 : 0x04,
        data: Map.fifoTag.address, channels: channels, counter: isStamped ? counter : nil,
        temperature: Map.output.address, watermark: units, stop: [Map.fifoControl4: 0],
        start: start)
    }
    // LSM6DS3 with 8192 bytes, LSM6DSL with 4096 (AN5130 section 8).
    // [7] TIMER_PEDO_FIFO_EN: the fourth data set has the stamp and the steps. FIFO_CTRL4 [5:3]: in each slot.
    start = [Map.patternControl1: low, Map.patternControl2: high | (isStamped ? 0x80 : 0)]
    start.append(interrupt)
    // [5:3] gyroscope, [2:0] accelerometer, 1 for each sample.
    start.append(Map.patternControl3, selected(0x08, 0x01))
    // The LSM6DS3 has STOP_ON_FTH in CTRL4_C.
    start.append(
      Map.patternControl4, (isLimited && self == .dsl ? 0x80 : 0) | (isStamped ? 0x08 : 0))
    start.append(timer)
    // [6:3] the rate, [2:0] the mode.
    start.append(Map.patternControl5, dataRate.code << 3 | 0x06)
    return FIFOLayout(
      method: .pattern, size: self == .ds3 ? 8192 : 4096, status: Map.fifoStatus.address,
      upperCount: self == .ds3 ? 0x0F : 0x07, reserved: self == .ds3 ? 0x00 : 0x08,
      data: Map.patternData.address, channels: channels, counter: isStamped ? counter : nil,
      temperature: Map.output.address, watermark: units, isWatermarkEarly: self == .ds3,
      stop: [Map.patternControl5: 0], start: start)
  }
}
