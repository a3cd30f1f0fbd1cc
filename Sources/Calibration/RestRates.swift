// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Tells rest from even turns by the mean rates of poses, which both look still.
///
///     rate   ● ●  ● ●●  ● ●        the same bias at rest, slowly changing with temperature
///                 ○ ○ ○ ○ ○        off the median of its like by more than 0.3 °/s: it turned
///            20      25 °C
///
/// A turn of minutes may have more poses than all rests. So each direction of gravity has one vote, which its stretches share,
/// and a stretch's poses share that stretch's part. An even turn about the vertical has one direction, and another rate.
enum RestRates {
  /// The least distance of a turn's rate from the median, in °/s: gravity changes a gyroscope's bias by 0.1 °/s a g
  /// (MPU-6000/6050 product specification 3.4, 6.1), so faces at rest differ by twice that.
  static let leastTurn = 0.3
  /// The largest difference of rates within a pose beside noise, in °/s; more would admit the slow beginning of a turn.
  static let largestChange = 0.03
  /// Temperatures are compared in steps of so many °C.
  private static let step = 0.25
  /// Points are compared with those within so many steps, and farther off, where these have fewer than ``leastVotes``.
  private static let nearby = 3.0
  /// In stretches or directions.
  private static let leastVotes = 3
  /// Steps from which on points are not compared.
  private static let farthest = 100.0
  /// The largest change of a bias, in °/s a °C: ±20 °/s from −40 to 85 °C (MPU-6000/6050 product specification 6.1).
  private static let largestSlope = 0.32
  /// The largest allowance for the spread of the others, in °/s.
  private static let largestSpread = 0.5
  /// Votes from which on that spread is known, and its allowed standard deviations: one rest of five thousand is beyond four.
  private static let spreadVotes = 5
  private static let deviations = 4.0
  /// A normal distribution's standard deviation over the median of absolute deviations.
  private static let medianDeviation = 1.4826
  /// Allowed standard errors of white noise in a mean, and the part of a spread that a hand's slow tremor leaves in it.
  static let standardErrors = 6.0
  private static let tremor = 0.25

  /// The error of a mean of so many samples by noise and tremor, in the unit of `spread`.
  static func noise(_ spread: Double, _ count: Int) -> Double {
    spread * max(tremor, standardErrors / Double(count).squareRoot())
  }

  /// For each point the distance of its rate from the median at its temperature, in °/s; `nil` for one at rest.
  ///
  /// Points at other temperatures are compared too where few have its own; the allowance then includes the largest effect of
  /// the temperature. Two points that differ both turned.
  ///
  /// - Parameter stretches: The number of each point's stretch.
  /// - Complexity: n log n, and n times the number of directions.
  static func turning(_ points: [StillPoint], stretches: [Int]) -> [Double?] {
    let votes = Votes(points, stretches)
    var bins: [Double: [Int]] = [:]
    for (index, point) in points.enumerated() {
      bins[bin(point.temperature), default: []].append(index)
    }
    let keys = bins.keys.sorted()
    var result: [Double?] = Array(repeating: nil, count: points.count)
    for (place, key) in keys.enumerated() {
      var (low, high, reach) = (place, place, nearby)
      var around: [Int] = []
      while true {
        while low > 0, keys[low - 1] >= key - reach { low -= 1 }
        while high + 1 < keys.count, keys[high + 1] <= key + reach { high += 1 }
        around = keys[low...high].flatMap { bins[$0] ?? [] }
        let isWidest = high - low + 1 == keys.count || reach * 2 >= farthest
        if isWidest || votes.groupCount(around) >= leastVotes { break }
        reach *= 2
      }
      guard around.count > 1 else { continue }
      let warmth = (reach - nearby) * step * largestSlope
      judge(bins[key] ?? [], among: around, points, votes, warmth, &result)
    }
    return result
  }

  private static func bin(_ temperature: Double?) -> Double {
    ((temperature ?? 0) / step).rounded()
  }

  private static func judge(
    _ judged: [Int], among around: [Int], _ points: [StillPoint], _ votes: Votes, _ warmth: Double,
    _ result: inout [Double?]
  ) {
    let weights = votes.weights(around)
    var (middle, spread) = (Vector3(), Vector3())
    for axis in 0..<3 {
      middle[axis] = median(around.map { points[$0].rate[axis] }, weights)
      guard votes.groupCount(around) >= spreadVotes else { continue }
      let deviation = median(around.map { abs(points[$0].rate[axis] - middle[axis]) }, weights)
      spread[axis] = min(deviations * medianDeviation * deviation, largestSpread)
    }
    for index in judged {
      let off = points[index].rate - middle
      let allowed = max(leastTurn, points[index].rateNoise)
      if (0..<3).contains(where: { abs(off[$0]) > max(allowed, spread[$0]) + warmth }) {
        result[index] = off.length
      }
    }
  }

  /// The median of each axis, with one vote a direction of gravity.
  static func median(of points: [StillPoint]) -> Vector3 {
    let weights = Votes(points, Array(points.indices)).weights(Array(points.indices))
    var result = Vector3()
    for axis in 0..<3 { result[axis] = median(points.map { $0.rate[axis] }, weights) }
    return result
  }

  /// Points by their direction of gravity.
  static func groups(_ points: [StillPoint]) -> [[StillPoint]] {
    var groups: [[StillPoint]] = []
    for (number, point) in zip(directions(points), points) {
      if number == groups.count { groups.append([]) }
      groups[number].append(point)
    }
    return groups
  }

  /// The number of each point's direction of gravity, in the order of first appearance.
  ///
  /// - Complexity: n times the number of directions; the sphere has room for some thousands.
  static func directions(_ points: [StillPoint]) -> [Int] {
    var directions: [Vector3] = []
    return points.map { point in
      let known = directions.firstIndex { CalibrationStudy.isSame($0, point.acceleration) }
      if known == nil { directions.append(point.acceleration) }
      return known ?? directions.count - 1
    }
  }

  /// The weighted median; the mean of two values between equal halves.
  private static func median(_ values: [Double], _ weights: [Double]) -> Double {
    let order = values.indices.sorted { values[$0] < values[$1] }
    let half = weights.reduce(0, +) / 2
    var sum = 0.0
    for (place, index) in order.enumerated() {
      sum += weights[index]
      if sum > half * (1 + 1e-9) || place + 1 == order.count { return values[index] }
      if sum >= half * (1 - 1e-9) { return (values[index] + values[order[place + 1]]) / 2 }
    }
    return .nan
  }
}

private struct Votes {
  private struct Group: Hashable {
    let direction: Int
    let stretch: Int
  }

  private let groups: [Group]

  init(_ points: [StillPoint], _ stretches: [Int]) {
    groups = zip(RestRates.directions(points), stretches).map {
      Group(direction: $0, stretch: $1)
    }
  }

  /// The number of stretches in directions among some points.
  func groupCount(_ indices: [Int]) -> Int { Set(indices.map { groups[$0] }).count }

  /// The weights of some points, 1 in sum for each direction.
  func weights(_ indices: [Int]) -> [Double] {
    var sizes: [Group: Int] = [:]
    for index in indices { sizes[groups[index], default: 0] += 1 }
    var stretches: [Int: Int] = [:]
    for group in sizes.keys { stretches[group.direction, default: 0] += 1 }
    return indices.map { index in
      let group = groups[index]
      return 1 / Double((sizes[group] ?? 1) * (stretches[group.direction] ?? 1))
    }
  }
}
