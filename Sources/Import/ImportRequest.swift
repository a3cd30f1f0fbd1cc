// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// What the user says about a file to import.
public struct ImportRequest: Equatable, Sendable {
  /// The identity of the new recording.
  public var id: RecordingID
  /// The name of the host that imports.
  public var host = ""
  /// Name and version of the program that imports.
  public var software = ""
  /// The user's note (`--note`).
  public var note = ""
  /// Which columns are the time and the axes (`--columns`).
  public var columns: ColumnsOption?
  /// Units of times and values (`--units`).
  public var units: UnitsOption?
  /// g a count, which states counts as well (`--accel-lsb-per-g`).
  public var accelerometerScale: Fraction?
  /// °/s a count, which states counts as well (`--gyro-lsb-per-dps`).
  public var gyroscopeScale: Fraction?
  /// The sample rate (`--rate`).
  public var rate: SampleRate?
  /// Whether rows are put in the order of their times (`--sort`).
  public var isSorted = false
  /// Whether each session becomes a recording (`--each`).
  public var isEach = false
  /// Whether objections to what is stated are overridden (`--anyway`).
  public var isAnyway = false
  /// Further words for the command that a refusal prints: `--store`, `/data`.
  public var words: [String] = []
  /// The place of the new recording in a take, whose sensors one table has.
  public var take: TakePlace?
  /// The name of its sensor in the take.
  public var sensorName = ""
  /// Whether the file is one of two tables that are joined.
  var isJoined = false
  /// The archive that has the file, and nanoseconds since 1970 at its time 0.
  var archive: String?
  var started: Int64?

  /// What nobody says anything about yet.
  public init(id: RecordingID) { self.id = id }

  /// The exact inverse of `text`, the counts a unit of a sensor, written as a positive decimal such as `16384` or
  /// `14.29`; `nil` for anything else.
  ///
  /// At most 9 digits before the point and 9 after it.
  public static func scale(countsPerUnit text: some StringProtocol) -> Fraction? {
    guard let (digits, power) = Fraction.terms(ofDecimal: text, digits: 9, decimals: 9),
      digits > 0
    else { return nil }
    let divisor = digits.commonDivisor(power)
    return Fraction(Int64(power / divisor), over: Int64(digits / divisor))
  }
}
