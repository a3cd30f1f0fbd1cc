/// One sample in the chip's own counts: signed 16-bit register values, not scaled.
///
/// Channels that a recording does not have are 0. The scale that turns counts into units is in
/// ``SensorDescription``.
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
    self.ax = ax
    self.ay = ay
    self.az = az
    self.gx = gx
    self.gy = gy
    self.gz = gz
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
