// SPDX-License-Identifier: Apache-2.0

import Foundation
import IMUModel
import TestSupport
import Testing

@testable import OldImport

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

  @Test("a remedy that is for tables alone comes with the advice to unpack, and others as they are")
  func remedies() throws {
    let rows = (0..<9).map { "\($0 * 10),1,2,3\n" }.joined()
    for (header, isForTables) in [
      ("time (fortnights),ax,ay,az\n", true), ("time_ms,ax,ay,az (stone)\n", false),
    ] {
      let file = MadeZip.File("walk.csv", header + rows)
      let error = Self.error(MadeZip([file]).bytes).map { "\($0)" }
      #expect(
        error?.hasSuffix("; --columns is for a table, so unpack the archive, and import that")
          == isForTables, "\(error ?? "")")
      let alone = Imports.csvError(header + rows).map { "\($0)" }
      #expect(alone?.contains("unpack") == false)
    }
    let error = try #require(
      Self.error(MadeZip([MadeZip.File("walk.csv", "time (fortnights),ax,ay,az\n" + rows)]).bytes))
    #expect(error.exitStatus == .damagedData)
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
    #expect(records.map(\.time) == (0..<12).map { $0 * 10_000_000 })
    for (row, record) in records.enumerated() {
      let ay = Double(record.sample.ay) * sensor.accelerometerScale.value * 9.80665
      let gx = Double(record.sample.gx) * sensor.gyroscopeScale.value * .pi / 180
      #expect(abs(ay + 0.5 * Double(row)) < 1e-6)
      #expect(abs(gx - 0.125 * Double(row)) < 1e-6)
    }
  }

  @Test("an archive that is cut off anywhere is refused")
  func cut() {
    for length in stride(from: 4, to: Self.streamed.count, by: 37) {
      #expect(Self.error(Array(Self.streamed[..<length])) != nil, "\(length)")
    }
  }

  @Test("a wrong byte in a file's data is refused, and never read as another table")
  func flipped() {
    for place in stride(from: 60, to: 245, by: 7) {
      var bytes = Self.streamed
      bytes[place] ^= 0x10
      #expect(Self.error(bytes) != nil, "byte \(place)")
    }
  }

  @Test("a wrong byte anywhere is refused in a sentence, or changes nothing")
  func anyByte() throws {
    let right = try Imports.log(Self.open(Self.mixed))
    for place in stride(from: 4, to: Self.mixed.count, by: 5) {
      var bytes = Self.mixed
      bytes[place] ^= 0x41
      do throws(ImportError) {
        let importer = try Self.open(bytes)
        // The name of a file that is not imported, a date, or one that is not needed.
        #expect(importer.end.ledger.sampled == 12, "byte \(place)")
      } catch {
        #expect(error.description.hasPrefix("walk.zip"), "byte \(place): \(error)")
      }
    }
    #expect(try Imports.log(Self.open(Self.mixed)) == right)
  }

  @Test(
    "documents and lists in JSON are read out of an archive",
    arguments: [
      (
        "walk.json",
        "{\"format\":\"imulog\",\"samples\":[{\"t_ns\":0,\"ax\":1},{\"t_ns\":10,\"ax\":-2}]}"
      ),
      ("a/walk.ndjson", "{\"t_ns\":0,\"ax\":1}\n{\"t_ns\":10,\"ax\":-2}\n"),
    ])
  func document(_ name: String, _ text: String) throws {
    let files = [MadeZip.File("metadata.json", "{\"phone\":1}"), MadeZip.File(name, text)]
    let records = try Imports.records(Self.open(MadeZip(files).bytes))
    #expect(records.map(\.sample.ax) == [1, -2])
  }

  @Test("what is around an archive is named with the byte where it begins or ends")
  func around() throws {
    let table = "t_ns,ax\n0,1\n10,-2\n"
    let file = MadeZip.File("walk.csv", table)
    let bytes = MadeZip([file]).bytes
    let text = Array("#!/bin/sh\nexit 1\n".utf8)
    let cases: [([UInt8], String)] = [
      (
        bytes + [10, 11] as [UInt8],
        "walk.zip, byte \(bytes.count): other bytes follow the archive's end here"
      ),
      (text + bytes, "walk.zip, byte \(text.count): the archive begins only here"),
      (
        Array(bytes[..<(bytes.count - 1)]),
        "walk.zip, byte \(bytes.count - 1): the end of its directory"
      ),
      (
        Array(bytes[..<(bytes.count - 2)]) + [9, 0, 65] as [UInt8],
        "walk.zip, byte \(bytes.count + 1): the archive is cut off in the comment"
      ),
    ]
    for (archive, words) in cases {
      let sentence = Self.error(archive)?.description ?? "taken"
      #expect(sentence.hasPrefix(words), "\(sentence)")
    }
    // A comment may have the mark of an end.
    let mark: [UInt8] = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 1, count: 16) + [1, 0, 65]
    var commented = Array(bytes[..<(bytes.count - 2)])
    commented += [UInt8(mark.count), 0] as [UInt8]
    commented += mark
    #expect(try Imports.records(Self.open(commented)).map(\.sample.ax) == [1, -2])
    for archive in [text + bytes, commented] {
      var source = ArraySource(archive, name: "walk.zip")
      #expect(try ImportFormat.check(nil, &source) == .zip)
    }
  }

  @Test("a checksum after the data that is not the directory's is named with its byte")
  func descriptor() {
    let file = MadeZip.File("walk.csv", "t_ns,ax\n0,1\n10,-2\n").with { $0.flags = 8 }
    var bytes = MadeZip([file]).bytes
    let place = 30 + 8 + file.data.count
    bytes[place + 4] ^= 1
    let sentence = Self.error(bytes)?.description ?? "taken"
    #expect(
      sentence.hasPrefix("walk.zip: walk.csv, byte \(place): the checksum after the file's bytes"),
      "\(sentence)")
  }

  @Test("a file whose packed bytes would reach beyond the archive contradicts the directory")
  func beyond() {
    let file = MadeZip.File("walk.csv", method: 8, packed: Streams.fixed, size: 26, sum: 0)
    var bytes = MadeZip([file]).bytes
    // The third byte of the length, in the local header and in the directory's entry of 54 bytes.
    for place in [20, bytes.count - 22 - 54 + 22] { bytes[place] = 1 }
    #expect(Self.error(bytes)?.description.contains("contradicts the directory") == true)
  }

  @Test("a note that unpacks to far more than a table would is left out, and said")
  func note() throws {
    let note = MadeZip.File(
      "readme.txt", method: 8, packed: MadeZip.bomb(copies: 20_000), size: 5_160_001, sum: 0)
    let table = MadeZip.File("walk.ndjson", "{\"t_ns\":0,\"ax\":1}\n{\"t_ns\":10,\"ax\":-2}\n")
    let importer = try Self.open(MadeZip([note, table]).bytes)
    #expect(
      importer.remarks.contains(
        "walk.zip: readme.txt is left out: unpack it to import it"))
    #expect(try Imports.records(importer).map(\.sample.ax) == [1, -2])
  }

  @Test("text is no archive because its last bytes have the mark of one's end")
  func markInText() throws {
    let text = "t_us,ax\n0,1\n10000,3\n# PK\u{5}\u{6} and twenty more bytes of text\n"
    var source = ArraySource(Array(text.utf8), name: "table.csv")
    let table = try ImportFormat.check(nil, &source)
    #expect(table == .csv)
    var archive = ArraySource(Array("text\n".utf8) + Self.mixed, name: "walk.zip")
    let format = try ImportFormat.check(nil, &archive)
    #expect(format == .zip)
  }

  @Test("a directory with more files than the archive's end counts is damaged")
  func count() throws {
    var bytes = Self.mixed
    // The counts of files in the end of 22 bytes.
    let end = bytes.count - 22
    (bytes[end + 8], bytes[end + 10]) = (2, 2)
    let error = try #require(Self.error(bytes))
    #expect("\(error)".contains("the directory is damaged here"), "\(error)")
  }
}

