// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A file of another kind, as the recording that it becomes.
///
/// The importer checks the whole file when it is made, so that no partial import has to be undone. Then the caller pulls
/// the records, one at a time:
///
///     var importer = try TableImporter(source, options)
///     // begin a log with importer.description, append importer.clockPairs
///     while let record = try importer.next() { /* append it */ }
///     // finish the log with importer.end
///
/// Two types conform: ``TableImporter`` and ``PhoneImporter``.
public protocol Importer: ~Copyable {
  /// The header of the new log.
  var description: RecordingDescription { get }
  /// The file's dates; empty when it has none.
  var clockPairs: [ClockPair] { get }
  /// Marks of the new log; none unless the file is this program's document.
  var marks: [Mark] { get }
  /// Labels of the new recording; the same.
  var labels: [RecordingLabel] { get }
  /// The end of the new log.
  var end: RecordingEnd { get }
  /// Assumptions about the file, and parts missing from it: sentences for the user.
  var remarks: [String] { get }
  /// The next sample or gap; `nil` after the last one.
  ///
  /// - Throws: ``ImportError`` when the file was changed or became unreadable since the importer was made.
  mutating func next() throws(ImportError) -> TickRecord?
}

extension RecordingEnd {
  /// The end of an imported recording, whose lateness was not measured.
  static func imported(samples: UInt64, lost: UInt64 = 0) -> RecordingEnd {
    var ledger = TickLedger()
    ledger.sampled = samples
    ledger.lost = lost
    return RecordingEnd(reason: .imported, ledger: ledger, lateness: LatenessSummary())
  }
}

/// The kinds of file that `import` accepts. Raw values are command-line names.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// A table of text, for ``TableImporter``.
  case csv
  /// Records in JSON: this program's document, or a list; for ``TableImporter``.
  case json
  /// Records in JSON, one after the other, for ``TableImporter``.
  case ndjson
  /// The document of one of the phone apps, for ``PhoneImporter``.
  case gyrodata
  /// An archive with tables, for ``TableImporter``.
  case zip
  /// A log of this program, which the store copies or salvages.
  case raw

  /// Some programs put it before UTF-8.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

/// Facts that an imported file does not contain.
public struct ImportOptions: Equatable, Sendable {
  /// The identity of the new recording.
  public var id: RecordingID
  /// Its number in the store; 0 when the store will give it one.
  public var number: UInt32
  /// The name of the host that imports.
  public var host: String
  /// Name and version of the program that imports.
  public var software: String
  /// The user's note.
  public var note: String
  /// g a count, for tables. If it is not given: that in the file, that of its values, and for counts 1/16384, the
  /// MPU-6050's after reset.
  public var accelerometerScale: Fraction?
  /// °/s a count, for tables. If it is not given: that in the file, that of its values, and for counts 1/131, the
  /// MPU-6050's after reset.
  public var gyroscopeScale: Fraction?
  /// °C a count, for tables. 1/340 unless given: the MPU-6050's.
  public var temperatureScale = Fraction(1, 340)
  /// °C at count 0, for tables. 36.53 unless given: the MPU-6050's.
  public var temperatureOffset = Fraction(3653, 100)
  /// The columns of a table whose header no dialect knows.
  public var columns: ImportColumnNames?
  /// What to tell the user before all else.
  var remarks: [String] = []
  /// Pauses that a table's times do not count.
  var pauses = ImportPauses()
  /// Units of a table that its header does not name.
  public var units: ImportUnits?
  /// The sample rate; `nil` to derive it from a table's times, or to use 10 Hz for the phone apps.
  public var rate: SampleRate?
  /// Nanoseconds since 1970 at time 0 of a table; `nil` when not known. The phone apps' documents have a date of their own.
  public var started: Int64?

  /// Options for a recording with this identity.
  public init(
    id: RecordingID, number: UInt32 = 0, host: String = "", software: String = "", note: String = ""
  ) {
    self.id = id
    self.number = number
    self.host = host
    self.software = software
    self.note = note
  }
}

extension ImportOptions {
  /// The exact inverse of `text`, the counts a unit of a sensor, written as a positive decimal such as `16384` or
  /// `14.29`; `nil` for anything else.
  ///
  /// At most 9 digits before the point and 9 after it.
  public static func scale(countsPerUnit text: some StringProtocol) -> Fraction? {
    guard let (digits, power) = Fraction.terms(ofDecimal: text, digits: 9, decimals: 9),
      digits > 0
    else { return nil }
    let (counts, units) = (Int64(digits), Int64(power))
    var (a, b) = (units, counts)
    while b != 0 { (a, b) = (b, a % b) }
    return Fraction(units / a, over: counts / a)
  }

  /// The description of a recording made from a file of another kind.
  func description(
    channels: ChannelSet, rate: SampleRate, timeUnit: Int64, ticks: UInt64,
    sensor: SensorDescription, note named: String? = nil
  ) -> RecordingDescription {
    RecordingDescription(
      id: id, number: number, rate: rate, channels: channels, plannedTicks: ticks,
      timeUnit: timeUnit,
      sensor: sensor, board: "", host: host, software: software,
      note: note.isEmpty ? named ?? "" : note, syncInterval: 0,
      realTime: "")
  }
}

extension SensorDescription {
  /// A sensor of which only scales are known.
  package static func imported(
    accelerometerRange: Int, gyroscopeRange: Int, accelerometerScale: Fraction,
    gyroscopeScale: Fraction, temperatureScale: Fraction, temperatureOffset: Fraction
  ) -> SensorDescription {
    SensorDescription(
      model: importedModel, identity: nil, address: nil, accelerometerRange: accelerometerRange,
      gyroscopeRange: gyroscopeRange, accelerometerScale: accelerometerScale,
      gyroscopeScale: gyroscopeScale, temperatureScale: temperatureScale,
      temperatureOffset: temperatureOffset, outputDataRate: 0, filter: "")
  }
}
