// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

extension Exporter {
  /// Writes miniSEED: each channel's counts in records of its own, packed by Steim-2.
  ///
  /// A record has one time, that of its first sample, and a rate: the nominal one, or the mean of times that drift away
  /// from it. A gap begins a new record, and so does a step of another length; where most steps are of another length, as in
  /// packets of one time each, there is no rate and no export. Passes over the log find its date and, where the nominal rate
  /// does not place the samples, the rate; the last one writes.
  func writeMiniSEED<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader)
    var hertz = plan.description.rate.hertz
    var jumpRemarks: [String] = []
    if plan.description.isFreeRunning {
      var rate = SeedRate(plan)
      _ = try runSamples(plan, &rate, &reader, to: &sink)
      guard rate.jumps <= rate.steps else {
        throw .refused(
          "mseed has a rate and no times of samples, and \(rate.jumps) of \(rate.jumps + rate.steps) steps from sample to "
            + "sample are not one period of \(Plain.hertz(plan.description.rate)) Hz, as in packets",
          remedy: "choose --format csv, which has every time, or import the table without its "
            + "times, with --columns and --rate")
      }
      (hertz, jumpRemarks) = (rate.hertz, rate.remarks)
    }
    let notes = try notes(&reader, of: plan)
    let shift = try undatedShift(&reader, plan, notes)
    var records = SeedSamples(plan, started: notes.started, shift: shift, hertz: hertz)
    var report = try runSamples(plan, &records, &reader, to: &sink)
    try records.finish(to: &sink)
    guard report.samples > 0 else { throw .noSamples(.mseed) }
    report.remarks += records.remarks + jumpRemarks
    report.remarks += try dateRemarks(&reader, plan, notes, shift: shift, begin: records.begin)
    report.remarks += leftOut(labels: plan.labels.count, marks: notes.markCount)
    return report
  }
}

/// Finds the rate of records where the nominal one does not place the samples.
struct SeedRate: SampleFormat {
  private let nominal: Double
  /// Nanoseconds.
  private let period: Double
  private var last: (tick: UInt64, time: Int64)?
  /// The steps and nanoseconds of the present stretch without jumps.
  private var (stretch, length): (Int64, Int64) = (0, 0)
  /// Steps from tick to tick that are a period long, and others.
  private(set) var (steps, jumps): (UInt64, UInt64) = (0, 0)
  private var allLength: Int64 = 0
  /// Nanoseconds by which the end of a stretch is at most beside its place at the nominal rate.
  private var drift: Double { max(longest, abs(Double(length) - Double(stretch) * period)) }
  /// The same of the stretches before this one.
  private var longest = 0.0

  init(_ plan: ExportPlan) {
    nominal = plan.description.rate.hertz
    period = 1e9 / nominal
  }

  /// The mean of all stretches, or the nominal rate where that is off by less than a tenth of a period at their ends.
  var hertz: Double {
    drift > period / 10 && allLength > 0 ? Double(steps) / Double(allLength) * 1e9 : nominal
  }

  /// A remark about steps of another length.
  var remarks: [String] {
    guard jumps > 0 else { return [] }
    return [
      Plain.count(jumps, "sample begins", "samples begin")
        + " a new record, because a step of time before \(jumps == 1 ? "it" : "them") is not one period"
    ]
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    for row in rows {
      let (tick, time) = (block.ticks[row], block.times[row])
      if let last {
        let step = time &- last.time
        if tick == last.tick &+ 1, step > 0, abs(Double(step) - period) <= period / 2 {
          (stretch, length) = (stretch + 1, length &+ step)
          (steps, allLength) = (steps + 1, allLength &+ step)
        } else {
          longest = drift
          (stretch, length) = (0, 0)
          if tick == last.tick &+ 1 { jumps += 1 }
        }
      }
      last = (tick, time)
    }
  }
}

/// Collects each channel's samples until they fill a record.
struct SeedSamples: SampleFormat {
  private struct Channel {
    let position: Int
    let code: [UInt8]
    var values: [Int32] = []
    /// When they were made, and where records put them: on the grid, where there is one.
    var times: [Int64] = []
    var places: [Int64] = []
    var before: Int32 = 0
    /// The records that programs join to one trace: the first one's time, and how many values they have.
    var trace: (start: Int64, count: Int)?
    /// Where the record after the last one would begin without a pause.
    var next = 0.0
  }

