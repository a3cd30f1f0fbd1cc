// SPDX-License-Identifier: Apache-2.0

import Files
import LogStoreTesting
import Testing

@Suite("The last line of a journal")
struct JournalTests {
  private let directory = TemporaryDirectory(inMemory: true)
  private static let lines = ["one 1", "two 22", "three 333"]

  private func open(_ gate: FaultGate = .open) -> Journal {
    Journal(
      directory.path + "/file", temporary: directory.path + "/new", FileSystem(gate: gate))
  }

  private func read(_ file: inout Journal) throws -> (lines: [String], damaged: Int) {
    var lines: [String] = []
    try file.read { lines.append(String(decoding: $0, as: UTF8.self)) }
    return (lines, file.damagedLineCount)
  }

  /// A file of the three lines; returns its bytes.
  private func write() throws -> [UInt8] {
    var file = open()
    _ = try read(&file)
    try file.append(JournalTests.lines)
    return directory.bytes(of: "file")
  }

  @Test("counts whatever became of its line feed, and a further one begins a line of its own")
  func lineFeed() throws {
    let bytes = try write()
    let ends: [[UInt8]] = [[], [UInt8(ascii: "x")], [0], [0, 0, 0], [0x8A], [0x0B]]
    for end in ends {
      directory.write(bytes.dropLast() + end, to: "file")
      var file = open()
      let found = try read(&file)
      #expect(found.lines == JournalTests.lines && found.damaged == 0, "\(end)")
      try file.append(["four"])
      var again = open()
      let after = try read(&again)
      #expect(after.lines == JournalTests.lines + ["four"] && after.damaged == 0, "\(end)")
    }
  }

  @Test("no changed byte of a file is silent, unless every line counts")
  func everyByte() throws {
    let bytes = try write()
    for place in bytes.indices {
      for bit in 0..<8 {
        var wrong = bytes
        wrong[place] ^= 1 << UInt8(bit)
        directory.write(wrong, to: "file")
        var file = open()
        let found = try read(&file)
        #expect(found.lines == JournalTests.lines || found.damaged > 0, "\(place) \(bit)")
      }
    }
  }

  @Test("that was cut is what a crash left: the next one replaces it, and no other line is lost")
  func cut() throws {
    let bytes = try write()
    let start = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
    for end in start..<(bytes.count - 1) {
      directory.write(Array(bytes[..<end]), to: "file")
      var file = open()
      let found = try read(&file)
      #expect(found.lines == Array(JournalTests.lines.dropLast()))
      #expect(found.damaged == 0, "\(end)")
      try file.append(["four"])
      var again = open()
      let after = try read(&again)
      #expect(after.lines == JournalTests.lines.dropLast() + ["four"] && after.damaged == 0)
    }
  }

  @Test("of which a full disk took a part is cut off at once")
  func full() throws {
    let bytes = try write()
    let script = FaultScript(.full(at: UInt64(bytes.count + 12)))
    var file = open(script.gate)
    _ = try read(&file)
    #expect(throws: StorageError.self) { try file.append(["four and more"]) }
    #expect(directory.bytes(of: "file") == bytes)
  }
}
