// SPDX-License-Identifier: Apache-2.0

import Analysis
import IMUModel
import LogFormat
import LogStore
import Text

/// The columns that need a whole recording before its first row is written: orientation, acceleration without gravity, and
/// the magnetic field. One table for all formats.
///
///     samples ──► MotionColumns ──► MotionSequence ─┬─► values of the next rows ──► text, Parquet, MCAP
///     magnetometer ─────────────────► FieldRows ────┘
///
/// Each format asks for the rows in the order of the samples, each once.
final class DerivedColumns {
  struct Column {
    let name: String
    /// Its unit as exports name it.
    let unit: String
    /// Its unit in a name; empty for none.
    let suffix: String
    /// Digits after the point in texts, before trailing zeros are dropped.
    let decimals: Int
    /// Whether rows may have no value, and then, in a record, no key.
    var isOptional = false
  }

  let columns: [Column]
  /// The stretches whose headings have nothing to do with each other, and the ticks without a sample within them.
  let (stretchCount, repeatedCount): (Int, Int)
  /// See ``MotionColumns``.
  private let (unevenCount, periodDeviation): (Int, Double)
  /// Whether the output itself has no place for the method.
  private let isBare: Bool
  /// Samples in which a value is at an end of the chip's range: what was cut is missing from there on.
  private let clippedCount: Int
  /// The values of the rows that were asked for last, row by row.
  private(set) var values: [Double] = []

  private let hasOrientation: Bool
  /// Whether the orientation's Y is magnetic north, or else whether a calibration would make it so.
  private let (isNorth, canBeNorth): (Bool, Bool)
  /// Rows whose orientation is not known for want of the magnetometer's values.
  private var unknownCount = 0
  private let hasLinear: Bool
  /// In the unit of the column, of one m/s².
  private let linearScale: Double
  private var motions: MotionSequence
  private var field: FieldRows?

  private init(
    _ options: ExportOptions, _ plan: ExportPlan, _ samples: consuming MotionColumns,
    clipped: Int, _ notes: RecordingNotes?
  ) throws(ExportError) {
    clippedCount = clipped
    field = plan.hasFieldRows ? notes.map { FieldRows($0, plan) } : nil
    isNorth = plan.findsNorth
    canBeNorth = options.hasOrientation && !plan.findsNorth && plan.description.sensor.field != nil
    (hasOrientation, hasLinear) = (options.hasOrientation, options.hasLinear)
    var columns: [Column] = []
    if hasOrientation {
      // An angle to 2 nanoradians.
      columns += ExportedNames.derived[..<4].map {
        Column(name: $0, unit: "1", suffix: "", decimals: 9)
      }
    }
    let units = plan.units == .gDps ? ExportUnits.gDps : .si
    linearScale = units == .gDps ? 1 / OrientationConstants.gravity : 1
    if hasLinear {
      let sensor = plan.description.sensor
      guard let scale = ExportPlan.scale(ofChannel: 0, units, sensor) else {
        throw .unusableScale(ofChannel: 0, sensor)
      }
      let unit = units.unit(ofChannel: 0)
      columns += ExportedNames.derived[4...].map {
        Column(name: $0, unit: unit.name, suffix: unit.suffix, decimals: scale.decimals)
      }
    }
    self.columns = columns + (field == nil ? [] : FieldRows.columns)
    (stretchCount, repeatedCount) = (samples.stretchCount, samples.repeatedCount)
    (unevenCount, periodDeviation) = (samples.unevenCount, samples.periodDeviation)
    let isBare = options.format == .ndjson || options.format == .csv && !options.hasPreamble
    self.isBare = isBare && options.derivedOption != nil
    motions = MotionSequence(samples)
  }

  /// The columns that the options ask for, and those of a field in notes; `nil` for none. The reader is at its beginning
  /// afterwards.
  static func make<Storage: LogStorage & ~Copyable>(
    _ options: ExportOptions, _ plan: ExportPlan, _ notes: RecordingNotes?,
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) -> DerivedColumns? {
    guard options.derivedOption != nil || notes != nil else { return nil }
    var (samples, clipped) = (MotionColumns(plan.description), 0)
    // What one reading shows of a chip's clock may move times in the next one, and with them the range's ends.
    if plan.description.clock != .grid, plan.hasRange, options.derivedOption != nil {
      _ = try self.samples(plan, &reader, &clipped)
    }
    if options.derivedOption != nil { samples = try self.samples(plan, &reader, &clipped) }
    if plan.findsNorth, let rate = plan.description.sensor.field?.rate, let notes {
      let (log, iron) = (plan.description, plan.calibration?.field)
      samples.findNorth(by: notes.field, rate: rate) { log.microteslas($0, without: iron) }
    }
    return try DerivedColumns(options, plan, samples, clipped: clipped, notes)
  }

