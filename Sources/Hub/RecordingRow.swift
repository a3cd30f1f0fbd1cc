// SPDX-License-Identifier: Apache-2.0

import Analysis
import Export
import IMUModel
import LogFormat
import LogStore
import Text

/// A recording's row in the table `recordings`: what its header says, what a pass over all of it found, and its labels.
///
/// Only what the recording, its labels and its host's line say is in it, so that the same recording has the same row at
/// every hub: where it was fetched from, and when, is in the ledger.
struct RecordingRow {
  typealias Value = FlatTable.Value

  /// The columns of the table, in their order. Names are those of JSON documents, units at their end.
  static let columns: [(name: String, kind: FlatTable.Kind)] =
    [
      ("recording", .text), ("number", .integer), ("host_name", .text), ("started", .time),
      ("clock_synchronised", .integer), ("duration_ns", .integer), ("rate_hz", .double),
      ("clock", .text), ("chip_rate_hz", .double), ("t_error_p50_ns", .integer),
      ("t_error_p99_ns", .integer), ("sensor", .text), ("sensor_identity", .integer),
      ("accel_range_g", .integer), ("gyro_range_dps", .integer), ("channels", .text),
      ("accel_mps2", .double), ("gyro_radps", .double), ("temp_degc", .double),
      ("temp_offset_degc", .double), ("axes", .text), ("calibration", .text), ("board", .text),
      ("software", .text), ("note", .text), ("begun_by", .text),
      ("recovered_from", .text), ("verdict", .text), ("flaws", .text),
      ("complete", .integer), ("stop_reason", .text), ("scheduled", .integer),
      ("sampled", .integer),
    ]
    + GapCause.allCases.map { (RecordingRow.column(of: $0), .integer) } + [
      ("gaps", .integer), ("longest_gap_ticks", .integer), ("damage", .integer),
      ("lateness_p99_ns", .integer), ("clipped_accelerations", .integer),
      ("clipped_rates", .integer), ("still_ns", .integer), ("certificate", .text),
      ("certificate_findings", .text), ("marks", .integer), ("labels", .text),
      ("label_names", .text), ("host_labels", .text), ("log_bytes", .integer),
      ("log_sha256", .text), ("samples_bytes", .integer), ("samples_path", .text),
      ("features_bytes", .integer), ("features_path", .text),
    ]

  /// The values, in the order of the columns.
  private(set) var values: [Value?]
  /// The motion's levels in thousandths of m/s², or of rad/s without an accelerometer, for a small picture; not in the table.
  private(set) var levels: [Int64] = []

  /// `ticks_bus_error` of ``GapCause/busError``.
  private static func column(of cause: GapCause) -> String {
    cause.name.reduce(into: "ticks_") { text, letter in
      if letter.isUppercase { text += "_" }
      text += letter.lowercased()
    }
  }

