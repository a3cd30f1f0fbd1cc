// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The FIFO of the MPU-6050 family (RM-MPU-6000A 4.16, 4.28, 4.29, 4.31).
///
///     sample n      ax ax ay ay az az  t t  gx gx  gy gy  gz gz     by rising register number, what FIFO_EN selects
extension SimulatedMPU6050 {
  static let fifoEnable: UInt8 = 0x23
  static let fifoCountHigh: UInt8 = 0x72
  static let fifoCountLow: UInt8 = 0x73

  /// USER_CTRL.
  static let fifoIsOn: UInt8 = 0x40
  static let fifoReset: UInt8 = 0x04
  /// INT_STATUS and INT_ENABLE.
  static let fifoOverflow: UInt8 = 0x10

  /// Bytes: 1024, of the MPU-6500, 9250 and 9255 512, of the ICM-20689 4096 by ACCEL_CONFIG_2 [7:6].
  var fifoSize: Int64 {
    switch identity {
    case 0x70, 0x71, 0x73: 512
    case 0x98: 512 << Int64(registers[Self.accelConfig2] >> 6)
    default: 1024
    }
  }

  /// The offset of a packet's byte in the 14 output registers, which are written by rising number.
  private func packetByte(_ offset: Int64) -> Int {
    let enabled = registers[Self.fifoEnable]
    var left = Int(offset)
    // Each word by the bit of FIFO_EN that selects it: ax ay az, temperature, gx, gy, gz.
    for word in 0..<7 where enabled & (word < 3 ? 0x08 : 0x80 >> UInt8(word - 3)) != 0 {
      if left < 2 { return 2 * word + left }
      left -= 2
    }
    return 0
  }

  /// Bytes of a packet; 0 when FIFO_EN selects nothing.
  var packetSize: Int64 {
    let enabled = registers[Self.fifoEnable]
    return (enabled & 0x08 != 0 ? 6 : 0) + 2 * Int64((enabled & 0xF0).nonzeroBitCount)
  }

  /// Bytes in the FIFO after `tick`; notes an overflow.
  mutating func fillFIFO(atTick tick: Int64) -> Int64 {
    fifo.count(newest: flaggedTick(at: tick) / ticksPerSample)
  }

  /// The next byte of the stream; the last one again when the FIFO is empty.
  mutating func popFIFO(atTick tick: Int64) -> UInt8 {
    guard let (sample, place) = fifo.take(newest: flaggedTick(at: tick) / ticksPerSample) else {
      return fifo.lastByte
    }
    if fifo.recentSample != sample {
      fifo.recentSample = sample
      fifo.recent = outputs(atTick: sample * ticksPerSample)
    }
    fifo.lastByte = Self.byte(packetByte(place), of: fifo.recent)
    return fifo.lastByte
  }

  /// The oldest byte vanishes.
  mutating func loseFromFIFO(at instant: Int64) {
    _ = fifo.take(newest: flaggedTick(at: oscillator.tick(at: instant)) / ticksPerSample)
  }

  /// Whether a register decides what samples are, or which of them go into the FIFO.
  static func changesSamples(_ register: UInt8) -> Bool {
    switch register {
    case sampleRateDivider...accelConfig2, fifoEnable, powerManagement1, powerManagement2: true
    default: false
    }
  }

  /// A register that the FIFO depends on was written at `tick`.
  mutating func restartFIFO(atTick tick: Int64) {
    let isOn =
      registers[Self.userControl] & Self.fifoIsOn != 0 && packetSize > 0 && isRunning
    fifo = ByteFIFO(
      firstSample: isOn ? tick / ticksPerSample + 1 : nil, packet: packetSize, size: fifoSize,
      hasOverflowed: fifo.hasOverflowed, lastByte: fifo.lastByte)
  }

  /// USER_CTRL was written at `tick`, and was `before`.
  mutating func changeFIFO(from before: UInt8, to value: UInt8, atTick tick: Int64) {
    let isOn = value & Self.fifoIsOn != 0
    // FIFO_RESET has no effect while FIFO_EN is 1 (RM 4.29).
    if value & Self.fifoReset != 0, !isOn { fifo = ByteFIFO(lastByte: fifo.lastByte) }
    guard isOn != (before & Self.fifoIsOn != 0) else { return }
    restartFIFO(atTick: tick)
  }
}
