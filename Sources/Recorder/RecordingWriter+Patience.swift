// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// How much the writer keeps, and how long it waits.
extension RecordingWriter {
  /// Records that wait in memory at most: 20 s at 1 kHz, 1.2 MB.
  package static let patience = 20_000
  /// How long before its order a recording may begin, in nanoseconds: a press is understood when the button is released,
  /// within 1.5 s. The history is longer by that.
  static var longestPress: Int64 { 1_800_000_000 }
  /// How long an end waits for ticks that are being read, in nanoseconds: longer than the sampler withholds a gap that may
  /// still grow. At a slow rate a tick that is withheld, or is not checked yet, leaves with a later one.
  static func endPatience(_ rate: SampleRate) -> Int64 {
    max(1_500_000_000, min(2 * rate.periodNanoseconds + 1_000_000_000, 30_000_000_000))
  }
  /// The same for an end without an instant, which comes when the recorder ends: that waits for 20 s at most, and the
  /// card needs its share.
  static func undatedEndPatience(_ rate: SampleRate) -> Int64 {
    min(endPatience(rate), 10_000_000_000)
  }
}
