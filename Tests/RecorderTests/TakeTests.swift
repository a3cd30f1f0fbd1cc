// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import LogStore
import LogStoreTesting
import Recorder
import SimulatedIMU
import TestSupport
import Testing

/// Three sensors at 100, 40 and 8 Hz on one clock, whose counts tell the sensor and the tick.
private struct TakeBench {
  static let names = ["first", "second", "third"]
  static let rates: [Double] = [100, 40, 8]
  let recorder: SteppedRecorder

  /// - Parameter ends: The sample from which on each sensor fails.
  init(
    isSingle: Bool = true, ends: [UInt64] = [.max, .max, .max],
    _ change: (inout SteppedRecorder) -> Void = { _ in }
  ) throws {
    let clock = VirtualClock(start: MonotonicTime(nanoseconds: 7_000_000_123))
    func source(_ index: Int) -> CountingSource {
      CountingSource(
        sample: { ExampleLog.sample($0 + UInt64(index) * 1_000_000) }, clock: clock,
        end: ends[index])
    }
    var recorder = SteppedRecorder(source(0))
    recorder.isSingle = isSingle
    if isSingle {
      (recorder.configuration.samplesWhileIdle, recorder.configuration.preTrigger) = (false, 0)
    }
    recorder.companions = [1, 2].map {
      (TakeBench.names[$0], source($0), ExampleLog.rate(UInt32(TakeBench.rates[$0])))
    }
    change(&recorder)
    self.recorder = recorder
  }

  /// The recordings by the sensors' names, those of each take in their order.
  func takes() throws -> [[(description: RecordingDescription, report: RecordingReport)]] {
    let all = try recorder.recordings { reader in try RecordingReport(reader) }
      .map { (description: $0.description, report: $0) }
    return stride(from: 0, to: all.count, by: 3).map { Array(all[$0..<min($0 + 3, all.count)]) }
  }
}

/// What a log has of a sensor of ``TakeBench``.
private struct RecordingReport {
  let description: RecordingDescription
  let isIntact: Bool
  let tally: TickTally
  /// The sampler's ticks of its samples, by their counts.
  let ticks: [UInt64]
  let marks: [String]

  init<Storage: LogStorage & ~Copyable>(_ reader: consuming LogReader<Storage>) throws {
    var (ticks, marks): ([UInt64], [String]) = ([], [])
    for event in try reader.readAll() {
      switch event {
      case .sample(_, _, let sample): ticks.append(ExampleLog.tick(sample))
      case .other(.mark(let mark)): marks.append(mark.label)
      default: break
      }
    }
    let account = try reader.account()
    description = account.description
    (self.ticks, self.marks) = (ticks, marks)
    isIntact = account.isIntact
    tally = try #require(account.end).tally
  }
}

@Suite("A take of several sensors", .excludesProgramStarts)
struct TakeTests {
  @Test(
    "has no chip twice: a chip before a multiplexer answers on each of its channels",
    arguments: [
      (["i2c-1", "i2c-3", "i2c-1"], "first and third are the same chip"),
      (["i2c-3", "i2c-1/mux@70/2", "i2c-1/mux@70/2"], "second and third are the same chip"),
      (["i2c-1", "i2c-3", "i2c-1/mux@70/2"], "before a multiplexer answers on each channel"),
      (["i2c-1/mux@70/2", "i2c-1", "i2c-3"], "before a multiplexer answers on each channel"),
      (["i2c-1/mux@70/2", "i2c-1/mux@70/3", "i2c-1/mux@71/3"], nil),
    ] as [([String], String?)])
  func chips(paths: [String], refusal: String?) throws {
    let bench = try TakeBench { $0.paths = paths }
    do {
      try bench.recorder.run()
      #expect(refusal == nil)
      #expect(try bench.takes()[0].map(\.description.busPath) == paths)
    } catch let error as CommandFailure {
      #expect(error.sentence.contains(refusal ?? "?"), "\(error.sentence)")
    }
  }

