/// A recording as a list knows it without opening it.
public struct ListEntry: Hashable, Sendable {
  /// Its number.
  public var number: UInt32
  /// What it is recognised by when the list is read anew: its file's name.
  public var key: String

  /// A recording.
  public init(number: UInt32, key: String) {
    self.number = number
    self.key = key
  }
}

/// What a list says of a recording, in words made elsewhere; made for those in sight alone.
public struct ListDetails: Equatable, Sendable {
  /// Start in local time, such as `2026-11-21 15:04:11`.
  public var started: String
  /// The zone's offset at the start, such as `+01:00`.
  public var zone: String
  /// Such as `1:00`.
  public var length: String
  /// The chip.
  public var sensor: String
  /// Samples a second, such as `100`.
  public var hertz: String
  /// `complete`, `recovered`, …
  public var state: String
  /// Runs of ticks without samples; `-` for none.
  public var gaps: String
  /// Such as `12 kB`.
  public var size: String
  /// The user's words, or what is wrong.
  public var note: String
  /// Whether something is wrong.
  public var isAlert: Bool

  /// Details.
  public init(
    started: String, zone: String, length: String, sensor: String, hertz: String, state: String,
    gaps: String, size: String, note: String, isAlert: Bool
  ) {
    self.started = started
    self.zone = zone
    self.length = length
    self.sensor = sensor
    self.hertz = hertz
    self.state = state
    self.gaps = gaps
    self.size = size
    self.note = note
    self.isAlert = isAlert
  }
}
