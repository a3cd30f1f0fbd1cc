// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("Answers to requests")
struct PendingRequestsTests {
  private static func time(_ seconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: seconds * 1_000_000_000)
  }

  /// A machine, and waiting callers with their answers.
  private struct Bench {
    var machine: RecorderMachine
    var requests = PendingRequests<Int>()
    var heard: [Int: ControlAnswer] = [:]
    private var caller = 0

    init(samplesWhileIdle: Bool = true, through events: RecorderInput...) {
      machine = RecorderMachine(samplesWhileIdle: samplesWhileIdle)
      for event in [.begin] + events { happen(event) }
    }

    mutating func happen(_ event: RecorderInput, because cause: PendingRequests<Int>.Cause? = nil) {
      let effects = machine.handle(event)
      note(requests.note(event, effects, machine, because: cause))
    }

    /// The number of a caller whose request is accepted.
    mutating func ask(_ request: ControlRequest, _ event: RecorderInput, at seconds: Int64 = 1)
      -> Int
    {
      caller += 1
      happen(event)
      let answer = requests.add(
        caller, request, after: machine, at: time(seconds), patience: 30_000_000_000)
      if let answer { heard[caller] = answer }
      return caller
    }

    mutating func elapse(to seconds: Int64) {
      note(requests.elapse(to: time(seconds), problem: machine.presentProblem))
    }

    private mutating func note(_ answers: PendingRequests<Int>.Answers) {
      for (caller, answer) in answers { heard[caller] = answer }
    }

    /// A caller's exit status, 0 for done; `nil` while it waits.
    func status(_ caller: Int) -> Int32? {
      switch heard[caller] {
      case nil: return nil
      case .refused(let status, _): return status
      default: return 0
      }
    }
  }

  @Test("a start is answered with the cause when the recording's file cannot be made")
  func refused() {
    var bench = Bench(through: .sensorReady)
    let caller = bench.ask(.start, .start(at: Self.time(1)))
    bench.happen(.fileRefused(.storageFull), because: (73, "no room"))
    #expect(bench.heard[caller] == .refused(status: 73, message: "no room"))
  }

  @Test(
    "a start without a sensor is answered with the cause and always with 69: the calendar's timer counts 75 as a success"
  )
  func noSensor() {
    for (status, cause) in [(69, "no chip answers"), (75, "process 4711 has the chip")] {
      var bench = Bench(samplesWhileIdle: false)
      let caller = bench.ask(.start, .start(at: Self.time(1)))
      bench.happen(.sensorFailed, because: (Int32(status), cause))
      #expect(bench.heard[caller] == .refused(status: 69, message: cause))
    }
  }

  @Test("stop and keep are answered when the log has its end, with the failure if there was one")
  func stop() {
    for cause in [nil, (status: 74, message: "gone")] as [PendingRequests<Int>.Cause?] {
      var recording = Bench(through: .sensorReady, .start(at: Self.time(1)), .firstSample)
      let stop = recording.ask(.stop, .stop(at: Self.time(2)))
      // Another caller waits for the same end.
      let second = recording.ask(.stop, .stop(at: Self.time(3)))
      #expect(recording.status(stop) == nil)
      recording.happen(.saved, because: cause)
      #expect(recording.status(stop) == cause?.status ?? 0)
      #expect(recording.status(second) == cause?.status ?? 0)
      var armed = Bench(through: .sensorReady)
      let keep = armed.ask(.keep, .keep(at: Self.time(2)))
      armed.happen(.saved, because: cause)
      #expect(armed.status(keep) == cause?.status ?? 0)
    }
  }

  @Test(
    "a discard is answered when the recording is in the trash and the next one has its first sample"
  )
  func discard() {
    var bench = Bench(through: .sensorReady, .start(at: Self.time(1)), .firstSample)
    let caller = bench.ask(.discard, .discard(at: Self.time(2)))
    bench.happen(.saved)
    #expect(bench.status(caller) == nil)
    bench.happen(.firstSample)
    #expect(bench.heard[caller] == .done(.recording))
    let second = bench.ask(.discard, .discard(at: Self.time(3)))
    bench.happen(.saved, because: (77, "the trash is root's"))
    #expect(bench.status(second) == 77)
  }

  @Test("a mark is answered at once in a recording with a sample, else with its first sample")
  func mark() {
    var bench = Bench(through: .sensorReady, .start(at: Self.time(1)))
    let early = bench.ask(.mark("a"), .mark(at: Self.time(2), label: "a"))
    #expect(bench.status(early) == nil)
    bench.happen(.firstSample)
    #expect(bench.status(early) == 0)
    let late = bench.ask(.mark("b"), .mark(at: Self.time(3), label: "b"))
    #expect(bench.status(late) == 0)
  }

  @Test("no caller waits for longer than its patience, or for samples of a silent sensor")
  func bounded() {
    var bench = Bench(through: .sensorReady)
    let start = bench.ask(.start, .start(at: Self.time(1)), at: 1)
    #expect(bench.requests.deadline == Self.time(4))
    bench.elapse(to: 4)
    #expect(bench.status(start) == nil)
    #expect(bench.requests.deadline == Self.time(31))
    bench.elapse(to: 31)
    #expect(bench.status(start) == 75)
    #expect(bench.requests.deadline == nil)

    var silent = Bench(through: .sensorReady, .sensorSilent)
    let second = silent.ask(.start, .start(at: Self.time(1)), at: 1)
    silent.elapse(to: 4)
    #expect(silent.status(second) == 69)

    var saving = Bench(through: .sensorReady, .start(at: Self.time(1)), .firstSample)
    let stop = saving.ask(.stop, .stop(at: Self.time(2)), at: 1)
    saving.elapse(to: 31)
    #expect(saving.status(stop) == 75)
  }

  @Test("every caller is answered when the service ends")
  func ending() {
    var bench = Bench(samplesWhileIdle: false)
    let start = bench.ask(.start, .start(at: Self.time(1)))
    bench.happen(.terminate)
    #expect(bench.status(start) == 75)
    var recording = Bench(through: .sensorReady, .start(at: Self.time(1)), .firstSample)
    let stop = recording.ask(.stop, .stop(at: Self.time(2)))
    recording.happen(.terminate)
    recording.happen(.saved)
    #expect(recording.status(stop) == 0)
  }
}
