// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

/// The first stretch in which a sensor was still for long enough, from the windows of a ``StillnessMeter``.
///
///     windows    moves │ still │ still │ moves │ still │ still │ still │ still
///     stretch            ───── too short       ─────────────────────────  measured; later ones are not looked at
struct StillStretch {
  private(set) var sampleCount = 0
  /// Nanoseconds since tick 0.
  private(set) var start: Int64 = 0
  private(set) var end: Int64 = 0
  /// Whether it is long enough. It does not change after that.
  private(set) var isWhole = false
  private var windowCount = 0
  private var sums = SIMD8<Int64>(repeating: 0)
  /// For each channel, the squares of the distances from its window's mean. So slow changes do not count as noise.
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

  /// What makes a stretch long enough: three seconds, or the least samples in whole windows of `length` where these take longer.
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

  /// A channel's standard deviation in counts, without that of rounding, 1/√12 of a count (Sheppard's correction; within
  /// 2 % from half a count on).
  func deviation(_ channel: Int) -> Double {
    let variance = squares[channel] / Double(max(1, sampleCount - windowCount))
    return max(0, variance - 1.0 / 12).squareRoot()
  }
}
