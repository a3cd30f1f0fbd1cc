// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Import

@Suite("Text of other encodings is read as the same text")
struct EncodingTests {
  static let text =
    "Time (ms);Acc X (m/s²);Acc Y (m/s²);Acc Z (m/s²);°\r\n"
    + (0..<3000).map { "\($0);0,\($0 % 9)1;-0,5;9,8\($0 % 7);\u{1F600}\n" }.joined()

  /// A text in UTF-16 or UTF-32, with or without a mark.
  static func bytes(_ text: String, width: Int, isBig: Bool, hasMark: Bool) -> [UInt8] {
    let text = (hasMark ? "\u{FEFF}" : "") + text
    let units = width == 2 ? text.utf16.map(UInt32.init) : text.unicodeScalars.map(\.value)
    return units.flatMap { unit in
      (0..<width).map {
        UInt8(truncatingIfNeeded: unit >> UInt32(8 * (isBig ? width - 1 - $0 : $0)))
      }
    }
  }

  private func read(_ bytes: [UInt8], piece: Int) throws -> (text: String, encoding: Encoding) {
    let source = try TextSource(ByteSource(bytes, piece: piece))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
    defer { buffer.deallocate() }
    var found: [UInt8] = []
    while case let count = try source.read(into: buffer), count > 0 { found += buffer[..<count] }
    // Again from a byte in it.
    try source.seek(to: 60)
    let count = try source.read(into: buffer)
    #expect(found[60...].starts(with: buffer[..<count]))
    return (String(decoding: found, as: UTF8.self), source.encoding)
  }

  @Test("UTF-8 with and without a mark", arguments: [1, 7, 100_000])
  func utf8(_ piece: Int) throws {
    for mark in ["", "\u{FEFF}"] {
      let found = try read(Array((mark + Self.text).utf8), piece: piece)
      #expect(found.text == Self.text)
      #expect(found.encoding == .utf8)
    }
  }

  @Test("what is not UTF-8 is Latin-1")
  func latin() throws {
    let text = "Zeit;m/s²;°/s;µs\n" + String(repeating: "1;2;3;4\n", count: 20)
    let found = try read(text.unicodeScalars.map { UInt8($0.value) }, piece: 5)
    #expect(found.text == text)
    #expect(found.encoding == .latin1)
  }

  @Test("UTF-8 that the first 64 KiB cut within a character is UTF-8", arguments: 0..<4)
  func cut(_ shift: Int) throws {
    let text = String(repeating: "a", count: shift) + String(repeating: "\u{1F600}", count: 20_000)
    #expect(try TextSource(ByteSource(text)).encoding == .utf8)
  }

  @Test("UTF-16 and UTF-32 are refused by name")
  func wide() {
    for width in [2, 4] {
      for isBig in [false, true] {
        for hasMark in [false, true] {
          let bytes = Self.bytes("t,ax\n", width: width, isBig: isBig, hasMark: hasMark)
          let error = #expect(throws: ImportError.self) {
            _ = try FileKind.detect(ByteSource(bytes))
          }
          #expect(error?.problem == "is text in UTF-16 or UTF-32")
        }
      }
    }
  }

  @Test("and a remark names its encoding")
  func said() throws {
    let text = "Time (ms),Acc X (m/s²),Acc Y (m/s²),Acc Z (m/s²)\n0,1,2,9\n10,2,1,9.5\n20,1,1,9\n"
    let importer = try Tables.importer(text.unicodeScalars.map { UInt8($0.value) })
    #expect(importer.remarks.contains { $0.contains("Latin-1") }, "\(importer.remarks)")
    #expect(try abs(Tables.samples(importer).values[1][2] * 9.80665 - 9.5) < 1e-3)
  }
}
