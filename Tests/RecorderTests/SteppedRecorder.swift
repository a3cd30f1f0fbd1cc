// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import LogStore
import LogStoreTesting
import Recorder
import Sampling
import SimulatedIMU
import Testing

/// A chip whose n-th sample is a function of n.
struct CountingSensor: IMUSensor, ~Copyable {
  let sample: @Sendable (UInt64) -> RawSample
  /// The sample from which on the bus fails.
  private let end: UInt64
  private var count: UInt64 = 0

  init(_ sample: @escaping @Sendable (UInt64) -> RawSample, until end: UInt64 = .max) {
    (self.sample, self.end) = (sample, end)
  }

  let lifeLimit: LifeLimit? = nil
  private(set) var evidence = ReadEvidence()

  var readLimit: Int64 { .max }

  var description: SensorDescription { ExampleLog.description().sensor }

  let expectation: SensorExpectation? = nil

  mutating func bringUp() throws(SensorError) -> BringUpStep { .ready }

  mutating func restart() {}

  mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
    guard count < end else {
      throw BusError(
        .noAcknowledge, .read, address: SensorModel.mpu6050.addresses[0], register: 0, errno: 121)
    }
    sample = self.sample(count)
    count += 1
    evidence = ReadEvidence(isConfigured: true, outputs: SensorOutputs(low: count, high: 0))
    return .fresh
  }

  mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck { .intact }
}

/// A ``CountingSensor`` in simulated time.
struct CountingSource: SensorSource {
  /// By default the n-th sample has the value n.
  var sample: @Sendable (UInt64) -> RawSample = { ExampleLog.sample($0) }
  var clock = VirtualClock(start: MonotonicTime(nanoseconds: 7_000_000_123))
  /// The sample from which on the bus fails.
  var end = UInt64.max

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    try user.use(
      CountingSensor(sample, until: end), busClock: BusClock(configured: nil, measured: nil),
      clock: clock,
      boardTitle: "test")
  }
}

/// A button in simulated time, with edges at instants of the test.
final class ScriptedButton: Panel {
  private var recogniser = GestureRecogniser(isHeldAtStart: false)
  /// Future edges, in order.
  private var edges: ArraySlice<LineEdge> = []
  /// Presses without a visible release, and when that is known.
  private var forgetAt: [MonotonicTime] = []
  /// Called after the last edge; returns more edges, or `nil` to end the service.
  private let next: (MonotonicTime) -> [LineEdge]?
  /// Called with each picture.
  var didShow: (RecorderPicture) -> Void = { _ in }

  init(next: @escaping (MonotonicTime) -> [LineEdge]?) { self.next = next }

  var remarks: [String] { [] }
  var descriptors: [pollfd] { [] }

  func deadline(after now: MonotonicTime) -> MonotonicTime? { nil }

  func forget(at instant: MonotonicTime) { forgetAt.append(instant) }

  func inputs(now: MonotonicTime) -> [RecorderInput] {
    var events: [RecorderInput] = []
    if edges.isEmpty, recogniser.deadline == nil, forgetAt.isEmpty {
      guard let more = next(now) else { return [.terminate] }
      edges = more[...]
    }
    while let edge = edges.first, edge.time <= now {
      edges.removeFirst()
      events += recogniser.handle(edge)
    }
    while let due = forgetAt.first, due <= now {
      forgetAt.removeFirst()
      events += recogniser.forget()
    }
    return events + recogniser.elapse(to: now)
  }

  func handle(signal: Int32) -> Bool { false }
  func show(_ picture: RecorderPicture, now: MonotonicTime) {
    didShow(picture)
  }

  func close() -> [RecorderInput] { [] }
}

extension ScriptedButton {
  /// Presses that go down at these instants and are released after `length`.
  static func edges(_ instants: [MonotonicTime], of length: Int64) -> [LineEdge] {
    instants.flatMap {
      [LineEdge(isActive: true, time: $0), LineEdge(isActive: false, time: $0 + length)]
    }
  }

