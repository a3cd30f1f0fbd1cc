// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The FIFOs of the LSM6DS family. The temperature is never in them: it is read beside them.
extension LSM6DSGeneration {
  /// The data rates of a FIFO, rising: those for polling, and two that no bus carries with two bursts a sample.
  static let fifoDataRates =
    dataRates + [DataRate(code: 9, hertz: 3332), DataRate(code: 10, hertz: 6664)]

  /// The rates with these channels. The LSM6DS3's gyroscope ends at 1666 Hz.
  func fifoRates(_ channels: ChannelSet) -> [SampleRate] {
    let rates = LSM6DSGeneration.fifoDataRates.compactMap(\.rate)
    return self == .ds3 && channels.contains(.gyroscope) ? rates.dropLast(2) : rates
  }

  /// What marks the samples.
  var fifoMethod: FIFOLayout.Method { self == .dso ? .tagged : .pattern }

  /// The layout for these channels at this data rate.
  func fifo(
    _ channels: ChannelSet, _ dataRate: DataRate, watermark: Int?, isStamped: Bool
  ) -> FIFOLayout {
    let slot = FIFOLayout.slotUnits(fifoMethod, channels, isStamped: isStamped)
    // In the bits of all models.
    let units = min((watermark ?? 0) * slot, 510 / slot * slot)
    return self == .dso
      ? taggedFIFO(channels, dataRate, units, isStamped: isStamped)
      : patternFIFO(channels, dataRate, units, isStamped: isStamped)
  }

  /// The counter: 512 slots of the fastest data rate, 6 ticks each, are one of the slowest.
  private func counter(_ dataRate: DataRate) -> StampCounter {
    StampCounter(
      LSM6DSRegister.timestamp, count: self == .dso ? 4 : 3,
      ticksPerSlot: 6 << (10 - UInt16(dataRate.code)))
  }

  /// Lets the counter run, in steps of 25 µs: TIMER_HR of WAKE_UP_DUR first, which an LSM6DSO lacks.
  private func runCounter(_ list: inout RegisterList) {
    if self != .dso { list.append(LSM6DSRegister.wakeUpDuration, 0x10) }
    if self == .ds3 {
      list.append(LSM6DSRegister.tapConfiguration, 0x80)
    } else {
      list.append(LSM6DSRegister.control10, 0x20)
    }
  }

  /// The layout with room for one sample. The accelerometer is always in it: its noise shows that the chip works.
  func newest(_ channels: ChannelSet, _ dataRate: DataRate) -> FIFOLayout {
    let channels = channels.union(.accelerometer)
    let slot = FIFOLayout.slotUnits(fifoMethod, channels)
    return self == .dso
      ? taggedFIFO(channels, dataRate, slot, isLimited: true)
      : patternFIFO(channels, dataRate, slot, isLimited: true)
  }

  /// LSM6DSO (DS12140 section 9, registers 07 to 0A, 3A, 3B and 78): 512 words.
  private func taggedFIFO(
    _ channels: ChannelSet, _ dataRate: DataRate, _ watermark: Int, isStamped: Bool = false,
    isLimited: Bool = false
  ) -> FIFOLayout {
    let code = dataRate.code
    let rates: UInt8 =
      (channels.contains(.gyroscope) ? code << 4 : 0)
      | (channels.contains(.accelerometer) ? code : 0)
    // FIFO_CTRL4 [2:0]: 0 empties the FIFO, 6 is continuous.
    var stop = RegisterList()
    stop.append(LSM6DSRegister.fifoControl4, 0x00)
    var start = RegisterList()
    start.append(LSM6DSRegister.fifoControl1, UInt8(watermark & 0xFF))
    start.append(LSM6DSRegister.fifoControl2, UInt8(watermark >> 8) | (isLimited ? 0x80 : 0))
    if watermark > 0, !isLimited {
      start.append(LSM6DSRegister.interrupt2, LSM6DSRegister.watermarkInterrupt)
    }
    start.append(LSM6DSRegister.fifoControl3, rates)
    if isStamped { runCounter(&start) }
    // [7:6] 1: a stamp in each slot.
    start.append(LSM6DSRegister.fifoControl4, isStamped ? 0x46 : 0x06)
    return FIFOLayout(
      .tagged, size: 512 * 7, status: LSM6DSRegister.fifoStatus.address, upperCount: 0x03,
      reserved: 0x04, data: LSM6DSRegister.fifoTag.address, channels: channels,
      counter: isStamped ? counter(dataRate) : nil,
      slowTemperature: LSM6DSRegister.output.address, watermark: watermark, stop: stop,
      start: start)
  }

  /// LSM6DS3 with 8192 bytes, LSM6DSL with 4096 (AN5130 section 8).
  private func patternFIFO(
    _ channels: ChannelSet, _ dataRate: DataRate, _ watermark: Int, isStamped: Bool = false,
    isLimited: Bool = false
  ) -> FIFOLayout {
    // FIFO_CTRL3: [5:3] gyroscope, [2:0] accelerometer, 1 for each sample. FIFO_CTRL5: [6:3] the rate, [2:0] the mode.
    let sets: UInt8 =
      (channels.contains(.gyroscope) ? 0x08 : 0) | (channels.contains(.accelerometer) ? 0x01 : 0)
    var stop = RegisterList()
    stop.append(LSM6DSRegister.patternControl5, 0x00)
    var start = RegisterList()
    start.append(LSM6DSRegister.patternControl1, UInt8(watermark & 0xFF))
    // [7] TIMER_PEDO_FIFO_EN: the fourth data set has the stamp and the steps. FIFO_CTRL4 [5:3]: in each slot.
    start.append(
      LSM6DSRegister.patternControl2, UInt8(watermark >> 8) | (isStamped ? 0x80 : 0))
    if watermark > 0, !isLimited {
      start.append(LSM6DSRegister.interrupt2, LSM6DSRegister.watermarkInterrupt)
    }
    start.append(LSM6DSRegister.patternControl3, sets)
    // The LSM6DS3 has STOP_ON_FTH in CTRL4_C.
    start.append(
      LSM6DSRegister.patternControl4,
      (isLimited && self == .dsl ? 0x80 : 0x00) | (isStamped ? 0x08 : 0))
    if isStamped { runCounter(&start) }
    start.append(LSM6DSRegister.patternControl5, dataRate.code << 3 | 0x06)
    return FIFOLayout(
      .pattern, size: self == .ds3 ? 8192 : 4096, status: LSM6DSRegister.fifoStatus.address,
      upperCount: self == .ds3 ? 0x0F : 0x07, reserved: self == .ds3 ? 0x00 : 0x08,
      data: LSM6DSRegister.patternData.address, channels: channels,
      counter: isStamped ? counter(dataRate) : nil,
      slowTemperature: LSM6DSRegister.output.address, watermark: watermark,
      isWatermarkEarly: self == .ds3, stop: stop, start: start)
  }
}
