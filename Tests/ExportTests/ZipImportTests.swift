// SPDX-License-Identifier: Apache-2.0

@testable import Export
import Foundation
import IMUModel
import LogStoreTesting
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
    #expect(records.map(\.time) == (0..<30).map { $0 * 10_000_000 })
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
    for place in stride(from: 60, to: 374, by: 7) {
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
        #expect(importer.end.ledger.sampled == 30, "byte \(place)")
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

  @Test(
    "unpacks blocks of each kind, whatever pieces they come in", arguments: [1, 7, 300, .max])
  func kinds(piece: Int) throws {
    let table = (0..<400).map { "\($0),\($0 * $0 % 97)\n" }.joined()
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
    LdZJooQwCADRfc6ShYAZvP/FfhX9N9qmzSA8ic98RswYOd9R8xvvjD3WzDX2rD3OfL9x537HN2+MeGaNiJnvCHqcETVP
    jngnhzWLO/bc/D7zWyPuLG7/5nlGPjNyZMxVI3N+e2TN9x35zo/Z13xp3/Oj5czF/Xfekd/ca9Qz84yKee+onIuF1swc
    9c77jVpzxyhWy51nBr/pukfRd4/3me8db8zK8eYMftekmVlrvGveNd49D8995uH3nYf2z+N6bFnhvyu9c5W91ssAaznW
    2o67jnOs63zrc+79uI4drmmn69vlWvfruvfyGfb2efbx2fb1OTd9x3l8+hNG4qRROWWEzmu0zjJyZxvFc4zouUb3fEb6
    Pkb9hhm4aTYugRr3NUd3ma+7zd09pPFeM3q/Tu5jnr8w5V+a/a+E8BGn8dFzfBsk30HLd/310RYPE3IMb42n+8VTDhLP
    64jxLIePZ//0OG88t/08XwOClIJExbFXHagSEaxUJCzVbZ80oh87sLVs/AxIoOuVZBiqyI5bAOyz8TWiAbHLcRvpyA57
    iMzGz4SEzhhZaKy8Om8BNZIYWAuvlukNtG1PnfjAW9nvk0Qgjr8QB5V4201gDkSBuuPVklfoztP5Nd7fLV93wJ7dwcdY
    q90G+pwGfk4KQJeAQBe0Gn5g0MWC0KWj0AeBoY+1+80JIdJdiQQAioZDixz7xQswGjY0GkQ8GlJAGuDTb25A0uBj0lSA
    0sSg0jSd36uPy64DXycUmVwg01TfX+XQJkOik17oFAg85XK77ARCpQRRYWFUZiDlr896FSLl+FrDUOrv3e2n77m/Dt09
    scpgCVaGTrAyUYKVafNxDYnVtG27vMQqi02xcuzHSKxui1j4iClWulkCqVfx/grc6goHVkscWK1xYLXIRYc0wWqZsxbS
    D6wUOqySiMxOS2rVxm3KUqyMLFZWnp3cBCupTrCGVymDBOv21EQSrIBJsIZXZ/rXFVZWM0usgi7BerxKQaZYPb2/xvW7
    Zf86nO4OVsZ6G3xi1Wmw6qRgdQlgdUGrX5sEq4sFq0sHqw8CVh9r9cuXYqW7WAmARZMOYuXYL3Bi1bBhtbeK0yEFqwHe
    XQbS4sl/YDUVYDUxYDVNp4tJgtUUipXuYPXidqpPF6TUKkOClV5YFQhW5XK7qCVYpWQtZUSwhldElqN1MaXKMXCZSPV3
    dbvlNJVKh+/XHasOBlaH/rocF1iZth7XUBZW28rl1dPVvMTKsR+jsLq9uj5iPb0ZlIX14dTBKLAuG8tAVfRuUmAliBUd
    0nLTtvEa7gp3o8KqO3B2WkqrNlZvwtm7WYmVbTg7uQVWN2KwuhNnb4cF1u2piRRYAVNgDa/cTgurwKpqZoVV0BVYj1e9
    HZdYPTXWEiu3gNUOv/28wMpYb4MvrDoNVp307c+BAqsLWv3aFFhdLFhd+vr/nlj9WKtfvhIr3cVKANbvg0SsHPsFLqwa
    NqwaxN3fMwVWA7y7DJSV1f9up2L3B1GB1TSdLiYFVlMoVrofP6jKwuqpC1JplSHBaq/+HCusyuV2USv3fGazsDLi7U+5
    Aqt/WRdLqhwvLgup/Hbj52hNLaX63fTrjlUHc/P3vy7MBVan/XoNFtZ3/AE=
    """)
  static let fixed = base64("S0xKToQhhczc0pz8dAUIDwA=")
  static let stored = base64("AQwA8/9zdG9yZWQgYnl0ZXM=")

  private static func base64(_ text: String) -> [UInt8] {
    Array(Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data())
  }
}
