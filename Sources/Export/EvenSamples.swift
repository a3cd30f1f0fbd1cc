// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

// Formats that have a rate and no times of samples.

extension Exporter {
  /// The plan of a format whose times must be those of a rate, not of a chip's clock.
  func evenPlan<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) -> ExportPlan {
    let plan = try plan(&reader)
    guard plan.description.clock == .grid || options.isResampled else {
      throw .refused(
        "\(options.format.rawValue) has a rate and no times, and the chip's own clock kept the times of this "
          + "recording", remedy: "`imulog export --grid` resamples it to even times",
        option: "--grid")
    }
    return plan
  }

  /// Gives a format a plan's samples, or the instants of the grid or of a rate as samples with counts rounded to whole ones.
  ///
  /// - Parameter even: The rows of a rate that is not the plan's.
  func runSamples<
    Format: SampleFormat & ~Copyable, Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable
  >(
    _ plan: ExportPlan, _ format: inout Format, at even: EvenRows? = nil,
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    guard plan.options.isResampled || even != nil else {
      try reader.begin(plan)
      var pass = SamplePass(plan)
      return try pass.run(&format, &reader, to: &sink)
    }
    var block = SampleBlock()
    // These formats have no bounds of instants.
    func add(
      _ tick: UInt64, _ time: Int64, _ counts: SIMD8<Double>, _: ClosedRange<Int64>?
    ) throws(ExportError) {
      block.append(tick: tick, time: time, sample: Exporter.rounded(counts))
      guard block.count == SampleBlock.capacity else { return }
      try format.add(0..<block.count, of: block, nil, to: &sink)
      block.removeAll()
    }
    var pass = EvenRatePass(plan, even ?? EvenRows(plan, options.format))
    let report = try pass.run(&reader, add)
    if !block.isEmpty { try format.add(0..<block.count, of: block, nil, to: &sink) }
    return report
  }

  static func rounded(_ counts: SIMD8<Double>) -> RawSample {
    // A value between two samples may leave the range of a count.
    let whole = counts.rounded(.toNearestOrAwayFromZero).clamped(
      lowerBound: SIMD8(repeating: -32768), upperBound: SIMD8(repeating: 32767))
    var sample = RawSample()
    // One by one: the conversion of vectors is not specialised, and takes most of an export's time.
    for channel in 0..<7 { sample[channel] = Int16(whole[channel]) }
    return sample
  }

  /// A remark about times that a format without them moves; none when it moves none by a microsecond.
  func displacement(_ nanoseconds: UInt64) -> [String] {
    guard nanoseconds >= 1000 else { return [] }
    // Rounded up, as a bound must be.
    let microseconds = Int64(clamping: (nanoseconds - 1) / 1000 + 1)
    return [
      "\(options.format.rawValue) has a rate and no times: samples are up to "
        + "\(Plain.number(microseconds, per: 1000)) ms from where it puts them"
    ]
  }

  func missingRemarks(_ count: UInt64) -> [String] {
    guard count > 0 else { return [] }
    let what =
      options.fill == .hold
      ? "repeat the sample before" : "are left out: samples after them come too early"
    return ["\(Plain.count(count, "tick")) without a sample \(what)"]
  }
}

extension SIMD8<Double> {
  init(_ sample: RawSample) {
    self.init(
      Double(sample.ax), Double(sample.ay), Double(sample.az), Double(sample.gx),
      Double(sample.gy), Double(sample.gz), Double(sample.temperature), 0)
  }
}
