// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Synchronization
import Text

/// A line of the answer to ``ControlRequest/watch``.
///
///     {"ok":true,"state":…}                     the status: at first, and twice a second
///     w N D CHANNELS  A/A G/G T/T O/O  MODEL     a sensor samples from here on: rate N/D, channels, scales
///     s TICK TIME LATE AX AY AZ GX GY GZ TEMP    a sample, and how late the sampler woke for it
///     g TICK COUNT CAUSE CODE                    ticks without samples
///     e TICK KIND FAULT                          an event of the chip
///     m TIME                                     a mark: nanoseconds from tick 0
///     t TICKS                                    planned ticks of the recording; 0 until stopped
///     d COUNT                                    lines that were left out, because the caller was slow
///
/// Readers skip lines of other kinds. Ticks are the sampler's own and continue through recordings.
public enum WatchLine: Equatable, Sendable {
  case status(RecorderStatus)
  /// The service does not let the caller watch: an exit status, and a sentence.
  case refused(status: Int32, message: String)
  case sensor(SensorDescription, SampleRate, ChannelSet)
  case record(TickRecord)
  /// A mark: nanoseconds from tick 0.
  case mark(Int64)
  /// Planned ticks of the recording; `nil` for until stopped.
  case plan(UInt64?)
  case lost(UInt64)

  /// Adds the line of a record, with its line feed; readings have none.
  public static func append(_ record: TickRecord, to bytes: inout [UInt8]) {
    switch record.kind {
    case .reading, .busClock, .field: return
    case .sample:
      bytes.append(UInt8(ascii: "s"))
      append(record.tick, to: &bytes)
      append(record.time, to: &bytes)
      append(record.lateness, to: &bytes)
      for channel in 0..<7 { append(record.sample[channel], to: &bytes) }
    case .gap:
      bytes.append(UInt8(ascii: "g"))
      append(record.tick, to: &bytes)
      append(record.count, to: &bytes)
      append(record.detail, to: &bytes)
      append(record.code, to: &bytes)
    case .sensorEvent:
      bytes.append(UInt8(ascii: "e"))
      append(record.tick, to: &bytes)
      append(record.detail, to: &bytes)
      append(record.code, to: &bytes)
    }
    bytes.append(0x0A)
  }

  /// A blank and a number, without a string for each: a thousand lines are written a second.
  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    bytes.append(0x20)
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = UInt64(value.magnitude)
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// The line, without its line feed.
  public var line: String {
    switch self {
    case .status(let status): return status.json
    case .refused(let status, let message):
      return ControlAnswer.refused(status: status, message: message).line
    case .sensor(let sensor, let rate, let channels):
      let scales = [
        sensor.accelerometerScale, sensor.gyroscopeScale, sensor.temperatureScale,
        sensor.temperatureOffset,
      ].map { "\($0.numerator)/\($0.denominator)" }
      return "w \(rate.numerator) \(rate.denominator) \(channels.rawValue) "
        + scales.joined(separator: " ") + " " + ForeignText.shown(sensor.model)
    case .record(let record):
      var bytes: [UInt8] = []
      WatchLine.append(record, to: &bytes)
      return String(decoding: bytes.dropLast(), as: UTF8.self)
    case .mark(let time): return "m \(time)"
    case .plan(let ticks): return "t \(ticks ?? 0)"
    case .lost(let count): return "d \(count)"
    }
  }

  /// Reads a line; `nil` for lines of other kinds.
  public init?(line: Substring) {
    if line.hasPrefix("{") {
      self.init(json: String(line))
      return
    }
    let words = line.split(separator: " ", maxSplits: 10, omittingEmptySubsequences: false)
    switch words.first {
    case "s": self.init(sample: words)
    case "g":
      guard words.count == 5, let tick = UInt64(words[1]), let count = UInt64(words[2]),
        let cause = UInt8(words[3]).flatMap(GapCause.init(rawValue:)), let code = Int32(words[4])
      else { return nil }
      self = .record(TickRecord(Gap(firstTick: tick, count: count, cause: cause, code: code)))
    case "e":
      guard words.count == 4, let tick = UInt64(words[1]),
        let kind = UInt8(words[2]).flatMap(SensorEvent.Kind.init(rawValue:)),
        let fault = UInt8(words[3]).flatMap(SensorEvent.Fault.init(rawValue:))
      else { return nil }
      self = .record(TickRecord(SensorEvent(tick: tick, kind: kind, fault: fault)))
    case "m":
      guard words.count == 2, let time = Int64(words[1]) else { return nil }
      self = .mark(time)
    case "d":
      guard words.count == 2, let count = UInt64(words[1]) else { return nil }
      self = .lost(count)
    case "t":
      guard words.count == 2, let ticks = UInt64(words[1]) else { return nil }
      self = .plan(ticks == 0 ? nil : ticks)
    case "w": self.init(sensor: line)
    default: return nil
    }
  }

