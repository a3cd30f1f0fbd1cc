/// What an adapter can do, as it answers to `I2C_FUNCS` (`linux/i2c.h`, I2C_FUNC_*).
///
/// Only the abilities that this program uses have names.
public struct I2CFunctions: OptionSet, Sendable {
  /// The kernel's mask.
  public let rawValue: UInt64

  /// Abilities by the kernel's mask.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// I2C_FUNC_I2C: messages of any length with a repeated START between them.
  public static let plainI2C = I2CFunctions(rawValue: 0x0000_0001)
  /// I2C_FUNC_SMBUS_WRITE_BYTE_DATA: one byte to a register.
  public static let smbusWriteByteData = I2CFunctions(rawValue: 0x0010_0000)
  /// I2C_FUNC_SMBUS_READ_I2C_BLOCK: up to 32 consecutive registers.
  public static let smbusReadI2CBlock = I2CFunctions(rawValue: 0x0400_0000)
}

/// How this program speaks to chips behind an adapter.
public enum I2CAccess: Equatable, Sendable {
  /// `I2C_RDWR`: one transfer of any length, with a repeated START.
  case combined
  /// SMBus calls of libi2c, for adapters that know nothing else: pieces of up to 32 bytes.
  case smbusBlocks

  /// Plain I2C where the adapter can; SMBus where it cannot; `nil` where it can do neither.
  public init?(_ functions: I2CFunctions) {
    if functions.contains(.plainI2C) {
      self = .combined
    } else if functions.contains([.smbusReadI2CBlock, .smbusWriteByteData]) {
      self = .smbusBlocks
    } else {
      return nil
    }
  }
}
