// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU

/// One chip as an array of registers, with an ordered trace of its transfers.
///
/// Hooks give it the few side effects that a test is about. A class, so that a test can look at it
/// while a sensor owns it.
final class TraceBus: I2CBus {
  enum Transfer: Equatable {
    case read(UInt8, Int)
    case write(UInt8, UInt8)

    var register: UInt8 {
      switch self {
      case .read(let register, _), .write(let register, _): return register
      }
    }
  }

  let address: I2CAddress
  var registers = [UInt8](repeating: 0, count: 256)
  /// The first 64 registers of the banks that are not selected, of a chip that has banks.
  var banks: [[UInt8]] = []
  private(set) var trace: [Transfer] = []
  /// Called before the bytes of a read are taken, with its first register and its length.
  var beforeRead: (TraceBus, UInt8, Int) -> Void = { _, _, _ in }
  /// Called after the bytes of a read were taken.
  var afterRead: (TraceBus, UInt8, Int) -> Void = { _, _, _ in }
  /// Called instead of storing a written value.
  var onWrite: (TraceBus, UInt8, UInt8) -> Void = { bus, register, value in
    bus.registers[Int(register)] = value
  }
  /// How failures end; of no kernel, with the errno 121.
  var adapter = SimulatedAdapter.generic
  /// The failure of the transfer with this number, counted from 0 as in the trace.
  var failure: (Int) -> BusError.Kind? = { _ in nil }

  init(_ address: UInt8) {
    self.address = I2CAddress(known: address)
  }

  func forgetTrace() { trace = [] }

  /// The registers that the trace has writes to.
  var writtenRegisters: Set<UInt8> { TraceBus.writtenRegisters(trace[...]) }

  static func writtenRegisters(_ trace: ArraySlice<Transfer>) -> Set<UInt8> {
    Set(trace.compactMap { if case .write(let register, _) = $0 { register } else { nil } })
  }

  func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    try begin(.read(register, buffer.count), .read, address)
    beforeRead(self, register, buffer.count)
    for index in 0..<buffer.count { buffer[index] = registers[Int(register) + index] }
    afterRead(self, register, buffer.count)
  }

  func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {
    try begin(.write(register, value), .write, address)
    onWrite(self, register, value)
  }

  private func begin(
    _ transfer: Transfer, _ operation: BusError.Operation, _ address: I2CAddress
  ) throws(BusError) {
    let kind = failure(trace.count)
    trace.append(transfer)
    if let kind {
      throw adapter.error(
        kind, errno: adapter == .generic ? 121 : nil, operation, address: address,
        register: transfer.register)
    }
    guard address == self.address else {
      throw adapter.error(.noAcknowledge, operation, address: address, register: transfer.register)
    }
  }
}

extension TraceBus {
  /// An MPU-6050 family chip as after power-on: asleep; DEVICE_RESET stays for `resetReads` reads.
  static func mpu6050(
    _ address: UInt8 = 0x68, identity: UInt8 = 0x68, resetReads: Int = 1
  ) -> TraceBus {
    let bus = TraceBus(address)
    let powerOn: (TraceBus) -> Void = { bus in
      for register in 0...255 { bus.registers[register] = 0 }
      bus.registers[0x6B] = 0x40
      bus.registers[0x75] = identity
    }
    powerOn(bus)
    var readsLeft = 0
    bus.onWrite = { bus, register, value in
      guard register == 0x6B, value & 0x80 != 0 else {
        bus.registers[Int(register)] = value
        return
      }
      powerOn(bus)
      readsLeft = resetReads
      if readsLeft > 0 { bus.registers[0x6B] = 0x80 }
    }
    bus.beforeRead = { bus, register, count in
      // A new sample for every burst.
      if register == 0x37, count > 3 { bus.registers[0x3A] = bus.registers[0x6B] == 0x01 ? 1 : 0 }
    }
    bus.afterRead = { bus, register, count in
      if register == 0x37, count > 3 { bus.registers[0x3A] = 0 }
      guard register == 0x6B, bus.registers[0x6B] == 0x80 else { return }
      readsLeft -= 1
      if readsLeft == 0 { bus.registers[0x6B] = 0x40 }
    }
    return bus
  }

