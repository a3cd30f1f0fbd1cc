// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Options applied to a recording: its columns, the texts of their values, and the range of time.
struct ExportPlan {
  let options: ExportOptions
  let description: RecordingDescription
  let units: ExportUnits
  /// Positions of the exported channels, in order.
  private(set) var channels: [Int]
  /// The range of time; ``from`` is the least time and ``to`` the greatest one without a bound.
  private(set) var from: Int64
  private(set) var to: Int64
  /// Nanoseconds since tick 0's deadline at which the grid begins: not 0 where an imported recording's times do not
  /// begin there.
  var origin: Int64 = 0
  /// The labels that have an instant in the range, in their order.
  let labels: [RecordingLabel]
  /// The columns that are computed from the whole recording, and their values in the order of rows.
  var derived: DerivedColumns?
  private var texts: [CountTexts]

  /// Throws when a scale cannot be written out.
  init(
    _ options: ExportOptions, _ description: RecordingDescription, mask: ChannelSet,
    units: ExportUnits
  ) throws(ExportError) {
    var numbered = description
    numbered.number = options.number ?? description.number
    (self.options, self.description, self.units) = (options, numbered, units)
    channels = description.channels.intersection(mask).indices
    let (first, end) = (options.from ?? .min, options.to ?? .max)
    (from, to) = (first, end)
    labels = options.labels.filter { $0.to > first && ($0.from < end || end == .max) }.sorted()
    // One for each sensor.
    var tables: [CountTexts?] = [nil, nil, nil]
    for channel in channels where tables[channel / 3] == nil {
      let scale = ExportPlan.scale(ofChannel: channel, units, description.sensor)
      guard let scale else { throw .unusableScale(ofChannel: channel, description.sensor) }
      tables[channel / 3] = CountTexts(scale)
    }
    texts = channels.compactMap { tables[$0 / 3] }
  }

  /// The same plan with the gyroscope's columns first and without temperature.
  func gyroscopeFirst() -> ExportPlan {
    var plan = self
    let order =
      channels.indices.filter { (3...5).contains(channels[$0]) }
      + channels.indices.filter { channels[$0] < 3 }
    plan.channels = order.map { channels[$0] }
    plan.texts = order.map { texts[$0] }
    return plan
  }

  /// The same plan of a part of its range.
  func only(from: Int64, to: Int64) -> ExportPlan {
    var plan = self
    (plan.from, plan.to) = (from, to)
    return plan
  }

  /// The same plan on a grid that begins elsewhere.
  func on(_ origin: Int64) -> ExportPlan {
    var plan = self
    plan.origin = origin
    return plan
  }

  /// A writer of rows in this plan's columns.
  func rowWriter(_ layout: RowLayout) -> RowWriter {
    RowWriter(layout, channels: channels, texts: texts, derived: derived)
  }

  /// For each channel the values of all counts, by their bit patterns: 512 KiB, which the axes of a sensor share.
  var values: [[Double]] {
    var values: [[Double]] = []
    for (index, table) in texts.enumerated() {
      let isShared = index > 0 && texts[index - 1] === table
      values.append(isShared ? values[index - 1] : table.scale.values)
    }
    return values
  }

  /// The name of the time's column, which shows whether values are resampled.
  var timeName: String { options.isResampled ? "t_grid_ns" : "t_ns" }

  /// The columns of times that samples have.
  var timeColumns: [String] {
    (options.format == .parquet ? ["t"] : []) + [options.time?.name ?? timeName]
      + (options.hasUncertainty ? ExportedNames.bounds : [])
  }

  /// Whether rows have columns of a magnetometer's values.
  var hasFieldRows: Bool {
    options.hasField(description) && ![.json, .mcap, .html].contains(options.format)
  }

  /// Whether orientations are referred to magnetic north: where the field is recorded, and corrected.
  var findsNorth: Bool { options.hasOrientation && calibration?.field != nil }

  /// The columns after those of the channels.
  var derivedColumns: [DerivedColumns.Column] { derived?.columns ?? [] }

  /// Names of the columns after the time.
  var columnNames: [String] { channels.map { ChannelSet.names[$0] } }

  /// The calibration that is applied to the values; `nil` for none.
  var calibration: SensorCalibration? { options.calibration(of: description) }

  /// A value of the magnetometer in µT as it is exported.
  func microteslas(_ reading: FieldReading) -> [Double] {
    description.microteslas(reading, without: calibration?.field)
  }
}

// Times.

extension ExportPlan {
  /// Whether some times are not exported.
  var hasRange: Bool { from > .min || to < .max }

  /// Whether a time is exported. The end of a range is outside of it; without a range every time is exported.
  func contains(_ time: Int64) -> Bool {
    time >= from && (time < to || to == .max)
  }

  /// Whether every later time is after the range.
  func isOver(at time: Int64) -> Bool {
    time >= to && to != .max
  }

