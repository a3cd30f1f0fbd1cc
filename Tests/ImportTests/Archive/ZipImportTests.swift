// SPDX-License-Identifier: Apache-2.0

import Foundation
import IMUModel
import TestSupport
import Testing

@testable import Import

/// Archives that Python's zipfile made: deflated with sizes after the bytes, as a phone streams them, and with sizes before
/// them and two files stored. The first file's name leads out of any folder.
@Suite("Import of ZIP archives")
struct ZipImportTests {
  static let streamed = archive(
    """
    UEsDBBQACAAIAFRDdlsAAAAAAAAAAAAAAAAUAAAALi4vQWNjZWxlcm9tZXRlci5jc3aVkrEOgjAQhneeomHC2GKvUJHRwTdwNkHSgQQkEUzU \
    p9eFpP0bI9ft+l+/fLleeu4GJ7Jpk8r02Laud/dm7sabeIps2E0XEwWvX8HbD67T2D9mJxq/Y8kTnevlnLZaS6wVXtR5ZcO69vOEvH6ljTS5 \
    9WqSygYN9BdoAIjvFTENCwBWaEjexRpgCUAUUoZpaCOgsQDkGe4jYPheFUzDKgKG/V8gz/AQrQ3MsGQa1hEQZlgyDQn2Dv8gWOx1QAIgzNAy \
    DT9QSwcIL9HlYMMAAABCBAAAUEsDBBQACAAIAFRDdlsAAAAAAAAAAAAAAAANAAAAR3lyb3Njb3BlLmNzdpWTTQrCMBBG956idFUxiZmk07RL \
    F+IFvIA/XQhKpFWwnt5SqE2mgkx28zG8vAyTdH+51UnWLlOR7rrGtyd/r5NXkjWH85qk3c/0HaSbY+uvz0f9jRag9Hi2Uluhg3qltZA0AIVR \
    XakqrHsgBEDT9xucahASoxvhL9AQoAn6ByAwDS0BWuWQAJEFzAmQvlAapiESYEFnaJiGBQE6OkPLNHQEWNIZWqZhOVubWEjmTMNqBoRxiCOQ \
    Z9gbwQSEaLEHIPJ/CgFahzGQZ/gBUEsHCAcMevjLAAAALAQAAFBLAwQUAAgACABUQ3ZbAAAAAAAAAAAAAAAADwAAAG1ldGEvZGV2aWNlLmNz \
    dlMqKMovSC0qqVTSUSpLzClNVeJSKkstKs7MzwOKGOoZKnEBAFBLBwjcNh2tJAAAACMAAABQSwMEFAAIAAgAVEN2WwAAAAAAAAAAAAAAAA0A \
    AABtZXRhL3RpbWUuY3N2U0otS80rUdJRSq0oSC3KzAVyFEqAFFCkuLK4JDUXC0+hJLWiRIlLKTjEMShEScdAzwAGXA10DPXMzYwtwDxDI2NX \
    Sx0lIwMjU11DQ10jIwUDCysjMysTAz2glEJoiDPQkADH0GBXJaA2I1ddQ2TdRiZg3RVKXABQSwcI1NgcB3cAAACkAAAAUEsBAhQDFAAIAAgA \
    VEN2Wy/R5WDDAAAAQgQAABQAAAAAAAAAAAAAAIABAAAAAC4uL0FjY2VsZXJvbWV0ZXIuY3N2UEsBAhQDFAAIAAgAVEN2WwcMevjLAAAALAQA \
    AA0AAAAAAAAAAAAAAIABBQEAAEd5cm9zY29wZS5jc3ZQSwECFAMUAAgACABUQ3Zb3DYdrSQAAAAjAAAADwAAAAAAAAAAAAAAgAELAgAAbWV0 \
    YS9kZXZpY2UuY3N2UEsBAhQDFAAIAAgAVEN2W9TYHAd3AAAApAAAAA0AAAAAAAAAAAAAAIABbAIAAG1ldGEvdGltZS5jc3ZQSwUGAAAAAAQA \
    BAD1AAAAHgMAAAAA
    """)
  static let mixed = archive(
    """
    UEsDBBQAAAAIAFRDdlsv0eVgwwAAAEIEAAAUAAAALi4vQWNjZWxlcm9tZXRlci5jc3aVkrEOgjAQhneeomHC2GKvUJHRwTdwNkHSgQQkEUzU \
    p9eFpP0bI9ft+l+/fLleeu4GJ7Jpk8r02Laud/dm7sabeIps2E0XEwWvX8HbD67T2D9mJxq/Y8kTnevlnLZaS6wVXtR5ZcO69vOEvH6ljTS5 \
    9WqSygYN9BdoAIjvFTENCwBWaEjexRpgCUAUUoZpaCOgsQDkGe4jYPheFUzDKgKG/V8gz/AQrQ3MsGQa1hEQZlgyDQn2Dv8gWOx1QAIgzNAy \
    DT9QSwMEFAAAAAgAVEN2WwcMevjLAAAALAQAAA0AAABHeXJvc2NvcGUuY3N2lZNNCsIwEEb3nqJ0VTGJmaTTtEsX4gW8gD9dCEqkVbCe3lKo \
    TaaCTHbzMby8DJN0f7nVSdYuU5Huusa3J3+vk1eSNYfzmqTdz/QdpJtj66/PR/2NFqD0eLZSW6GDeqW1kDQAhVFdqSqseyAEQNP3G5xqEBKj \
    G+Ev0BCgCfoHIDANLQFa5ZAAkQXMCZC+UBqmIRJgQWdomIYFATo6Q8s0dARY0hlapmE5W5tYSOZMw2oGhHGII5Bn2BvBBIRosQcg8n8KAVqH \
    MZBn+AFQSwMEFAAAAAAAVEN2W9w2Ha0jAAAAIwAAAA8AAABtZXRhL2RldmljZS5jc3YicHJvcGVydHkiLCJ2YWx1ZSIKInZlcnNpb24iLCIx \
    LjEiClBLAwQUAAAAAABUQ3Zb1NgcB6QAAACkAAAADQAAAG1ldGEvdGltZS5jc3YiZXZlbnQiLCJleHBlcmltZW50IHRpbWUiLCJzeXN0ZW0g \
    dGltZSIsInN5c3RlbSB0aW1lIHRleHQiCiJTVEFSVCIsMC4wMDAwMDAwMDBFMCwxLjc2MzgwMDAwMDEyM0U5LCIyMDI1LTExLTIyIDA4OjI2 \
    OjQwLjEyMyBVVEMiCiJQQVVTRSIsMS4yRS0xLDEuNzYzODAwMDAwMjQzRTksIngiClBLAQIUAxQAAAAIAFRDdlsv0eVgwwAAAEIEAAAUAAAA \
    AAAAAAAAAACAAQAAAAAuLi9BY2NlbGVyb21ldGVyLmNzdlBLAQIUAxQAAAAIAFRDdlsHDHr4ywAAACwEAAANAAAAAAAAAAAAAACAAfUAAABH \
    eXJvc2NvcGUuY3N2UEsBAhQDFAAAAAAAVEN2W9w2Ha0jAAAAIwAAAA8AAAAAAAAAAAAAAIAB6wEAAG1ldGEvZGV2aWNlLmNzdlBLAQIUAxQA \
    AAAAAFRDdlvU2BwHpAAAAKQAAAANAAAAAAAAAAAAAACAATsCAABtZXRhL3RpbWUuY3N2UEsFBgAAAAAEAAQA9QAAAAoDAAAAAA==
    """)

