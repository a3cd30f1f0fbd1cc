// SPDX-License-Identifier: Apache-2.0

import Export
import Foundation
import IMUModel
import Testing

/// Archives that Python's zipfile made: deflated with sizes after the bytes, as a phone streams them, and with sizes before
/// them and two files stored. The first file's name leads out of any folder.
@Suite("Import of ZIP archives")
struct ZipImportTests {
  static let streamed = archive(
    """
    UEsDBBQACAAIAFRDdlsAAAAAAAAAAAAAAAAUAAAALi4vQWNjZWxlcm9tZXRlci5jc3aVlctqwzAQRff5CuNVSi1XGr2sZRf9g64L \
    afAikAfUKbT9+mYTkO5Q6uudPKPD4Wpk96+H09xtl4d+6J/3+/k4f+yuh8u5++q2p6flTVTh+6/CT114Xy7Hz+vc7eqOe31jR3t/ \
    Xh6tHXBt8EUZc2zXpa5vXNVvrAwyxmrtBhObBvcvUACI+40jDT0AMxq66sUaYAAgChkhDaMCSgQgZ5gUsN1vPGmYFbDtvwE5w0mN \
    DWQYSMOigJBhIA0dzB2eQTPY64AOgJBhpA2lAeKhmkQbegBChok2DACEDDNtGAEIGWbaMDVAHDsz0YYZgJDhRBtOAIQMC21YAAgZ \
    FtJQ4KbgxYAv9ppfgAMgZHgDRg4oAIxo6EhDD8CMho40bG9K0hkKaRgBqDIU0jABUGXoScMMQJWhJw3bm5J1hoE0LABUGQbK8BdQ \
    SwcIEa3lO0QBAAD0CQAAUEsDBBQACAAIAFRDdlsAAAAAAAAAAAAAAAANAAAAR3lyb3Njb3BlLmNzdpWVy07DMBBF93xF1FURcbDH \
    GT+WLBA/wA/wyAKJKqgBifL1RJVC7RsEvd15FJ2e3t5xNvcvu6HZTpebdnN32I/T0/g2NJ/Ndv/wfA3Tw6/Tr2J68ziNrx/vw8/o \
    wnV2+dwa61tbnK+sbQ0OXKfVOXe5PM9AVwBlfl70dHat0eob3b9AAaAUzx+BjjT0APRdVAAqBewBiL/QCGmoAAyYoZCGAYARM/Sk \
    YQRgwgw9aZhWtYEe9qRhXgHdEuICVLLY1tW9Pf0pR6DymwJAH7UGsobi/tosE2hDD8BQZxhowx6Asc4w0oYKwFRnGGnDUAFxdU2i \
    DSMAoYeJNkwAhB5m2jADEHqYSUOBTcHbCm7ss14BAIQezkDlgAJA6GH5FjsP6AEIPZyBpGG9KXhBz0AhDRWADjMU0jAAUDBDTxpG \
    AHrM0JOGCYCrHvakYQbgqoc9ZfgNUEsHCEFQS8xSAQAA3gkAAFBLAwQUAAgACABUQ3ZbAAAAAAAAAAAAAAAADwAAAG1ldGEvZGV2 \
    aWNlLmNzdlMqKMovSC0qqVTSUSpLzClNVeJSKkstKs7MzwOKGOoZKnEBAFBLBwjcNh2tJAAAACMAAABQSwMEFAAIAAgAVEN2WwAA \
    AAAAAAAAAAAAAA0AAABtZXRhL3RpbWUuY3N2U0otS80rUdJRSq0oSC3KzAVyFEqAFFCkuLK4JDUXC0+hJLWiRIlLKTjEMShEScdA \
    zwAGXA10DPXMzYwtwDxDI2NXSx0lIwMjU11DQ10jIwUDCysjMysTAz2glEJoiDPQkADH0GBXJR1jPQNXXUNk3SYQ3RVKXABQSwcI \
    TGA5b3cAAACkAAAAUEsBAhQDFAAIAAgAVEN2WxGt5TtEAQAA9AkAABQAAAAAAAAAAAAAAIABAAAAAC4uL0FjY2VsZXJvbWV0ZXIu \
    Y3N2UEsBAhQDFAAIAAgAVEN2W0FQS8xSAQAA3gkAAA0AAAAAAAAAAAAAAIABhgEAAEd5cm9zY29wZS5jc3ZQSwECFAMUAAgACABU \
    Q3Zb3DYdrSQAAAAjAAAADwAAAAAAAAAAAAAAgAETAwAAbWV0YS9kZXZpY2UuY3N2UEsBAhQDFAAIAAgAVEN2W0xgOW93AAAApAAA \
    AA0AAAAAAAAAAAAAAIABdAMAAG1ldGEvdGltZS5jc3ZQSwUGAAAAAAQABAD1AAAAJgQAAAAA
    """)
  static let mixed = archive(
    """
    UEsDBBQAAAAIAFRDdlsRreU7RAEAAPQJAAAUAAAALi4vQWNjZWxlcm9tZXRlci5jc3aVlctqwzAQRff5CuNVSi1XGr2sZRf9g64L \
    afAikAfUKbT9+mYTkO5Q6uudPKPD4Wpk96+H09xtl4d+6J/3+/k4f+yuh8u5++q2p6flTVTh+6/CT114Xy7Hz+vc7eqOe31jR3t/ \
    Xh6tHXBt8EUZc2zXpa5vXNVvrAwyxmrtBhObBvcvUACI+40jDT0AMxq66sUaYAAgChkhDaMCSgQgZ5gUsN1vPGmYFbDtvwE5w0mN \
    DWQYSMOigJBhIA0dzB2eQTPY64AOgJBhpA2lAeKhmkQbegBChok2DACEDDNtGAEIGWbaMDVAHDsz0YYZgJDhRBtOAIQMC21YAAgZ \
    FtJQ4KbgxYAv9ppfgAMgZHgDRg4oAIxo6EhDD8CMho40bG9K0hkKaRgBqDIU0jABUGXoScMMQJWhJw3bm5J1hoE0LABUGQbK8BdQ \
    SwMEFAAAAAgAVEN2W0FQS8xSAQAA3gkAAA0AAABHeXJvc2NvcGUuY3N2lZXLTsMwEEX3fEXUVRFxsMcZP5YsED/AD/DIAokqqAGJ \
    8vVElULtGwS93XkUnZ7e3nE29y+7odlOl5t2c3fYj9PT+DY0n812//B8DdPDr9OvYnrzOI2vH+/Dz+jCdXb53BrrW1ucr6xtDQ5c \
    p9U5d7k8z0BXAGV+XvR0dq3R6hvdv0ABoBTPH4GONPQA9F1UACoF7AGIv9AIaagADJihkIYBgBEz9KRhBGDCDD1pmFa1gR72pGFe \
    Ad0S4gJUstjW1b09/SlHoPKbAkAftQayhuL+2iwTaEMPwFBnGGjDHoCxzjDShgrAVGcYacNQAXF1TaINIwChh4k2TACEHmbaMAMQ \
    ephJQ4FNwdsKbuyzXgEAhB7OQOWAAkDoYfkWOw/oAQg9nIGkYb0peEHPQCENFYAOMxTSMABQMENPGkYAeszQk4YJgKse9qRhBuCq \
    hz1l+A1QSwMEFAAAAAAAVEN2W9w2Ha0jAAAAIwAAAA8AAABtZXRhL2RldmljZS5jc3YicHJvcGVydHkiLCJ2YWx1ZSIKInZlcnNp \
    b24iLCIxLjEiClBLAwQUAAAAAABUQ3ZbTGA5b6QAAACkAAAADQAAAG1ldGEvdGltZS5jc3YiZXZlbnQiLCJleHBlcmltZW50IHRp \
    bWUiLCJzeXN0ZW0gdGltZSIsInN5c3RlbSB0aW1lIHRleHQiCiJTVEFSVCIsMC4wMDAwMDAwMDBFMCwxLjc2MzgwMDAwMDEyM0U5 \
    LCIyMDI1LTExLTIyIDA4OjI2OjQwLjEyMyBVVEMiCiJQQVVTRSIsMy4wRS0xLDEuNzYzODAwMDAwNDIzRTksIngiClBLAQIUAxQA \
    AAAIAFRDdlsRreU7RAEAAPQJAAAUAAAAAAAAAAAAAACAAQAAAAAuLi9BY2NlbGVyb21ldGVyLmNzdlBLAQIUAxQAAAAIAFRDdltB \
    UEvMUgEAAN4JAAANAAAAAAAAAAAAAACAAXYBAABHeXJvc2NvcGUuY3N2UEsBAhQDFAAAAAAAVEN2W9w2Ha0jAAAAIwAAAA8AAAAA \
    AAAAAAAAAIAB8wIAAG1ldGEvZGV2aWNlLmNzdlBLAQIUAxQAAAAAAFRDdltMYDlvpAAAAKQAAAANAAAAAAAAAAAAAACAAUMDAABt \
    ZXRhL3RpbWUuY3N2UEsFBgAAAAAEAAQA9QAAABIEAAAAAA==
    """)

