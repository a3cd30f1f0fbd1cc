// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The FIFO of the MPU-6050 family (RM-MPU-6000A 4.7, 4.27, 4.30, 4.31).
///
///     USER_CTRL FIFO_RESET ─► count 0 ─► FIFO_EN ─► ax ax ay ay az az  t t  gx gx gy gy gz gz  ax ax …
///
/// Only what is recorded is in it, by rising register number. A full FIFO overwrites its oldest bytes, and its size is a
/// multiple of few packets: from then on, no byte's place says what it is.
extension MPU6050Profile {
  /// 1000 / (1 + SMPLRT_DIV) hertz, rising.
  static let fifoRates: [SampleRate] = (1...256).reversed().compactMap {
    SampleRate(1000, per: $0)
  }

  /// Its layout for these channels.
  static func fifo(_ channels: ChannelSet, _ model: SensorModel) -> FIFOLayout {
    let size =
      switch model {
      case .icm20689: 4096
      case .mpu6500, .mpu9250, .mpu9255: 512
      default: 1024
      }
    let selected: UInt8 =
      (channels.contains(.accelerometer) ? 0x08 : 0) | (channels.contains(.gyroscope) ? 0x70 : 0)
      | (channels.contains(.temperature) ? 0x80 : 0)
    typealias Map = MPU6050Register
    // The packets begin with the last write.
    return FIFOLayout(
      method: .packets, size: size, status: Map.fifoCount.address, data: Map.fifoData.address,
      channels: channels,
      stop: [Map.interruptEnable: 0, Map.fifoEnable: 0, Map.userControl: 0, Map.userControl: 0x04],
      start: [
        Map.userControl: 0x40, Map.interruptEnable: Map.Interrupt.dataReady,
        Map.fifoEnable: selected,
      ])
  }
}
