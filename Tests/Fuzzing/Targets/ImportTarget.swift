// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Import
import LogFormat
import LogStore
import Text

/// A file of another program, or an archive of such files, from which a log is made:
///
///     choice │ a file                         or, where it says so, two tables with a byte 0xFF between
///
/// What is imported must become a whole log with the samples that the importer counted; what is not must be refused in a
/// sentence that no terminal obeys.
public final class ImportTarget: FuzzTarget {
  /// `imports`.
  public static let name = "imports"
  /// The file's name says of some tables which sensor's they are.
  private static let names = [
    "walk", "TotalAcceleration.csv", "Gyroscope.csv", "AccelUncalibrated.csv",
  ]

  /// A target for one thread.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    var cursor = InputCursor(input)
    let choice = cursor.byte()
    let bytes = Array(cursor.rest)
    let name = ImportTarget.names[Int(choice & 3)]
    do throws(ImportError) {
      if choice & 4 != 0, let cut = bytes.firstIndex(of: 0xFF) {
        let first = BytesSource(Array(bytes[..<cut]), name: name)
        let second = BytesSource(Array(bytes[(cut + 1)...]), name: ImportTarget.names[2])
        return ImportTarget.check(
          try ImportedRecording(first, with: second, ImportTarget.request(choice)))
      }
      ImportTarget.check(
        try ImportedRecording(BytesSource(bytes, name: name), ImportTarget.request(choice)))
    } catch {
      ImportTarget.check(error.description)
      precondition(
        error.description.contains(name) || error.description.contains(ImportTarget.names[2]),
        "a refusal that names no file: \(error)")
    }
  }

  /// What is stated is enough for most tables; without units, most are asked for.
  private static func request(_ choice: UInt8) -> ImportRequest {
    var generator = SystemRandomNumberGenerator()
    var request = ImportRequest(id: .random(using: &generator))
    if choice & 8 != 0 { request.rate = SampleRate(100) }
    if choice & 16 != 0 { request.units = UnitsOption("g-dps") }
    if choice & 32 != 0 { request.columns = ColumnsOption("time=1,ax=2,ay=3,gz=4") }
    if choice & 64 != 0 { request.accelerometerScale = Fraction(1, 2048) }
    (request.isAnyway, request.isSorted) = (choice & 128 != 0, choice & 192 == 192)
    return request
  }

  private static func check(_ importer: consuming ImportedRecording) {
    for remark in importer.remarks { check(remark) }
    let tally = importer.end.tally
    var (tick, sampled, lost): (UInt64, UInt64, UInt64) = (0, 0, 0)
    var last = Int64.min
    do {
      var encoder = try LogEncoder(importer.description)
      for pair in importer.clockPairs { encoder.append(pair) }
      while let record = try importer.next() {
        precondition(record.tick == tick, "a tick left out")
        if let gap = record.gap {
          lost += gap.count
        } else {
          precondition(record.time >= last, "time goes back")
          (sampled, last) = (sampled + 1, record.time)
        }
        tick += record.count
        encoder.append(record)
      }
      precondition(
        sampled == tally.sampled && lost == tally.scheduled - sampled, "another number of ticks")
      encoder.finish(importer.end)
      var reader = try LogReader(BytesStorage(bytes: encoder.output))
      let account = try reader.account()
      precondition(account.isIntact && account.sampleCount == sampled, "another log")
    } catch {
      preconditionFailure("a file that was checked fails: \(error)")
    }
  }

  private static func check(_ sentence: String) {
    // A question has a line for each way to answer it.
    for line in sentence.split(separator: "\n") {
      precondition(!line.unicodeScalars.contains(where: ForeignText.isObeyed), sentence)
    }
    precondition(sentence.utf8.count < 1500, "a long sentence")
  }
}

/// A file in memory.
private final class BytesSource: SeekableSource {
  let name: String
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8], name: String) { (self.bytes, self.name) = (bytes, name) }

  var size: UInt64 { UInt64(bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = min(buffer.count, bytes.count - place)
    buffer.copyBytes(from: bytes[place..<place + count])
    place += count
    return count
  }

  func seek(to offset: UInt64) { place = Int(min(offset, size)) }

  func another() -> BytesSource { BytesSource(bytes, name: name) }
}
