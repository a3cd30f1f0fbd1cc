// SPDX-License-Identifier: Apache-2.0

import ChipClock
package import IMUModel
import Text

/// A chip's clock at present, by the quick estimator.
public struct ChipClockState: Equatable, Sendable {
  /// Samples a second.
  public var hertz: Double
  /// Half the width of the interval that must hold the newest sample's instant, in nanoseconds.
  public var uncertainty: Int64

  /// A state.
  public init(hertz: Double, uncertainty: Int64) {
    (self.hertz, self.uncertainty) = (hertz, uncertainty)
  }

  func add(to json: inout JSONWriter) {
    json.member("rate_hz", number: Plain.number(hertz, per: 1000))
    json.member("uncertainty_ns", uncertainty)
  }
}

/// Follows a chip's clock from the readings in the ring, for `status` and the screen.
struct LiveChipClock {
  private let period: Double
  private let assumptions: ClockAssumptions
  private var clock: LiveClock
  private var epoch: UInt32?
  private(set) var state: ChipClockState?

  /// `nil` when the computer keeps the time.
  init?(_ start: SensorStart) {
    guard case .chip(let busClock) = start.clock else { return nil }
    period = 1e9 / start.schedule.rate.hertz
    assumptions = ClockAssumptions(busHertz: busClock)
    clock = LiveClock(nominalPeriod: period, assumptions)
  }

  mutating func note(_ record: TickRecord) {
    guard let reading = record.reading, !reading.isEdge, reading.stamp == nil else { return }
    if reading.epoch != epoch {
      epoch = reading.epoch
      clock = LiveClock(nominalPeriod: period, assumptions)
    }
    clock.add(
      FillReading(
        count: reading.count, before: reading.before,
        after: reading.length > 0 ? reading.before + Int64(reading.length) : nil))
    guard let instant = clock.instant(of: reading.count), let hertz = clock.hertz else { return }
    state = ChipClockState(
      hertz: hertz, uncertainty: (instant.latest - instant.earliest + 1) / 2)
  }
}

/// Notices that the chip's interrupt line is silent.
package struct InterruptWatch {
  private var drains = 0
  /// Drains after which there should have been an edge: 5 s of the fastest.
  private static let patience = 250

  package init() {}

  /// Looks at a new record; whether the line has just become silent.
  package mutating func notice(_ record: TickRecord) -> Bool {
    guard let reading = record.reading else { return false }
    if reading.isEdge {
      drains = 0
    } else if reading.isDrained {
      drains += 1
    }
    return drains == InterruptWatch.patience && reading.isDrained
  }
}
