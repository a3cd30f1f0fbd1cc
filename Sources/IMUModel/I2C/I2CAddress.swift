/// A 7-bit bus address, right-aligned: 0x68, not the 0xD0 or 0xD1 that goes over the wire.
///
/// Data sheets that speak of an "8-bit address" or of a "read address" mean this one shifted left by a
/// bit. 0x00–0x07 and 0x78–0x7F are reserved (I2C-bus specification UM10204, section 3.1.12).
public struct I2CAddress: Hashable, Sendable, BitwiseCopyable {
  /// 0x08...0x77.
  public let rawValue: UInt8

  /// The address, or `nil` when it is reserved or has more than 7 bits.
  public init?(_ rawValue: UInt8) {
    guard (0x08...0x77).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  /// An address known to be right when the program is written; traps when it is not.
  public init(known rawValue: UInt8) {
    precondition((0x08...0x77).contains(rawValue), "not a 7-bit bus address")
    self.rawValue = rawValue
  }
}

extension I2CAddress: CustomStringConvertible {
  /// Hexadecimal, such as `0x68`.
  public var description: String {
    "0x" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16)
  }
}