  private init?(json: String) {
    let answer: ControlAnswer
    do {
      answer = try ControlAnswer(line: json)
    } catch {
      return nil
    }
    switch answer {
    case .status(let status): self = .status(status)
    case .refused(let status, let message): self = .refused(status: status, message: message)
    case .done: return nil
    }
  }

  private init?(sample words: [Substring]) {
    guard words.count == 11, let tick = UInt64(words[1]), let time = Int64(words[2]),
      RecordingTime.contains(time), let lateness = UInt32(words[3])
    else { return nil }
    var sample = RawSample()
    for channel in 0..<7 {
      guard let count = Int16(words[4 + channel]) else { return nil }
      sample[channel] = count
    }
    self = .record(TickRecord(tick: tick, time: time, lateness: Int64(lateness), sample: sample))
  }

  private init?(sensor line: Substring) {
    let words = line.split(separator: " ", maxSplits: 8, omittingEmptySubsequences: false)
    guard words.count == 9, let numerator = UInt32(words[1]), let denominator = UInt32(words[2]),
      let rate = SampleRate(numerator, per: denominator), let channels = UInt8(words[3])
    else { return nil }
    let scales = words[4...7].compactMap { word -> Fraction? in
      let parts = word.split(separator: "/")
      guard parts.count == 2, let top = Int64(parts[0]), let bottom = Int64(parts[1]) else {
        return nil
      }
      return Fraction(top, over: bottom)
    }
    guard scales.count == 4 else { return nil }
    let sensor = SensorDescription(
      model: String(words[8]), identity: nil, address: nil, accelerometerRange: 0,
      gyroscopeRange: 0, accelerometerScale: scales[0], gyroscopeScale: scales[1],
      temperatureScale: scales[2], temperatureOffset: scales[3], outputDataRate: 0, filter: "")
    self = .sensor(sensor, rate, ChannelSet(rawValue: channels))
  }
}

/// Records for watchers, from the writer thread to the main thread.
///
///     sampler ─► ring ─► writer ─► log
///                          └─ offer ─► [ bounded ] ─► drain ─► main thread ─► terminal, or a caller
///
/// When it is full, the newest are dropped and counted. The sampler never accesses its memory or its lock.
package final class LiveFeed: Sendable {
  private struct State {
    var records: [TickRecord] = []
    var lost: UInt64 = 0
    var isWatched: Bool
    var chosen = 0
  }

  // Held for a copy of at most a ring (600 records) or for an exchange of arrays, by the writer and the main thread.
  private let state: Mutex<State>
  private let capacity: Int

  /// Nanoseconds of a frame for watchers: 25 a second.
  package static let framePeriod: Int64 = 40_000_000

  /// - Parameter capacity: Most records that wait: 4 s at 1 kHz by default.
  package init(capacity: Int = 4096, isWatched: Bool = false) {
    self.capacity = max(1, capacity)
    state = Mutex(State(isWatched: isWatched))
    state.withLock { $0.records.reserveCapacity(self.capacity) }
  }

  /// Whether there is a watcher; without one, no record waits.
  package var isWatched: Bool {
    get { state.withLock { $0.isWatched } }
    set {
      state.withLock { state in
        state.isWatched = newValue
        if !newValue { (state.records, state.lost) = ([], 0) }
      }
    }
  }

  /// The place in a take of the sensor whose records are wanted; those of another one are left out from then on.
  package func choose(_ sensor: Int) {
    state.withLock { ($0.chosen, $0.records, $0.lost) = (sensor, [], 0) }
  }

  /// Adds records of a sensor, as far as there is room.
  package func offer(_ new: [TickRecord], of sensor: Int = 0) {
    state.withLock { state in
      guard state.isWatched, state.chosen == sensor else { return }
      let room = capacity - state.records.count
      state.records += new.prefix(room)
      state.lost += UInt64(max(0, new.count - room))
    }
  }

  /// All records that wait, in order, and how many after them found no room.
  package func drain() -> (records: [TickRecord], lost: UInt64) {
    // Allocated outside of the lock.
    var empty: [TickRecord] = []
    empty.reserveCapacity(capacity)
    let fresh = empty
    return state.withLock { state in
      defer { (state.records, state.lost) = (fresh, 0) }
      return (state.records, state.lost)
    }
  }
}
