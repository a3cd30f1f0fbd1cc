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
    let name = file.utf8.withContiguousStorageIfAvailable { RecordingName(utf8: $0) }
    guard let name = name ?? RecordingName(utf8: file.utf8) else { return nil }
    self = name
  }

  private init?(utf8 bytes: some Collection<UInt8>) {
    // Byte by byte, because a list of recordings reads one for each.
    var number: UInt32 = 0
    var place = bytes.startIndex
    var digits = 0
    while place < bytes.endIndex, bytes[place] &- 48 < 10 {
      let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tenfold.addingReportingOverflow(UInt32(bytes[place] - 48))
      guard !isTooLarge, !isLarger else { return nil }
      number = sum
      digits += 1
      bytes.formIndex(after: &place)
    }
    // What follows the number: a dash, 16 bytes of start, a dash, 8 digits, the suffix.
    let rest = bytes[place...]
    guard digits >= 6, rest.count == 1 + 16 + 1 + 8 + RecordingName.suffix.utf8.count,
      rest.first == UInt8(ascii: "-"),
      let start = UTCStamp(utf8: rest.dropFirst().prefix(16)),
      rest.dropFirst(17).first == UInt8(ascii: "-"),
      rest.dropFirst(26).elementsEqual(RecordingName.suffix.utf8)
    else { return nil }
    let prefix = rest.dropFirst(18).prefix(8)
    guard prefix.allSatisfy({ $0 &- 48 < 10 || $0 &- 97 < 6 }) else { return nil }
    self.number = number
    self.start = start
    self.prefix = String(decoding: prefix, as: UTF8.self)
  }

  var text: String { "\(digits(number, 6))-\(start.text)-\(prefix)\(RecordingName.suffix)" }
}
