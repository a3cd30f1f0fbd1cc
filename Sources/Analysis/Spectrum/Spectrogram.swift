// SPDX-License-Identifier: Apache-2.0

import Glibc
import Graph
import IMUModel

/// How the spectrum of a channel, or of the acceleration's magnitude, changes over a recording.
///
///     frequency
///     rate / 2 ┌─────────┬─┐   a cell: the mean density of the windows whose middle is in its column,
///              │ columns │▒│   in decibels; blank without a window
///     a step   └─────────┴─┘   of rate / 2 in as many steps as there are rows
///                   time
package struct Spectrogram: Sendable {
  package enum Source: Equatable, Sendable {
    /// The length of the vector of the acceleration, rounded to counts.
    case magnitude
    case channel(Int)
  }

  static let columnLimit = 300

  package let source: Source
  /// Nanoseconds since tick 0's deadline.
  package let span: Range<Int64>
  /// The highest frequency in hertz.
  package let top: Double
  /// Columns, each from the frequency of a step to the highest, in decibels; empty without a window.
  package private(set) var columns: [[Float]]
  /// Frequencies of a column.
  package let rows: Int
  /// Whether the recording has axes of a mounting, which are not those of the channels.
  private let isMounted: Bool

  /// The spectrogram of columns.
  ///
  /// - Throws: ``AnalysisError`` when the recording has not the channel, or no three axes of an acceleration.
  package init(_ samples: SampleColumns, of source: Source) throws(AnalysisError) {
    let recorded = samples.channels
    switch source {
    case .magnitude where !recorded.isSuperset(of: .accelerometer):
      throw .channelsMissing(needed: "x, y and z of the accelerometer", recorded: recorded)
    case .channel(let channel) where !recorded.indices.contains(channel):
      throw .channelsMissing(needed: ChannelSet.names[channel], recorded: recorded)
    default: break
    }
    self.source = source
    isMounted = samples.description.axes != nil
    top = samples.rate / 2
    let begin = samples.segments.first?.firstTime ?? 0
    let end = max(begin + 1, samples.segments.last?.lastTime ?? 0)
    span = begin..<end
    var length = 256
    while length > 32, length * 4 > samples.longest { length /= 2 }
    rows = length / 2
    let hop = length / 2
    let windows = samples.segments.reduce(0) { $0 + max(0, ($1.count - length) / hop + 1) }
    // Two windows a column at least, so that none is blank but in a gap.
    columns = Array(repeating: [], count: max(1, min(Spectrogram.columnLimit, windows / 2)))
    let welch = Welch(length: length)
    var current = 0
    for segment in samples.segments where segment.count >= length {
      let number = (segment.count - length) / hop + 1
      var index = 0
      while index < number {
        let column = place(of: index * hop + hop, in: segment)
        var next = index + 1
        while next < number, place(of: next * hop + hop, in: segment) == column { next += 1 }
        if column != current { finish(current, welch, samples) }
        current = column
        let run = (index * hop)..<((next - 1) * hop + length)
        Spectrogram.counts(of: source, in: samples, segment, run) { welch.add($0) }
        index = next
      }
    }
    finish(current, welch, samples)
  }

  /// The column that holds a sample of a segment.
  private func place(of sample: Int, in segment: SampleSegment) -> Int {
    let length = Double(segment.lastTime - segment.firstTime)
    let time =
      Double(segment.firstTime - span.lowerBound) + length * Double(sample) / Double(segment.count)
    let part = time / Double(span.upperBound - span.lowerBound)
    // A damaged or foreign log may place a segment far outside.
    return Int(min(max(part * Double(columns.count), 0), Double(columns.count - 1)))
  }

  /// Ends a column: what the windows since the one before it show.
  private mutating func finish(_ column: Int, _ welch: Welch, _ samples: SampleColumns) {
    guard welch.windows > 0 else { return }
    let channel = if case .channel(let channel) = source { channel } else { 0 }
    let scale = samples.description.scale(ofChannel: channel)
    // Below the smallest density of any chip, so that a constant value has a logarithm.
    columns[column] = welch.density(rate: samples.rate).dropFirst().map {
      Float(10 * log10(max($0 * scale * scale, 1e-20)))
    }
    welch.removeAll()
  }

  private static func counts(
    of source: Source, in samples: SampleColumns, _ segment: SampleSegment, _ run: Range<Int>,
    _ body: (UnsafeBufferPointer<Int16>) -> Void
  ) {
    if case .channel(let channel) = source {
      let counts = samples.counts(ofChannel: channel, in: segment)
      return body(UnsafeBufferPointer(rebasing: counts[run]))
    }
    let axes = (0..<3).map { samples.counts(ofChannel: $0, in: segment) }
    // The mean is of no interest: half the greatest magnitude is taken off, so that every one is an Int16.
    let lengths = run.map { place in
      let length = Magnitudes(
        RawSample(ax: axes[0][place], ay: axes[1][place], az: axes[2][place])
      ).acceleration
      return Int16(truncatingIfNeeded: Int(length) - 28_378)
    }
    lengths.withUnsafeBufferPointer(body)
  }

  /// What is shown, in words, with its unit.
  package var title: String {
    switch source {
    case .magnitude: "Magnitude of the acceleration, dB re 1 g²/Hz"
    case .channel(let channel):
      ChannelSet.names[channel] + (isMounted ? " of the chip" : "")
        + (channel < 3 ? ", dB re 1 g²/Hz" : ", dB re 1 (°/s)²/Hz")
    }
  }
}
