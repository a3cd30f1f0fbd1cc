// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// What the user says about a file to import.
public struct ImportRequest: Equatable, Sendable {
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
  /// Nanoseconds since 1970 at time 0 (`--started`).
  public var started: Int64?
  /// Whether rows are put in the order of their times (`--sort`).
  public var isSorted = false
  /// Whether each session becomes a recording (`--each`).
  public var isEach = false
  /// Whether objections to what is stated are overridden (`--anyway`).
  public var isAnyway = false
  /// Options of the command besides those above, for the command that a refusal prints: `--store`, `/data`.
  public var words: [String] = []
  /// The archive that has the file.
  var archive: String?

  /// A request for a recording with this identity.
  public init(
    id: RecordingID, number: UInt32 = 0, host: String = "", software: String = "", note: String = ""
  ) {
    self.id = id
    self.number = number
    self.host = host
    self.software = software
    self.note = note
  }

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
