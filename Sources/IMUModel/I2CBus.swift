// SPDX-License-Identifier: Apache-2.0

import Glibc
import Text

/// A bus on which this program is the controller, of a Linux adapter or of simulated chips. A driver owns its bus.
///
/// All calls run on the sampler thread: a conforming type neither allocates nor locks nor waits for anything but the bus,
/// and bounds the time of a call. It does not retry; that is the caller's policy.
public protocol I2CBus: ~Copyable {
  /// Reads consecutive registers in one transfer.
  ///
  ///     START address+W  register  repeated START  address+R  data … data  NACK STOP
  ///
  /// - Parameter buffer: Filled entirely; undefined when the call throws.
  /// - Throws: ``BusError``; no register was changed.
  mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError)

  /// Writes one register.
  ///
  ///     START address+W  register  value STOP
  ///
  /// - Throws: ``BusError``; whether the register was written is then unknown.
  mutating func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError)

  /// Takes the oldest edge that waits on the line from the chip's interrupt output, if one is wired.
  mutating func nextEdge() -> InterruptEdge?

  /// The most bytes that one transfer can read. A longer read may be several transfers, which matters where a read takes
  /// data out of the chip.
  var longestRead: Int { get }
}

/// A rising edge of the line from a chip's interrupt output.
public struct InterruptEdge: Equatable, Sendable, BitwiseCopyable {
  /// The kernel's stamp, which is not before the edge.
  public var time: MonotonicTime
  /// Whether the kernel had no room for edges before it.
  public var followsLoss: Bool

  /// An edge.
  public init(time: MonotonicTime, followsLoss: Bool = false) {
    (self.time, self.followsLoss) = (time, followsLoss)
  }
}

extension I2CBus where Self: ~Copyable {
  /// No line is wired.
  @inlinable
  public mutating func nextEdge() -> InterruptEdge? { nil }

  /// 8192 bytes, as Linux has it.
  @inlinable
  public var longestRead: Int { 8192 }

  /// Reads one register.
  @inlinable
  public mutating func read(_ address: I2CAddress, register: UInt8) throws(BusError) -> UInt8 {
    var value: UInt8 = 0
    // Safe: the pointer covers exactly `value` and does not leave the closure, which cannot throw a typed error through
    // `withUnsafeMutableBytes`, hence the result.
    let result = withUnsafeMutableBytes(of: &value) { bytes in
      Result { () throws(BusError) in try read(address, register: register, into: bytes) }
    }
    try result.get()
    return value
  }
}

/// A 7-bit bus address, right-aligned: 0x68, not the 0xD0 or 0xD1 that goes over the wire.
///
/// The "8-bit address" or "read address" of some data sheets is this one shifted left by a bit. 0x00–0x07 and 0x78–0x7F are
/// reserved (I2C-bus specification UM10204, section 3.1.12).
public struct I2CAddress: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// 0x08...0x77.
  public let rawValue: UInt8

  /// The address, or `nil` when it is reserved or has more than 7 bits.
  public init?(_ rawValue: UInt8) {
    guard (0x08...0x77).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  /// An address known at compile time to be valid; traps otherwise.
  public init(known rawValue: UInt8) {
    precondition((0x08...0x77).contains(rawValue), "not a 7-bit bus address")
    self.rawValue = rawValue
  }

  /// Hexadecimal, such as `0x68`.
  public var description: String { "0x" + Plain.hexadecimal(rawValue) }
}

/// A failed transfer: the operation, the place and the cause. A plain value, so that throwing one allocates nothing.
public struct BusError: Error, Equatable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// Why, in the words of the I2C specification.
  public enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// No chip acknowledged the address, or a byte of data: chip absent, unpowered, booting or hung.
    case noAcknowledge
    /// Another controller, or noise, won the bus. Worth a retry.
    case arbitrationLost
    /// The clock or the data line was held low for longer than the adapter waits.
    case timeout
    /// The bus, or the address, is in use.
    case busy
    /// START or STOP at a wrong moment, a short transfer, or an adapter's unspecific failure.
    case bus
    /// The adapter cannot do this transfer: a programming error, or an adapter that is too limited.
    case unsupported
    /// The device node is gone: the adapter was unplugged.
    case gone
  }

  /// The kinds of transfer.
  public enum Operation: UInt8, Sendable, BitwiseCopyable {
    /// A register burst read.
    case read
    /// A register write.
    case write
  }

  /// Why it failed.
  public var kind: Kind
  /// The attempted transfer.
  public var operation: Operation
  /// The chip.
  public var address: I2CAddress
  /// The first register.
  public var register: UInt8
  /// The kernel's errno, or 0 when no kernel took part.
  public var errno: Int32

  /// A failed transfer.
  public init(
    _ kind: Kind, _ operation: Operation, address: I2CAddress, register: UInt8, errno: Int32 = 0
  ) {
    (self.kind, self.operation, self.errno) = (kind, operation, errno)
    (self.address, self.register) = (address, register)
  }

  /// Whether the same transfer may succeed when it is repeated at once.
  @inlinable
  public var isTransient: Bool {
    switch kind {
    case .noAcknowledge, .arbitrationLost, .bus: return true
    case .timeout, .busy, .unsupported, .gone: return false
    }
  }

  /// One clause, such as `reading register 0x3b of chip 0x68: no chip acknowledged (errno 121)`.
  public var description: String {
    let verb = operation == .read ? "reading" : "writing"
    let place = "register 0x\(Plain.hexadecimal(register)) of chip \(address)"
    let code = errno == 0 ? "" : " (errno \(errno))"
    return "\(verb) \(place): \(kind.meaning)\(code)"
  }
}

extension BusError.Kind {
  /// The meaning of the error number with which an adapter's driver ended a transfer
  /// (Linux Documentation/i2c/fault-codes.rst and the drivers named below).
  public init(errno code: Int32) {
    switch code {
    // ENXIO: the address was not acknowledged, on most adapters. EREMOTEIO: address or data was
    // not, on i2c-bcm2835 (Raspberry Pi 0 to 4; in Raspberry Pi's own kernel a read ends in EIO)
    // and designware (Raspberry Pi 5).
    case ENXIO, EREMOTEIO:
      self = .noAcknowledge
    case EAGAIN:  // another controller, or noise
      self = .arbitrationLost
    case ETIMEDOUT:  // no completion, a line is held low
      self = .timeout
    case EBUSY,  // the bus did not become free; I2C_SLAVE: a driver owns the address
      ESHUTDOWN:  // the adapter is suspended (i2c-core)
      self = .busy
    case EOPNOTSUPP,  // a mix of messages that the adapter cannot do, or an unknown SMBus size
      EINVAL, ENOSYS, EPROTONOSUPPORT:
      self = .unsupported
    case ENODEV, EBADF, ENOTTY:  // unplugged, or never an adapter
      self = .gone
    // EIO, EPROTO, EOVERFLOW, EBADMSG, ENOMEM, EINTR: this transfer failed, the next one may not.
    default:
      self = .bus
    }
  }

  /// The meaning in a few words.
  public var meaning: String {
    switch self {
    case .noAcknowledge: return "no chip acknowledged"
    case .arbitrationLost: return "arbitration lost"
    case .timeout: return "the bus timed out, a line is held low"
    case .busy: return "the bus or the address is in use"
    case .bus: return "bus error"
    case .unsupported: return "the adapter cannot do this transfer"
    case .gone: return "the adapter is gone"
    }
  }
}
