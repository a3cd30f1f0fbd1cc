// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting

/// How far the times of a chip's samples are from the instants at which the chip made them, by each method, from the same
/// readings: ten minutes of chips 5 % slow, 3 % fast and 7 % fast.
func clockErrors(hertz: Double) -> String {
  let seconds = 600.0
  var errors = [(String, [Double])]()
  var halves: [Double] = []
  var outside = 0
  let simulations = [-0.05, 0.03, 0.07].enumerated().map { number, error in
    Simulation(hertz: hertz, error: error, seconds: seconds, seed: UInt64(number + 1))
  }
  for simulation in simulations {
    let recorded = simulation.run()
    let readings = ReadingBatches(recorded, nominalPeriod: 1e9 / hertz)
    let (likely, widths, left) = chipClockTimes(recorded, nominalPeriod: 1e9 / hertz)
    halves += widths
    outside += left
    let methods = [
      ("chipClock", likely), ("regression", readings.regression()),
      ("countOverTime", readings.countOverTime()), ("nominal", readings.nominal()),
      ("kernelFilter", readings.kernelFilter()),
    ]
    for (index, (name, times)) in methods.enumerated() {
      if errors.count == index { errors.append((name, [])) }
      // The last samples are in no reading.
      errors[index].1 += zip(times, recorded.truth).map { abs($0 - $1) / 1000 }
    }
  }
  let seeds = simulations.map { "\($0.seed)" }.joined(separator: ",")
  let parts = errors.map { "\"\($0)\":\(percentiles($1))" }.joined(separator: ",")
  return "{\"hertz\":\(hertz),\"seconds\":\(seconds),\"seeds\":[\(seeds)],"
    + "\"samples\":\(halves.count),\"outside\":\(outside),"
    + "\"halfWidth\":\(percentiles(halves)),\"errors\":{\(parts)}}"
}

/// The 50th and the 99th percentile and the greatest.
private func percentiles(_ values: [Double]) -> String {
  let sorted = values.sorted()
  let found = [0.5, 0.99, 1].map { sorted[Int(Double(sorted.count - 1) * $0)] }
  return "[\(found.map { "\($0)" }.joined(separator: ","))]"
}

/// By the program: the likely instants, half the widths of the proved intervals in microseconds, and the number of samples
/// outside of theirs.
private func chipClockTimes(
  _ recorded: Recorded, nominalPeriod: Double
) -> (likely: [Double], halves: [Double], outside: Int) {
  var timeline = recorded.timeline(ClockAssumptions(), nominalPeriod: nominalPeriod)
  var (likely, halves, outside): ([Double], [Double], Int) = ([], [], 0)
  for (index, truth) in recorded.truth.enumerated() {
    guard let instant = timeline.instant(of: Int64(index) + 1, in: 0) else {
      outside += 1
      likely.append(.infinity)
      continue
    }
    let isInside = Double(instant.earliest) <= truth && truth <= Double(instant.latest)
    if !isInside { outside += 1 }
    likely.append(Double(instant.likely))
    halves.append(Double(instant.latest - instant.earliest) / 2000)
  }
  return (likely, halves, outside)
}

/// What other loggers make of the same readings. Each reading brings the samples that were counted since the one before.
///
/// They see a moment for each reading, the middle of the read, at which on average half of the next sample's period was over.
private struct ReadingBatches {
  /// Samples by then, and when.
  private let points: [(count: Double, time: Double)]
  private let nominalPeriod: Double
  private let total: Int

  init(_ recorded: Recorded, nominalPeriod: Double) {
    points = recorded.readings.map { reading in
      let after = Double(reading.after ?? reading.before)
      return (Double(reading.count), (Double(reading.before) + after) / 2)
    }
    self.nominalPeriod = nominalPeriod
    total = recorded.truth.count
  }

  /// The line through averages that forget: by the readings so far, as while recording.
  func regression() -> [Double] {
    var times: [Double] = []
    let (start, memory) = (points[0].time, 5.0e9)
    var (meanCount, meanTime, variance, covariance, weight) = (0.0, 0.0, 0.0, 0.0, 0.0)
    var last = start
    for point in points.dropFirst() {
      let (count, time) = (point.count + 0.5, point.time - start)
      // Older readings weigh less, by e in the memory's length.
      let kept = max(0, 1 - (point.time - last) / memory)
      last = point.time
      weight = weight * kept + 1
      let (share, countOff, timeOff) = (1 / weight, count - meanCount, time - meanTime)
      meanCount += share * countOff
      meanTime += share * timeOff
      variance = (1 - share) * (variance + share * countOff * countOff)
      covariance = (1 - share) * (covariance + share * countOff * timeOff)
      let period = variance > 0 ? covariance / variance : nominalPeriod
      while times.count < Int(point.count) {
        times.append(start + meanTime + (Double(times.count + 1) - meanCount) * period)
      }
    }
    return times
  }

  /// The whole recording's mean rate, from its first to its last reading.
  func countOverTime() -> [Double] {
    guard let first = points.dropFirst().first, let last = points.last else { return [] }
    let period = (last.time - first.time) / (last.count - first.count)
    return (1...total).map { first.time + (Double($0) - first.count - 0.5) * period }
  }

  /// The data sheet's rate, from the first sample on.
  func nominal() -> [Double] {
    (1...total).map { points[0].time + Double($0) * nominalPeriod }
  }

  /// What Linux's filter for the FIFOs of the MPU-6050 and newer chips makes of them where no line tells when a sample was
  /// made (drivers/iio/common/inv_sensors/inv_sensors_timestamp.c, with the 2 % of inv_mpu6050). Times go on by a period
  /// for each sample. The moments of two readings give a period for the samples between them; if that is within 2 % of the
  /// nominal one it counts, and the mean of the last 32 is the period. Then, if the moment of the reading before is more
  /// than 2 % of a period after or before the last time, times move by what the longest or the shortest period has more.
  func kernelFilter() -> [Double] {
    let (shortest, longest) = (nominalPeriod * 0.98, nominalPeriod * 1.02)
    var (times, recent) = ([Double](), [nominalPeriod])
    var period = nominalPeriod
    var time: Double?
    var last = points[0]
    for point in points.dropFirst() where point.count > last.count {
      let count = point.count - last.count
      let measured = (point.time - last.time) / count
      let isValid = measured > shortest && measured < longest
      if isValid {
        recent.append(measured)
        if recent.count > 32 { recent.removeFirst() }
        period = recent.reduce(0, +) / Double(recent.count)
      }
      var next = time ?? point.time - count * period
      if isValid, time != nil {
        let late = last.time - next
        if late > 0.02 * period { next += longest - period }
        if late < -0.02 * period { next += shortest - period }
      }
      while times.count < Int(point.count) {
        next += period
        times.append(next)
      }
      time = next
      last = point
    }
    return times
  }
}
