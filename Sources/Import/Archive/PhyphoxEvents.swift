// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The events of a phyphox experiment, whose times do not count its pauses.
///
///     event    experiment time    system time
///     START          0.0              100.0        time 0 is at 100
///     PAUSE          2.5              102.5
///     START          2.5              112.5        10 s: what is after 2.5 comes 10 s later than its time says
struct PhyphoxEvents: Sendable {
  /// Nanoseconds since 1970 at time 0.
  private(set) var started: Int64?
  /// Of each pause its time in the experiment, and the sum of the lengths up to it.
  private var pauses: [(time: Int64, shift: Int64)] = []

  /// The most events, and the longest sum of pauses: beyond that a clock was set.
  private static let (most, longest): (Int, Int64) = (200, 366 * 86_400_000_000_000)

  /// Reads `meta/time.csv`.
  ///
  /// - Throws: Where START and PAUSE do not take turns at rising times, unless the user wants times as they are written.
  init<Source: ImportSource & ~Copyable>(_ source: consuming Source, _ request: ImportRequest)
    throws(ImportError)
  {
    var lines = Lines(source)
    var events: [(isStart: Bool, time: Int64, wall: Int64)] = []
    while let line = try lines.next() {
      let mark = line.first { ",;\t".utf8.contains($0) } ?? UInt8(ascii: ",")
      let isStart = line.starts(with: "\"START\"".utf8)
      guard isStart || line.starts(with: "\"PAUSE\"".utf8) else { continue }
      let times = Heading.cells(line, mark).dropFirst().prefix(2).compactMap(PhyphoxEvents.time)
      let event = times.count == 2 ? (isStart, times[0], times[1]) : nil
      guard let event, events.count < PhyphoxEvents.most, add(event, after: events.last) else {
        if request.isAnyway {
          pauses = []
          return
        }
        throw ImportError(
          lines.source.name, at: lines.place, kind: .objection,
          "START and PAUSE do not take turns at rising times here",
          remedy: "record without pauses, or take the times as they are written with --anyway")
      }
      events.append(event)
    }
  }

  /// Seconds of 1970 or of the experiment, below 146 years.
  private static func time(_ cell: UnsafeRawBufferPointer) -> Int64? {
    let point = cell.first { ".,".utf8.contains($0) } ?? UInt8(ascii: ".")
    guard case .number(let number) = DecimalField(cell, mark: point) else { return nil }
    return number.whole(tenTo: 9).flatMap { $0.value.magnitude < 1 << 62 ? $0.value : nil }
  }

  private mutating func add(
    _ event: (isStart: Bool, time: Int64, wall: Int64),
    after last: (isStart: Bool, time: Int64, wall: Int64)?
  ) -> Bool {
    guard event.isStart != last?.isStart ?? false else { return false }
    guard let last else {
      started = event.wall - event.time
      return true
    }
    let length = event.wall - last.wall - (event.time - last.time)
    guard event.time >= last.time, event.wall >= last.wall else { return false }
    guard event.isStart else { return true }
    let shift = (pauses.last?.shift ?? 0).addingReportingOverflow(length)
    guard length >= 0, !shift.overflow, shift.partialValue <= PhyphoxEvents.longest else {
      return false
    }
    pauses.append((last.time, shift.partialValue))
    return true
  }

  /// A time with the pauses before it.
  func time(_ time: Int64) -> Int64 {
    // Few, and most files have none.
    let shift = pauses.last { $0.time < time }?.shift ?? 0
    return time.addingReportingOverflow(shift).partialValue
  }

  /// What is to be said of pauses, as a clause.
  var remark: String? {
    guard let first = pauses.first, let last = pauses.last else { return nil }
    return
      "the experiment was paused \(pauses.count == 1 ? "" : "\(pauses.count) times, first ")at \(Plain.seconds(first.time)), for "
      + "\(Plain.seconds(last.shift)) by the phone's clock: later samples are moved by that"
  }
}
