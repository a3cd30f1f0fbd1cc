import CLinuxIO
import Clibi2c
import Glibc
public import IMUModel

/// The owner of an open `/dev/i2c-N`: chips behind an adapter of this machine.
///
/// A transfer is one system call (one for each 32 bytes where the adapter knows only SMBus),
/// allocates and locks nothing in this process, and is not repeated. `I2C_RDWR` asks no one whether
/// a kernel driver uses the chip, so call ``claim(_:)`` before the first transfer to an address.
///
/// A node that goes away stays away for this value, unless ``keepOpen(at:chip:every:)`` was asked.
public struct LinuxI2CBus: I2CBus, Sendable, ~Copyable {
  /// N of `/dev/i2c-N`.
  public internal(set) var number: Int
  /// How transfers are made, chosen from what the adapter can do.
  public internal(set) var access: I2CAccess
  /// Whether the adapter took over the time limit it was asked to keep.
  public let isTimeLimited: Bool

  /// The node; -1 while it is gone.
  var descriptor: Int32
  let tree: SystemTree
  /// The chip that SMBus calls speak to, 0 before the first one.
  var selected: UInt8 = 0
  /// Opens the node anew; `nil` when that was not asked.
  var reopening: BusReopening?
  /// Transfers that failed since the last one that did not.
  var failures = 0

  /// Longest read of `I2C_RDWR` (i2c-dev.c). Registers are numbered with 8 bits, so it is never
  /// met.
  static let longestRead = 256

  /// Takes over a descriptor, which is closed with the value.
  init(
    adopting descriptor: Int32, number: Int, access: I2CAccess, isTimeLimited: Bool,
    tree: SystemTree
  ) {
    self.descriptor = descriptor
    self.number = number
    self.access = access
    self.isTimeLimited = isTimeLimited
    self.tree = tree
  }

  deinit {
    reopening?.end()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Reads consecutive registers.
  ///
  /// With ``I2CAccess/smbusBlocks`` a burst of more than 32 bytes is several transfers, between
  /// which the chip may move on. `EINTR` is not retried: it comes only on a thread that leaves
  /// signals unblocked, and then counts as a bus error, which the caller may repeat.
  public mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    guard let start = buffer.baseAddress, (1...Self.longestRead).contains(buffer.count) else {
      throw failure(EINVAL, .read, address, register)
    }
    // Safe: bytes have no alignment and any value is valid, and no one else looks at the caller's
    // buffer while it is lent to this call.
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    if descriptor < 0 { try takeReopened(.read, address, register) }
    switch access {
    case .combined:
      // Safe: `count` is the length of the memory at `bytes`.
      let result = clinuxio_i2c_read(
        descriptor, UInt16(address.rawValue), register, bytes, UInt16(buffer.count))
      if result < 0 { throw failure(-result, .read, address, register) }
    case .smbusBlocks:
      try select(address, .read, register)
      for piece in SMBusPieces(total: buffer.count) {
        // Safe: the piece lies within the buffer.
        let result = i2c_smbus_read_i2c_block_data(
          descriptor, register &+ UInt8(truncatingIfNeeded: piece.offset), UInt8(piece.count),
          bytes + piece.offset)
        if result < 0 { throw failure(-result, .read, address, register) }
        if Int(result) != piece.count { throw failure(EIO, .read, address, register) }
      }
    }
    failures = 0
  }

  /// Writes one register.
  public mutating func write(
    _ address: I2CAddress, register: UInt8, value: UInt8
  ) throws(BusError) {
    if descriptor < 0 { try takeReopened(.write, address, register) }
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
}
