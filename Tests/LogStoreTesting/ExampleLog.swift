// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogFormat
public import LogStore
import TestSupport

/// A log made for a test, with its contents.
public struct ExampleLog: Sendable {
  /// The header.
  public var description: RecordingDescription
  /// Bytes of the header.
  public var headerByteCount = 0
  /// The file.
  public var bytes: [UInt8] = []
  /// The items that a reader must return, in the order in which they were put in.
  public var events: [ReadEvent] = []
  /// Lengths of the file after each flush, and how many events were in it then.
  public var flushes: [(length: Int, eventCount: Int)] = []
  /// How it ended.
  public var end: RecordingEnd?
  /// The counted ticks.
  public var tally = TickTally()

  /// A description with every field set to something of its own.
  public static func description(_ seed: UInt64 = 1, note: String = "") -> RecordingDescription {
    var generator = SeededGenerator(seed: seed)
    return RecordingDescription(
      id: .random(using: &generator), number: 3, rate: tenHertz, channels: .all,
      plannedTicks: 600, timeUnit: 1000,
      sensor: SensorDescription(
        model: "MPU-6050", identity: 0x68, address: 0x68, accelerometerRange: 4,
        gyroscopeRange: 500, accelerometerScale: Fraction(1, 8192),
        gyroscopeScale: Fraction(10, 655), temperatureScale: Fraction(1, 340),
        temperatureOffset: Fraction(3653, 100), outputDataRate: 1000, filter: "94 Hz"),
      board: "simulator", host: "pi", software: "imulog 0.1.0", note: note,
      syncInterval: 1_000_000_000, realTime: "none")
  }

  /// The name of a recording's file in a store, with a number of up to six digits.
  public static func fileName(_ number: Int, of id: RecordingID? = nil) -> String {
    let digits = String(repeating: "0", count: 6 - "\(number)".count) + "\(number)"
    return "\(digits)-20261121T023807Z-\(id?.description.prefix(8) ?? "deadbeef").imulog"
  }

  /// 10 Hz.
  public static var tenHertz: SampleRate {
    guard let rate = SampleRate(10) else { preconditionFailure("10 Hz is a rate") }
    return rate
  }

  /// A rate.
  public static func rate(_ hertz: UInt32, per seconds: UInt32 = 1) -> SampleRate {
    SampleRate(hertz, per: seconds) ?? tenHertz
  }

  /// Counts that show the tick they were read at.
  public static func sample(_ tick: UInt64) -> RawSample {
    RawSample(
      ax: Int16(truncatingIfNeeded: tick), ay: Int16(truncatingIfNeeded: tick >> 16), az: 3,
      gx: -4, gy: 5, gz: -6, temperature: 7)
  }

  /// The tick at which ``sample(_:)`` was read.
  public static func tick(_ sample: RawSample) -> UInt64 {
    UInt64(UInt16(bitPattern: sample.ax)) | UInt64(UInt16(bitPattern: sample.ay)) << 16
  }

  /// A log with samples and gaps, marks, clock pairs and sensor events among them; the same seed
  /// gives the same bytes.
  ///
  /// - Parameters:
  ///   - ticks: Ticks to schedule.
  ///   - flushEvery: Ticks from flush to flush.
  ///   - marksEvery: Ticks from mark to mark.
  ///   - marksAtOnce: Marks of the same tick: many make a large log of few samples, which take longest to encode.
  ///   - labelLength: Bytes of each mark's label: long ones fill pages with few events.
  ///   - ends: Whether it is ended.
  public init(
    ticks: UInt64, flushEvery: UInt64 = 10, marksEvery: UInt64 = 29,
    marksAtOnce: Int = 1, labelLength: Int = 5, seed: UInt64 = 1,
    description: RecordingDescription? = nil, ends: Bool = true
  ) throws(FormatError) {
    self.description = description ?? ExampleLog.description(seed)
    var encoder = try LogEncoder(self.description)
    headerByteCount = encoder.headerByteCount
    var generator = SeededGenerator(seed: seed)
    add(
      .clock(ClockPair(time: 0, wall: 1_000_000_000, isSynchronised: false, reason: .start)),
      &encoder)
    var tick: UInt64 = 0
    while tick < ticks {
      if tick % marksEvery == marksEvery / 2 {
        let label = String(repeating: "x", count: labelLength)
        for _ in 0..<marksAtOnce {
          add(.mark(Mark(time: Int64(tick) * 100_000_000, label: label)), &encoder)
        }
      }
      if tick % 97 == 41 {
        add(.sensor(SensorEvent(tick: tick, kind: .lost, fault: .zeros)), &encoder)
      }
      if tick % 29 == 13 {
        let count = min(3, ticks - tick)
        add(gap: Gap(firstTick: tick, count: count, cause: .busError, code: 121), &encoder)
        tick += count
      } else {
        add(sample: tick, &generator, &encoder)
        tick += 1
      }
      if tick % flushEvery == 0 { flush(&encoder) }
    }
    add(.clock(ClockPair(time: 1, wall: 2, isSynchronised: true, reason: .end)), &encoder)
    flush(&encoder)
    if ends {
      let end = RecordingEnd(
        reason: .completed, tally: tally,
        lateness: LatenessSummary(median: 1, percentile99: 2, maximum: 3))
      self.end = end
      encoder.finish(end)
      take(&encoder)
      events.append(.other(.end(end)))
      flushes.append((bytes.count, events.count))
    }
  }

