// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The units of exported values. Raw values are command-line names.
public enum ExportUnits: String, CaseIterable, Sendable {
  /// m/s², rad/s and °C.
  case si
  /// g, °/s and °C.
  case gDps = "g-dps"
  /// The chip's counts, temperature too.
  case raw
}

/// How a table's times are written. Raw values are command-line names.
public enum ExportTime: String, CaseIterable, Sendable {
  /// Seconds from the first scheduled tick, with nine decimals.
  case seconds
  /// Seconds since 1970, with nine decimals.
  case unix
  /// Date and time of day in UTC.
  case utc
  /// Date and time of day in the machine's time zone, with its offset from UTC.
  case local

  /// The name of the column.
  var name: String { self == .seconds ? "t_s" : self == .unix ? "unix_s" : "time_\(rawValue)" }

  /// Whether it needs the date of the recording.
  var isDate: Bool { self != .seconds }
}

/// Which sensors of a recording are exported. Raw values are command-line names.
public enum ExportChannels: String, CaseIterable, Sendable {
  /// The accelerometer's axes.
  case accel
  /// The gyroscope's axes.
  case gyro
  /// Every channel that the recording has, temperature too.
  case both

  var mask: ChannelSet {
    switch self {
    case .accel: .accelerometer
    case .gyro: .gyroscope
    case .both: .all
    }
  }

  var sensorName: String { self == .gyro ? "gyroscope" : "accelerometer" }
}

/// What a format without times has for the ticks without a sample. Raw values are command-line names.
public enum ExportFill: String, CaseIterable, Sendable {
  /// The sample before them, once for each, so that sample i is i periods after the first.
  case hold
  /// Nothing: later samples move forward.
  case leaveOut = "none"
}

/// What a table has for the ticks without a sample. Raw values are command-line names.
public enum ExportGaps: String, CaseIterable, Sendable {
  /// Nothing.
  case leaveOut = "none"
  /// A row for each run of them, at the first: its cause and length, and no values.
  case rows
}

/// What to export and how. The same log with the same options gives the same bytes.
public struct ExportOptions: Equatable, Sendable {
  /// The format.
  public var format: ExportFormat
  /// The units of values; `nil` is those of the format.
  public var units: ExportUnits?
  /// The sensors; `nil` is all that the format holds: both, for gyrodata the accelerometer if there is one.
  public var channels: ExportChannels?
  /// Nanoseconds since tick 0's deadline: samples before it are left out.
  public var from: Int64?
  /// Nanoseconds since tick 0's deadline: samples at it and after it are left out.
  public var to: Int64?
  /// The fill for ticks without a sample in formats without times; `nil` refuses recordings that have some.
  public var fill: ExportFill?
  /// The rows for ticks without a sample; `nil` leaves them out.
  public var gaps: ExportGaps?
  /// Whether each sample has the earliest and the latest instant at which the chip can have made it.
  public var hasUncertainty = false
  /// Whether the samples of a chip that keeps the time are resampled to the exact grid of the nominal rate.
  public var isResampled = false
  /// Whether each sample has the sensor's orientation, as a quaternion.
  public var hasOrientation = false
  /// Whether each sample has the acceleration without gravity: in g with ``ExportUnits/gDps``, else in m/s².
  public var hasLinear = false
  /// Whether ``ExportFormat/html`` shows vibration and noise.
  public var hasAnalysis = false
  /// Whether the sensor's errors are taken out, by ``calibration``, or the one in the log's header.
  public var isCalibrated = false
  /// The calibration to use instead of the header's.
  public var calibration: SensorCalibration?
  /// How the times of ``ExportFormat/csv`` are written; `nil` for nanoseconds from the first scheduled tick.
  public var time: ExportTime?
  /// Whether the columns of ``ExportFormat/csv`` have their units in their names: `ax_mps2`.
  public var hasUnitNames = false
  /// Whether ``ExportFormat/csv`` begins with the facts of the header, in lines that begin with `# `.
  public var hasPreamble = false
  /// The key that signs ``ExportFormat/edgeImpulse``; `nil` leaves it unsigned.
  public var hmacKey: [UInt8]?
  /// The recording's labels, in their order.
  public var labels: [RecordingLabel] = []
  /// Whether the recording's labels could be read; where they could not, ``labels`` is empty.
  public var areLabelsKnown = true
  /// Nanoseconds from the first tick of a take to the recording's own, where the lines of all are in one table: their times
  /// and ``from`` and ``to`` count from that tick. `nil` for a recording alone.
  public var takeDelay: Int64?
  /// The rate of the grid of all recordings of a take, which begins with the take's first tick; `nil` for the recording's own.
  public var takeGrid: SampleRate?
  /// Whether rows have a column of labels.
  public var hasLabels = false
  /// Whether ``ExportFormat/parquet`` has the same columns for every recording: all channels, marks, times in UTC, and the
  /// recording's UUID. Of an undated recording, times are from 1970 on.
  public var isForHub = false
  /// The recording's number in its store; `nil` for that in the log's header, which is the other store's in a copied log.
  public var number: UInt32?
  /// Whether a program is writing the recording, so that its end is not missing but yet to come.
  public var isLive = false

  /// Options; the defaults export the whole recording as JSON in SI units.
  public init(
    format: ExportFormat = .json, units: ExportUnits? = nil, channels: ExportChannels? = nil,
    from: Int64? = nil, to: Int64? = nil
  ) {
    (self.format, self.units, self.channels, self.from, self.to) = (
      format, units, channels, from, to
    )
  }

  /// The calibration that is applied to a recording's values; `nil` for none.
  func calibration(of description: RecordingDescription) -> SensorCalibration? {
    let usesField = description.sensor.field != nil && (hasOrientation || hasField(description))
    return chosenCalibration(of: description)?.limited(
      to: description.channels, hasField: usesField)
  }

  /// Whether the output has the values of a recording's magnetometer.
  func hasField(_ log: RecordingDescription) -> Bool {
    log.sensor.field != nil
      && (format == .json
        || [.csv, .ndjson, .parquet, .mcap, .html].contains(format) && channels ?? .both == .both
          && !isResampled && !isForHub)
  }

  /// The calibration that is to be applied, whether or not the recording has the values for it.
  func chosenCalibration(of description: RecordingDescription) -> SensorCalibration? {
    isCalibrated ? calibration ?? description.calibration : nil
  }

  /// The options that are given and that not every format has a place for.
  var given: [ExportOption] {
    let all: [(ExportOption, Bool)] = [
      (.fill, fill != nil), (.gaps, gaps != nil), (.time, time != nil), (.unitNames, hasUnitNames),
      (.preamble, hasPreamble), (.labels, hasLabels), (.grid, isResampled),
      (.uncertainty, hasUncertainty), (.orientation, hasOrientation), (.linear, hasLinear),
      (.analysis, hasAnalysis), (.hmacKeyFile, hmacKey != nil), (.take, takeDelay != nil),
    ]
    return all.filter(\.1).map(\.0)
  }

  /// The option for columns that are computed from a whole recording.
  var derivedOption: String? { hasOrientation ? "--orientation" : hasLinear ? "--linear" : nil }

  /// What changes or selects samples, which ``ExportFormat/raw`` refuses: it has the log's bytes unchanged.
  var selection: String? {
    if isCalibrated { return calibration == nil ? "--calibrated" : "--calibration" }
    if from != nil || to != nil { return "a time range" }
    return channels ?? .both == .both ? nil : "--channels"
  }
}
