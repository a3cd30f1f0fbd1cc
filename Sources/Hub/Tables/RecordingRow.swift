// SPDX-License-Identifier: Apache-2.0

import Analysis
import Export
import IMUModel
import LogFormat
import LogStore
import Text

/// A recording's row in the table `recordings`: its header, what a pass over it found, its labels, and its host's line. The
/// same recording has the same row at every hub; the ledger has where and when it was fetched.
struct RecordingRow {
  typealias Value = FlatTable.Value

  struct Column: Sendable {
    /// With the unit at its end.
    let name: String
    let kind: ParquetKind
    let value: @Sendable (RowFacts) -> Value?

    static func integer(
      _ name: String, _ kind: ParquetKind = .integer,
      _ value: @escaping @Sendable (RowFacts) -> (any BinaryInteger)?
    ) -> Column {
      Column(name: name, kind: kind) { value($0).map { .integer(Int64(clamping: $0)) } }
    }

    static func double(
      _ name: String, _ value: @escaping @Sendable (RowFacts) -> Double?
    ) -> Column {
      Column(name: name, kind: .double) { value($0).map { .double($0) } }
    }

    /// An empty text is left out.
    static func text(
      _ name: String, _ value: @escaping @Sendable (RowFacts) -> String?
    ) -> Column {
      Column(name: name, kind: .text) { value($0).flatMap { $0.isEmpty ? nil : .text($0) } }
    }
  }

  static let columns: [Column] =
    [
      .text("recording") { "\($0.log.id)" },
      .integer("number") { $0.log.number },
      .text("host_name") { $0.log.host },
      // Microseconds, as the samples' times.
      .integer("started", .time(isUTC: true)) {
        $0.account.clock.map { Int64.floored($0.wallAtStart, by: 1000).whole }
      },
      .integer("clock_synchronised") { $0.account.clock.map { $0.isSynchronised ? 1 : 0 } },
      .integer("duration_ns") {
        $0.account.chipDuration ?? $0.log.rate.nanoseconds(atTick: $0.account.tickCount)
      },
      .double("rate_hz") { $0.log.rate.hertz },
      .text("clock") { $0.log.clock == .grid ? "grid" : "chip" },
      .double("chip_rate_hz") { $0.account.chipClock?.rate.hertz },
      .integer("t_error_p50_ns") { $0.account.chipClock?.median },
      .integer("t_error_p99_ns") { $0.account.chipClock?.percentile99 },
      .text("sensor") { $0.log.sensor.model },
      .integer("sensor_identity") { $0.log.sensor.identity },
      .text("sensor_name") { $0.log.sensorName },
      .text("take") { $0.log.take.map { "\($0.id)" } },
      .integer("take_index") { $0.log.take?.index },
      .integer("take_sensors") { $0.log.take?.count },
      .text("boot") { $0.log.boot },
      .integer("monotonic_ns") { $0.log.origin?.monotonic },
      .integer("accel_range_g") {
        $0.log.sensor.accelerometerRange > 0 ? $0.log.sensor.accelerometerRange : nil
      },
      .integer("gyro_range_dps") {
        $0.log.sensor.gyroscopeRange > 0 ? $0.log.sensor.gyroscopeRange : nil
      },
      .text("channels") {
        $0.log.channels.indices.map { ChannelSet.names[$0] }.joined(separator: ",")
      },
      .double("accel_mps2") { $0.scale(\.accelerometerScale, 9.80665, of: .accelerometer) },
      .double("gyro_radps") { $0.scale(\.gyroscopeScale, .pi / 180, of: .gyroscope) },
      .double("temp_degc") { $0.scale(\.temperatureScale, 1, of: .temperature) },
      .double("temp_offset_degc") { $0.scale(\.temperatureOffset, 1, of: .temperature) },
      .text("axes") { $0.log.axes.map { "\($0)" } },
      .text("calibration") { $0.calibration?.text },
      .text("board") { $0.log.board },
      .text("software") { $0.log.software },
      .text("note") { $0.log.note },
      .text("begun_by") { $0.log.begunBy?.rawValue },
      .text("recovered_from") { $0.log.recoveredFrom.map { "\($0)" } },
      .text("verdict") { $0.account.verdict.rawValue },
      .text("flaws") { JSONWriter.list($0.account.flaws) { $0.string($1) } },
      .integer("complete") { $0.account.summary.isComplete ? 1 : 0 },
      .text("stop_reason") { $0.account.end?.reason.name },
      .integer("scheduled") { $0.account.tally.scheduled },
      .integer("sampled") { $0.account.tally.sampled },
    ]
    + GapCause.allCases.map { cause in
      .integer(RecordingRow.column(of: cause)) { $0.account.tally[cause] }
    } + [
      .integer("gaps") { $0.account.gapCount },
      .integer("longest_gap_ticks") { $0.account.longestGap },
      .integer("damage") { $0.account.damageCount },
      .integer("lateness_p99_ns") { $0.account.lateness?.percentile99 },
      .integer("clipped_accelerations") { $0.account.motion?.clippedAccelerations },
      .integer("clipped_rates") { $0.account.motion?.clippedRates },
      .integer("still_ns") { $0.account.motion?.stillness.stillTime },
      .text("certificate") { $0.account.certificate?.verdict.rawValue },
      .text("certificate_findings") {
        $0.account.certificate.map { JSONWriter.list($0.findings) { $0.finding($1) } }
      },
      .integer("marks") { $0.account.markCount },
      .text("labels") { JSONWriter.list($0.labels.labels) { $0.add($1) } },
      .text("label_names") { $0.labels.names.joined(separator: ";") },
      .text("host_labels") { facts in
        var json = JSONWriter()
        json.object(of: facts.host.labels)
        return json.text
      },
      .integer("log_bytes") { $0.proof.byteCount },
      .text("log_sha256") { "\($0.proof.digest)" },
    ]
    + HubTable.all.indices.flatMap { table in
      [
        .integer("\(HubTable.all[table].name)_bytes") { $0.files[table].byteCount },
        .text("\(HubTable.all[table].name)_path") { $0.files[table].path },
      ]
    }