  private static func samples<Storage: LogStorage & ~Copyable>(
    _ plan: ExportPlan, _ reader: inout LogReader<Storage>, _ clipped: inout Int
  ) throws(ExportError) -> MotionColumns {
    var samples = MotionColumns(plan.description)
    clipped = 0
    try reader.begin(plan)
    reading: while let item = try reader.nextItem() {
      guard case .samples = item else { continue }
      for rows in plan.rows(of: reader.block) {
        guard samples.append(rows, of: reader.block) else {
          throw .refused(
            "the orientation is computed for at most \(MotionColumns.limit) samples at a time, and there are more",
            remedy: ExportError.choosePart)
        }
        clipped +=
          reader.isCorrected
          ? reader.clipped.count { rows.contains($0.row) }
          : rows.count { row in
            let sample = reader.block[row].sample
            return (0..<6).contains { sample[$0] == .min || sample[$0] == .max }
          }
      }
      if let last = reader.block.times.last, plan.isOver(at: last) { break reading }
    }
    reader.rewind()
    return samples
  }

  /// Computes the values of the next rows: not a number for samples that a program has written since.
  func next(_ rows: Range<Int>, of block: borrowing SampleBlock) {
    values.removeAll(keepingCapacity: true)
    for row in rows {
      let motion = motions.next()
      if hasOrientation {
        let turn = isNorth ? motion?.northOrientation : motion?.orientation
        if isNorth, motion != nil, turn == nil { unknownCount += 1 }
        values += [turn?.w, turn?.axis.x, turn?.axis.y, turn?.axis.z].map { $0 ?? .nan }
      }
      if hasLinear {
        let linear = motion.map { $0.linearAcceleration * linearScale }
        values += [linear?.x, linear?.y, linear?.z].map { $0 ?? .nan }
      }
      values += field?.next(at: block.times[row]) ?? []
    }
  }

  /// What was computed and how, as names and texts: the same in every format.
  var facts: [(name: String, text: String)] {
    guard hasOrientation || hasLinear else { return [] }
    return [
      ("method", name),
      ("source", OrientationConstants.source),
      ("tauAcc_s", "\(OrientationConstants.accelerometerTime)"),
    ] + (isNorth ? [("tauMag_s", "\(OrientationConstants.magnetometerTime)")] : []) + [
      ("gravity_mps2", "\(OrientationConstants.gravity)"),
      ("longestBridge_s", "\(MotionColumns.longestBridge)"),
      ("clippedSamples", "\(clippedCount)"),
      ("repeatedTicks", "\(repeatedCount)"),
      ("stretches", "\(stretchCount)"),
    ]
  }

  private var name: String {
    isNorth ? OrientationConstants.northMethod : OrientationConstants.method
  }

  var method: String {
    "\(name) (\(OrientationConstants.source)), time constant of the accelerometer "
      + "\(Plain.number(OrientationConstants.accelerometerTime, per: 10)) s, gravity "
      + "\(OrientationConstants.gravity) m/s²"
      + (isNorth
        ? ", of the magnetometer \(Plain.number(OrientationConstants.magnetometerTime, per: 10)) s: Y is magnetic north"
        : "")
  }

  /// What a user must know of the values: sentences.
  var remarks: [String] {
    (isBare ? ["the orientation is computed by \(method)"] : []) + doubts + northDoubts
      + (field?.remarks ?? [])
  }

  /// What the heading lacks, after the last row.
  private var northDoubts: [String] {
    let (looks, disturbed) = (motions.lookCount, motions.disturbedCount)
    var doubts =
      canBeNorth
      ? [
        "the heading is not referred to north: that needs a calibration of the magnetometer, and --calibrated"
      ] : []
    if disturbed > 0 {
      doubts.append(
        "at \(disturbed) of \(Plain.count(looks, "value")) of the magnetometer the field was not the earth's, or the sensor had not turned enough to tell: the heading follows it there only after 60 s"
      )
    }
    if unknownCount > 0 {
      let some = Plain.count(unknownCount, "sample has", "samples have")
      doubts.append(
        "\(some) no orientation: between two gaps no value of the magnetometer shows north")
    }
    return doubts
  }

  /// The greatest part of itself by which a period may differ from the mean unsaid: 2° in a turn of 360°.
  private static let largestDeviation = 0.005