/// Streams that Python's zlib packed.
@Suite("The inflater")
struct InflaterTests {
  private func unpack(_ packed: [UInt8], piece: Int = .max, room: Int = 100) throws -> [UInt8] {
    var inflater = Inflater()
    var rest = packed[...]
    var output: [UInt8] = []
    while !inflater.isDone {
      if inflater.needsInput {
        let part = Array(rest.prefix(piece))
        rest = rest.dropFirst(part.count)
        inflater.add(part)
        continue
      }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
      defer { buffer.deallocate() }
      let count = try inflater.unpack(into: buffer)
      output += buffer[..<count]
      try #require(output.count < 1 << 20)
    }
    return output
  }

  @Test("unpacks blocks of each kind, whatever pieces they come in", arguments: [1, 7, 300, .max])
  func kinds(piece: Int) throws {
    let table = (0..<60).map { "\($0),\($0 * $0 % 97)\n" }.joined()
    #expect(try unpack(Streams.dynamic, piece: piece) == Array(table.utf8))
    #expect(try unpack(Streams.fixed, piece: piece) == Array("abcabcabcabc imulog abcabc".utf8))
    #expect(try unpack(Streams.stored, piece: piece, room: 1) == Array("stored bytes".utf8))
  }

  @Test("unpacks the longest match at the least distance")
  func longest() throws {
    let expected = [UInt8](repeating: UInt8(ascii: "A"), count: 1 + 258 * 300)
    let isSame = try unpack(MadeZip.bomb(copies: 300), room: 1000) == expected
    #expect(isSame)
  }

  @Test("refuses what is cut off, and ends whatever bit is wrong")
  func damage() {
    for stream in [Streams.dynamic, Streams.fixed, Streams.stored] {
      for count in stride(from: 0, to: stream.count, by: stream.count > 100 ? 41 : 1) {
        #expect(throws: Inflater.Fault(clause: "its packed bytes end inside a block")) {
          try unpack(Array(stream[..<count]))
        }
      }
      for bit in stride(from: 0, to: stream.count * 8, by: stream.count > 100 ? 67 : 1) {
        var changed = stream
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        do { _ = try unpack(changed) } catch { #expect(error is Inflater.Fault) }
      }
    }
    #expect(throws: Inflater.Fault(clause: "a block is of no known kind")) { try unpack([7]) }
    #expect(throws: Inflater.Fault(clause: "a distance reaches before the beginning")) {
      try unpack([3, 2, 0, 0])
    }
  }
}

private enum Streams {
  static let dynamic = base64(
    """
    FU/HEQBBCPpTC48zYOi/sXM/DoME/fjBaHAmgoukFUQXilFo5mJYieUY7GPAjJ6wczQs2A5L3hDjFMU63FzBhnHyZX/wj+ZwowLu3IIHM+HJ \
    vXYxjy/uMU2dfjjwZQnx0RthnEE4dYcG3RHJWYRYhrhrT9m0w2ctxHkL+TEHaQxHOu1w8OhrDaQ4Qhb7/m724WEfv2/qe4zsbeVPqXgu5QVI \
    L0v1ctWvQ/P6tK/7Bw==
    """)
  static let fixed = base64("S0xKToQhhczc0pz8dAUIDwA=")
  static let stored = base64("AQwA8/9zdG9yZWQgYnl0ZXM=")

  private static func base64(_ text: String) -> [UInt8] {
    Array(Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data())
  }
}
