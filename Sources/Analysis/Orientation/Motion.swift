// SPDX-License-Identifier: Apache-2.0

/// How a sensor lay and what pushed it when a sample was made.
package struct Motion: Equatable, Sendable, BitwiseCopyable {
  /// The turn from the sensor's frame to the earth's: Z up; where X points is not known, and drifts.
  package let orientation: Quaternion
  /// The acceleration without gravity in the sensor's frame, m/s².
  package let linearAcceleration: SIMD3<Double>
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
  /// Samples of the stretch so far, without those that repeat one.
  private var count = 0

  /// The motion at the samples that `columns` took.
  package init(_ columns: consuming MotionColumns) {
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
    (repeats, count) = (stretch.repeats[...], 0)
    return next()
  }

  private mutating func nextOfStretch() -> Motion? {
    if motions.isEmpty {
      guard let block = pass?.next() else { return nil }
      motions = block[...]
    }
    return motions.removeFirst()
  }
}
