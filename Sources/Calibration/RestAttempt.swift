// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Why a window, or most windows of an attempt, were no rest.
enum Unrest: Equatable, Sendable {
  /// An axis spread: the largest standard deviations, in g and °/s.
  case moving(acceleration: Double, rate: Double)
  /// These axes were at an end of their range.
  case clipped(ChannelSet)
  /// The mean rate was above ``CalibrationStudy/largestRate``, in °/s.
  case fast(Double)

  /// Whether the counts themselves are the cause, and no hand.
  var isOfCounts: Bool {
    switch self {
    case .moving: false
    case .clipped, .fast: true
    }
  }
}

/// Windows of half a second that were to be at rest, with one side up or all of them.
struct RestAttempt: Sendable {
  /// Those that were.
  private(set) var stillCount = 0
  /// Those that were not, but nearly, and the sums of their largest standard deviations, in g and °/s.
  private var movedCount = 0
  private var spreads = (acceleration: 0.0, rate: 0.0)
  /// Those in which nothing spread, and these axes were at an end of their range.
  private(set) var clippedCount = 0
  private(set) var clipped: ChannelSet = []
  /// Those in which nothing spread but the mean rate was too high, and the sum of these rates in °/s.
  private var fastCount = 0
  private var rates = 0.0

  /// Windows from which on someone tried to hold it so: the half of ``CalibrationStudy/leastPose``, and more than a pause in a
  /// move.
  private static let least = 4
  /// A window that spreads by so many times what rest may have is a move, and no attempt to hold it.
  private static let nearly = 10.0

  /// Takes a window: `nil` for one at rest.
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

  /// The windows of both.
  static func + (left: RestAttempt, right: RestAttempt) -> RestAttempt {
    var sum = left
    sum.stillCount += right.stillCount
    sum.movedCount += right.movedCount
    sum.spreads.acceleration += right.spreads.acceleration
    sum.spreads.rate += right.spreads.rate
    sum.clippedCount += right.clippedCount
    sum.clipped.formUnion(right.clipped)
    sum.fastCount += right.fastCount
    sum.rates += right.rates
    return sum
  }

  /// What kept it from being at rest, with its means; `nil` where too few windows were no rest. What the counts show
  /// themselves comes before a hand that trembled, unless that was more often.
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
