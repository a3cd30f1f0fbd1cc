public import IMUModel

/// What one step of a ``PageDecoder`` found.
public enum LogRecord: Equatable, Sendable {
  /// Samples; they are in the block that was passed in.
  case samples
  /// A run of ticks without samples.
  case gap(Gap)
  /// A moment that the user marked.
  case mark(Mark)
  /// One instant on two clocks.
  case clock(ClockPair)
  /// Something that happened to the chip.
  case sensor(SensorEvent)
  /// The recording ended here.
  case end(RecordingEnd)
  /// Something that a newer program wrote: intact, and skipped.
  case unknown(kind: UInt8, byteCount: Int)
}

/// What a chunk holds: the upper four bits of its head.
enum ChunkKind {
  static let samples: UInt8 = 1
  static let gaps: UInt8 = 2
  static let mark: UInt8 = 3
  static let clock: UInt8 = 4
  static let sensor: UInt8 = 5
  static let end: UInt8 = 6
  static let header: UInt8 = 7
  static let extended: UInt8 = 15
}
