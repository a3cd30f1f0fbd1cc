// SPDX-License-Identifier: Apache-2.0

public import Text

/// The facts known about a recording at its start: the log's header.
public struct RecordingDescription: Equatable, Sendable {
  /// The recording's identity.
  public var id: RecordingID
  /// Its number in the store it was made in; 0 when it has none.
  public var number: UInt32
  /// The schedule.
  public var rate: SampleRate
  /// The channels.
  public var channels: ChannelSet
  /// Requested length in ticks; `nil` for "until stopped".
  public var plannedTicks: UInt64?
  /// Resolution of sample times in nanoseconds: each time is a multiple of it. 1, 1000 or 1 000 000.
  public var timeUnit: Int64
  /// The chip and its scales.
  public var sensor: SensorDescription
  /// The board's name, such as `Raspberry Pi 4`, or `simulator`.
  public var board: String
  /// The host's name.
  public var host: String
  /// Name and version of the program, such as `imulog 0.1.0`.
  public var software: String
  /// The user's note, at most 1000 bytes of UTF-8.
  public var note: String
  /// How often the log is made durable, in nanoseconds; 0 when only at the end.
  public var syncInterval: Int64
  /// The real-time rights: `fifo 80, memory locked`, or those that the system refused.
  public var realTime: String
  /// The limit on how deeply processors sleep: `held at 0 µs`, `refused`, or `not held`; empty when not known.
  public var cpuLatency: String
  /// What began a recording of the service; `nil` for one of `record`, and when not known.
  public var begunBy: StartReason?
  /// The motion that begins recordings, such as
  /// `peak 0.5 g above 1 Hz, 2 s before, 5 s after, 0 s pause, 1000 in 24 h at most`; empty for none.
  public var trigger: String
  /// The duty cycle and the calendar that begin recordings, such as `every 600s`; empty for none.
  public var timetable: String
  /// What dates the samples.
  public var clock: ClockSource
  /// The bus's clock as it was measured when the sensor was opened, in hertz: an estimate; `nil` when it was not.
  public var busClockMeasured: Int?
  /// The computer's boot by `/proc/sys/kernel/random/boot_id`; empty when not known. Instants of two logs with one boot are
  /// on the same clocks.
  public var boot = ""
  /// Tick 0 on the kernel's clocks; `nil` when not known.
  public var origin: ClockOrigin?
  /// The user's name for the sensor; empty for none.
  public var sensorName = ""
  /// The bus of the sensor, such as `i2c-1`; empty when not known.
  public var busPath = ""
  /// Its place in a take of several sensors; `nil` for a recording of one.
  public var take: TakePlace?
  /// The recording whose damaged log this one was salvaged from; `nil` for all others.
  public var recoveredFrom: RecordingID?
  /// The sensor's mounting, which exports apply; `nil` for its own axes.
  public var axes: AxisMap?
  /// The sensor's errors, which exports correct on request; `nil` when not known.
  public var calibration: SensorCalibration?
  /// Entries of its header that this version cannot read; they count as missing.
  public var unread: [UnreadEntry] = []

  /// The description of a recording about to begin.
  public init(
    id: RecordingID, number: UInt32, rate: SampleRate, channels: ChannelSet, plannedTicks: UInt64?,
    timeUnit: Int64, sensor: SensorDescription, board: String, host: String, software: String,
    note: String, syncInterval: Int64, realTime: String, cpuLatency: String = "",
    begunBy: StartReason? = nil, trigger: String = "", timetable: String = "",
    clock: ClockSource = .grid, recoveredFrom: RecordingID? = nil, axes: AxisMap? = nil,
    calibration: SensorCalibration? = nil
  ) {
    (self.id, self.number, self.recoveredFrom) = (id, number, recoveredFrom)
    (self.rate, self.plannedTicks, self.timeUnit) = (rate, plannedTicks, timeUnit)
    (self.channels, self.sensor, self.clock) = (channels, sensor, clock)
    (self.board, self.host, self.software, self.note) = (board, host, software, note)
    (self.syncInterval, self.realTime, self.cpuLatency) = (syncInterval, realTime, cpuLatency)
    (self.begunBy, self.trigger, self.timetable) = (begunBy, trigger, timetable)
    (self.axes, self.calibration) = (axes, calibration)
  }

  /// A clause: why the header's entry of a key cannot be read; `nil` when it can, and without an entry.
  public func whyUnread(_ key: String) -> String? { unread.first { $0.key == key }?.reason }

  /// Whether the times, not the rate, place the ticks: they may drift against the rate.
  public var isFreeRunning: Bool { isImported || clock != .grid }

  /// Whether the samples come from a table or document. Their times may begin anywhere and drift against the rate,
  /// so the times, not the rate, place the ticks.
  public var isImported: Bool { sensor.model == SensorDescription.importedModel }

  /// The word for times that have no proof: an imported table claims them.
  public var timeWord: TimeWord { isImported ? .claimed : .estimated }
}

/// The deadline of tick 0 on the kernel's clocks, in nanoseconds.
///
/// Its monotonic instant is exact. The others were computed from it with the clocks' distances when the header was written,
/// which may be minutes later: the log's ``ClockPair``s have these distances as they were.
public struct ClockOrigin: Equatable, Sendable, BitwiseCopyable {
  /// By `CLOCK_MONOTONIC`.
  public var monotonic: Int64
  /// By `CLOCK_MONOTONIC_RAW`.
  public var raw: Int64
  /// By `CLOCK_BOOTTIME`, which runs on while the computer is suspended.
  public var boottime: Int64

  /// An origin.
  public init(monotonic: Int64, raw: Int64, boottime: Int64) {
    (self.monotonic, self.raw, self.boottime) = (monotonic, raw, boottime)
  }
}

/// An entry of a log's header that this version cannot read: a later version, or another program, wrote it. A copy of the
/// header keeps it.
public struct UnreadEntry: Equatable, Sendable {
  /// Such as `calibration`.
  public let key: String
  /// Its text.
  public let value: String
  /// A clause.
  public let reason: String

  /// An entry as it was found.
  public init(key: String, value: String, reason: String) {
    (self.key, self.value, self.reason) = (key, value, reason)
  }
}

/// What dates the samples of a recording.
public enum ClockSource: Equatable, Sendable {
  /// The computer reads the chip at the ticks of a grid.
  case grid
  /// The chip makes samples by its own clock; their instants are computed from readings of its FIFO's fill. The bus clock in
  /// hertz is `nil` when not known.
  case chip(busClock: Int?)
}

/// The program's name in headers and documents.
public enum Software {
  /// By semantic versioning.
  public static let version = "0.1.0"
  /// Name and version.
  public static let name = "imulog \(version)"
}
