// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The samples of an MCAP file of this program: messages of ROS 2 in chunks; <https://mcap.dev/spec>.
///
///     magic │ Header │ (Chunk │ MessageIndex…)… │ Metadata │ DataEnd │ … │ magic       record: kind │ length │ fields
///     /imu: a sample, its tick the sequence       /imu/temperature: that of the sample before it, where it changed
///     /imu/gaps, /imu/marks: lines of text        /imu/labels: in the metadata as well
final class MCAPFile: OwnRows {
  let name: String
  let own: OwnColumns
  private(set) var facts: OwnFacts
  private(set) var numbers = Array(repeating: Decimal(digits: 0), count: 7)
  private(set) var row = 0

  private let source: any SeekableSource
  private var messages = MCAPMessages()
  private var waiting: MCAPMessages.Message?
  private var position: UInt64 = 8
  /// The tick after the last message's.
  private var tick: UInt64 = 0
  /// Whether this is the first pass, which takes marks from messages.
  private var takesMarks = true
  private let axes: [Int]

  init(_ source: any SeekableSource, _ request: ImportRequest) throws(ImportError) {
    let name = source.name
    let own = try OwnColumns(try MCAPFile.metadata(source), name, "MCAP", request)
    (self.name, self.own, facts) = (name, own, own.facts)
    axes = own.facts.channels.indices.filter { $0 < 6 }
    self.source = source
  }

  /// The names and texts of the record `imulog`; none in files of other programs.
  private static func metadata(_ source: any SeekableSource) throws(ImportError) -> [(
    name: String, text: String
  )] {
    var place: UInt64 = 8
    let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
    guard try source.bytes(at: max(8, source.size) - 8, 8) == magic else {
      throw .damaged(source.name, "it is cut off: its end is missing")
    }
    while let (kind, length) = try record(source, at: &place), kind != 0x0F {
      // Facts have some hundred bytes each, and lists of marks and labels 20,000 items at most.
      guard kind == 0x0C, length <= 16 << 20 else { continue }
      var reader = try source.reader(at: place - length, length)
      guard try reader.counted().text == "imulog" else { continue }
      var map = try reader.counted()
      var pairs: [(String, String)] = []
      while !map.isAtEnd { pairs.append((try map.counted().text, try map.counted().text)) }
      return pairs
    }
    return []
  }

  /// The kind and the length of the record at a place, which is then behind it; `nil` at the end of the file.
  private static func record(_ source: any SeekableSource, at place: inout UInt64)
    throws(ImportError)
    -> (kind: UInt8, length: UInt64)?
  {
    guard place + 9 <= source.size else { return nil }
    var head = try source.reader(at: place, 9)
    let (kind, length) = (try head.integer(UInt8.self), try head.integer(UInt64.self))
    guard length <= source.size - place - 9 else { throw head.wrong("it is cut off") }
    place += 9 + length
    return (kind, length)
  }

  func rewind(to mark: RowMark?) throws(ImportError) {
    (row, position, tick, messages, waiting) = (0, 8, 0, MCAPMessages(), nil)
    while row + 1 < mark?.line ?? 1 { _ = try next() }
  }

  func next() throws(ImportError) -> Row? {
    while let message = try message() {
      switch message.topic {
      case .imu:
        row += 1
        for channel in axes {
          let value = try message.double(MCAPMessages.imuPlaces[channel])
          numbers[channel] = try own.count(of: value, channel: channel, place)
        }
        if facts.channels.contains(.temperature) {
          let after = try self.message()
          if let after, after.topic == .temperature, after.sequence == message.sequence {
            numbers[6] = try own.count(of: after.double(1), channel: 6, place)
          } else {
            waiting = after
          }
        }
        return try row(message, nil)
      case .gaps: return try row(message, message.gap())
      case .marks:
        let (text, time) = (try message.line(), try time(message))
        if takesMarks { facts.notes.take(mark: text, at: time) }
      case .temperature, .other: break
      }
    }
    takesMarks = false
    return nil
  }

  private func message() throws(ImportError) -> MCAPMessages.Message? {
    if let message = waiting.take() { return message }
    while true {
      if let message = try messages.next() { return message }
      guard let (kind, length) = try MCAPFile.record(source, at: &position), kind != 0x0F else {
        return try checkEnd()
      }
      guard kind == 0x06 else { continue }
      guard length <= UInt64(LZ4Block.limit + 1 << 20) else {
        throw .damaged(name, "a chunk is larger than this program's")
      }
      try messages.take(try source.reader(at: position - length, length))
    }
  }

  /// Passes the summary and the footer; the mark of the end follows them.
  private func checkEnd() throws(ImportError) -> MCAPMessages.Message? {
    while let (kind, _) = try MCAPFile.record(source, at: &position), kind != 0x02 {}
    guard position + 8 >= source.size else {
      throw .damaged(name, "another file follows it")
    }
    return nil
  }

  /// A stamp has more than a time by the date, or by what makes all of them positive.
  private func time(_ message: MCAPMessages.Message) throws(ImportError) -> Int64 {
    let time = Int64(clamping: message.time).subtractingReportingOverflow(
      facts.started ?? facts.shift)
    guard !time.overflow else { throw .damaged(name, "\(place) is beyond the times of a log") }
    return time.partialValue
  }

  /// A row; the message has the lowest 32 bits of its tick.
  private func row(_ message: MCAPMessages.Message, _ gap: Gap?) throws(ImportError)
    -> Row
  {
    let ahead = UInt64(message.sequence &- UInt32(truncatingIfNeeded: tick))
    guard tick < 1 << 62, gap?.count ?? 1 < 1 << 62 else {
      throw .damaged(name, "\(place) has more ticks than a log")
    }
    var row = Row(time: try time(message), tick: tick + ahead, gap: gap)
    row.gap?.firstTick = tick + ahead
    tick += ahead + (gap?.count ?? 1)
    return row
  }
}
