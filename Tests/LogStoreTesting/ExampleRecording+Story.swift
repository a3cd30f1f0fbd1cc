// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport

/// The story of a recording: the events of each sync.
public enum ExampleStory: String, CaseIterable, Sendable {
  /// A sample a tick, and nothing else.
  case even
  /// Bursts of late ticks, clocks that are stepped by an hour and by ten years forth and back, a
  /// chip that is lost and comes back, a bus that fails, a ring that was full, and so many marks
  /// at once that they fill pages.
  case eventful
  /// Marks that fill pages, so many that space is made ahead a second time.
  case long

  /// Events by sync; each is consistent with those before it.
  public var syncs: [[ReadEvent]] {
    var writer = StoryWriter()
    switch self {
    case .even: for _ in 0..<3 { writer.sync { $0.samples(5) } }
    case .eventful: writer.tellEverything()
    case .long:
      for _ in 0..<6 {
        writer.sync {
          $0.samples(2)
          $0.marks(58)
        }
      }
    }
    return writer.syncs
  }
}

/// Collects events in the order of their ticks, 10 to a second.
private struct StoryWriter {
  var syncs: [[ReadEvent]] = []
  private var events: [ReadEvent] = []
  private var tick: UInt64 = 0
  private var generator = SeededGenerator(seed: 5)

  /// Nanoseconds since tick 0.
  private var time: Int64 { Int64(tick) * 100_000_000 }

  mutating func sync(_ body: (inout StoryWriter) -> Void) {
    body(&self)
    syncs.append(events)
    events = []
  }

  mutating func tellEverything() {
    sync {
      $0.clock(0, .start)
      $0.samples(6)
    }
    sync {
      // Woken late again and again: some ticks are missed, and those that are read are read late.
      $0.gap(3, .missed)
      $0.samples(1, late: 99_999_000)
      $0.gap(1, .missed)
      $0.samples(1, late: 42_000_000)
      $0.gap(7, .missed)
      $0.samples(3, late: 99_000_000)
      $0.marks(1)
    }
    let hour: Int64 = 3600
    for step in [hour, -hour, 10 * 365 * 24 * hour, -10 * 365 * 24 * hour] {
      sync {
        $0.samples(2)
        $0.clock(step, .stepped)
        $0.samples(1)
      }
    }
    sync {
      $0.marks(50)
      $0.samples(4)
    }
    sync {
      $0.sensor(.lost, .zeros)
      $0.gap(5, .reinitialising)
      $0.sensor(.back, .zeros)
      $0.samples(2)
      $0.gap(2, .busError, code: 121)
      $0.gap(1, .stale)
      $0.samples(1)
      $0.gap(90, .ringFull)
    }
    sync {
      $0.samples(3)
      $0.clock(5, .end)
    }
  }

  mutating func samples(_ count: Int, late: Int64 = 0) {
    for _ in 0..<count {
      var sample = RawSample()
      for channel in 0..<7 { sample[channel] = Int16(truncatingIfNeeded: generator.next()) }
      events.append(.sample(tick: tick, time: time + late, sample))
      tick += 1
    }
  }

  mutating func gap(_ count: UInt64, _ cause: GapCause, code: Int32 = 0) {
    events.append(.other(.gap(Gap(firstTick: tick, count: count, cause: cause, code: code))))
    tick += count
  }

  mutating func marks(_ count: Int) {
    for number in 0..<count {
      let label = String(repeating: "x", count: 200)
      events.append(.other(.mark(Mark(time: time + Int64(number), label: label))))
    }
  }

  /// A reading of a wall clock that is `seconds` ahead.
  mutating func clock(_ seconds: Int64, _ reason: ClockPair.Reason) {
    let wall = ExampleRecording.wall + time + seconds * 1_000_000_000
    let pair = ClockPair(time: time, wall: wall, isSynchronised: seconds != 0, reason: reason)
    events.append(.other(.clock(pair)))
  }

  mutating func sensor(_ kind: SensorEvent.Kind, _ fault: SensorEvent.Fault) {
    events.append(.other(.sensor(SensorEvent(tick: tick, kind: kind, fault: fault))))
  }
}
