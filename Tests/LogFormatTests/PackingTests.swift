// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("The encoder packs pages")
struct PackingTests {
  /// Counts with noise on a wave: about what a moving sensor gives.
  private func samples(_ count: UInt64, seed: UInt64 = 3) -> [TickRecord] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { tick in
      let wave = Int16((tick % 400 < 200 ? tick % 200 : 200 - tick % 200) * 20)
      func noise() -> Int16 { .random(in: -60...60, using: &generator) }
      let sample = RawSample(
        ax: wave + noise(), ay: noise(), az: 8192 + noise(), gx: noise(), gy: wave + noise(),
        gz: noise())
      let late = Int64.random(in: 100...200, using: &generator) * 1000
      return TickRecord(tick: tick, time: Int64(tick) * 100_000_000 + late, sample: sample)
    }
  }

  private var description: RecordingDescription {
    var description = RecordingDescription.example
    description.channels = [.accelerometer, .gyroscope]
    return description
  }

  /// Zeros at the end of each page but the last.
  private func padding(_ log: [UInt8]) -> [Int] {
    stride(from: 4096, through: log.count, by: 4096).map { end in
      log[..<end].reversed().prefix { $0 == 0 }.count
    }
  }

  @Test("so that at most a sample's worth of a page is left empty")
  func fullPages() throws {
    let log = try encode(samples(6000).map { .record($0) }, description)
    #expect(padding(log).count >= 9)
    #expect(padding(log).allSatisfy { $0 <= 24 }, "\(padding(log))")
  }

  @Test("of data that need few bits, with as many chunks as it takes")
  func calmData() throws {
    var events: [LogEvent] = []
    for tick in 0..<400_000 as Range<UInt64> {
      events.append(
        .record(TickRecord(tick: tick, time: Int64(tick) * 100_000_000, sample: RawSample())))
    }
    let log = try encode(events)
    #expect(log.count < 2 * 4096)
    #expect(LogContent(decoding: log, .example).samples.count == 400_000)
  }

  @Test("with flushes of ten samples at little more than the cost of one piece")
  func smallFlushes() throws {
    let records = samples(6000)
    var events: [LogEvent] = []
    for (index, record) in records.enumerated() {
      events.append(.record(record))
      if index % 10 == 9 { events.append(.flush) }
    }
    let whole = try encode(records.map { .record($0) }, description).count
    let flushed = try encode(events, description).count
    #expect(flushed - whole < 6000 * 13 / 10, "\(whole) and \(flushed)")
  }

  @Test(
    "also when a few samples more do not fit the lattice of those before, and change all choices")
  func brokenLattices() throws {
    var generator = SeededGenerator(seed: 21)
    var events: [LogEvent] = []
    for tick in 0..<20_000 as Range<UInt64> {
      var sample = RawSample()
      for channel in 0..<6 {
        let number = Int.random(in: -2000...2000, using: &generator)
        let isBeside = channel < 3 && Int.random(in: 0..<700, using: &generator) == 0
        sample[channel] = Int16((number * 328_026 + 65_536) >> 17 + (isBeside ? 1 : 0))
      }
      let time = Int64(tick) * 100_000_000
      events.append(.record(TickRecord(tick: tick, time: time, sample: sample)))
    }
    let log = try encode(events, description)
    #expect(LogContent(decoding: log, description) == LogContent(of: events, description))
  }

  /// 520 samples on a lattice, in which trials of a page of six channels differ most; that of one tick is beside it.
  private func samples(besideLatticeAt broken: UInt64, step: Int, seed: UInt64) -> [TickRecord] {
    var generator = SeededGenerator(seed: seed)
    return (0..<520 as Range<UInt64>).map { tick in
      var sample = RawSample()
      for channel in 0..<6 {
        let number = Int.random(in: -2000...2000, using: &generator)
        sample[channel] = Int16((number * step + 65_536) >> 17) + (tick == broken ? 1 : 0)
      }
      return TickRecord(tick: tick, time: Int64(tick) * 100_000_000, sample: sample)
    }
  }

  @Test(
    "with the body that a trial found to fit, though a trial of more samples has changed all choices since",
    arguments: [(step: 328_026, seed: 3), (823_617, 1)])
  func keptTrials(step: Int, seed: UInt64) throws {
    // Wherever near the page's end the lattice breaks: at the worst place the last trial but one fits, and
    // its samples encoded again with the choices of the last one would not.
    for broken in 340..<390 as Range<UInt64> {
      let events = samples(besideLatticeAt: broken, step: step, seed: seed)
        .map { LogEvent.record($0) }
      let log = try encode(events, description)
      #expect(LogContent(decoding: log, description) == LogContent(of: events, description))
    }
  }

  @Test(
    "with a linear predictor also when each chunk is too small to pay for its weights",
    arguments: [0, 300])
  func trainedPredictor(rest: UInt64) throws {
    var generator = SeededGenerator(seed: 11)
    var description = description
    description.channels = ChannelSet(rawValue: 1)
    var (latest, before) = (3000, 2500)
    var events: [LogEvent] = []
    // A rest is one large chunk, of few bytes, and teaches the encoder nothing.
    if rest > 0 { events = (0..<rest).map { .record(sample($0, ax: 8001)) } + [.flush] }
    for tick in rest..<rest + 1000 {
      // A damped oscillation that noise keeps going, around 8000.
      let next = (6 * latest - 5 * before) / 5 + Int.random(in: -30...30, using: &generator)
      (before, latest) = (latest, min(max(next, -20_000), 20_000))
      events.append(.record(sample(tick, ax: Int16(8000 + latest))))
      if tick % 10 == 9 { events.append(.flush) }
    }
    let log = try encode(events, description)
    // 2890 without the weights.
    #expect(log.count < 2600 + rest / 2, "\(log.count)")
    #expect(try LogContent(decoding: log) == LogContent(of: events, description))
  }

  @Test("and never changes or withdraws a byte of the output")
  func outputIsFinal() throws {
    var encoder = try LogEncoder(description)
    var log = Array(encoder.output)
    let header = try encodeHeader(description)
    #expect(log == header)
    #expect(encoder.headerByteCount == log.count)
    for (index, record) in samples(900).enumerated() {
      encoder.append(record)
      if index % 7 == 0 { encoder.flush() }
      let output = Array(encoder.output)
      #expect(output.prefix(log.count) == log[...])
      if index % 7 == 0 {
        let content = LogContent(decoding: output, description)
        #expect(content.samples.count == index + 1 && content.damage.isEmpty)
      }
      log = output
    }
    #expect(encoder.byteCount == UInt64(log.count))
  }

  @Test("and holds no more than 1024 samples, however well they pack")
  func boundedPending() throws {
    var encoder = try LogEncoder(description)
    for tick in 0..<10_000 as Range<UInt64> {
      encoder.append(TickRecord(tick: tick, time: 0, sample: RawSample()))
      guard tick % 500 == 499 else { continue }
      let content = LogContent(decoding: Array(encoder.output), description)
      #expect(content.samples.count + 1024 >= Int(tick) + 1)
    }
    encoder.consumeOutput(encoder.output.count)
    for tick in 0..<10_000 as Range<UInt64> {
      encoder.append(TickRecord(Gap(firstTick: 10_000 + 2 * tick, count: 1, cause: .missed)))
    }
    // 10 000 gaps of 4 bytes and their chunks: most are in the output long before a flush.
    #expect(encoder.output.count > 9_800 * 4)
  }

  @Test("with gaps beside every other sample, each gap in the page of its neighbours")
  func manyGaps() throws {
    var events: [LogEvent] = []
    for record in samples(3000) {
      var record = record
      record.tick *= 2
      events.append(.record(record))
      events.append(.record(TickRecord(Gap(firstTick: record.tick + 1, count: 1, cause: .stale))))
    }
    let log = try encode(events, description)
    #expect(try LogContent(decoding: log) == LogContent(of: events, description))
    #expect(log.count < 3000 * 12, "\(log.count)")
  }
}
