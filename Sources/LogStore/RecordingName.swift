import IMUModel

/// The name of a recording's file, which is all of the store's index:
///
///     000003-20261121T023807Z-1b4e28ba.imulog
///     number start, UTC       first 8 digits of the UUID
///
/// Names sort by number as long as that has six digits; readers go by the number itself.
struct RecordingName: Hashable, Sendable {
  static let suffix = ".imulog"
  /// Number, then start, then digits: a start by a clock that was not set yet is of no use for
  /// order.
  var number: UInt32
  var start: UTCStamp
  /// Eight lower-case hexadecimal digits.
  var prefix: String

  init(number: UInt32, start: UTCStamp, id: RecordingID) {
    self.number = number
    self.start = start
    prefix = String(id.description.prefix(8))
  }

  /// The parts of a file's name; `nil` for names of another form.
  init?(_ file: some StringProtocol) {
    guard file.hasSuffix(RecordingName.suffix) else { return nil }
    let parts = file.dropLast(RecordingName.suffix.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count >= 6, parts[0].utf8.allSatisfy({ $0 &- 48 < 10 }),
      let number = UInt32(parts[0]), let start = UTCStamp(parts[1]), parts[2].utf8.count == 8,
      parts[2].utf8.allSatisfy({ $0 &- 48 < 10 || $0 &- 97 < 6 })
    else { return nil }
    self.number = number
    self.start = start
    self.prefix = String(parts[2])
  }

  var text: String { "\(digits(number, 6))-\(start.text)-\(prefix)\(RecordingName.suffix)" }
}
