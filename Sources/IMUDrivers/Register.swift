/// A register as a data sheet lists it.
public struct Register: Sendable {
  /// Its number on the bus.
  public let address: UInt8
  /// Its name in the data sheet.
  public let name: StaticString

  /// A line of a register map.
  @inlinable
  public init(_ address: UInt8, _ name: StaticString) {
    self.address = address
    self.name = name
  }
}

extension Register: Equatable {
  /// Two lines are the same when number and name are.
  public static func == (left: Register, right: Register) -> Bool {
    left.address == right.address && left.name.description == right.name.description
  }
}

extension Register: CustomStringConvertible {
  /// Such as `CTRL3_C (0x12)`.
  public var description: String { "\(name) (\(hexadecimal(address)))" }
}

/// Two hexadecimal digits, such as `0x0f`.
func hexadecimal(_ value: UInt8) -> String {
  "0x" + (value < 16 ? "0" : "") + String(value, radix: 16)
}
