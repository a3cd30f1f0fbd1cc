// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel

/// A chip as an array of registers, with a FIFO whose bytes and status a test sets.
///
/// A class, so that a test can look at it while a sensor owns it.
final class FIFOBus: I2CBus {
  /// The rest of the chip.
  let chip: TraceBus
  /// The registers of the count and of the data.
  let status: UInt8
  let data: UInt8
  /// What a read of the count gives; zeros unless set.
  var statusBytes: [UInt8] = [0, 0, 0, 0]
  /// The bytes in the FIFO, the oldest first; when there are no more, reads give `rest`.
  var bytes: [UInt8] = []
  var rest: UInt8 = 0
  /// Longer bursts are refused, as by an adapter with a limit.
  var limit = Int.max
  var longestRead = 8192
  /// Lengths of the bursts.
  private(set) var bursts: [Int] = []

  init(_ chip: TraceBus, status: UInt8, data: UInt8) {
    (self.chip, self.status, self.data) = (chip, status, data)
  }

  /// As `model` has it.
  convenience init(_ model: SensorModel) {
    switch model.family {
    case .mpu6050: self.init(.mpu6050(identity: model.identity), status: 0x72, data: 0x74)
    case .icm20948: self.init(.icm20948(), status: 0x70, data: 0x72)
    default:
      let isTagged = model.identity == 0x6C || model.identity == 0x6B
      self.init(.lsm6ds(identity: model.identity), status: 0x3A, data: isTagged ? 0x78 : 0x3E)
    }
  }

  func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    if register == data, buffer.count > min(limit, longestRead) {
      throw BusError(.unsupported, .read, address: address, register: register, errno: 95)
    }
    do throws(BusError) {
      try chip.read(
        address, register: register == data ? 0 : register,
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, 64)]))
    } catch {
      var error = error
      error.register = register
      throw error
    }
    if register == status {
      for index in 0..<buffer.count { buffer[index] = statusBytes[index] }
    }
    guard register == data else { return }
    bursts.append(buffer.count)
    for index in 0..<buffer.count { buffer[index] = index < bytes.count ? bytes[index] : rest }
    bytes.removeFirst(min(bytes.count, buffer.count))
  }

  func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {
    try chip.write(address, register: register, value: value)
  }

  /// Puts bytes into the FIFO and counts all that are there.
  func fill(_ more: [UInt8], unit: Int, flags: UInt8 = 0) {
    bytes += more
    let count = bytes.count / unit
    statusBytes =
      unit == 1
      ? [UInt8(count >> 8), UInt8(count & 0xFF), 0, 0]
      : [UInt8(count & 0xFF), UInt8(count >> 8) | flags, 0, 0]
  }
}

/// A driver on a ``FIFOBus``, its FIFO started: at 1 or 1.125 kHz, or an ST chip's at 416 Hz.
func started(
  _ bus: FIFOBus, _ model: SensorModel, _ channels: ChannelSet = .all, rate: SampleRate? = nil,
  busClock: Int? = 400_000, watermark: Int? = nil, isStamped: Bool = false
) throws -> FIFOSensor<FIFOBus> {
  var configuration = SensorConfiguration(
    rate: rate ?? hertz(model.family == .mpu6050 ? 1000 : model == .icm20948 ? 1125 : 416),
    channels: channels,
    busClock: busClock)
  (configuration.watermark, configuration.stampsSamples) = (watermark, isStamped)
  var sensor = try FIFOSensor(
    bus: bus, identity: SensorIdentity(model: model, address: model.addresses[0]),
    configuration: configuration)
  while case .wait = try sensor.bringUp() {}
  try sensor.startFIFO()
  return sensor
}

/// What a drain takes out, or why it does not.
func drained(_ sensor: inout FIFOSensor<FIFOBus>) -> Result<[RawSample], FIFOError> {
  do throws(FIFOError) {
    let fill = try sensor.readFill()
    let count = try sensor.drain(fill)
    return .success((0..<count).map { sensor.sample(at: $0) })
  } catch {
    return .failure(error)
  }
}

/// A word of a tagged FIFO.
func word(_ kind: UInt8, _ slot: Int, _ values: [Int16]) -> [UInt8] {
  [kind << 3 | UInt8(slot & 3) << 1] + littleEndian(values)
}

func littleEndian(_ values: [Int16]) -> [UInt8] {
  values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
}

func bigEndian(_ values: [Int16]) -> [UInt8] {
  values.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
}