  @Test("is a log for each sensor, linked in their headers, with its own samples at its own rate")
  func logs() throws {
    let bench = try TakeBench()
    let loop = try bench.recorder.run()
    #expect(loop.single.filed.map(\.members.count) == [3])
    let take = try #require(try bench.takes().first)
    let places = take.map(\.description.take)
    #expect(Set(places.map { $0?.id }).count == 1)
    #expect(places.map { $0?.index } == [0, 1, 2] && places.map { $0?.count } == [3, 3, 3])
    #expect(take.map(\.description.sensorName) == TakeBench.names)
    #expect(Set(take.map(\.description.id)).count == 3)
    for (index, log) in take.enumerated() {
      let count = UInt64(6 * TakeBench.rates[index])
      #expect(log.report.isIntact && log.report.tally.scheduled == count)
      // Slow sensors are also looked at between ticks.
      let own = UInt64(index) * 1_000_000..<UInt64(index) * 1_000_000 + 600
      let ticks = log.report.ticks
      #expect(ticks.count == count && ticks.allSatisfy(own.contains), "\(TakeBench.names[index])")
      #expect(zip(ticks, ticks.dropFirst()).allSatisfy(<))
    }
  }

  @Test("has the time before a press from each sensor, and its marks in each log")
  func service() throws {
    let bench = try TakeBench(isSingle: false)
    let start = MonotonicTime(nanoseconds: 7_002_000_123)
    try bench.recorder.run(.presses([3, 12].map { start + $0 * 1_000_000_000 }))
    let takes = try bench.takes()
    #expect(takes.map(\.count) == [3, 3])
    for (log, rate) in zip(takes.first ?? [], TakeBench.rates) {
      #expect(log.report.isIntact)
      // 0.5 s before the press and 6 s from it on.
      #expect(log.report.tally.scheduled == UInt64(0.5 * rate) + UInt64(6 * rate))
    }
  }

  @Test("goes on where a sensor fails, whose log says why its samples are missing")
  func failure() throws {
    let bench = try TakeBench(ends: [.max, 57, .max]) { $0.warnings = SentenceList() }
    try bench.recorder.run()
    let take = try #require(try bench.takes().first)
    #expect([0, 2].map { take[$0].report.tally.sampled } == [600, 48])
    let failed = take[1].report.tally
    #expect(1..<57 ~= failed.sampled && failed.busErrors == 240 - failed.sampled)
    #expect(take.map(\.report.isIntact) == [true, true, true])
    let named = bench.recorder.warnings?.all.filter { $0.hasPrefix("second, the MPU-6050") } ?? []
    #expect(named.count == 1, "\(bench.recorder.warnings?.all ?? [])")
  }

  @Test("leaves nothing when a sensor cannot be opened, which is named")
  func missing() throws {
    let bench = try TakeBench { $0.companions[1].source = MissingSource() }
    let error = #expect(throws: CommandFailure.self) { try bench.recorder.run() }
    #expect(error?.sentence == "sensor third: no chip answers")
    #expect(try Catalogue(path: bench.recorder.store, create: true).list().entries.isEmpty)
  }

  @Test("ended at any instant is whole in each log, or there is none", arguments: 0..<60)
  func ends(step: Int) throws {
    let bench = try TakeBench(isSingle: false) { $0.configuration.preTrigger = 0 }
    let begin = MonotonicTime(nanoseconds: 7_002_000_123) + 1_000_000_000
    // Two presses, the second one 1 s and a number of steps of 7 ms after the first.
    let end = begin + 1_000_000_000 + Int64(step) * 7_000_000
    try bench.recorder.run(.presses([begin, end]))
    for take in try bench.takes() {
      #expect(take.map(\.report.isIntact) == [true, true, true])
      for (log, rate) in zip(take, TakeBench.rates) {
        let wanted = Double(end - begin) / 1e9 * rate
        #expect(abs(Double(log.report.tally.scheduled) - wanted) <= 2, "\(log.report.tally)")
        #expect(log.report.tally.sampled == log.report.tally.scheduled)
      }
    }
  }
}

private struct MissingSource: SensorSource {
  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    throw CommandFailure(.unavailable, "no chip answers")
  }
}