  private let plan: ExportPlan
  private let started: Int64?
  /// Nanoseconds that are added to times: those since 1970 at tick 0's deadline, if they are known.
  private let zero: Int64
  private let period: Double
  private var records: SeedRecords
  private var channels: [Channel]
  private var last: (tick: UInt64, time: Int64)?
  /// Where the first record puts its first sample.
  private(set) var begin: Int64?
  /// Nanoseconds by which a sample is at most beside its place in a record, and in a trace of joined records.
  private var (besideRecord, besideTrace) = (0.0, 0.0)

  init(_ plan: ExportPlan, started: Int64?, shift: Int64, hertz: Double) {
    zero = started ?? shift
    records = SeedRecords(station: plan.description.id.description, hertz: hertz)
    (self.plan, self.started, period) = (plan, started, 1e9 / records.readHertz)
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
      if begin == nil { begin = place }
      for index in channels.indices {
        channels[index].values.append(Int32(block.counts(ofChannel: channels[index].position)[row]))
        channels[index].times.append(time)
        channels[index].places.append(place)
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

  mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    for index in channels.indices {
      while !channels[index].values.isEmpty { try writeRecord(index, to: &sink) }
    }
  }

  private mutating func writeRecord<Sink: ByteSink & ~Copyable>(
    _ index: Int, to sink: inout Sink
  ) throws(ExportError) {
    let channel = channels[index]
    let (stamp, overflow) = channel.places[0].addingReportingOverflow(zero)
    // Years have 16 bits, and before 1970 nothing was recorded.
    guard !overflow, stamp >= 0 else {
      throw .timeNotHeld(at: channel.places[0], started: started, format: .mseed)
    }
    let microseconds = stamp / 1000 + (stamp % 1000 >= 500 ? 1 : 0)
    let (bytes, count) = records.record(
      of: channel.values[...], channel: channel.code, before: channel.before, at: microseconds)
    measure(index, count, from: microseconds.multipliedReportingOverflow(by: 1000).partialValue)
    channels[index].before = channel.values[count - 1]
    channels[index].values.removeFirst(count)
    channels[index].times.removeFirst(count)
    channels[index].places.removeFirst(count)
    try sink.write(bytes)
  }

  /// Measures how far the samples of a record are from where it puts them, and from where a trace does.
  ///
  ///     record   │ start, then a period for each sample │ start, … │
  ///     trace    │ start of the first record, then a period for each sample of all
  ///
  /// ObsPy joins a record to those before it where it begins within half a period of their end.
  private mutating func measure(_ index: Int, _ count: Int, from start: Int64) {
    let channel = channels[index]
    var trace = (start: start, count: 0)
    if let before = channel.trace, abs(Double(start &- before.start) - channel.next) <= period / 2 {
      trace = before
    }
    for (place, time) in channel.times.prefix(count).enumerated() {
      let time = time &+ zero
      let inRecord = Double(time &- start) - Double(place) * period
      let inTrace = Double(time &- trace.start) - Double(trace.count + place) * period
      besideRecord = max(besideRecord, abs(inRecord))
      besideTrace = max(besideTrace, abs(inTrace))
    }
    trace.count += count
    channels[index].trace = trace
    channels[index].next = Double(start &- trace.start) + Double(count) * period
  }

  /// Nanoseconds as a bound: a microsecond more than they may be.
  private static func milliseconds(_ nanoseconds: Double) -> String {
    Plain.number((nanoseconds / 1000).rounded(.up) / 1000, per: 1000) + " ms"
  }

  var remarks: [String] {
    let sensor = plan.description.sensor
    let firsts = [0, 1, 2].compactMap { kind in channels.first { $0.position / 3 == kind } }
    let scales = firsts.map { channel in
      let name = String(decoding: channel.code.prefix(2), as: UTF8.self)
      let unit = ["g", "°/s", "°C"][channel.position / 3]
      let offset = channel.position == 6 ? ", from \(sensor.temperatureOffset.value) °C" : ""
      return "of \(name) \(sensor.scale(ofChannel: channel.position).value) \(unit)\(offset)"
    }
    var remarks = ["values are counts, which are \(scales.joined(separator: ", ")) each"]
    let isJoinedApart = besideTrace >= max(1000, besideRecord + 1000)
    if besideRecord >= 1000 || isJoinedApart {
      remarks.append(
        "between the times of records samples are at the rate, from which theirs differ by at most "
          + SeedSamples.milliseconds(besideRecord)
          + (isJoinedApart
            ? ", and by at most \(SeedSamples.milliseconds(besideTrace)) where a program joins records to one trace"
            : ""))
    }
    return remarks
  }
}
