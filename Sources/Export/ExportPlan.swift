// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// Options applied to a recording: its columns, the texts of their values, and the range of time.
package struct ExportPlan {
  let description: RecordingDescription
  let units: ExportUnits
  /// Positions of the exported channels, in order.
  private(set) var channels: [Int]
  private(set) var from: Int64
  private(set) var to: Int64
  private(set) var hasRange: Bool
  /// Whether a program is writing the recording.
  let isLive: Bool
  /// Nanoseconds since tick 0's deadline at which the grid begins: not 0 where an imported recording's times do not
  /// begin there.
  var origin: Int64 = 0
  /// Whether each sample has the earliest and the latest instant at which the chip can have made it.
  let hasBounds: Bool
  /// The calibration that is applied to the values; `nil` for none.
  let calibration: SensorCalibration?
  /// The labels that have an instant in the range, in their order.
  let labels: [RecordingLabel]
  /// Whether the recording's labels could be read.
  let areLabelsKnown: Bool
  /// Whether rows have a column of them.
  let hasLabels: Bool
  /// The columns that are computed from the whole recording, and their values in the order of rows.
  var derived: DerivedColumns?
  /// Whether rows are instants of the grid and not samples.
  let isResampled: Bool
  /// Whether the file is one of a hub's.
  let isForHub: Bool
  private var texts: [CountTexts]

  /// Throws when the recording has none of the channels, or a scale that cannot be written out.
  init(
    _ options: ExportOptions, _ description: RecordingDescription, mask: ChannelSet,
    units: ExportUnits
  )
    throws(ExportError)
  {
    var numbered = description
    numbered.number = options.number ?? description.number
    self.description = numbered
    self.units = units
    channels = description.channels.intersection(mask).indices
    from = options.from ?? .min
    to = options.to ?? .max
    hasRange = options.from != nil || options.to != nil
    isLive = options.isLive
    (hasBounds, isResampled) = (options.hasUncertainty, options.isResampled)
    (hasLabels, isForHub) = (options.hasLabels, options.isForHub)
    calibration = options.calibration(of: description)
    let (first, end) = (from, to)
    areLabelsKnown = options.areLabelsKnown
    labels = options.labels.filter { $0.to > first && ($0.from < end || end == .max) }.sorted()
    var tables: [ChannelSet: CountTexts] = [:]
    var texts: [CountTexts] = []
    for channel in channels {
      let group = ExportPlan.group(ofChannel: channel)
      if let table = tables[group] {
        texts.append(table)
      } else {
        let table = try ExportPlan.table(group, units, description.sensor)
        tables[group] = table
        texts.append(table)
      }
    }
    self.texts = texts
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

  /// A writer of rows in this plan's columns.
  func rowWriter(_ layout: RowLayout) -> RowWriter {
    RowWriter(layout, channels: channels, texts: texts, derived: derived)
  }

  /// The lines from counts to values.
  var scales: [CountScale] { texts.map(\.scale) }

  /// For each channel the values of all counts, by their bit patterns: 512 KiB, which the axes of a sensor share.
  var values: [[Double]] {
    var values: [[Double]] = []
    for (index, table) in texts.enumerated() {
      let isShared = index > 0 && texts[index - 1] === table
      values.append(isShared ? values[index - 1] : table.scale.values)
    }
    return values
  }

  /// The name of the time's column: that of a grid's instant shows that the values are resampled.
  var timeName: String { isResampled ? "t_grid_ns" : "t_ns" }

  /// The keys of these columns in JSON.
  var boundKeys: RowLayout.Bounds? {
    guard hasBounds else { return nil }
    let keys = ExportedNames.bounds.map { ",\"\($0)\":" }
    return RowLayout.Bounds(keys[0], keys[1], unknown: "null")
  }

  /// The columns after those of the channels.
  var derivedColumns: [DerivedColumns.Column] { derived?.columns ?? [] }

  /// Names of the columns after the time.
  var columnNames: [String] { channels.map { ChannelSet.names[$0] } }

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
    let end = gap.firstTick + gap.count
    let first = max(gap.firstTick, from == .min ? 0 : firstTick(atOrAfter: from))
    let last = min(end, to == .max ? end : firstTick(atOrAfter: to))
    guard last > first else { return nil }
    return Gap(firstTick: first, count: last - first, cause: gap.cause, code: gap.code)
  }

  /// The ticks below `end` whose deadlines are in the range.
  func ticks(upTo end: UInt64) -> Range<UInt64> {
    let last = to == .max ? end : min(end, firstTick(atOrAfter: to))
    return min(from == .min ? 0 : firstTick(atOrAfter: from), last)..<last
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

  /// The same plan of a part of its range.
  func only(from: Int64, to: Int64) -> ExportPlan {
    var plan = self
    (plan.from, plan.to, plan.hasRange) = (from, to, true)
    return plan
  }

  /// The same plan on a grid that begins elsewhere.
  func on(_ origin: Int64) -> ExportPlan {
    var plan = self
    plan.origin = origin
    return plan
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

  /// The unit of a channel's values, as exports name it.
  func unitName(ofChannel channel: Int) -> String { unitName(ofChannel: channel, in: units) }

  func unitName(ofChannel channel: Int, in units: ExportUnits) -> String {
    let group = ExportPlan.group(ofChannel: channel)
    switch (units, group) {
    case (.raw, _): return "count"
    case (_, .temperature): return "degC"
    case (.si, .accelerometer): return "m/s^2"
    case (.si, _): return "rad/s"
    case (.gDps, .accelerometer): return "g"
    case (.gDps, _): return "deg/s"
    }
  }

  /// The unit of a channel's values in a column's name: letters and digits only.
  func unitSuffix(ofChannel channel: Int) -> String {
    switch (units, ExportPlan.group(ofChannel: channel)) {
    case (.raw, _): "count"
    case (_, .temperature): "degC"
    case (.si, .accelerometer): "mps2"
    case (.si, _): "radps"
    case (.gDps, .accelerometer): "g"
    case (.gDps, _): "dps"
    }
  }

  private static func group(ofChannel channel: Int) -> ChannelSet {
    switch channel {
    case 0...2: return .accelerometer
    case 3...5: return .gyroscope
    default: return .temperature
    }
  }

  /// Decimals, before trailing zeros are dropped: steps of the finest ranges (2 g: 0.0006 m/s², 125 °/s:
  /// 0.00008 rad/s; 1/340 °C) times at least 70, so that rounding is far below a count.
  private static func table(_ group: ChannelSet, _ units: ExportUnits, _ sensor: SensorDescription)
    throws(ExportError) -> CountTexts
  {
    guard units != .raw else { return CountTexts(.counts) }
    let ratio =
      group == .accelerometer
      ? sensor.accelerometerScale
      : group == .gyroscope ? sensor.gyroscopeScale : sensor.temperatureScale
    guard let scale = scale(group, units, ratio, offset: sensor.temperatureOffset) else {
      throw unusable(group, sensor)
    }
    return CountTexts(scale)
  }

  /// Whether values of these counts can be written out, in SI and in g, °/s.
  package static func isWritable(_ group: ChannelSet, _ ratio: Fraction, offset: Fraction) -> Bool {
    [ExportUnits.si, .gDps].allSatisfy { scale(group, $0, ratio, offset: offset) != nil }
  }

  /// The line from counts to values in units other than counts; `nil` for one that cannot be written out.
  ///
  /// - Parameters:
  ///   - ratio: What a count is, in the units of logs.
  ///   - offset: The temperature of count 0.
  static func scale(
    _ group: ChannelSet, _ units: ExportUnits, _ ratio: Fraction, offset: Fraction
  ) -> CountScale? {
    switch group {
    case .accelerometer:
      CountScale(ratio, times: units == .si ? .standardGravity : .one, decimals: 6)
    case .gyroscope:
      CountScale(ratio, times: units == .si ? .radiansPerDegree : .one, decimals: 6)
    default: CountScale(ratio, plus: offset, decimals: 4)
    }
  }

  private static func unusable(_ group: ChannelSet, _ sensor: SensorDescription) -> ExportError {
    switch group {
    case .accelerometer:
      return .unusableScale(channels: "the accelerometer", scale: sensor.accelerometerScale)
    case .gyroscope: return .unusableScale(channels: "the gyroscope", scale: sensor.gyroscopeScale)
    default: return .unusableScale(channels: "the temperature", scale: sensor.temperatureScale)
    }
  }
}
