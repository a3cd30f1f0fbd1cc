// SPDX-License-Identifier: Apache-2.0

import Clibi2c
import CLinuxIO
import Glibc
public import IMUModel

/// The owner of an open `/dev/i2c-N`: chips behind an adapter of this machine.
///
/// A transfer is one system call (one for each 32 bytes where the adapter knows only SMBus), allocates and locks nothing
/// in this process, and is not repeated. `I2C_RDWR` does not check whether a kernel driver uses the chip, so call
/// ``claim(_:)`` before the first transfer to an address.
///
/// A node that goes away stays away for this value, unless ``keepOpen(at:chip:every:)`` was called.
public struct LinuxI2CBus: I2CBus, Sendable, ~Copyable {
  /// N of `/dev/i2c-N`.
  public internal(set) var number: Int
  /// How transfers are made, chosen from what the adapter can do.
  var access: I2CAccess
  /// The node; -1 while it is gone.
  var descriptor: Int32
  let tree: SystemTree
  /// The chip that SMBus calls address, 0 before the first one.
  var selected: UInt8 = 0
  /// Reopens the node; `nil` when that was not requested.
  var reopening: BusReopening?
  /// Failed transfers since the last good one.
  var failures = 0
  private var interrupt: InterruptLine?

  /// Longest read of `I2C_RDWR` (i2c-dev.c), which the adapter may not carry.
  private static let longestMessage = 8192
  /// I2C_SMBUS_BLOCK_MAX.
  private static let longestBlock = 32

  /// A message's limit, or an SMBus block's.
  public var longestRead: Int {
    access == .combined ? Self.longestMessage : Self.longestBlock
  }

  /// Takes over a descriptor, which is closed with the value.
  init(adopting descriptor: Int32, number: Int, access: I2CAccess, tree: SystemTree) {
    self.descriptor = descriptor
    self.number = number
    self.access = access
    self.tree = tree
  }

  deinit {
    reopening?.end()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Reads consecutive registers.
  ///
  /// Over SMBus a burst of more than 32 bytes is several transfers, between which the chip may move on. `EINTR`, which
  /// comes only on a thread that leaves signals unblocked, is a bus error, which the caller may repeat.
  public mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    guard let start = buffer.baseAddress, (1...Self.longestMessage).contains(buffer.count) else {
      throw failure(EINVAL, .read, address, register)
    }
    // Safe: any byte is valid at any address, and the caller's buffer is this call's alone until it returns.
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    if descriptor < 0 { try adoptReopened(.read, address, register) }
    switch access {
    case .combined:
      // Safe: `count` is the length of the memory at `bytes`.
      let result = clinuxio_i2c_read(
        descriptor, UInt16(address.rawValue), register, bytes, UInt16(buffer.count))
      if result < 0 { throw failure(-result, .read, address, register) }
    case .smbusBlocks:
      try select(address, .read, register)
      for offset in stride(from: 0, to: buffer.count, by: Self.longestBlock) {
        let count = min(Self.longestBlock, buffer.count - offset)
        // Safe: the piece lies within the buffer.
        let result = i2c_smbus_read_i2c_block_data(
          descriptor, register &+ UInt8(truncatingIfNeeded: offset), UInt8(count), bytes + offset)
        if result < 0 { throw failure(-result, .read, address, register) }
        if Int(result) != count { throw failure(EIO, .read, address, register) }
      }
    }
    failures = 0
  }

  /// Writes one register.
  public mutating func write(
    _ address: I2CAddress, register: UInt8, value: UInt8
  ) throws(BusError) {
    if descriptor < 0 { try adoptReopened(.write, address, register) }
    let result: Int32
    switch access {
    case .combined:
      result = clinuxio_i2c_write(descriptor, UInt16(address.rawValue), register, value)
    case .smbusBlocks:
      try select(address, .write, register)
      result = i2c_smbus_write_byte_data(descriptor, register, value)
    }
    if result < 0 { throw failure(-result, .write, address, register) }
    failures = 0
  }

  /// Takes the line from the chip's interrupt output.
  public mutating func wire(_ interrupt: consuming InterruptLine) {
    self.interrupt = consume interrupt
  }

  /// Takes the oldest edge that waits.
  public mutating func nextEdge() -> InterruptEdge? { interrupt?.next() }

  /// Points SMBus calls at a chip. The selection is the descriptor's own.
  private mutating func select(
    _ address: I2CAddress, _ operation: BusError.Operation, _ register: UInt8
  ) throws(BusError) {
    if selected == address.rawValue { return }
    let result = clinuxio_i2c_select(descriptor, UInt16(address.rawValue))
    if result < 0 { throw failure(-result, operation, address, register) }
    selected = address.rawValue
  }

  private mutating func failure(
    _ code: Int32, _ operation: BusError.Operation, _ address: I2CAddress, _ register: UInt8
  ) -> BusError {
    let error = BusError(
      BusError.Kind(errno: code), operation, address: address, register: register, errno: code)
    noticeFailure(error.kind)
    return error
  }

  /// Checks that no kernel driver owns the chip at `address`. Makes no transfer.
  ///
  /// `I2C_RDWR` lets two masters interleave without a warning; `I2C_SLAVE` is the kernel's only check. It reserves
  /// nothing.
  ///
  /// - Throws: ``LinuxIOError`` with the command that frees the chip.
  public mutating func claim(_ address: I2CAddress) throws(LinuxIOError) {
    let answer = clinuxio_i2c_select(descriptor, UInt16(address.rawValue))
    guard answer != 0 else {
      selected = address.rawValue
      return
    }
    throw claimRefused(-answer, address)
  }

  private func claimRefused(_ code: Int32, _ address: I2CAddress) -> LinuxIOError {
    let device = SystemTree.device(bus: number, address: address)
    let attempt = Attempt(
      attempt: "claiming chip \(address) on I2C bus \(number)",
      place: tree.path("/sys/bus/i2c/devices/\(device)"))
    guard code == EBUSY else { return attempt.refused(code, "Look for the adapter in `dmesg`.") }
    let chip = tree.i2cDeviceName(bus: number, address: address).map { " as a \($0)" } ?? ""
    guard let driver = tree.i2cDriver(bus: number, address: address) else {
      return attempt.error(
        "a kernel driver holds the chip\(chip)", code,
        "Find it with `ls -l /sys/bus/i2c/devices/*/driver` and unbind it.")
    }
    var remedy = "Free it with `echo \(device) | sudo tee /sys/bus/i2c/drivers/\(driver)/unbind`."
    if let boot = BootConfiguration(tree), let overlay = boot.sensorOverlay {
      remedy += " To free it for good, remove the line `\(overlay)` from \(boot.path)."
    }
    return attempt.error("the kernel driver \(driver) holds the chip\(chip)", code, remedy)
  }
}