  var doubts: [String] {
    var doubts: [String] = []
    func add(_ isTrue: Bool, _ sentence: String) { if isTrue { doubts.append(sentence) } }
    let change = Plain.number(periodDeviation * 100, per: 10)
    add(
      periodDeviation > DerivedColumns.largestDeviation,
      "the rate changes, by up to \(change) % from the mean that the orientation takes: a turn of 360° may be off by "
        + "\(Plain.number(periodDeviation * 360, per: 10))°")
    let uneven = Plain.count(
      unevenCount, "sample is more than half a period off its time",
      "samples are more than half a period off their times")
    add(unevenCount > 0, "\(uneven): the orientation takes all as evenly spaced")
    add(
      stretchCount > 1,
      "the orientation begins anew after each gap of more than \(MotionColumns.longestBridge) s: "
        + "\(stretchCount) stretches"
        + (isNorth ? "" : ", whose headings have nothing to do with each other"))
    let clipped = Plain.count(clippedCount, "sample has", "samples have")
    add(
      clippedCount > 0,
      "\(clipped) a value at an end of the chip's range: the orientation is off by what was cut, from the first of them "
        + "on")
    add(
      repeatedCount > 0,
      "for the orientation the sample before \(Plain.count(repeatedCount, "missing tick")) counts once more for each of "
        + "them")
    return doubts
  }
}

struct DerivedTexts {
  // Safe: a value touches at most `room` bytes: a key of 16 bytes, and 16 or ``DecimalText/room``.
  private let keys: [PackedText.Words]
  private let decimals: [Int]
  private let powers: [Double]
  /// In place of the key and what is not a number.
  private let unknown: [PackedText.Words]

  /// Bytes that must be free for each column.
  static let room = 16 + DecimalText.room

  /// - Parameters: As in ``RowLayout``.
  init(_ columns: [DerivedColumns.Column], keys: [String], unknown: [String]) {
    precondition(keys.count == columns.count && unknown.count == columns.count)
    self.unknown = unknown.map { PackedText.words($0) }
    self.keys = keys.map { PackedText.words($0) }
    decimals = columns.map(\.decimals)
    powers = decimals.map { (0..<$0).reduce(1.0) { power, _ in power * 10 } }
  }

  var rowRoom: Int { keys.count * DerivedTexts.room }

  /// Writes the values of a row, rounded to their decimals, at least one; returns the number of bytes.
  func write(
    _ row: Int, of values: [Double], to output: UnsafeMutableRawPointer,
    groups: UnsafePointer<UInt32>
  ) -> Int {
    var place = output
    for (index, decimals) in decimals.enumerated() {
      let value = values[row * keys.count + index]
      let digits = (value.magnitude * powers[index]).rounded()
      // More than a sensor's range has no room.
      guard digits < (decimals == 0 ? 0x1p63 : 1e14) else {
        place += PackedText.copy(unknown[index], to: place)
        continue
      }
      place += PackedText.copy(keys[index], to: place)
      place +=
        decimals == 0
        ? DecimalText.write(Int64(value), to: place, groups: groups)
        : PackedText.copy(
          CountScale.text(UInt64(digits), isNegative: value < 0 && digits > 0, decimals), to: place)
    }
    return place - output
  }
}

/// The text of a table's column of labels: the names at each instant, with `;` between them.
///
///     time     0        2        3        8
///     labels            [ step            )
///                                [ left   )
///     text     ""       step     left;step ""
struct LabelColumn {
  private let (prefix, suffix, empty): ([UInt8], [UInt8], [UInt8])
  private let labels: [RecordingLabel]
  /// Where the names may change, ascending.
  private let edges: [Int64]
  /// Edges up to the last instant; `nil` before the first one.
  private var passed: Int?
  /// The cell of the last instant.
  private(set) var text: [UInt8] = []

  /// - Parameters:
  ///   - prefix: Before the names, the column's separator and key too.
  ///   - empty: A cell without names.
  init(_ labels: [RecordingLabel], prefix: String, suffix: String, empty: String) {
    self.labels = labels
    (self.prefix, self.suffix) = (Array(prefix.utf8), Array(suffix.utf8))
    self.empty = Array(empty.utf8)
    edges = Set(labels.flatMap { [$0.from, $0.to] }).sorted()
  }

  /// Sets ``text`` to the cell of an instant; returns the instant from which on it may be another, `nil` where none follows.
  mutating func move(to time: Int64) -> Int64? {
    var place = passed ?? 0
    while place < edges.count, edges[place] <= time { place += 1 }
    while place > 0, edges[place - 1] > time { place -= 1 }
    if place != passed {
      passed = place
      let names = LabelColumn.names(labels, at: time)
      text = names.isEmpty ? empty : prefix + Array(names.utf8) + suffix
    }
    return place < edges.count ? edges[place] : nil
  }

  /// The names of the labels at an instant, each once, in the order of their bytes, joined.
  ///
  /// Names are the same where their bytes are, as in files of labels: two spellings of `é` are two names, which
  /// `String`'s own comparison would take for one.
  static func names(_ labels: [RecordingLabel], at time: Int64) -> String {
    let names = Set(labels.filter { $0.from <= time && time < $0.to }.map { Array($0.name.utf8) })
    return names.sorted { $0.lexicographicallyPrecedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: ";")
  }
}
