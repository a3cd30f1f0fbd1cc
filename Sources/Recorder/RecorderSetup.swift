// SPDX-License-Identifier: Apache-2.0

package import IMUDrivers
package import IMUModel
package import LinuxIO

/// Uses a sensor of any type on any clock, identified and not yet brought up.
package protocol SensorUser {
  associatedtype Outcome
  func use<Sensor: IMUSensor & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending Sensor, busClock: BusClock, clock: Clock, boardTitle: String
  ) throws -> Outcome

  /// Uses a chip that dates its samples.
  func use<Bus: I2CBus & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending FIFOSensor<Bus>, busClock: BusClock, clock: Clock,
    boardTitle: String
  ) throws -> Outcome
}

/// Opens a sensor on a bus, or a simulator. Opening may hang in the kernel as long as the bus does.
package protocol SensorSource: Sendable {
  func open<User: SensorUser>(for user: User) throws -> User.Outcome
}

/// The complete settings of a recorder: a configuration, and the choices that it leaves to the program.
package struct RecorderSetup: Sendable {
  package let configuration: RecorderConfiguration
  package let sensor: any SensorSource
  /// The user's name for the sensor; empty for none.
  package var name = ""
  /// Its bus, such as `i2c-1` or `i2c-1/mux@70/3`; empty when not known.
  package var busPath = ""
  /// The other sensors of a take, with settings of their own, in the user's order.
  package var companions: [RecorderSetup] = []
  package let store: String
  package let button: GPIOLineSpec?
  package let light: GPIOLineSpec?
  /// The sensor's calibration, copied into each header.
  package let calibration: SensorCalibration?
  /// Whether there is one recording, which begins at once: it may use all free space, and is kept even if empty.
  package let isSingle: Bool

  package init(
    _ configuration: RecorderConfiguration, sensor: any SensorSource, store: String,
    button: GPIOLineSpec? = nil, light: GPIOLineSpec? = nil,
    calibration: SensorCalibration? = nil, isSingle: Bool = false
  ) {
    (self.configuration, self.sensor, self.store) = (configuration, sensor, store)
    (self.button, self.light, self.isSingle) = (button, light, isSingle)
    self.calibration = calibration
  }

  /// The setup of a take, of those of its sensors in the user's order; one at least.
  package static func take(_ sensors: [RecorderSetup]) -> RecorderSetup {
    var first = sensors[0]
    first.companions = Array(sensors.dropFirst())
    return first
  }

  package var rate: SampleRate { configuration.rate }

  /// The setup of each sensor, this one first.
  var members: [RecorderSetup] { [self] + companions }

  /// ``busPath``; `nil` when not known.
  var bus: BusPath? { BusPath(busPath) }

  /// The places in ``members`` of the sensors on each of the computer's buses, with the channels behind it: they are read one
  /// after the other, and those of another bus at the same time. Those whose bus is not known count as on one.
  var membersByBus: [[Int]] {
    Dictionary(grouping: members.indices) { members[$0].bus?.root }.values
      .sorted { $0[0] < $1[0] }
  }

  /// The rate of the fastest sensor.
  var fastestRate: SampleRate {
    members.map(\.rate).reduce(rate) { $0.hertz < $1.hertz ? $1 : $0 }
  }

  /// Ticks before a press that go in front of a recording.
  var ticksBefore: UInt64 { rate.ticks(inNanoseconds: configuration.preTrigger) }

  /// Ticks of a recording from the press on; `nil` until stopped.
  package var ticksAfter: UInt64? { configuration.length.map { rate.ticks(inNanoseconds: $0) } }

  /// Ticks that are kept between recordings.
  var historyTicks: Int { Int(RecorderConfiguration.historyCapacity(rate)) }

  /// Nanoseconds between two syncs: a second, or ten for slow recordings without an end: a sync costs the card a page.
  var syncInterval: Int64 {
    if let interval = configuration.syncInterval { return interval }
    return configuration.length == nil && rate.hertz <= 10 ? 10_000_000_000 : 1_000_000_000
  }

  /// The order of a recording in the ticks of this sensor, which may have another rate than the first one.
  func order(_ order: RecordingOrder, isFirst: Bool) -> RecordingOrder {
    var order = order
    guard !isFirst else { return order }
    order.ownTick = nil
    // Without ticks after it, it is what the history has.
    if order.ticksAfter != 0 { (order.ticksBefore, order.ticksAfter) = (ticksBefore, ticksAfter) }
    return order
  }

  /// The headers of the logs of a recording that begins now, one for each sensor.
  func headers(
    of start: SensorStart, from origin: RecordingOrigin, realTime: String, cpuLatency: String,
    begunBy reason: StartReason
  ) -> [RecordingDescription] {
    let members = members
    let take = members.count > 1 ? origin.makeID() : nil
    return zip(members, start.members).enumerated().map { index, member in
      var header = member.0.header(
        of: member.1, from: origin, realTime: realTime, cpuLatency: cpuLatency, begunBy: reason)
      (header.sensorName, header.busPath) = (member.0.name, member.0.busPath)
      header.take = take.flatMap { TakePlace(id: $0, index: index, count: members.count) }
      return header
    }
  }

  /// The log's header of a recording that begins now, still without its number and its ticks.
  func header(
    of start: SensorStart, from origin: RecordingOrigin, realTime: String, cpuLatency: String,
    begunBy reason: StartReason
  ) -> RecordingDescription {
    var header = RecordingDescription(
      id: origin.makeID(), number: 0, rate: start.schedule.rate,
      channels: configuration.channels, plannedTicks: nil, timeUnit: RecorderSetup.timeUnit,
      sensor: start.sensor, board: start.boardTitle, host: origin.host,
      software: origin.software, note: configuration.note, syncInterval: syncInterval,
      realTime: realTime, cpuLatency: cpuLatency, clock: start.clock, axes: configuration.axes,
      calibration: isForeign(start.sensor) ? nil : calibration)
    header.busClockMeasured = start.busClock.measured.map { Int($0) }
    header.boot = origin.boot
    // A single recording is begun by whoever starts the program.
    guard !isSingle else { return header }
    header.begunBy = reason
    header.trigger = configuration.trigger.headerWords(preTrigger: configuration.preTrigger)
    header.timetable = configuration.timetable
    return header
  }

  /// Whether the calibration is of another chip than the one that was found.
  func isForeign(_ sensor: SensorDescription) -> Bool {
    calibration.map { $0.sensor != sensor.model } ?? false
  }

  /// The time unit of samples, in nanoseconds: a read takes hundreds of µs, and finer digits would be noise in the log.
  static var timeUnit: Int64 { 1000 }

  /// From the end of bring-up to tick 0: time for the threads to start.
  static var lead: Int64 { 2_000_000 }
}

