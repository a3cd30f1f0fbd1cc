// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel

/// How a sensor lay and what pushed it when a sample was made.
package struct Motion: Equatable, Sendable, BitwiseCopyable {
  /// The turn from the sensor's frame to the earth's: Z up; where X points is not known, and drifts.
  package let orientation: Quaternion
  /// The acceleration without gravity in the sensor's frame, m/s².
  package let linearAcceleration: SIMD3<Double>
  /// Radians about Z by which magnetic north is off ``orientation``'s Y, estimated; `nil` without a magnetometer.
  package var north: Double?

  /// ``orientation`` with Y to magnetic north; `nil` without a magnetometer.
  package var northOrientation: Quaternion? {
    north.map { Quaternion(w: cos($0 / 2), axis: SIMD3(0, 0, sin($0 / 2))) * orientation }
  }
}

/// The motion at each sample of a recording, computed a stretch at a time.
///
/// - Complexity: some 1 µs a sample; memory as ``MotionColumns`` and for the longest stretch 24 bytes a sample more.
package struct MotionSequence {
  /// The stretches that are still to come, the next one last.
  private var stretches: [MotionStretch]
  private var pass: OrientationPass?
  private var motions: ArraySlice<Motion> = []
  /// Repeated samples that are still to come.
  private var repeats: ArraySlice<(after: Int, count: Int)> = []
  /// The magnetometer's values that are still to come, what each is in µT, and the nominal seconds between them.
  private var readings: ArraySlice<FieldReading>
  private let field: @Sendable (FieldReading) -> [Double]
  private let fieldPeriod: Double
  /// Of the magnetometer's values so far: how many the heading follows or not.
  package private(set) var (lookCount, disturbedCount) = (0, 0)
  /// Of the stretch: from which sample on north is so far off.
  private var north: ArraySlice<(place: Int, angle: Double)> = []
  /// Samples of the stretch so far, and the last angle.
  private var (place, angle): (Int, Double?) = (0, nil)
  /// Samples of the stretch so far, without those that repeat one.
  private var count = 0

  /// The motion at the samples that `columns` took.
  package init(_ columns: consuming MotionColumns) {
    (readings, field, fieldPeriod) = (columns.readings[...], columns.field, columns.fieldPeriod)
    stretches = columns.stretches.reversed()
  }

  /// The motion at the next sample; `nil` after the last.
  package mutating func next() -> Motion? {
    if let run = repeats.first, run.after == count {
      repeats.removeFirst()
      for _ in 0..<run.count { _ = nextOfStretch() }
    }
    if let motion = nextOfStretch() {
      count += 1
      return motion
    }
    guard let stretch = stretches.popLast() else { return nil }
    // Freed before the next one takes its memory.
    pass = nil
    pass = OrientationPass(stretch)
    (place, angle) = (0, nil)
    north = []
    if let trial = pass, !readings.isEmpty { findNorth(trial, stretch) }
    (repeats, count) = (stretch.repeats[...], 0)
    return next()
  }

  private mutating func nextOfStretch() -> Motion? {
    if motions.isEmpty {
      guard let block = pass?.next() else { return nil }
      motions = block[...]
    }
    var motion = motions.removeFirst()
    if let next = north.first, next.place <= place { angle = north.removeFirst().angle }
    place += 1
    motion.north = angle
    return motion
  }

  /// Finds where north is in a stretch, by its own orientations; from its first sample on.
  private mutating func findNorth(_ pass: OrientationPass, _ stretch: MotionStretch) {
    var pass = pass
    var looks: [HeadingFilter.Look] = []
    var (place, last): (Int, (place: Int, orientation: Quaternion)?) = (0, nil)
    let period = max(fieldPeriod, stretch.period)
    readings = readings.drop { stretch.place(at: $0.middle) < 0 }
    while !readings.isEmpty, let block = pass.next() {
      for motion in block {
        if let reading = readings.first, stretch.place(at: reading.middle) == place {
          let axes = field(reading)
          let speed = last.map {
            let turn = ($0.orientation.conjugate * motion.orientation).axis.length
            return 2 * asin(min(1, turn)) / (Double(place - $0.place) * stretch.period)
          }
          looks.append(
            HeadingFilter.Look(
              place: place,
              field: SIMD3(motion.orientation.turn(SIMD3(axes[0], axes[1], axes[2]))),
              speed: Float(speed ?? 0)))
          last = (place, motion.orientation)
        }
        readings = readings.drop { stretch.place(at: $0.middle) <= place }
        place += 1
      }
    }
    let found = HeadingFilter.north(of: looks, period: period)
    (lookCount, disturbedCount) = (
      lookCount + looks.count, disturbedCount + found.count { $0.isDisturbed }
    )
    north =
      zip(looks, found).enumerated().map {
        (place: $0.offset == 0 ? 0 : $0.element.0.place, angle: $0.element.1.angle)
      }[...]
  }
}