  /// A button that is pressed at these instants; the service ends 5 s after the last one, or at `end`.
  static func presses(
    _ instants: [MonotonicTime], of length: Int64 = 100_000_000, until end: MonotonicTime? = nil
  ) -> ScriptedButton {
    var edges: [LineEdge]? = edges(instants, of: length)
    let end = end ?? (instants.last ?? MonotonicTime(nanoseconds: 0)) + 5_000_000_000
    return ScriptedButton { now in
      defer { edges = [] }
      return now > end ? nil : edges
    }
  }
}

/// The shipped service, stepped in simulated time: at 100 Hz, with 0.5 s from before a press and recordings of 6 s, unless the
/// test says otherwise.
struct SteppedRecorder {
  let source: any SensorSource
  var configuration = RecorderConfiguration.default
  /// The time of day, where it counts.
  var clock: RecorderClock?
  /// Whether it makes one recording, without a button.
  var isSingle = false
  /// The other sensors of a take, with their names; the first one is `first`.
  var companions: [(name: String, source: any SensorSource, rate: SampleRate)] = []
  let directory: TemporaryDirectory
  /// The directory of recordings.
  var store: String
  /// The sentences of the journal.
  /// The bus of each sensor; by default each has one of its own.
  var paths: [String]?
  let notices = SentenceList()
  /// Those of them that are warnings or errors; `nil` where there may be none.
  var warnings: SentenceList?

  init(_ source: any SensorSource, _ change: (inout RecorderConfiguration) -> Void = { _ in }) {
    self.source = source
    directory = TemporaryDirectory(inMemory: true)
    store = directory.path
    (configuration.rate, configuration.length) = (ExampleLog.rate(100), 6_000_000_000)
    (configuration.preTrigger, configuration.reserve) = (500_000_000, 0)
    change(&configuration)
  }

  /// Runs the service until the button has no more edges, or the recording until its end.
  @discardableResult
  func run(
    _ button: ScriptedButton? = nil,
    isWriterHeld: @escaping (MonotonicTime) -> Bool = { _ in false },
    afterTick: @escaping (RecorderLoop, MonotonicTime) -> Void = { _, _ in }
  ) throws -> RecorderLoop {
    let (notices, warnings) = (notices, warnings)
    var surroundings = RecorderLoop.Surroundings { priority, sentence in
      notices.add(sentence)
      guard priority.rawValue <= JournalPriority.warning.rawValue else { return }
      if let warnings { warnings.add(sentence) } else { Issue.record("\(sentence)") }
    } openPanel: { _ in
      button
    }
    if let clock { surroundings.clock = clock }
    var setup = RecorderSetup(configuration, sensor: source, store: store, isSingle: isSingle)
    // Each on a bus of its own.
    if !companions.isEmpty { (setup.name, setup.busPath) = ("first", paths?[0] ?? "first's") }
    setup.companions = companions.enumerated().map { index, companion in
      let (name, source, rate) = companion
      var own = configuration
      own.rate = rate
      var member = RecorderSetup(own, sensor: source, store: store, isSingle: isSingle)
      (member.name, member.busPath) = (name, paths?[index + 1] ?? "\(name)'s")
      return member
    }
    return try SimulatedRecorder(
      setup, surroundings, isWriterHeld: isWriterHeld, afterTick: afterTick
    ).run()
  }

  /// What `read` makes of each recording, in their order.
  func recordings<Recording>(
    _ read: (consuming LogReader<FileStorage>) throws -> Recording
  ) throws -> [Recording] {
    let catalogue = try Catalogue(path: store)
    return try catalogue.list().entries.sorted { $0.number < $1.number }.map {
      try read(catalogue.reader(of: $0))
    }
  }
}

/// Sentences from a service that is stepped on the test's thread.
final class SentenceList: @unchecked Sendable {
  private(set) var all: [String] = []
  func add(_ sentence: String) { all.append(sentence) }
}
