public import IMUModel

/// What a ``LogReader`` gives, in the order of the log.
public enum LogItem: Equatable, Sendable {
  /// That many samples; they are in the reader's block until the next item is asked for.
  case samples(Int)
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
  /// A part that cannot be read; what follows is read again.
  case damage(Damage)
}
