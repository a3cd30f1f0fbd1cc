public import IMUModel

/// How deep the processors may sleep during a take.
public enum LatencyChoice: Equatable, Sendable {
  /// As the rate needs it.
  case automatic
  /// As deep as they like.
  case free
  /// Only so deep that they wake up within so many microseconds.
  case held(Int32)

  /// What `auto`, `off`, or a number of microseconds up to 10000 means; `nil` for anything else.
  public init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "off": self = .free
    default:
      guard let number = Digits.number(text, upTo: 10_000) else { return nil }
      self = .held(Int32(number))
    }
  }

  /// The longest wake-up in microseconds that is asked for at `rate`; `nil` when none is.
  ///
  /// By itself from 50 Hz on, and then half a thousandth of a period, rounded down: 10 at 50 Hz, 5 at 100 Hz, 0 at
  /// 1 kHz. Slower takes last long and spend their time asleep, on a battery; their ticks can wait.
  public func microseconds(at rate: SampleRate) -> Int32? {
    switch self {
    case .automatic: return rate.hertz >= 50 ? Int32(500 / rate.hertz) : nil
    case .free: return nil
    case .held(let microseconds): return microseconds
    }
  }
}
