// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Testing

@Suite("A reader skips additions by later writers")
struct ExtensionTests {
  private let events: [LogEvent] =
    (0..<30).map { .record(sample($0, ax: Int16($0 * $0))) }
    + [
      .record(TickRecord(Gap(firstTick: 30, count: 3, cause: .missed))),
      .record(TickRecord(SensorEvent(tick: 31, kind: .lost, fault: .zeros))),
      .mark(Mark(time: -5, label: "m")),
      .clock(
        ClockPair(
          time: 1, wall: 2, isSynchronised: true, reason: .stepped,
          others: ClockPair.Others(raw: -3, boottime: 4, bracket: 5))),
      .record(TickRecord(BusClockReading(time: 6000, hertz: 7, least: 8, most: 9), before: 33)),
      .record(
        TickRecord(FieldReading(time: 9000, width: 4000, x: 1, y: -2, z: 3), before: 33)),
      .end(.example),
    ]

  @Test("unknown kinds of chunk between the known ones change nothing")
  func unknownKinds() throws {
    let chunks = TestPage.chunks(of: try encode(events))
    for kind in (8...14).map({ UInt8($0) }) {
      var page = TestPage(.example, sequence: 0)
      for chunk in chunks {
        page.add(kind: chunk.kind, chunk.body)
        page.add(kind: kind, [1, 2, 3])
        page.add(kind: kind, [])
      }
      let content = try LogContent(decoding: page.bytes)
      #expect(content.samples == LogContent(of: events, .example).samples)
      let known = content.others.filter { if case .unknown = $0 { false } else { true } }
      #expect(known == LogContent(of: events, .example).others)
      let unknown = content.others.filter { $0 == .unknown(kind: kind, byteCount: 3) }
      #expect(unknown.count == chunks.count)
    }
  }

  @Test("bytes after the known fields of every chunk change nothing")
  func paddedBodies() throws {
    for padding in [[0], [0xFF, 0x80, 1], Array(repeating: 0xA5, count: 40)] as [[UInt8]] {
      var page = TestPage(.example, sequence: 0)
      for chunk in TestPage.chunks(of: try encode(events)) {
        page.add(kind: chunk.kind, chunk.kind == 7 ? chunk.body : chunk.body + padding)
      }
      #expect(try LogContent(decoding: page.bytes) == LogContent(of: events, .example))
    }
  }

  @Test("extended kinds are named by their first byte")
  func extendedKinds() throws {
    var page = TestPage(.example, sequence: 0)
    page.add(kind: 15, [200, 1, 2])
    page.add(kind: 15, [15])
    page.add(kind: 15, [29, 1])
    // A reading of the bus's clock, and a list of a magnetometer's values, without their fields.
    page.add(kind: 15, [19, 1])
    page.add(kind: 15, [20, 1])
    #expect(
      LogContent(decoding: page.bytes, .example).others == [
        .unknown(kind: 200, byteCount: 3), .unknown(kind: 15, byteCount: 1),
        .unknown(kind: 29, byteCount: 2), .unknown(kind: 19, byteCount: 2),
        .unknown(kind: 20, byteCount: 2),
      ])
  }

  @Test("unknown causes, reasons, kinds and faults make a record unknown, and no other")
  func unknownValues() throws {
    var page = TestPage(.example, sequence: 0)
    page.add(kind: 2, [3, 0, 1, 1, 0, 2, 1, 99, 0, 2, 1, 2, 10])
    page.add(kind: 4, Array(repeating: 0, count: 17) + [99])
    page.add(kind: 5, [7, 99, 0])
    page.add(kind: 6, [99] + Array(repeating: 0, count: 9))
    page.add(kind: 3, [2, 0])
    let content = LogContent(decoding: page.bytes, .example)
    #expect(content.damage.isEmpty)
    #expect(
      content.others == [
        .gap(Gap(firstTick: 0, count: 1, cause: .missed)), .unknown(kind: 2, byteCount: 4),
        .gap(Gap(firstTick: 4, count: 1, cause: .busError, code: 5)),
        .unknown(kind: 4, byteCount: 18), .unknown(kind: 5, byteCount: 3),
        .unknown(kind: 6, byteCount: 10), .mark(Mark(time: 1)),
      ])
  }
}
