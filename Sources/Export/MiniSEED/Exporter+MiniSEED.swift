// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

extension Exporter {
  /// Writes miniSEED: each channel's counts in records of its own, packed by Steim-2.
  ///
  /// A record has one time, that of its first sample, and a rate: the nominal one, or the mean of a chip that kept the
  /// time. A gap begins a new record. A first pass over the log finds its date, and the chip's rate; a second one writes.
  func writeMiniSEED<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    if let units = options.units, units != .raw {
      throw .optionNotSupported(option: "--units \(units.rawValue)", format: .mseed)
    }
    let plan = try plan(&reader, units: .raw)
    var hertz = plan.description.rate.hertz
    if plan.description.clock != .grid {
      hertz = try LogAccount(&reader, plan).chipClock?.rate.hertz ?? hertz
    }
    let notes = try notes(&reader, of: plan)
    var records = SeedSamples(plan, started: notes.started, hertz: hertz)
    try reader.begin(plan)
    var pass = SamplePass(plan)
    var report = try pass.run(&records, &reader, to: &sink)
    try records.finish(to: &sink)
    report.remarks += records.remarks
    return report
  }
}

/// Collects each channel's samples until they fill a record.
struct SeedSamples: SampleFormat {
  private struct Channel {
    let position: Int
    /// Three characters.
    let code: [UInt8]
    var values: [Int32] = []
    var times: [Int64] = []
    /// The value before them.
    var before: Int32 = 0
  }

  private let plan: ExportPlan
  private let started: Int64?
  private let period: Double
  private var records: SeedRecords
  private var channels: [Channel]
  private var last: (tick: UInt64, time: Int64)?
  /// Nanoseconds by which a sample is at most beside its place in a record.
  private var deviation = 0.0

  init(_ plan: ExportPlan, started: Int64?, hertz: Double) {
    (self.plan, self.started, period) = (plan, started, 1e9 / hertz)
    records = SeedRecords(station: plan.description.id.description, hertz: hertz)
    channels = plan.channels.map {
      Channel(position: $0, code: SeedSamples.code(ofChannel: $0, hertz: hertz))
    }
  }

  /// A channel's name: band by the rate, instrument (N acceleration, J rotation, K temperature), axis 1 to 3, or inside the
  /// chip (SEED 2.4, Appendix A).
  private static func code(ofChannel channel: Int, hertz: Double) -> [UInt8] {
    let band =
      hertz >= 1000
      ? "F" : hertz >= 250 ? "C" : hertz >= 80 ? "H" : hertz >= 10 ? "B" : hertz > 1 ? "M" : "L"
    let kind = channel < 3 ? "N\(channel + 1)" : channel < 6 ? "J\(channel - 2)" : "KI"
    return Array((band + kind).utf8)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    let isGrid = !plan.description.isFreeRunning
    for row in rows {
      let (tick, time) = (block.ticks[row], block.times[row])
      if let last {
        let isJump = !isGrid && abs(Double(time) - Double(last.time) - period) > period / 2
        if isJump || tick != last.tick &+ 1 { try finish(to: &sink) }
      }
      last = (tick, time)
      let place = isGrid ? plan.time(ofTick: tick) : time
      if isGrid { deviation = max(deviation, abs(Double(time) - Double(place))) }
      for index in channels.indices {
        channels[index].values.append(Int32(block.counts(ofChannel: channels[index].position)[row]))
        channels[index].times.append(place)
      }
    }
    let most = records.wordCount * Steim2.most
    for index in channels.indices {
      while channels[index].values.count >= most { try writeRecord(index, to: &sink) }
    }
  }

  mutating func add<Sink: ByteSink & ~Copyable>(_ gap: Gap, at time: Int64, to sink: inout Sink)
    throws(ExportError)
  {
    try finish(to: &sink)
  }

  /// Writes what is left.
  mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    for index in channels.indices {
      while !channels[index].values.isEmpty { try writeRecord(index, to: &sink) }
    }
  }

  private mutating func writeRecord<Sink: ByteSink & ~Copyable>(
    _ index: Int, to sink: inout Sink
  ) throws(ExportError) {
    let channel = channels[index]
    let (stamp, overflow) = channel.times[0].addingReportingOverflow(started ?? 0)
    // Years have 16 bits, and before 1970 nothing was recorded.
    guard !overflow, stamp >= 0 else {
      throw .timeNotHeld(at: channel.times[0], started: started, format: .mseed)
    }
    let microseconds = stamp / 1000 + (stamp % 1000 >= 500 ? 1 : 0)
    let (bytes, count) = records.record(
      of: channel.values[...], channel: channel.code, before: channel.before, at: microseconds)
    if index == 0, plan.description.isFreeRunning {
      for (place, time) in channel.times.prefix(count).enumerated() {
        let beside = Double(time &- channel.times[0]) - Double(place) * period
        deviation = max(deviation, abs(beside))
      }
    }
    channels[index].before = channel.values[count - 1]
    channels[index].values.removeFirst(count)
    channels[index].times.removeFirst(count)
    try sink.write(bytes)
  }

  /// What the format cannot say.
  var remarks: [String] {
    let sensor = plan.description.sensor
    var scales: [String] = []
    for (position, scale, unit) in [
      (0, sensor.accelerometerScale, "g"), (3, sensor.gyroscopeScale, "°/s"),
      (6, sensor.temperatureScale, "°C"),
    ] {
      guard let channel = channels.first(where: { $0.position / 3 == position / 3 }) else {
        continue
      }
      let name = String(decoding: channel.code.prefix(2), as: UTF8.self)
      let offset = position == 6 ? ", from \(sensor.temperatureOffset.value) °C" : ""
      scales.append("of \(name) \(scale.value) \(unit)\(offset)")
    }
    var remarks = ["values are counts, which are \(scales.joined(separator: ", ")) each"]
    if deviation >= 1000 {
      remarks.append(
        "between the times of records samples are at the rate, from which theirs differ by at most "
          + Plain.number(Int64(deviation / 1000), per: 1000) + " ms")
    }
    if started == nil {
      remarks.append("the recording has no date: its times begin at 1970-01-01T00:00:00Z")
    }
    return remarks
  }
}
