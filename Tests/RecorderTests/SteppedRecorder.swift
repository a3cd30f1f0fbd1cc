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
  private var count: UInt64 = 0

  init(_ sample: @escaping @Sendable (UInt64) -> RawSample) { self.sample = sample }

  let lifeLimit: LifeLimit? = nil
  private(set) var evidence = ReadEvidence()

  var readLimit: Int64 { .max }

  var description: SensorDescription { ExampleLog.description().sensor }

  let expectation: SensorExpectation? = nil

  mutating func bringUp() throws(SensorError) -> BringUpStep { .ready }

  mutating func restart() {}

  mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
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
  let clock = VirtualClock(start: MonotonicTime(nanoseconds: 7_000_000_123))

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    try user.use(CountingSensor(sample), clock: clock, boardTitle: "test")
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

/// The shipped service with a button, stepped in simulated time at 100 Hz: recordings of 6 s unless the test says
/// otherwise, with 0.5 s from before the press.
struct SteppedRecorder {
  static let rate = ExampleLog.rate(100)
  static let ticksBefore: UInt64 = 50
  static let ticksAfter: UInt64 = 600

  var source = CountingSource()
  /// Of a recording, in nanoseconds.
  var length: Int64 = 6_000_000_000
  let directory = TemporaryDirectory(inMemory: true)
  /// The sentences of the journal, none of which may be a warning.
  let notices = SentenceList()

  /// Runs the service until the button has no more edges.
  func run(_ button: ScriptedButton) throws -> RecorderLoop {
    var configuration = RecorderConfiguration.default
    configuration.rate = SteppedRecorder.rate
    configuration.length = length
    configuration.preTrigger = 500_000_000
    configuration.reserve = 0
    let notices = notices
    let surroundings = RecorderLoop.Surroundings { priority, sentence in
      if priority.rawValue <= JournalPriority.warning.rawValue { Issue.record("\(sentence)") }
      notices.add(sentence)
    } openPanel: { _ in
      button
    }
    return try SimulatedRecorder(
      RecorderSetup(configuration, sensor: source, store: directory.path), surroundings
    ).run()
  }

  func catalogue() throws -> Catalogue { try Catalogue(path: directory.path) }

  /// Expects every tick from the first to the last, each with its sample.
  func expectWhole(_ entry: CatalogueEntry) throws -> WholeRecording {
    var reader = try catalogue().reader(of: entry)
    let recording = try WholeRecording(&reader, tick: ExampleLog.tick)
    #expect(recording.description.number == entry.number)
    return recording
  }
}