extension SampleRate {
  /// Every tick whose deadline lies inside the time: 600 in 60 s at 10 Hz.
  package func ticks(inNanoseconds nanoseconds: Int64) -> UInt64 {
    nanoseconds > 0 ? tick(atNanoseconds: nanoseconds - 1) + 1 : 0
  }
}

/// The origin of a recording, for its header.
package struct RecordingOrigin {
  /// A new identity for each recording.
  package var makeID: () -> RecordingID = {
    var generator = SystemRandomNumberGenerator()
    return .random(using: &generator)
  }
  package var host = SystemTree.live.hostName() ?? ""
  package var software = Software.name
  package var boot = SystemTree.live.bootID() ?? ""

  package init() {}
}

/// A recorder's clocks: the kernel's, or those of a simulation.
package struct RecorderClock: Sendable {
  package let now: @Sendable () -> MonotonicTime
  /// The same instant on both clocks.
  package let reading: @Sendable () -> ClockReading

  package init(
    now: @escaping @Sendable () -> MonotonicTime, reading: @escaping @Sendable () -> ClockReading
  ) {
    (self.now, self.reading) = (now, reading)
  }

  package static let system = RecorderClock {
    SystemClock().now()
  } reading: {
    let clocks = SystemClock().readWallClock()
    return ClockReading(
      monotonic: clocks.monotonic, wall: clocks.wall, isSynchronised: clocks.isSynchronised,
      others: ClockPair.Others(
        raw: clocks.raw, boottime: clocks.boottime,
        bracket: UInt32(clamping: 2 * clocks.uncertainty)))
  }
}

/// Receives a recorder's reports, in sentences for a person.
package typealias Journal = @Sendable (JournalPriority, String) -> Void

/// The priority of a report; the raw values are those of syslog (RFC 5424, section 6.2.1).
package enum JournalPriority: Int, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case information = 6
}

/// The ticks of a requested recording.
package struct RecordingOrder: Equatable, Sendable {
  /// The instant of the press or request; the recording's own first tick is the first one from it on.
  package var at: MonotonicTime
  /// A trigger's own first tick: at the instant of a chip's sample the clock's first tick is the next one.
  package var ownTick: UInt64?
  /// Ticks before the own first one to include, as far as the history has them.
  package var ticksBefore: UInt64
  /// Ticks from `at` on after which the recording ends; `nil` for no limit; 0 for only the ticks before.
  package var ticksAfter: UInt64?

  package init(
    at: MonotonicTime, ownTick: UInt64? = nil, ticksBefore: UInt64, ticksAfter: UInt64?
  ) {
    (self.at, self.ownTick) = (at, ownTick)
    (self.ticksBefore, self.ticksAfter) = (ticksBefore, ticksAfter)
  }

  /// The recording's own first tick, and the first one before it that is wanted.
  func ticks(by clock: TickClock) -> (own: UInt64, first: UInt64) {
    if let ownTick { return (ownTick, ownTick - min(ownTick, ticksBefore)) }
    let own = clock.firstTick(from: at)
    return (own, clock.firstTick(ticksBefore, before: own, at: at))
  }
}

/// A recording's ticks, from its first record on.
package struct RecordingPlan: Equatable, Sendable {
  /// Ticks in all; `nil` for no end.
  package var plannedTicks: UInt64?
  package var frame: RecordingFrame
  /// The frames of the other sensors of a take.
  package var companions: [RecordingFrame] = []

  /// When tick 0 was due.
  package var start: MonotonicTime { frame.start }
}

/// A recording's progress, from the ticks in its log.
package struct RecordingProgress: Equatable, Sendable {
  package var tally = TickTally()
  package var lateness = LatenessSummary()
}
