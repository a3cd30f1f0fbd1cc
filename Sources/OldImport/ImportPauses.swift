// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The pauses of a phyphox experiment, whose times do not count them.
///
///     event    experiment time    system time
///     START          0.0              100.0
///     PAUSE          2.5              102.5
///     START          2.5              112.5        10 s: what is after 2.5 comes 10 s later than its time says
///
/// The length of a pause is the phone's: the difference of its system times, less that of the experiment's times.
struct ImportPauses: Equatable {
  /// An event of the list, in nanoseconds; `nil` where a time is missing or beyond a log.
  struct Event {
    let isStart: Bool
    let experiment: Int64?
    let system: Int64?
  }

  private struct Pause: Equatable {
    /// When it begins, in nanoseconds of the experiment.
    let time: Int64
    /// The sum of the lengths up to it.
    let shift: Int64
  }

  private var pauses: [Pause] = []

  /// The longest sum: what is beyond is no pause, but a clock that was set.
  private static let longest: Int64 = 366 * 86_400_000_000_000

  /// None.
  init() {}

  /// - Returns: `nil` when the events contradict each other, so that lengths are unknown.
  init?(_ events: [Event]) {
    var last: (isStart: Bool, experiment: Int64, system: Int64)?
    var shift: Int64 = 0
    for event in events {
      guard let experiment = event.experiment, let system = event.system,
        max(experiment.magnitude, system.magnitude) < 1 << 62,
        event.isStart != last?.isStart ?? false
      else { return nil }
      if let last {
        guard experiment >= last.experiment, system >= last.system,
          system - last.system <= ImportPauses.longest
        else { return nil }
        if event.isStart {
          let length = system - last.system - (experiment - last.experiment)
          guard length >= 0, shift + length <= ImportPauses.longest else { return nil }
          shift += length
          pauses.append(Pause(time: last.experiment, shift: shift))
        }
      }
      last = (event.isStart, experiment, system)
    }
  }

  var isEmpty: Bool { pauses.isEmpty }

  /// A time with the pauses before it; `nil` beyond the times of a log.
  func time(_ time: Int64) -> Int64? {
    guard !pauses.isEmpty else { return time }
    let before = pauses.partitioningIndex { $0.time >= time }
    guard before > 0 else { return time }
    let (later, overflow) = time.addingReportingOverflow(pauses[before - 1].shift)
    return overflow ? nil : later
  }

  /// What is to be said of them, as a clause about the experiment.
  var remark: String? {
    guard let first = pauses.first, let last = pauses.last else { return nil }
    let (begin, length) = (Plain.seconds(first.time), Plain.seconds(last.shift))
    let when =
      pauses.count == 1
      ? "was paused at \(begin) for \(length)"
      : "was paused \(pauses.count) times, first at \(begin), for \(length) in all"
    return
      "the experiment \(when) by the phone's clock: later samples are moved by that, and ticks in between have no sample"
  }
}

extension ImportPauses {
  /// The most events that are kept.
  private static let mostEvents = 10_000

  /// The instant of the experiment's time 0, and its pauses: `"START",0.0E0,1763800000.123,…`, `"PAUSE",2.5E0,…`.
  static func start<Source: ImportSource & ~Copyable>(_ lines: inout ImportLines<Source>)
    throws(ImportError) -> (started: Int64?, pauses: ImportPauses, remark: String?)
  {
    var events: [ImportPauses.Event] = []
    var separator: UInt8?
    while events.count <= mostEvents, let line = try lines.next() {
      let mark = separator ?? ImportHead.separator(of: line)
      separator = mark
      let isStart = line.starts(with: "\"START\"".utf8)
      guard isStart || line.starts(with: "\"PAUSE\"".utf8) else { continue }
      let times = ImportHead.cells(line, mark).prefix(3).map { cell -> Int64? in
        let point = cell.first { ".,".utf8.contains($0) } ?? UInt8(ascii: ".")
        guard case .number(let number) = ImportNumber(cell, mark: point) else { return nil }
        return number.whole(tenTo: 9)?.value
      }
      events.append(
        ImportPauses.Event(
          isStart: isStart, experiment: times.count > 1 ? times[1] : nil,
          system: times.count > 2 ? times[2] : nil))
    }
    guard let first = events.first(where: \.isStart) else {
      return (nil, ImportPauses(), "meta/time.csv has no START, and so no date")
    }
    guard let time = first.experiment, let wall = first.system else {
      return (
        nil, ImportPauses(), "the start in meta/time.csv has no date, and is left out"
      )
    }
    let (difference, overflow) = wall.subtractingReportingOverflow(time)
    let date = overflow ? nil : difference
    if events.count <= mostEvents, let pauses = ImportPauses(events) {
      return (date, pauses, pauses.remark)
    }
    guard events.count(where: \.isStart) > 1 else { return (date, ImportPauses(), nil) }
    let flaw =
      events.count > mostEvents ? "has more than \(mostEvents) events" : "contradicts itself"
    return (
      date, ImportPauses(),
      "the experiment was paused, and meta/time.csv \(flaw): its times do not count pauses, so dates after the "
        + "first one are too early; record without pauses to have them"
    )
  }
}
