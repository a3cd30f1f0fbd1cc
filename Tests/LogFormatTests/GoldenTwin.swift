// SPDX-License-Identifier: Apache-2.0

import Foundation
import IMUModel

/// The contents of a golden log, as JSON that needs no knowledge of the format.
///
///     about      what the log shows
///     header     some keys of the header text and their values
///     features   the features that it is about, for people
///     records    in order, each an array:
///                  "sample" TICK TIME COUNT…     counts of the channels, in order
///                  "gap" FIRST TICKS CAUSE CODE   "sensor" TICK KIND FAULT   "mark" TIME LABEL
///                  "reading" EPOCH CAUSE FIRST-TICK COUNT-BEFORE COUNT BEFORE LENGTH OFFSET 0|1   instants in nanoseconds, and
///                                            of the chip's counter TICKS TICKS-PER-SLOT
///                  "field" TIME WIDTH X Y Z FLAGS   a magnetometer's value, in nanoseconds and counts
///                  "clock" TIME WALL 0|1 REASON   "end" REASON LEDGER×6 LATENESS×3 and, if the log has them, LOST FROZEN
///                  "certificate" and for each finding NAME VERDICT VALUE BOUND
///                  "unknown" KIND                something that readers skip
///                  "flush"                       nothing that a reader sees: a call to the encoder
///     damage     parts that a reader skips, each [page, byte in the page, point of "Reading damaged logs"]
///     byHand     how its bytes were put together; without it, they are what the encoder makes of the records
///     refused    true when there is no header that can be decoded
///
/// Gaps and other records need not be in their places among the samples.
struct GoldenTwin: Decodable {
  struct BadRecord: Error { let record: [Word] }

  private let header: [String: String]?
  private let records: [[Word]]?
  private let damage: [[Int]]?
  let byHand: HandmadeLog?
  private let refused: Bool?

  init(_ json: Data) throws {
    self = try JSONDecoder().decode(GoldenTwin.self, from: json)
  }

  var isRefused: Bool { refused == true }
  var damages: [[Int]] { damage ?? [] }

  /// A word of a record.
  enum Word: Decodable {
    case number(Int64)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        self = .number(try container.decode(Int64.self))
      } catch {
        self = .text(try container.decode(String.self))
      }
    }
  }

  /// The example's description with the header's entries.
  func description() throws -> RecordingDescription {
    var description = RecordingDescription.example
    description.note = ""
    for (key, value) in header ?? [:] {
      switch key {
      case "rate":
        let parts = value.split(separator: "/").compactMap { UInt32($0) }
        description.rate = SampleRate(parts[0], per: parts[1]) ?? .fallback
      case "time-unit": description.timeUnit = Int64(value) ?? 0
      case "note": description.note = value
      case "channels":
        let bits = value.split(separator: " ").map {
          UInt8(1) << UInt8(ChannelSet.names.firstIndex(of: String($0)) ?? 0)
        }
        description.channels = ChannelSet(rawValue: bits.reduce(0, |))
      case "chip-clock": description.clock = .chip(busClock: Int(value))
      case "bus-clock-measured": description.busClockMeasured = Int(value)
      case "boot": description.boot = value
      case "sensor-name": description.sensorName = value
      case "bus-path": description.busPath = value
      case "take":
        let words = value.split(separator: " ").map { String($0) }
        description.take = RecordingID(words[0]).flatMap {
          TakePlace(id: $0, index: Int(words[1]) ?? -1, count: Int(words[2]) ?? -1)
        }
      case "field":
        let words = value.split(separator: " ").map { String($0) }
        let terms = (words[1] + "/" + words[2]).split(separator: "/").compactMap { Int64($0) }
        guard let axes = AxisMap(words[3]) else {
          throw BadRecord(record: [.text(value)])
        }
        description.sensor.field = FieldDescription(
          model: words[0], scale: Fraction(terms[0], terms[1]),
          rate: SampleRate(UInt32(terms[2]), per: UInt32(terms[3])) ?? .fallback, axes: axes)
      case "origin":
        let parts = value.split(separator: " ").compactMap { Int64($0) }
        description.origin = ClockOrigin(monotonic: parts[0], raw: parts[1], boottime: parts[2])
      case "recovered-from": description.recoveredFrom = RecordingID(value)
      default: throw BadRecord(record: [.text(key)])
      }
    }
    return description
  }

  /// The records as calls to the encoder; those that no encoder makes are left out.
  func events() throws -> [LogEvent] {
    let channels = try description().channels.indices
    return try (records ?? []).compactMap { try TwinRecord($0).event(channels) }
  }

  /// Kinds of the records that are skipped.
  func unknownKinds() throws -> [Int64] {
    try (records ?? []).map { try TwinRecord($0) }.filter { $0.name == "unknown" }
      .map { try $0.number(0) }
  }
}