  private static func archive(_ text: String) -> [UInt8] {
    Array(Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data())
  }

  private static func open(_ bytes: [UInt8]) throws(ImportError) -> TableImporter<
    ZipSource<ArraySource>
  > {
    try TableImporter.zip(ArraySource(bytes, name: "walk.zip"), Imports.options)
  }

  private static func error(_ bytes: [UInt8]) -> ImportError? {
    do throws(ImportError) {
      _ = try open(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("phyphox's two tables become one recording, dated by its events", arguments: [true, false])
  func tables(_ isStreamed: Bool) throws {
    let bytes = isStreamed ? Self.streamed : Self.mixed
    var source = ArraySource(bytes, name: "walk.zip")
    let format = try ImportFormat.detect(&source)
    #expect(format == .zip)
    let importer = try Self.open(bytes)
    #expect(importer.clockPairs.first?.wallAtStart == 1_763_800_000_123_000_000)
    #expect(
      importer.remarks.first == "walk.zip: ../Accelerometer.csv and Gyroscope.csv are imported")
    let sensor = importer.description.sensor
    let records = try Imports.records(importer)
    #expect(records.map(\.time) == (0..<30).map { $0 * 10_000_000 })
    for (row, record) in records.enumerated() {
      let ay = Double(record.sample.ay) * sensor.accelerometerScale.value * 9.80665
      let gx = Double(record.sample.gx) * sensor.gyroscopeScale.value * .pi / 180
      #expect(abs(ay + 0.5 * Double(row)) < 1e-6)
      #expect(abs(gx - 0.125 * Double(row)) < 1e-6)
    }
  }

  @Test("an archive that is cut off anywhere before its directory is refused")
  func cut() {
    for length in stride(from: 4, to: 1062, by: 37) {
      #expect(Self.error(Array(Self.streamed[..<length])) != nil, "\(length)")
    }
  }

  @Test("a wrong byte in a file's data is refused, and never read as another table")
  func flipped() {
    for place in stride(from: 60, to: 374, by: 7) {
      var bytes = Self.streamed
      bytes[place] ^= 0x10
      #expect(Self.error(bytes) != nil, "byte \(place)")
    }
  }

  @Test("encrypted files, unknown packing and archives without a table are refused by name")
  func foreign() {
    var bytes = Self.mixed
    bytes[6] |= 1
    #expect(Self.error(bytes)?.description.contains("it is encrypted") == true)
    bytes = Self.mixed
    bytes[8] = 12
    #expect(Self.error(bytes)?.description.contains("packed in a way that is not read") == true)
    #expect(
      Self.error(Self.file(named: "notes.csv", [3, 0], sum: 0, size: 0))?.description.contains(
        "no file in it is a table") == true)
  }

  @Test("a file that unpacks to far more than its bytes is refused before it is unpacked")
  func bomb() {
    // A literal, then 20 000 copies of 258 bytes from one byte before: 13 bits each (RFC 1951, 3.2.6).
    var bits: [UInt8] = [1, 1, 0]
    func add(_ code: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(UInt8(code >> bit & 1)) }
    }
    add(0x30 + 65, 8)
    for _ in 0..<20_000 {
      add(0b1100_0101, 8)
      add(0, 5)
    }
    var data = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (place, bit) in bits.enumerated() { data[place / 8] |= bit << UInt8(place % 8) }
    let error = Self.error(Self.file(named: "a.csv", data, sum: 0, size: 5_160_001))
    #expect(error != nil)
    var streamed = Self.file(named: "a.csv", data, sum: 0, size: 5_160_001)
    streamed[6] = 8
    #expect(Self.error(streamed)?.description.contains("it unpacks to far more") == true)
  }

  /// An archive of one deflated file, and the beginning of a directory.
  private static func file(named name: String, _ data: [UInt8], sum: UInt32, size: UInt32)
    -> [UInt8]
  {
    func little(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
    }
    var bytes: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0]
    bytes += little(sum, 4)
    bytes += little(UInt32(data.count), 4)
    bytes += little(size, 4)
    bytes += little(UInt32(name.utf8.count), 2)
    bytes += [0, 0]
    bytes += Array(name.utf8)
    bytes += data
    bytes += [0x50, 0x4B, 1, 2]
    return bytes
  }
}
