// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogFormat
import LogStoreTesting
import TestSupport
import Testing

/// Builds logs in memory for the tests.
struct TestLog {
  static let id = RecordingID(high: 0x1b4e_28ba_2fa1_41d2, low: 0x883f_0016_d3cc_a427)

  var description = TestLog.description()
  private var steps: [Step] = []

  private enum Step {
    case record(TickRecord)
    case mark(Mark)
    case clock(ClockPair)
    case certificate(SensorCertificate)
    case field(FieldReading)
    case flush
    case end(RecordingEnd)
  }

  /// An MPU-6050 at ±2 g and ±250 °/s, 10 Hz, all channels, unless said otherwise.
  static func description(
    channels: ChannelSet = .all, rate: SampleRate = hertz(10), timeUnit: Int64 = 1,
    accelerometerScale: Fraction = Fraction(1, 16384), gyroscopeScale: Fraction = Fraction(1, 131),
    temperatureScale: Fraction = Fraction(1, 340),
    temperatureOffset: Fraction = Fraction(3653, 100),
    model: String = "MPU-6050"
  ) -> RecordingDescription {
    RecordingDescription(
      id: id, number: 7, rate: rate, channels: channels, plannedTicks: nil, timeUnit: timeUnit,
      sensor: SensorDescription(
        model: model, identity: 0x68, address: 0x68, accelerometerRange: 2,
        gyroscopeRange: 250,
        accelerometerScale: accelerometerScale, gyroscopeScale: gyroscopeScale,
        temperatureScale: temperatureScale, temperatureOffset: temperatureOffset,
        outputDataRate: 1000, filter: "DLPF 5"),
      board: "simulator", host: "lab", software: "imulog 0.1.0", note: "", syncInterval: 0,
      realTime: "refused")
  }

  init(_ description: RecordingDescription = TestLog.description()) {
    self.description = description
  }

  mutating func sample(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    steps.append(.record(TickRecord(tick: tick, time: time, sample: sample)))
  }

  /// Samples at the times of their ticks.
  mutating func samples(
    _ ticks: some Sequence<UInt64>, without hole: Range<UInt64> = 0..<0,
    _ sample: (UInt64) -> RawSample
  ) {
    for tick in ticks where !hole.contains(tick) {
      self.sample(tick, description.rate.nanoseconds(atTick: tick), sample(tick))
    }
  }

  mutating func gap(_ first: UInt64, _ count: UInt64, _ cause: GapCause, code: Int32 = 0) {
    steps.append(.record(TickRecord(Gap(firstTick: first, count: count, cause: cause, code: code))))
  }

  mutating func field(_ value: FieldReading, before tick: UInt64) {
    steps.append(.record(TickRecord(value, before: tick)))
  }

  mutating func event(_ tick: UInt64, _ kind: SensorEvent.Kind, _ fault: SensorEvent.Fault) {
    steps.append(.record(TickRecord(SensorEvent(tick: tick, kind: kind, fault: fault))))
  }

  mutating func mark(_ time: Int64, _ label: String = "") {
    addBeforeEnd(.mark(Mark(time: time, label: label)))
  }

  mutating func clock(
    _ time: Int64, wall: Int64, synchronised: Bool = false, _ reason: ClockPair.Reason = .start
  ) {
    addBeforeEnd(
      .clock(ClockPair(time: time, wall: wall, isSynchronised: synchronised, reason: reason)))
  }

  mutating func certificate(_ findings: CertificateFinding...) {
    addBeforeEnd(.certificate(SensorCertificate(findings)))
  }

  /// A value of the magnetometer, in milliseconds and counts.
  mutating func field(
    _ time: Int64, _ width: UInt32, _ x: Int16, _ y: Int16, _ z: Int16,
    _ flags: FieldReading.Flags = []
  ) {
    addBeforeEnd(
      .field(
        FieldReading(
          time: time * 1_000_000, width: width * 1_000_000, x: x, y: y, z: z, flags: flags)))
  }

  private mutating func addBeforeEnd(_ step: Step) {
    if case .end? = steps.last {
      steps.insert(step, at: steps.count - 1)
    } else {
      steps.append(step)
    }
  }

  mutating func flush() {
    steps.append(.flush)
  }

  mutating func end(
    _ tally: TickTally, _ reason: StopReason = .completed,
    _ lateness: LatenessSummary = LatenessSummary()
  ) {
    steps.append(.end(RecordingEnd(reason: reason, tally: tally, lateness: lateness)))
  }

  /// Ends with what the log has of samples and gaps.
  mutating func endAsCounted() {
    var tally = TickTally()
    for case .record(let record) in steps {
      if record.kind == .sample { tally.sampled += 1 }
      if let gap = record.gap { tally.add(gap.count, gap.cause) }
    }
    end(tally)
  }

  /// The log's bytes; without an end, as a recording that was killed after a sync leaves them.
  func bytes() throws -> [UInt8] {
    var encoder = try LogEncoder(description)
    for step in steps {
      switch step {
      case .record(let record): encoder.append(record)
      case .mark(let mark): encoder.append(mark)
      case .clock(let pair): encoder.append(pair)
      case .certificate(let certificate): encoder.append(certificate)
      case .field(let value): encoder.append(value)
      case .flush: encoder.flush()
      case .end(let end): encoder.finish(end)
      }
    }
    encoder.flush()
    return Array(encoder.output)
  }