  /// In the order of the columns.
  private(set) var values: [Value?]
  /// The motion's levels in thousandths of m/s², or of rad/s without an accelerometer, for the page; not in the table.
  private(set) var levels: [Int64] = []

  /// `ticks_bus_error` of ``GapCause/busError``.
  private static func column(of cause: GapCause) -> String {
    cause.name.reduce(into: "ticks_") { text, letter in
      if letter.isUppercase { text += "_" }
      text += letter.lowercased()
    }
  }

  init(_ facts: RowFacts, _ levels: SecondLevels) {
    values = RecordingRow.columns.map { $0.value(facts) }
    self.levels = levels.levels.map { RecordingRow.level(($0 * 1000).rounded()) }
  }

  /// The row on one line: an object of the known values by column.
  var json: String {
    var json = JSONWriter()
    json.object { json in
      for (column, value) in zip(RecordingRow.columns, values) {
        switch value {
        case nil: break
        case .integer(let number): json.member(column.name, number)
        // The shortest digits that are read as the same number.
        case .float(let number): json.member(column.name, number: "\(number)")
        case .double(let number):
          json.member(column.name, number: number.isFinite ? "\(number)" : nil)
        case .text(let text): json.member(column.name, text)
        }
      }
      json.member("levels", levels) { $0.integer($1) }
    }
    return json.text
  }

  /// Reads ``json``; `nil` for another text. Skips unknown columns.
  init?(json bytes: [UInt8]) {
    var reader = JSONReader(bytes)
    var values = [Value?](repeating: nil, count: RecordingRow.columns.count)
    let places = RecordingRow.places
    do throws(JSONReader.Failure) {
      guard try reader.enterObject() else { return nil }
      while let key = try reader.nextKey() {
        guard let place = places[key.text] else {
          if key.text == "levels", try reader.enterList() {
            while try reader.nextElement() {
              levels.append(RecordingRow.level(try reader.double() ?? 0))
            }
          } else {
            try reader.skip()
          }
          continue
        }
        switch RecordingRow.columns[place].kind {
        case .integer, .time: values[place] = try (reader.integer() as Int64?).map { .integer($0) }
        case .double: values[place] = try reader.double().map { .double($0) }
        case .count, .float, .constant: try reader.skip()
        case .text: values[place] = try reader.string().map { .text($0) }
        }
      }
      try reader.end()
    } catch {
      return nil
    }
    self.values = values
  }

  /// The first column in which two rows differ, other than the labels of the host.
  func difference(from other: RecordingRow) -> String? {
    RecordingRow.columns.indices.first { place in
      RecordingRow.columns[place].name != "host_labels" && values[place] != other.values[place]
    }.map { RecordingRow.columns[$0].name }
  }

  private static let places = Dictionary(
    uniqueKeysWithValues: columns.enumerated().map { ($1.name, $0) })

  /// A level within bounds, as a header may have any scale.
  private static func level(_ thousandths: Double) -> Int64 {
    thousandths.isNaN ? 0 : Int64(min(max(thousandths, 0), 1e15))
  }

  /// The key of the table's order; undated ones come first.
  var started: Int64 { integer("started") ?? .min }

  func integer(_ column: String) -> Int64? {
    guard let place = RecordingRow.places[column], case .integer(let number)? = values[place] else {
      return nil
    }
    return number
  }

  func text(_ column: String) -> String? {
    guard let place = RecordingRow.places[column], case .text(let text)? = values[place] else {
      return nil
    }
    return text
  }
}

struct RowFacts {
  let account: Account
  let labels: LabelList
  /// The one of the features.
  let calibration: SensorCalibration?
  let host: HubHost
  let proof: HostLedger.Proof
  /// The recording's file in each table of ``HubTable/all``: its path within the hub, and its length.
  let files: [(path: String, byteCount: UInt64)]

  var log: RecordingDescription { account.description }

  /// A scale of the sensor times `unit`; `nil` without the channels.
  func scale(
    _ fraction: KeyPath<SensorDescription, Fraction>, _ unit: Double, of channels: ChannelSet
  ) -> Double? {
    log.channels.isDisjoint(with: channels) ? nil : log.sensor[keyPath: fraction].value * unit
  }
}
