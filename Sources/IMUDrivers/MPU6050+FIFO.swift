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
    let (isOn, reset): (UInt8, UInt8) = (0x40, 0x04)
    var stop = RegisterList()
    stop.append(MPU6050Register.interruptEnable, 0x00)
    stop.append(MPU6050Register.fifoEnable, 0x00)
    stop.append(MPU6050Register.userControl, 0x00)
    stop.append(MPU6050Register.userControl, reset)
    // The packets begin with the last write.
    var start = RegisterList()
    start.append(MPU6050Register.userControl, isOn)
    start.append(MPU6050Register.interruptEnable, MPU6050Register.Interrupt.dataReady)
    start.append(MPU6050Register.fifoEnable, selected)
    return FIFOLayout(
      .packets, size: size, status: MPU6050Register.fifoCount.address,
      data: MPU6050Register.fifoData.address, channels: channels, stop: stop, start: start)
  }
}