  func export(_ options: ExportOptions) throws -> String {
    try TestLog.export(bytes(), options).text
  }

  static func export(_ bytes: [UInt8], _ options: ExportOptions) throws
    -> (text: String, report: Exporter.Report)
  {
    let (data, report) = try TestLog.data(bytes, options)
    return (String(decoding: data, as: UTF8.self), report)
  }

  static func data(_ bytes: [UInt8], _ options: ExportOptions) throws
    -> (bytes: [UInt8], report: Exporter.Report)
  {
    var sink = ArraySink()
    let report = try Exporter(options).write(storage(bytes), to: &sink)
    return (sink.bytes, report)
  }

  static func storage(_ bytes: [UInt8]) -> MemoryStorage {
    MemoryStorage(MemoryDisk(holding: bytes))
  }

  func data(_ options: ExportOptions) throws -> [UInt8] {
    try TestLog.data(bytes(), options).bytes
  }

  /// Exports what is still to come.
  @discardableResult
  func follow(_ options: ExportOptions) throws -> (text: String, report: Exporter.Report) {
    var sink = ArraySink()
    let report = try Exporter(options).follow(TestLog.storage(bytes()), to: &sink) { nil }
    return (String(decoding: sink.bytes, as: UTF8.self), report)
  }

  /// Counts at random.
  static func noise(_ count: Int, seed: UInt64) -> [Int16] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Int16(truncatingIfNeeded: generator.next()) }
  }

  /// Six samples with a gap of eight ticks before the last two, and values of a magnetometer before, among and after them:
  /// three have no row, and one is saturated.
  static func withField() -> TestLog {
    var log = TestLog(TestLog.description(channels: .accelerometer))
    log.description.sensor.field = FieldDescription(
      model: "AK09916", scale: Fraction(3, 20), rate: hertz(20), axes: axes("x,-y,-z"))
    log.field(-500, 20, 9, 9, 9)
    log.field(-50, 20, 10, -20, 30)
    log.samples(0..<14, without: 4..<12) { RawSample(ax: Int16($0)) }
    log.gap(4, 8, .missed)
    for (time, x, y, z) in [(60, 100, 7, -1), (90, -3, 0, 2000), (100, 5, 6, 7)] {
      log.field(Int64(time), 5, Int16(x), Int16(y), Int16(z))
    }
    log.field(700, 5, 8, 8, 8)
    log.field(1150, 12, 1, 2, 3)
    log.field(1250, 7, 4, 4, 4, .saturated)
    log.field(1350, 5, 7, 7, 7)
    log.endAsCounted()
    return log
  }

  /// A sample of 1969-12-31T23:59:58.75Z.
  static func before1970() -> TestLog {
    var log = TestLog()
    log.clock(0, wall: -1_250_000_000, synchronised: true)
    log.sample(0, 5, RawSample(gx: -3))
    log.end(TickTally(sampled: 1))
    return log
  }

  /// A log with a row of samples whose every channel is one of `counts`.
  static func ramp(_ description: RecordingDescription, _ counts: [Int16]) throws -> TestLog {
    var log = TestLog(description)
    for (index, count) in counts.enumerated() {
      var sample = RawSample()
      for channel in description.channels.indices { sample[channel] = count }
      log.sample(UInt64(index), description.rate.nanoseconds(atTick: UInt64(index)), sample)
    }
    log.end(TickTally(sampled: UInt64(counts.count)))
    return log
  }
}

/// Expects an export to be refused in a sentence with these words.
func expectRefusal(
  _ words: String, _ status: IMUModel.ExitStatus = .usage,
  at place: SourceLocation = #_sourceLocation,
  _ export: () throws -> Void
) {
  let error = #expect(throws: ExportError.self, sourceLocation: place) { try export() }
  #expect(error?.exitStatus == status, sourceLocation: place)
  #expect(
    error?.description.contains(words) == true, "\(String(describing: error))",
    sourceLocation: place)
}

extension ExportOptions {
  func with(_ change: (inout ExportOptions) -> Void) -> ExportOptions {
    var options = self
    change(&options)
    return options
  }
}

extension RawSample {
  /// Counts at random in all channels, or the first few.
  init(_ generator: inout SeededGenerator, channels: Int = 7) {
    self.init()
    for channel in 0..<channels { self[channel] = Int16(truncatingIfNeeded: generator.next()) }
  }
}

extension TickTally {
  init(sampled: UInt64) {
    self.init()
    self.sampled = sampled
  }
}

func axes(_ text: String) -> AxisMap {
  guard let map = AxisMap(text) else { fatalError("not axes") }
  return map
}

func hertz(_ numerator: UInt32, per denominator: UInt32 = 1) -> SampleRate {
  guard let rate = SampleRate(numerator, per: denominator) else { fatalError("not a rate") }
  return rate
}
