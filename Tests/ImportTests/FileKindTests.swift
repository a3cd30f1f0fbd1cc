// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Import

@Suite("Kinds of files")
struct FileKindTests {
  static let kinds: [([UInt8], FileKind)] = [
    (Array("time,ax\n".utf8), .csv), (Array("\u{FEFF}# a\r\n".utf8), .csv),
    (Array("t;m/s".utf8) + [0xB2, 10], .csv), (Array("t,ax\r1,2\r".utf8), .csv),
    (Array(#"[{"a":1}]"#.utf8), .json), (Array(#" {"format":"x","samples":[]}"#.utf8), .json),
    (Array(#"{"t_us":1,"ax":2}"#.utf8), .ndjson), (Array("{\"a\":1}\n{\"a\":2}".utf8), .ndjson),
    (Array(#"{"sensor":0,"axisValues":[]}"#.utf8), .gyrodata),
    ([0x50, 0x4B, 3, 4, 0, 0], .zip), (Array("PAR1x".utf8), .parquet),
    ([0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 13, 10], .mcap), ([0x89, 0x49, 0x4D, 0], .raw),
  ]

  @Test("are told by their first bytes", arguments: kinds.indices)
  func detected(_ index: Int) throws {
    let (bytes, kind) = Self.kinds[index]
    let source = ByteSource(bytes, piece: 3)
    let found = try FileKind.detect(source)
    #expect(found == kind)
    for given in FileKind.allCases where given != kind {
      let isJSON = [FileKind.json, .ndjson].contains(kind) && [.json, .ndjson].contains(given)
      // A log may have lost its beginning.
      if isJSON || (given == .raw && kind == .csv && bytes.contains(0)) { continue }
      #expect {
        _ = try FileKind.check(given, source)
      } throws: {
        "\($0)".contains("which import does not read as \(given.rawValue): leave --format out")
      }
    }
    let same = try FileKind.check(kind, source)
    #expect(same == kind)
  }

  @Test("that are not read are refused by name, with the way to one that is")
  func foreign() throws {
    for (bytes, words) in [
      ([], "is empty"), ([0xFF, 0xFE, 0, 0, 0x74, 0, 0, 0], "UTF-32"),
      (Array(repeating: 0, count: 70_000) + [1], "begins with 65536 or more bytes of 0"),
      ([0, 0, 0, 0, 7], "begins with 4 bytes of 0"),
      ([0x1F, 0x8B, 8], "is packed by gzip, which import does not read: unpack it"),
      (Array("abcdftypmp42".utf8.dropFirst(4)).withPrefix(4), "a video (MP4)"),
      (Array(repeating: 32, count: 257) + Array("ustar".utf8), "an archive (TAR)"),
      ([1, 2, 3, 0, 5, 6], "a binary of an unknown kind"),
      (Array(#"{"phone":1}"#.utf8), "JSON of an unknown form"),
    ] as [([UInt8], String)] {
      #expect {
        _ = try FileKind.detect(ByteSource(bytes))
      } throws: {
        "\($0)".contains(words)
      }
    }
  }
}

extension [UInt8] {
  fileprivate func withPrefix(_ count: Int) -> [UInt8] {
    [UInt8](repeating: 1, count: count) + self
  }
}
