// SPDX-License-Identifier: Apache-2.0

/// One sample in the chip's own counts: signed 16-bit register values, not scaled.
///
/// Channels that a recording does not have are 0. ``SensorDescription`` has the scales that turn counts into units.
public struct RawSample: Equatable, Sendable, BitwiseCopyable {
  /// Acceleration along X in counts.
  public var ax: Int16
  /// Acceleration along Y in counts.
  public var ay: Int16
  /// Acceleration along Z in counts.
  public var az: Int16
  /// Angular rate around X in counts.
  public var gx: Int16
  /// Angular rate around Y in counts.
  public var gy: Int16
  /// Angular rate around Z in counts.
  public var gz: Int16
  /// Temperature in counts.
  public var temperature: Int16

  /// A sample from its seven counts; all 0 unless given.
  public init(
    ax: Int16 = 0, ay: Int16 = 0, az: Int16 = 0, gx: Int16 = 0, gy: Int16 = 0, gz: Int16 = 0,
    temperature: Int16 = 0
  ) {
    (self.ax, self.ay, self.az, self.gx, self.gy, self.gz) = (ax, ay, az, gx, gy, gz)
    self.temperature = temperature
  }

  /// The count of a channel by its position in ``ChannelSet``; traps unless 0...6.
  @inlinable
  public subscript(channel: Int) -> Int16 {
    get {
      switch channel {
      case 0: return ax
      case 1: return ay
      case 2: return az
      case 3: return gx
      case 4: return gy
      case 5: return gz
      case 6: return temperature
      default: preconditionFailure("a sample has channels 0 to 6")
      }
    }
    set {
      switch channel {
      case 0: ax = newValue
      case 1: ay = newValue
      case 2: az = newValue
      case 3: gx = newValue
      case 4: gy = newValue
      case 5: gz = newValue
      case 6: temperature = newValue
      default: preconditionFailure("a sample has channels 0 to 6")
      }
    }
  }
}

/// The channels of a recording, one bit each, in the order in which samples, logs and exports list them.
public struct ChannelSet: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// Bit 0 ax, 1 ay, 2 az, 3 gx, 4 gy, 5 gz, 6 temperature.
  public let rawValue: UInt8

  /// The set with the given bits; bits above 6 are kept and mean nothing.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

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
