// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Which of the still stretches were at rest, by their mean rates: one that turns evenly is as still as any other.
///
///     rate   ● ●  ● ●●  ● ●        the same bias at rest, slowly changing with temperature
///                 ○                off the median of its like by more than 0.3 °/s: it turned
///            20      25 °C
enum RestRates {
  /// What a rate is off the median at least when it turned, in °/s: gravity changes a gyroscope's bias by 0.1 °/s a g
  /// (MPU-6000/6050 product specification 3.4, 6.1), so that faces of a sensor at rest differ by twice that.
  static let leastTurn = 0.3
  /// What the rates of one pose differ at most, in °/s: it points in one direction.
  static let largestChange = 0.1
  /// Stretches are compared with those within so many °C.
  private static let nearby = 0.5
  /// And with so many of them on either side, in order of temperature.
  private static let reach = 25
  /// The most that is allowed for a spread of all of them, in °/s.
  private static let largestSpread = 0.5

  /// What a mean rate may be off by noise and tremor, in °/s: six standard errors of white noise, and a quarter of the
  /// spread, as a hand's tremor is slow.
  static func noise(_ spread: Double, _ count: Int) -> Double {
    spread * max(0.25, 6 / Double(count).squareRoot())
  }

  /// By stretch how far its rate is from the median of those at its temperature, in °/s; `nil` for one at rest.
  ///
  /// One whose temperature no other has cannot be compared, and counts as at rest. Of two that differ none does.
  ///
  /// - Complexity: at most 51 neighbours for each.
  static func turning(_ points: [StillPoint]) -> [Double?] {
    let order = points.indices.sorted {
      (points[$0].temperature ?? 0, $0) < (points[$1].temperature ?? 0, $1)
    }
    var result: [Double?] = Array(repeating: nil, count: points.count)
    for (place, index) in order.enumerated() {
      let point = points[index]
      let around = order[max(0, place - reach)...min(order.count - 1, place + reach)].filter {
        abs((points[$0].temperature ?? 0) - (point.temperature ?? 0)) <= nearby
      }
      guard around.count > 1 else { continue }
      var (squares, isTurning) = (0.0, false)
      for axis in 0..<3 {
        let rates = around.map { points[$0].rate[axis] }
        let middle = median(rates)
        var allowed = max(leastTurn, point.rateNoise)
        if rates.count >= 5 {
          // 1.4826: the standard deviation by the median of a normal distribution's deviations.
          let spread = 4 * 1.4826 * median(rates.map { abs($0 - middle) })
          allowed = max(allowed, min(spread, largestSpread))
        }
        let off = abs(point.rate[axis] - middle)
        if off > allowed { isTurning = true }
        squares += off * off
      }
      if isTurning { result[index] = squares.squareRoot() }
    }
    return result
  }

  /// The median of each axis.
  static func median(of rates: [Vector3]) -> Vector3 {
    Vector3(median(rates.map(\.x)), median(rates.map(\.y)), median(rates.map(\.z)))
  }

  /// The middle value; of an even number the mean of the two.
  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