/// One record of a twin.
private struct TwinRecord {
  let name: String
  private let words: [GoldenTwin.Word]

  init(_ record: [GoldenTwin.Word]) throws {
    guard case .text(let name) = record.first else { throw GoldenTwin.BadRecord(record: record) }
    (self.name, words) = (name, Array(record.dropFirst()))
  }

  func number(_ index: Int) throws -> Int64 {
    guard index < words.count, case .number(let number) = words[index] else {
      throw GoldenTwin.BadRecord(record: words)
    }
    return number
  }

  private func text(_ index: Int) throws -> String {
    guard index < words.count, case .text(let text) = words[index] else {
      throw GoldenTwin.BadRecord(record: words)
    }
    return text
  }

  private func value<T: RawRepresentable>(_ index: Int) throws -> T where T.RawValue == UInt8 {
    guard let value = T(rawValue: UInt8(try number(index))) else {
      throw GoldenTwin.BadRecord(record: words)
    }
    return value
  }

  func event(_ channels: [Int]) throws -> LogEvent? {
    switch name {
    case "unknown": return nil
    case "flush": return .flush
    case "sample":
      var sample = RawSample()
      for (position, channel) in channels.enumerated() {
        sample[channel] = Int16(try number(2 + position))
      }
      return .record(TickRecord(tick: UInt64(try number(0)), time: try number(1), sample: sample))
    case "gap":
      let gap = Gap(
        firstTick: UInt64(try number(0)), count: UInt64(bitPattern: try number(1)),
        cause: try value(2), code: Int32(try number(3)))
      return .record(TickRecord(gap))
    case "sensor":
      return .record(
        TickRecord(
          SensorEvent(tick: UInt64(try number(0)), kind: try value(1), fault: try value(2))))
    case "reading":
      return .record(
        TickRecord(
          FIFOReading(
            epoch: UInt32(try number(0)), cause: try value(1), firstTick: try number(2),
            countBefore: try number(3), count: try number(4), before: try number(5),
            length: UInt32(try number(6)), offset: try number(7), isDrained: try number(8) != 0,
            stamp: words.count > 10
              ? SlotStamp(
                ticks: UInt16(try number(9)), ticksPerSlot: UInt16(try number(10))) : nil)))
    case "mark":
      guard case .text(let label) = words.last else { return nil }
      return .mark(Mark(time: try number(0), label: label))
    case "clock":
      return .clock(
        ClockPair(
          time: try number(0), wall: try number(1), isSynchronised: try number(2) != 0,
          reason: try value(3),
          others: words.count > 4
            ? ClockPair.Others(
              raw: try number(4), boottime: try number(5), bracket: UInt32(try number(6))) : nil))
    case "bus":
      return .record(
        TickRecord(
          BusClockReading(
            time: try number(0), hertz: UInt32(try number(1)), least: UInt32(try number(2)),
            most: UInt32(try number(3))), before: 0))
    case "field":
      let counts = try (2..<5).map { Int16(try number($0)) }
      return .record(
        TickRecord(
          FieldReading(
            time: try number(0), width: UInt32(try number(1)), x: counts[0], y: counts[1],
            z: counts[2], flags: FieldReading.Flags(rawValue: UInt8(try number(5)))), before: 0))
    case "certificate":
      let texts = try (0..<words.count).map { try text($0) }
      return .certificate(
        SensorCertificate(
          try stride(from: 0, to: texts.count, by: 4).map { place in
            guard let verdict = CertificateFinding.Verdict(rawValue: texts[place + 1]) else {
              throw GoldenTwin.BadRecord(record: words)
            }
            return CertificateFinding(
              name: texts[place], value: texts[place + 2], bound: texts[place + 3],
              verdict: verdict)
          }))
    case "end":
      var tally = TickTally()
      (tally.sampled, tally.missed) = (UInt64(try number(1)), UInt64(try number(2)))
      (tally.busErrors, tally.ringFull) = (UInt64(try number(3)), UInt64(try number(4)))
      (tally.stale, tally.reinitialising) = (UInt64(try number(5)), UInt64(try number(6)))
      let lateness = LatenessSummary(
        median: try number(7), percentile99: try number(8), maximum: try number(9))
      let reason: StopReason = try value(0)
      if words.count > 10 { tally.lost = UInt64(try number(10)) }
      if words.count > 11 { tally.frozen = UInt64(try number(11)) }
      return .end(RecordingEnd(reason: reason, tally: tally, lateness: lateness))
    default: throw GoldenTwin.BadRecord(record: words)
    }
  }
}
