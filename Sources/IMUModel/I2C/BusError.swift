/// A transfer that failed: what was attempted, where, and why.
///
/// A plain value, so that throwing one costs no allocation on the sampler thread.
public struct BusError: Error, Equatable, Sendable, BitwiseCopyable {
  /// Why, in the words of the I2C specification.
  public enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// No chip acknowledged the address, or a byte of data: chip absent, unpowered, booting or upset.
    case noAcknowledge
    /// Another controller, or noise, won the bus. Worth a retry.
    case arbitrationLost
    /// The clock or the data line was held low for longer than the adapter waits.
    case timeout
    /// The bus, or the address, is in use.
    case busy
    /// START or STOP at a wrong moment, a short transfer, or an adapter's unspecific failure.
    case bus
    /// The adapter cannot do the transfer asked for: a programming error, or an adapter too simple.
    case unsupported
    /// The device node is gone: the adapter was unplugged.
    case gone
  }

  /// What was attempted.
  public enum Operation: UInt8, Sendable, BitwiseCopyable {
    /// A register burst read.
    case read
    /// A register write.
    case write
  }

  /// Why it failed.
  public var kind: Kind
  /// What was attempted.
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
    self.kind = kind
    self.operation = operation
    self.address = address
    self.register = register
    self.errno = errno
  }

  /// Whether the same transfer may succeed when it is repeated at once.
  @inlinable
  public var isTransient: Bool {
    switch kind {
    case .noAcknowledge, .arbitrationLost, .bus: return true
    case .timeout, .busy, .unsupported, .gone: return false
    }
  }
}

extension BusError: CustomStringConvertible {
  /// One clause, such as `reading register 0x3b of chip 0x68: no chip acknowledged (errno 121)`.
  public var description: String {
    let verb = operation == .read ? "reading" : "writing"
    let number = String(register, radix: 16)
    let place = "register 0x\(register < 16 ? "0" : "")\(number) of chip \(address)"
    let code = errno == 0 ? "" : " (errno \(errno))"
    return "\(verb) \(place): \(kind.meaning)\(code)"
  }
}

extension BusError.Kind {
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