  private mutating func add(
    sample tick: UInt64, _ generator: inout SeededGenerator, _ encoder: inout LogEncoder
  ) {
    var sample = RawSample()
    for channel in description.channels.indices {
      sample[channel] = Int16(truncatingIfNeeded: generator.next())
    }
    let time = Int64(tick) * 100_000_000 + Int64(generator.next() % 50) * 1000
    encoder.append(TickRecord(tick: tick, time: time, sample: sample))
    events.append(.sample(tick: tick, time: time, sample))
    tally.sampled += 1
  }

  private mutating func add(gap: Gap, _ encoder: inout LogEncoder) {
    encoder.append(TickRecord(gap))
    events.append(.other(.gap(gap)))
    tally.add(gap.count, gap.cause)
  }

  private mutating func add(_ item: LogItem, _ encoder: inout LogEncoder) {
    switch item {
    case .mark(let mark): encoder.append(mark)
    case .clock(let pair): encoder.append(pair)
    case .sensor(let event): encoder.append(TickRecord(event))
    default: preconditionFailure("nothing else is added so")
    }
    events.append(.other(item))
  }

  private mutating func flush(_ encoder: inout LogEncoder) {
    encoder.flush()
    take(&encoder)
    flushes.append((bytes.count, events.count))
  }

  private mutating func take(_ encoder: inout LogEncoder) {
    let count = encoder.output.count
    bytes += encoder.output
    encoder.consumeOutput(count)
  }
}

/// An item that a reader returned, with the samples taken out of their blocks.
public enum ReadEvent: Equatable, Sendable {
  /// One sample.
  case sample(tick: UInt64, time: Int64, RawSample)
  /// Anything else.
  case other(LogItem)

  /// Whether it is damage.
  public var damage: Damage? {
    if case .other(.damage(let damage)) = self { return damage }
    return nil
  }

  /// Ticks that it accounts for.
  public var tickCount: UInt64 {
    switch self {
    case .sample: return 1
    case .other(.gap(let gap)): return gap.count
    case .other: return 0
    }
  }

  /// The first tick that it accounts for, 0 of what accounts for none.
  public var firstTick: UInt64 {
    switch self {
    case .sample(let tick, _, _): return tick
    case .other(.gap(let gap)): return gap.firstTick
    case .other: return 0
    }
  }
}

extension LogReader where Storage: ~Copyable {
  /// Everything from here to the end of the log, or what there is within the first bytes of a live one.
  public mutating func readAll(within limit: UInt64? = nil) throws(LogError) -> [ReadEvent] {
    var events: [ReadEvent] = []
    while true {
      let found = if let limit { try next(within: limit) } else { try next() }
      guard let item = found else { return events }
      guard case .samples(let count) = item else {
        events.append(.other(item))
        continue
      }
      for index in 0..<count {
        let (tick, time, sample) = block[index]
        events.append(.sample(tick: tick, time: time, sample))
      }
    }
  }
}

/// The salvaged part of a log, as a log of its own.
public func salvaged(_ bytes: [UInt8]) throws -> [UInt8] {
  var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
  let disk = MemoryDisk(holding: try encodeHeader(reader.description))
  var storage = MemoryStorage(disk)
  var writer = try LogEncoder.after(reader.description)
  try reader.salvage(into: &writer, &storage)
  return disk.bytes
}

/// The items read from a file with these bytes, and zeros after them.
public func read(_ bytes: [UInt8], preallocated: Int = 0) throws(LogError) -> [ReadEvent] {
  var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes, preallocated: preallocated)))
  return try reader.readAll()
}
