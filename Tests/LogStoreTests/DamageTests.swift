// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import TestSupport
import Testing

/// A log of a page and a bit, with marks so long that few events, which are slow to decode in a
/// debug build, fill it.
private let example = Result { () throws(FormatError) in
  var description = ExampleLog.description()
  description.channels = .accelerometer
  return try ExampleLog(
    ticks: 24, flushEvery: 4, marksEvery: 1, labelLength: 200, description: description)
}
/// The items of the intact log, and how many of them are left when it is cut at each
/// byte.
private let wholeEvents = Result { try read(example.get().bytes) }
private let prefixCounts = Result {
  let log = try example.get()
  return try (0...log.bytes.count).map { length -> Int in
    length < log.headerByteCount
      ? 0 : try read(Array(log.bytes[..<length])).filter { $0.damage == nil }.count
  }
}

@Suite("Damage")
struct DamageTests {
  @Test("a log cut within its header cannot be read, and does not pass for a foreign file")
  func cutHeader() throws {
    let log = try example.get()
    for length in 0..<log.headerByteCount {
      do {
        _ = try read(Array(log.bytes[..<length]))
        Issue.record("a header cut at byte \(length) was read")
      } catch {
        switch error {
        case .foreign: #expect(length < 3)
        case .damagedHeader: #expect(length >= 3)
        default: Issue.record("cut at byte \(length): \(error)")
        }
      }
    }
  }

  @Test(
    "a flipped bit loses the rest of its page and nothing else, and the reader says how many ticks",
    arguments: CaseSelection.sample(2, of: Array(0..<8)))
  func flips(bit: Int) throws {
    let log = try example.get()
    let whole = try wholeEvents.get()
    let counts = try prefixCounts.get()
    #expect(log.bytes.count > 4096 + 500)
    let disk = MemoryDisk(holding: log.bytes)
    var reader = try LogReader(MemoryStorage(disk))
    for byte in log.headerByteCount..<log.bytes.count {
      disk.flip(bit: bit, of: byte)
      reader.rewind()
      let events = try reader.readAll()
      disk.flip(bit: bit, of: byte)
      let place = "bit \(bit) of byte \(byte), seed \(CaseSelection.seed)"
      let found = events.firstIndex { $0.damage != nil }
      guard let found, let damage = events[found].damage else {
        Issue.record("\(place) was not noticed")
        continue
      }
      // All before the chunk, and all from the next page on.
      let page = byte / 4096
      let pageEnd = min((page + 1) * 4096, log.bytes.count)
      let before = counts[byte], after = counts[pageEnd]
      #expect(Array(events[..<found]) == Array(whole[..<before]), "\(place)")
      #expect(Array(events[(found + 1)...]) == Array(whole[after...]), "\(place)")
      #expect(damage.page == page && damage.pageCount == 1, "\(place)")
      #expect(damage.offset <= byte && byte < Int(damage.offset + damage.byteCount), "\(place)")
      let lost = whole[before..<after].reduce(0) { $0 + $1.tickCount }
      let isTold = pageEnd < log.bytes.count || before == whole.count
      #expect(damage.ticksLost == (isTold ? lost : nil), "\(place)")
    }
  }

  @Test(
    "a flipped bit in the header never yields a wrong scale",
    arguments: CaseSelection.sample(2, of: Array(0..<8)))
  func headerFlips(bit: Int) throws {
    let log = try example.get()
    let whole = try wholeEvents.get()
    for byte in 0..<log.headerByteCount {
      var bytes = log.bytes
      bytes[byte] ^= 1 << bit
      switch described(bytes) {
      case .success(let description):
        #expect(description == log.description, "bit \(bit) of byte \(byte)")
        if byte % 64 == 0 {
          let events = try read(bytes)
          // The contents of page 0 are lost, and nothing after it.
          let rest = events.filter { $0.damage == nil }
          #expect(events.first?.damage?.page == 0)
          #expect(!rest.isEmpty && whole.suffix(rest.count) == rest[...])
        }
      case .failure(let error):
        Issue.record("bit \(bit) of byte \(byte): \(error)")
      }
    }
  }

  @Test("a log of one page whose header is damaged is refused with the place")
  func onlyHeader() throws {
    let log = try example.get()
    for byte in 0..<log.headerByteCount {
      var bytes = Array(log.bytes[..<log.headerByteCount])
      bytes[byte] ^= 4
      guard case .failure(.damagedHeader(_, let offset, _)) = described(bytes) else {
        // The version is looked at after the check.
        Issue.record("byte \(byte)")
        continue
      }
      #expect(offset <= byte)
    }
  }

  func described(_ bytes: [UInt8]) -> Result<RecordingDescription, LogError> {
    Result { () throws(LogError) in
      try LogReader(MemoryStorage(MemoryDisk(holding: bytes))).description
    }
  }
}