  /// - Parameters:
  ///   - levels: The motion's levels.
  ///   - calibration: The one that features are calibrated by.
  ///   - samples: The samples file: its path within the hub, and its length.
  ///   - features: The features file, likewise.
  init(
    _ account: Account, _ levels: SecondLevels, _ labels: LabelList,
    _ calibration: SensorCalibration?, of host: HubHost, _ proof: HostLedger.Proof,
    samples: (path: String, byteCount: UInt64),
    features: (path: String, byteCount: UInt64)
  ) {
    self.levels = levels.levels.map { RecordingRow.level(($0 * 1000).rounded()) }
    let log = account.description
    let sensor = log.sensor
    let clock = account.chipClock
    let ledger = account.ledger
    func number(_ value: (some BinaryInteger)?) -> Value? {
      value.map { .integer(Int64(clamping: $0)) }
    }
    func text(_ value: String) -> Value? { value.isEmpty ? nil : .text(value) }
    func scale(_ fraction: Fraction, _ unit: Double, _ channel: ChannelSet) -> Value? {
      log.channels.isDisjoint(with: channel) ? nil : .double(fraction.value * unit)
    }
    values = [
      .text("\(log.id)"), number(log.number), text(log.host),
      // Microseconds, as the samples' times.
      account.clock.map { .integer(Int64.floored($0.wallAtStart, by: 1000).whole) },
      number(account.clock.map { $0.isSynchronised ? 1 : 0 }),
      number(account.chipDuration ?? log.rate.nanoseconds(atTick: account.tickCount)),
    ]
    values += [
      .double(log.rate.hertz), .text(log.clock == .grid ? "grid" : "chip"),
      clock?.rate.hertz.map { .double($0) }, number(clock?.median), number(clock?.percentile99),
      text(sensor.model), number(sensor.identity),
      sensor.accelerometerRange > 0 ? number(sensor.accelerometerRange) : nil,
      sensor.gyroscopeRange > 0 ? number(sensor.gyroscopeRange) : nil,
    ]
    values += [
      .text(log.channels.indices.map { ChannelSet.names[$0] }.joined(separator: ",")),
      scale(sensor.accelerometerScale, 9.80665, .accelerometer),
      scale(sensor.gyroscopeScale, .pi / 180, .gyroscope),
      scale(sensor.temperatureScale, 1, .temperature),
      scale(sensor.temperatureOffset, 1, .temperature),
      log.axes.map { .text("\($0)") }, calibration.map { .text($0.text) },
      text(log.board), text(log.software), text(log.note), log.begunBy.map { .text($0.rawValue) },
      log.recoveredFrom.map { .text("\($0)") },
    ]
    let flaws = JSONWriter.list(account.flaws) { $0.string($1) }
    values += [
      .text(account.verdict.rawValue), .text(flaws), number(account.summary.isComplete ? 1 : 0),
      account.end.map { .text($0.reason.name) }, number(ledger.scheduled), number(ledger.sampled),
    ]
    values += GapCause.allCases.map { number(ledger[$0]) }
    let findings = account.certificate.map { JSONWriter.list($0.findings) { $0.finding($1) } }
    values += [
      number(account.gapCount), number(account.longestGap), number(account.damageCount),
      number(account.lateness?.percentile99), number(account.motion?.clippedAccelerations),
      number(account.motion?.clippedRates), number(account.motion?.stillness.stillTime),
      account.certificate.map { .text($0.verdict.rawValue) }, findings.map { .text($0) },
      number(account.markCount),
    ]
    let hostLabels = JSONWriter.object(host.labels.map { ($0.name, $0.value) })
    values += [
      .text(JSONWriter.list(labels.labels) { $0.add($1) }),
      text(labels.names.joined(separator: ";")), .text(hostLabels),
      number(proof.byteCount), .text("\(proof.digest)"), number(samples.byteCount),
      .text(samples.path), number(features.byteCount), .text(features.path),
    ]
  }

  /// The row on one line: an object of the values by column; columns without one are left out.
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

  /// Reads ``json``; `nil` for another text. Columns that this version does not know are left out.
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
        case .float, .constant: try reader.skip()
        case .text: values[place] = try reader.string().map { .text($0) }
        }
      }
      try reader.end()
    } catch {
      return nil
    }
    self.values = values
  }

  /// A column in which two rows differ, the labels of the host aside; `nil` where none does.
  func difference(from other: RecordingRow) -> String? {
    for (place, column) in RecordingRow.columns.enumerated()
    where column.name != "host_labels" && values[place] != other.values[place] {
      return column.name
    }
    return nil
  }

  private static let places = Dictionary(
    uniqueKeysWithValues: columns.enumerated().map { ($1.name, $0) })

  /// A level within bounds: the scale of a recording is whatever its header says.
  private static func level(_ thousandths: Double) -> Int64 {
    thousandths.isNaN ? 0 : Int64(min(max(thousandths, 0), 1e15))
  }

  /// When it began, for the order of the table; undated ones first.
  var started: Int64 { integer("started") ?? .min }

  /// The value of a column of whole numbers.
  func integer(_ column: String) -> Int64? {
    guard let place = RecordingRow.places[column], case .integer(let number)? = values[place] else {
      return nil
    }
    return number
  }

  /// The value of a column of texts.
  func text(_ column: String) -> String? {
    guard let place = RecordingRow.places[column], case .text(let text)? = values[place] else {
      return nil
    }
    return text
  }
}

extension JSONWriter {
  /// An object of texts, alone.
  fileprivate static func object(_ members: [(String, String)]) -> String {
    var json = JSONWriter()
    json.object { json in
      for (name, value) in members { json.member(name, value) }
    }
    return json.text
  }
}
