// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

/// The first stretch of still windows of a ``StillnessMeter`` that is long enough.
///
///     windows    moves │ still │ still │ moves │ still │ still │ still │ still
///     stretch            ───── too short       ─────────────────────────  measured; later ones are ignored
struct StillStretch {
  private(set) var sampleCount = 0
  /// Nanoseconds since tick 0.
  private(set) var start: Int64 = 0
  private(set) var end: Int64 = 0
  /// Whether it is long enough, and does not change any more.
  private(set) var isWhole = false
  private var windowCount = 0
  private var sums = SIMD8<Int64>(repeating: 0)
  /// By channel, squares of distances from the windows' means, so that slow changes do not count as noise.
  private var squares = SIMD8<Double>(repeating: 0)

  mutating func add(_ window: StillnessWindow, period: Int64) {
    guard !isWhole else { return }
    guard window.isStill else {
      self = StillStretch()
      return
    }
    if windowCount == 0 { start = window.firstTime }
    windowCount += 1
    sampleCount += window.count
    sums &+= window.sums
    let n = Double(window.count)
    for channel in 0..<7 {
      let sum = Double(window.sums[channel])
      squares[channel] += max(0, Double(window.squares[channel]) - sum * sum / n)
    }
    end = window.lastTime.addingReportingOverflow(period).partialValue
    isWhole =
      end - start >= CertificateBounds.stillTime && sampleCount >= CertificateBounds.leastSamples
  }

  /// The length of a whole stretch: three seconds, or the least samples in whole windows of `length` if these take longer.
  static func bound(window length: Int, rate: SampleRate) -> String {
    let samples = (CertificateBounds.leastSamples + length - 1) / length * length
    let time = rate.nanoseconds(atTick: UInt64(samples))
    guard time > CertificateBounds.stillTime else {
      return Plain.seconds(CertificateBounds.stillTime)
    }
    return "\(samples) samples, \(Plain.seconds(time))"
  }

  /// A channel's mean in counts.
  func mean(_ channel: Int) -> Double { Double(sums[channel]) / Double(max(1, sampleCount)) }

  /// A channel's standard deviation in counts, less that of rounding (Sheppard's correction, within 2 % from half a count on).
  func deviation(_ channel: Int) -> Double {
    let variance = squares[channel] / Double(max(1, sampleCount - windowCount))
    return max(0, variance - 1.0 / 12).squareRoot()
  }
}