  /// An ICM-20948 as after power-on: asleep, bank 0 selected.
  static func icm20948(_ address: UInt8 = 0x68) -> TraceBus {
    let bus = TraceBus(address)
    let powerOn: (TraceBus) -> Void = { bus in
      for register in 0...255 { bus.registers[register] = 0 }
      bus.banks = Array(repeating: Array(repeating: 0, count: 64), count: 4)
      bus.registers[0x00] = 0xEA
      bus.registers[0x06] = 0x41
    }
    powerOn(bus)
    bus.onWrite = { bus, register, value in
      if register == 0x7F {
        bus.banks[Int(bus.registers[0x7F] >> 4)] = Array(bus.registers[..<64])
        bus.registers.replaceSubrange(..<64, with: bus.banks[Int(value >> 4)])
      }
      bus.registers[Int(register)] = value
      if bus.registers[0x7F] == 0, register == 0x06, value & 0x80 != 0 { powerOn(bus) }
    }
    bus.beforeRead = { bus, register, count in
      // A new sample for every burst.
      if register == 0x1A, bus.registers[0x7F] == 0 {
        bus.registers[0x1A] = bus.registers[0x06] == 0x01 ? 1 : 0
      }
    }
    return bus
  }

  /// An LSM6DS family chip as after boot; SW_RESET stays for `resetReads` reads.
  static func lsm6ds(
    _ address: UInt8 = 0x6A, identity: UInt8 = 0x6C, resetReads: Int = 1
  ) -> TraceBus {
    let bus = TraceBus(address)
    let boot: (TraceBus) -> Void = { bus in
      for register in 0...255 { bus.registers[register] = 0 }
      bus.registers[0x0F] = identity
      bus.registers[0x12] = 0x04
      bus.registers[0x18] = 0xE0
    }
    boot(bus)
    var readsLeft = 0
    bus.onWrite = { bus, register, value in
      guard register == 0x12, value & 0x01 != 0 else {
        bus.registers[Int(register)] = value
        return
      }
      boot(bus)
      readsLeft = resetReads
      if readsLeft > 0 { bus.registers[0x12] = 0x05 }
    }
    bus.beforeRead = { bus, register, _ in
      // A new sample for every burst, of the sensors that are on.
      guard register == 0x1E else { return }
      bus.registers[0x1E] =
        (bus.registers[0x10] >> 4 == 0 ? 0 : 1) | (bus.registers[0x11] >> 4 == 0 ? 0 : 2)
    }
    bus.afterRead = { bus, register, _ in
      if register == 0x1E { bus.registers[0x1E] = 0 }
      guard register == 0x12, bus.registers[0x12] == 0x05 else { return }
      readsLeft -= 1
      if readsLeft == 0 { bus.registers[0x12] = 0x04 }
    }
    return bus
  }

  /// Gives an LSM6DS a FIFO that keeps its newest sample, two samples later at each read: what the outputs have.
  func hasReplacingFIFO() {
    let before = beforeRead
    var slot: UInt8 = 0
    beforeRead = { bus, register, count in
      before(bus, register, count)
      let axes = Array(bus.registers[0x22..<0x2E])
      if register == 0x78 {
        slot = (slot + 2) & 3
        var words = [0x10 | slot << 1]
        words += axes[6...]
        if count == 14 { words = [0x08 | slot << 1] + axes[..<6] + words }
        bus.registers.replaceSubrange(0x78..<0x78 + words.count, with: words)
      } else if register == 0x3B {
        // Full before the words are read, empty after them.
        slot ^= 1
        bus.registers[0x3B] = slot & 1 != 0 ? 0x40 : 0x10
      } else if register == 0x3E {
        bus.registers.replaceSubrange(0x3E..<0x3E + count, with: axes.suffix(count))
      }
    }
  }

  /// The chip that `model` is, at its first address.
  static func chip(_ model: SensorModelFixture) -> TraceBus {
    model.isMPU ? .mpu6050(identity: model.identity) : .lsm6ds(identity: model.identity)
  }
}
