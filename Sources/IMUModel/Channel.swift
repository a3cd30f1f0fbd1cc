/// The channels of a recording, one bit each, in the order in which samples, logs and exports list them.
public struct ChannelSet: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// Bit 0 ax, 1 ay, 2 az, 3 gx, 4 gy, 5 gz, 6 temperature.
  public let rawValue: UInt8

  /// The set with the given bits; bits above 6 are kept and mean nothing.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Acceleration in X, Y and Z.
  public static let accelerometer = ChannelSet(rawValue: 0b000_0111)
  /// Angular rate around X, Y and Z.
  public static let gyroscope = ChannelSet(rawValue: 0b011_1000)
  /// Temperature of the chip.
  public static let temperature = ChannelSet(rawValue: 0b100_0000)
  /// All seven.
  public static let all: ChannelSet = [.accelerometer, .gyroscope, .temperature]

  /// Names in bit order, as used in every export.
  public static let names = ["ax", "ay", "az", "gx", "gy", "gz", "temp"]

  /// The bit positions (0...6) that are set, in order.
  public var indices: [Int] { (0..<7).filter { rawValue & (1 << $0) != 0 } }
}