  /// The part of a gap whose ticks have their deadlines in the range; `nil` when none has.
  func part(of gap: Gap) -> Gap? {
    let range = ticks(upTo: gap.firstTick + gap.count)
    let first = max(gap.firstTick, range.lowerBound)
    guard range.upperBound > first else { return nil }
    return Gap(
      firstTick: first, count: range.upperBound - first, cause: gap.cause, code: gap.code)
  }

  /// The ticks below `end` whose deadlines are in the range.
  func ticks(upTo end: UInt64) -> Range<UInt64> {
    let last = to == .max ? end : min(end, firstTick(atOrAfter: to))
    return min(from == .min ? 0 : firstTick(atOrAfter: from), last)..<last
  }

  /// Nanoseconds since tick 0's deadline.
  func time(ofTick tick: UInt64) -> Int64 { origin &+ description.rate.nanoseconds(atTick: tick) }

  private func firstTick(atOrAfter time: Int64) -> UInt64 {
    let (time, overflow) = time.subtractingReportingOverflow(origin)
    guard !overflow else { return origin < 0 ? .max : 0 }
    guard time > 0 else { return 0 }
    let tick = description.rate.tick(atNanoseconds: time)
    return description.rate.nanoseconds(atTick: tick) == time || tick == .max ? tick : tick + 1
  }

  /// The instant from which people count a recording's time, in nanoseconds as those of samples: 0, or the first
  /// sample of a table whose times begin a day or more from there, as those of a calendar do.
  var zero: Int64 {
    let day: UInt64 = 86_400_000_000_000
    return origin.magnitude >= day ? origin / description.timeUnit * description.timeUnit : 0
  }

  /// Whether the times are those of a calendar, nanoseconds since 1970: they begin after 2001-09-09, at 1e18.
  ///
  /// Only imports of versions before 0.2 have such times, and no wall clock: today's subtract the date of the first sample.
  var isDatedByItself: Bool { zero >= 1_000_000_000_000_000_000 }

  /// Nanoseconds since 1970 at time 0: by the best pair, or 0 where the times are dates themselves.
  func started(_ clock: ClockPair?) -> Int64? {
    clock?.wallAtStart ?? (isDatedByItself ? 0 : nil)
  }

  /// A time as people count it.
  func sinceZero(_ time: Int64) -> Int64 {
    let (difference, overflow) = time.subtractingReportingOverflow(zero)
    return overflow ? (time < 0 ? .min : .max) : difference
  }
}

// Values.

extension ExportPlan {
  /// The line from a channel's counts to values; `nil` for one that cannot be written out.
  ///
  /// Decimals, before trailing zeros are dropped: steps of the finest ranges (2 g: 0.0006 m/s², 125 °/s:
  /// 0.00008 rad/s; 1/340 °C) times at least 70, so that rounding is far below a count.
  static func scale(
    ofChannel channel: Int, _ units: ExportUnits, _ sensor: SensorDescription
  ) -> CountScale? {
    guard units != .raw else { return .counts }
    let scale = sensor.scale(ofChannel: channel)
    return channel < 6
      ? CountScale(scale, times: units.unit(ofChannel: channel).factor, decimals: 6)
      : CountScale(scale, plus: sensor.temperatureOffset, decimals: 4)
  }

  /// The factors and the offset that turn a channel's count into a value.
  func line(
    ofChannel channel: Int, in units: ExportUnits
  ) -> (factors: [Fraction], offset: Fraction) {
    guard units != .raw else { return ([.one], .zero) }
    let scale = description.sensor.scale(ofChannel: channel)
    return channel < 6
      ? ([scale, units.unit(ofChannel: channel).factor], .zero)
      : ([scale], description.sensor.temperatureOffset)
  }

  /// The unit of a channel's values.
  func unit(ofChannel channel: Int) -> ValueUnit { units.unit(ofChannel: channel) }
}

/// A unit of values.
struct ValueUnit {
  /// As exports name it, in letters and digits as a part of a column's name, and for people.
  let name, suffix, symbol: String
  /// What the unit of a log, g or °/s, is in it.
  var factor = Fraction.one
}

extension ExportUnits {
  /// The unit of a channel's values.
  func unit(ofChannel channel: Int) -> ValueUnit {
    switch (self, channel / 3) {
    case (.raw, _): ValueUnit(name: "count", suffix: "count", symbol: "counts")
    case (.si, 0):
      ValueUnit(name: "m/s^2", suffix: "mps2", symbol: "m/s²", factor: .standardGravity)
    case (.si, 1):
      ValueUnit(name: "rad/s", suffix: "radps", symbol: "rad/s", factor: .radiansPerDegree)
    case (.gDps, 0): ValueUnit(name: "g", suffix: "g", symbol: "g")
    case (.gDps, 1): ValueUnit(name: "deg/s", suffix: "dps", symbol: "°/s")
    default: ValueUnit(name: "degC", suffix: "degC", symbol: "°C")
    }
  }
}

extension SensorDescription {
  /// What a count of a channel is: g, °/s or °C.
  func scale(ofChannel channel: Int) -> Fraction {
    [accelerometerScale, gyroscopeScale, temperatureScale][channel / 3]
  }
}
