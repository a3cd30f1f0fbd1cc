package import IMUDrivers
package import IMUModel
package import LinuxIO

/// What uses a sensor: it is given one of whatever type on whatever clock, identified and not yet brought up.
package protocol SensorUser {
  associatedtype Outcome
  func use<Sensor: IMUSensor & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending Sensor, clock: Clock, boardTitle: String
  ) throws -> Outcome
}

/// Where the sensor comes from: a bus of this machine, or a simulator. Opening may hang in the kernel for as long as a bus
/// does, and throws what a user can do about it.
package protocol SensorSource: Sendable {
  func open<User: SensorUser>(for user: User) throws -> User.Outcome
}

/// A configuration with everything that it leaves to the program filled in: what `record` and the service run with.
package struct RecorderSetup: Sendable {
  package let configuration: RecorderConfiguration
  package let sensor: any SensorSource
  /// The directory of recordings.
  package let store: String
  package let button: GPIOLineSpec?
  package let light: GPIOLineSpec?
  /// For one recording alone, which begins at once: what there is of space is used, and an empty recording is kept too.
  package let isSingle: Bool

  package init(
    _ configuration: RecorderConfiguration, sensor: any SensorSource, store: String,
    button: GPIOLineSpec? = nil, light: GPIOLineSpec? = nil, isSingle: Bool = false
  ) {
    (self.configuration, self.sensor, self.store) = (configuration, sensor, store)
    (self.button, self.light, self.isSingle) = (button, light, isSingle)
  }

  package var rate: SampleRate { configuration.rate }

  /// Ticks before a press that go in front of a recording.
  var ticksBefore: UInt64 { rate.ticks(inNanoseconds: configuration.preTrigger) }

  /// Ticks of a recording from the press on; `nil` until stopped.
  package var ticksAfter: UInt64? { configuration.length.map { rate.ticks(inNanoseconds: $0) } }

  /// Ticks that are kept while no recording runs.
  var historyTicks: Int { Int(RecorderConfiguration.historyCapacity(rate)) }

  /// How often a recording is made durable, in nanoseconds. A second is at risk, or ten where a recording has no end and
  /// a second is only a few samples: at 10 Hz a sync costs the card a page however few samples it carries.
  var syncInterval: Int64 {
    if let interval = configuration.syncInterval { return interval }
    return configuration.length == nil && rate.hertz <= 10 ? 10_000_000_000 : 1_000_000_000
  }

  /// What the log's header says of a recording that begins now; its number and its ticks are yet to come.
  func header(
    of start: SensorStart, from origin: RecordingOrigin, realTime: String, cpuLatency: String
  ) -> RecordingDescription {
    RecordingDescription(
      id: origin.makeID(), number: 0, rate: start.schedule.rate,
      channels: configuration.channels, plannedTicks: nil, timeUnit: RecorderSetup.timeUnit,
      sensor: start.sensor, board: start.boardTitle, host: origin.host,
      software: origin.software, note: configuration.note, syncInterval: syncInterval,
      realTime: realTime, cpuLatency: cpuLatency)
  }

  /// Sample times are kept to a microsecond: a read takes hundreds of them, and a nanosecond's digits would
  /// be noise that costs the log more than a byte a sample.
  static var timeUnit: Int64 { 1000 }

  /// From the end of bring-up to tick 0: time for the threads to be at their places.
  static var lead: Int64 { 2_000_000 }
}

extension SampleRate {
  /// Every tick whose deadline lies inside the time: 600 in 60 s at 10 Hz.
  package func ticks(inNanoseconds nanoseconds: Int64) -> UInt64 {
    nanoseconds > 0 ? tick(atNanoseconds: nanoseconds - 1) + 1 : 0
  }
}

/// What a recording's header says of where it comes from.
package struct RecordingOrigin {
  /// A new identity for each recording.
  package var makeID: () -> RecordingID = {
    var generator = SystemRandomNumberGenerator()
    return .random(using: &generator)
  }
  /// The machine's name.
  package var host = SystemTree.live.hostName() ?? ""
  /// The program and its version.
  package var software = Software.name

  /// This machine and this program.
  package init() {}
}

/// The time that a recorder goes by: the kernel's clocks, or those of a simulation.
package struct RecorderClock: Sendable {
  /// The present instant.
  package let now: @Sendable () -> MonotonicTime
  /// The same on both clocks.
  package let reading: @Sendable () -> ClockReading

  package init(
    now: @escaping @Sendable () -> MonotonicTime, reading: @escaping @Sendable () -> ClockReading
  ) {
    (self.now, self.reading) = (now, reading)
  }

  /// The kernel's.
  package static let system = RecorderClock {
    SystemClock().now()
  } reading: {
    let clocks = SystemClock().readWallClock()
    return ClockReading(
      monotonic: clocks.monotonic, wall: clocks.wall, isSynchronised: clocks.isSynchronised)
  }
}

/// Where a recorder reports what happens, in sentences for a person.
package typealias Journal = @Sendable (JournalPriority, String) -> Void

/// How much a sentence matters, as syslog(3) counts.
package enum JournalPriority: Int, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case information = 6
}
