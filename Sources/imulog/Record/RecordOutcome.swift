// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recorder
import Synchronization
import Terminal
import Text

struct RecordOutcome {
  /// The recording of a sensor.
  struct Log {
    let number: UInt32
    let id: RecordingID
    /// The user's name for the sensor; empty for none.
    let name: String
    let reason: StopReason
    /// `nil` when its file is gone or cannot be read.
    let tally: TickTally?
    let lateness: LatenessSummary
    let isGone: Bool

    /// If the storage ended the recording, the result is read from its file: the card may have accepted less than the writer
    /// queued.
    fileprivate init(_ filed: FiledRecording, name: String) {
      (number, id, self.name, lateness) = (filed.number, filed.id, name, filed.end.lateness)
      let given = filed.end.reason
      reason =
        filed.failure != nil && given == .completed
        ? filed.failure?.kept?.reason ?? .storageError : given
      tally = filed.failure.map { $0.kept?.tally } ?? filed.end.tally
      isGone = filed.failure?.isGone ?? false
    }

    /// `recording 3`, in a take with the sensor's name.
    fileprivate var words: String { "recording \(number)" + (name.isEmpty ? "" : ", \(name)") }

    /// Samples, and missing ticks where they are known.
    fileprivate var line: String? {
      tally.map { tally in
        let samples = "\(words): \(tally.sampled) of \(tally.scheduled) samples"
        return ([samples] + tally.losses).joined(separator: ", ")
      }
    }

    fileprivate func add(to json: inout JSONWriter) {
      json.member("number", number)
      json.member("id", "\(id)")
      if !name.isEmpty { json.member("sensorName", name) }
      json.member("stopReason", reason.name)
      json.key("ticks")
      json.ticks(tally)
      json.key("lateness")
      json.lateness(lateness)
    }
  }

  /// One for each sensor.
  let logs: [Log]
  let failure: CommandFailure?
  let discarded: [UInt32]

  static func recording(_ request: RecordRequest, store: String) throws -> RecordOutcome {
    let setup = try request.setup(store: store)
    var screen: RecordScreen?
    let talk = RecorderTalk(isHeldBack: request.isOnTerminal)
    defer { talk.release() }
    var surroundings = RecorderLoop.Surroundings(journal: talk.report)
    if request.isOnTerminal {
      surroundings.openPanel = { _ in
        let opened = try RecordScreen(
          TerminalSession(), ([setup] + setup.companions).map(\.configuration),
          isGuided: request.isGuided)
        screen = opened
        return opened
      }
      surroundings.signals = SignalWatch.atTerminal
      surroundings.isInteractive = true
    } else {
      surroundings.signals = SignalWatch.endings
      surroundings.didBegin = { Console.talk(request.beginning($0)) }
    }
    guard !request.sensor.isTimeVirtual else {
      return try RecordOutcome(SimulatedRecorder(setup, surroundings).run())
    }
    let loop = try RecorderLoop(setup, surroundings)
    screen?.feed = loop.feed
    try loop.run()
    return try RecordOutcome(loop)
  }

  /// The result of a loop that has ended.
  private init(_ loop: RecorderLoop) throws {
    guard let last = loop.single.filed.last else {
      throw CommandFailure(
        .tryAgain, "the recording was ended before its first sample, and nothing is kept")
    }
    logs = zip(last.members, loop.sensorNames).map { Log($0, name: $1) }
    failure =
      last.members.lazy.compactMap(\.failure).first?.failure
      ?? (loop.ending.isHung ? RecordOutcome.hang(last.number) : nil)
    discarded = loop.single.filed.dropLast().flatMap(\.members).map(\.number)
  }

  private static func hang(_ number: UInt32) -> CommandFailure {
    CommandFailure(
      .unavailable,
      "the sensor's bus hangs, and recording \(number) ends with a gap; check that SDA and SCL"
        + " are not shorted, and switch the sensor's power off and on")
  }

  /// Lines for a person: the discarded recordings, then samples and missing ticks where they are known.
  var talk: [String] {
    discarded.map { "recording \($0) was thrown away; it is in the trash for 30 days" }
      + logs.compactMap(\.line)
  }

  /// For a program, on one line.
  var json: String {
    JSONWriter.document { json in
      logs[0].add(to: &json)
      guard logs.count > 1 else { return }
      json.member("companions", logs.dropFirst()) { json, log in
        json.object { log.add(to: &$0) }
      }
    }
  }
}

/// The warnings of a recorder, which wait while a screen is on the terminal.
private final class RecorderTalk: Sendable {
  private let heldBack: Mutex<[String]?>

  init(isHeldBack: Bool) { heldBack = Mutex(isHeldBack ? [] : nil) }

  @Sendable func report(_ priority: JournalPriority, _ sentence: String) {
    guard priority == .warning else { return }
    let isHeldBack = heldBack.withLock { sentences in
      sentences?.append(sentence)
      return sentences != nil
    }
    if !isHeldBack { Console.talk(sentence) }
  }

  func release() {
    let sentences = heldBack.withLock { sentences in
      defer { sentences = nil }
      return sentences ?? []
    }
    for sentence in sentences { Console.talk(sentence) }
  }
}

/// The report at a recording's end: on a terminal the whole account of one sensor, else the verdict.
struct RecordReview {
  let number: UInt32
  /// The sensor's name in a take; empty for one sensor.
  let name: String
  let store: String
  /// The store's directory as the command line gave it; `nil` when it did not.
  let storeOption: String?

  /// - Returns: Why the recording cannot be read; `nil` when it can, or when another program has removed it.
  func talk() -> CommandFailure? {
    do {
      let catalogue = try Catalogue(path: store)
      let entry = try catalogue.entry(for: "\(number)")
      defer { Console.talk("recording \(number) is \(entry.path)") }
      var reader = try catalogue.reader(of: entry)
      let report = ReviewReport(try reader.account(ofSamples: true))
      guard name.isEmpty, Console.isTerminal(STDERR_FILENO) else {
        Console.talk((name.isEmpty ? "" : "\(name): ") + report.account.sentence)
        return nil
      }
      for row in report.lines { Console.talk(TextTable.line(row)) }
      return nil
    } catch {
      let failure = CommandFailure(error, else: .inputOutput)
      let sentence = "recording \(number) cannot be looked through: \(failure.sentence)"
      guard failure.status != .noInput else {
        Console.talk(sentence)
        return nil
      }
      return CommandFailure(failure.status, sentence)
    }
  }

  /// Tells the next commands, for a take those that act on all of it.
  func talkOfNext() {
    let program = storeOption.map { "imulog --store \(ShellWord.quoted($0))" } ?? "imulog"
    Console.talk(
      name.isEmpty
        ? "next: `\(program) show \(number)`, `\(program) export \(number) -o \(number).json`"
        : "next: `\(program) info \(number)`, `\(program) export \(number) --take -o \(number).csv`"
    )
  }
}