  private static func archive(_ text: String) -> [UInt8] {
    Array(Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data())
  }

  private static func open(_ bytes: [UInt8], _ units: String? = "raw", isAnyway: Bool = false)
    throws(ImportError) -> ImportedRecording
  {
    var request = ImportRequest(id: RecordingID(high: 1, low: 2))
    request.units = units.flatMap { UnitsOption($0) }
    request.isAnyway = isAnyway
    return try ImportedRecording(
      Opening(ByteSource(bytes, name: "walk.zip"), .zip, request), request)
  }

  private static func samples(_ bytes: [UInt8], _ units: String? = "raw") throws(ImportError)
    -> [TickRecord]
  {
    var recording = try open(bytes, units)
    var records: [TickRecord] = []
    while let record = try recording.next() { if record.kind == .sample { records.append(record) } }
    return records
  }

  private static func sentence(_ bytes: [UInt8], _ units: String? = "raw") -> String {
    do throws(ImportError) {
      _ = try open(bytes, units)
      return "taken"
    } catch {
      return "\(error)"
    }
  }

  private static let table = "t_ns,ax\n0,1\n10,-2\n"

  @Test("phyphox's two tables become one recording, dated by its events", arguments: [true, false])
  func tables(_ isStreamed: Bool) throws {
    let bytes = isStreamed ? Self.streamed : Self.mixed
    #expect(try FileKind.detect(ByteSource(bytes)) == .zip)
    var recording = try Self.open(bytes, nil)
    #expect(recording.clockPairs.first?.wallAtStart == 1_763_800_000_123_000_000)
    #expect(
      recording.remarks.first
        == "walk.zip: ../Accelerometer.csv and Gyroscope.csv are imported; left out: meta/device.csv"
    )
    let sensor = recording.description.sensor
    var row = 0
    while let record = try recording.next() {
      #expect(record.time == Int64(row) * 10_000_000)
      let ay = Double(record.sample.ay) * sensor.accelerometerScale.value * 9.80665
      let gx = Double(record.sample.gx) * sensor.gyroscopeScale.value * .pi / 180
      #expect(abs(ay + 0.5 * Double(row)) < 1e-6)
      #expect(abs(gx - 0.125 * Double(row)) < 1e-6)
      row += 1
    }
    #expect(row == 12)
  }

  @Test("an archive that is cut off anywhere is refused")
  func cut() {
    for length in stride(from: 4, to: Self.streamed.count, by: 37) {
      #expect(Self.sentence(Array(Self.streamed[..<length]), nil) != "taken", "\(length)")
    }
  }

  @Test("a wrong byte anywhere is refused in a sentence, or changes no sample")
  func anyByte() throws {
    for place in stride(from: 4, to: Self.mixed.count, by: 5) {
      var bytes = Self.mixed
      bytes[place] ^= 0x41
      do throws(ImportError) {
        let recording = try Self.open(bytes, nil)
        // The name of a file that is not imported, a date, or one that is not needed.
        #expect(recording.end.tally.sampled == 12, "byte \(place)")
      } catch {
        #expect(error.description.hasPrefix("walk.zip"), "byte \(place): \(error)")
      }
    }
  }

  @Test(
    "documents and lists in JSON are read out of an archive",
    arguments: [
      ("walk.json", #"{"format":"imulog","samples":[{"t_ns":0,"ax":1},{"t_ns":10,"ax":-2}]}"#),
      ("a/walk.ndjson", "{\"t_ns\":0,\"ax\":1}\n{\"t_ns\":10,\"ax\":-2}\n"),
    ])
  func document(_ name: String, _ text: String) throws {
    let files = [MadeZip.File("metadata.json", "{\"phone\":1}"), MadeZip.File(name, text)]
    #expect(try Self.samples(MadeZip(files).bytes).map(\.sample.ax) == [1, -2])
  }

  @Test("what is around an archive, and what it lacks, is refused with the way out")
  func refused() throws {
    let file = MadeZip.File("walk.csv", Self.table)
    let bytes = MadeZip([file]).bytes
    let plain =
      "the archive is damaged or cut off, other bytes are around it, or it is not a plain one"
    let cases: [([UInt8], String)] = [
      (bytes + [10, 11], "walk.zip, byte \(bytes.count + 2): \(plain)"),
      (Array("#!/bin/sh\n".utf8) + bytes, plain), (Array(bytes.dropLast()), plain),
      (MadeZip([file], isZip64: true).bytes, plain),
      (MadeZip([file.with { $0.flags = 1 }]).bytes, plain),
      (MadeZip([file.with { $0.sum = 1 }]).bytes, "do not have the directory's size or checksum"),
      (MadeZip([file.with { $0.size = 7 }]).bytes, plain),
      (
        MadeZip([file, MadeZip.File("other.csv", Self.table)]).bytes,
        "several recordings, walk.csv, other.csv"
      ),
      (
        MadeZip([
          MadeZip.File("left_acc.csv", "t_s,ax_g\n0,1\n1,1\n"),
          MadeZip.File("right_gyro.csv", "t_s,gx_dps\n0,1\n1,1\n"),
        ]).bytes, "left_acc.csv, right_gyro.csv, whose names do not say"
      ),
      (MadeZip([MadeZip.File("xl/workbook.xml", "")]).bytes, "is a spreadsheet"),
      (
        MadeZip([MadeZip.File("notes.txt", "a,b\n1,2\n")]).bytes,
        "has no file that is a recording by its header"
      ),
    ]
    for (archive, words) in cases {
      let sentence = Self.sentence(archive)
      #expect(sentence.contains(words), "\(sentence)")
    }
  }

  @Test("a note that unpacks to far more than a table would is left out, and said")
  func note() throws {
    let note = MadeZip.File(
      "readme.txt", method: 8, packed: MadeZip.bomb(copies: 20_000), size: 5_160_001, sum: 0)
    let recording = try Self.open(MadeZip([note, MadeZip.File("walk.csv", Self.table)]).bytes)
    #expect(recording.remarks.first == "walk.zip: walk.csv is imported; left out: readme.txt")
  }

  private static func phyphox(_ events: [String]) -> [UInt8] {
    let rows = (0..<6).map { "\(Double($0)),\(Double($0) / 8),0,9.5\n" }.joined()
    let head = "\"Time (s)\",\"X (m/s^2)\",\"Y (m/s^2)\",\"Z (m/s^2)\"\n"
    return MadeZip([
      MadeZip.File("Accelerometer.csv", head + rows),
      MadeZip.File(
        "meta/time.csv",
        "\"event\",\"experiment time\",\"system time\"\n" + events.joined(separator: "\n")),
    ]).bytes
  }

  @Test("pauses of an experiment need --anyway, and a start that is not a time makes no date")
  func pauses() throws {
    for (events, started, pauses) in [
      ([#""START",0.0,100.5"#, #""PAUSE",2.5,103.0"#], 100_500_000_000, nil),
      (
        [#""START",0.5,100.5"#, #""PAUSE",2.5,103.0"#, #""START",2.5,9"#], 100_000_000_000, "1 time"
      ),
      ([#""START",0.0,x"#], nil, nil),
    ] as [([String], Int64?, String?)] {
      let recording = try Self.open(Self.phyphox(events), nil, isAnyway: true)
      #expect(recording.clockPairs.first?.wallAtStart == started)
      let sentence = Self.sentence(Self.phyphox(events), nil)
      #expect(sentence.contains("was paused \(pauses ?? "")") == (pauses != nil), "\(sentence)")
      #expect(recording.end.tally.sampled == 6)
    }
  }
}
