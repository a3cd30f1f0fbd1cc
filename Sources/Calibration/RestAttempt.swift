// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Why a window, or most windows of an attempt, were not at rest.
enum Unrest: Equatable, Sendable {
  /// The largest standard deviations of an axis, in g and °/s.
  case moving(acceleration: Double, rate: Double)
  /// Axes at an end of their range.
  case clipped(ChannelSet)
  /// A mean rate above ``CalibrationStudy/largestRate``, in °/s.
  case fast(Double)

  /// Whether the counts are the cause, not a hand.
  var isOfCounts: Bool {
    switch self {
    case .moving: false
    case .clipped, .fast: true
    }
  }
}

/// Windows of half a second with one side up, or with any, counted by their unrest.
struct RestAttempt: Sendable {
  private(set) var stillCount = 0
  /// Windows that nearly were at rest, and the sums of their largest standard deviations, in g and °/s.
  private var movedCount = 0
  private var spreads = (acceleration: 0.0, rate: 0.0)
  private(set) var clippedCount = 0
  private(set) var clipped: ChannelSet = []
  /// Windows with too high a mean rate, and the sum of these rates in °/s.
  private var fastCount = 0
  private var rates = 0.0

  /// Windows that make an attempt to hold it: half of ``CalibrationStudy/leastPose``, more than a pause in a move.
  private static let least = 4
  /// A window with so many times the spread of rest is a move, not an attempt to hold it.
  private static let nearly = 10.0

  /// Adds a window; `nil` for one at rest.
  mutating func add(_ unrest: Unrest?) {
    switch unrest {
    case nil: stillCount += 1
    case .clipped(let channels)?:
      clippedCount += 1
      clipped.formUnion(channels)
    case .fast(let rate)?:
      fastCount += 1
      rates += rate
    case .moving(let acceleration, let rate)?:
      guard acceleration < CalibrationStudy.accelerationSpread * RestAttempt.nearly,
        rate < CalibrationStudy.rateSpread * RestAttempt.nearly
      else { return }
      movedCount += 1
      spreads.acceleration += acceleration
      spreads.rate += rate
    }
  }

  /// The most frequent unrest, with its means; `nil` if too few windows had one.
  var unrest: Unrest? {
    let ofCounts = clippedCount + fastCount
    guard max(ofCounts, movedCount) >= RestAttempt.least else { return nil }
    guard ofCounts >= movedCount else {
      let count = Double(movedCount)
      return .moving(acceleration: spreads.acceleration / count, rate: spreads.rate / count)
    }
    return clippedCount >= fastCount ? .clipped(clipped) : .fast(rates / Double(fastCount))
  }
}
