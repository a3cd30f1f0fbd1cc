// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogStoreTesting
import TestSupport
import Testing

/// A store of its own for a test, and the program to work on it.
struct Bench {
  let directory = TemporaryDirectory()
  /// The store that `IMULOG_STORE` names; it is made by the first recording.
  var store: String
  var environment: [String: String]

  /// Options of a recording that is over at once.
  static let simulated = ["record", "--board", "simulator", "--virtual-time"]

  init() {
    store = directory.path + "/store"
    environment = [
      "IMULOG_STORE": store, "HOME": directory.path + "/home", "LANG": "C.UTF-8",
    ]
  }

  /// Runs the program to its end.
  func run(_ arguments: String...) -> Outcome { run(arguments) }

  func run(_ arguments: [String], stdout: String? = nil) -> Outcome {
    start(arguments, stdout: stdout).outcome()
  }

  /// The program refuses a line, which has no word with a blank, in one sentence that has these words.
  func refuses(
    _ line: String, _ status: Int32, _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let outcome = run(line.split(separator: " ").map { String($0) })
    expectSentence(outcome, status, words, sourceLocation: sourceLocation)
  }

  /// Runs a line of the shell.
  func shell(_ line: String) -> Outcome { startShell(line).outcome() }

  /// Starts a line of the shell.
  func startShell(_ line: String) -> Child {
    Child(
      ["-c", line], environment: environment, directory: directory.path, stdout: nil,
      program: "/bin/sh")
  }

  /// Starts the program.
  func start(_ arguments: [String], stdout: String? = nil) -> Child {
    Child(arguments, environment: environment, directory: directory.path, stdout: stdout)
  }

  /// Starts the program at a terminal.
  func atTerminal(
    _ arguments: [String], columns: Int = 80, rows: Int = 24,
    _ more: [String: String] = [:], program: String = Child.program
  ) -> TerminalChild {
    // The Swift runtime would look into a crash for a minute, and ask for keys.
    let usual = [
      "TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORFGBG": "15;0", "TZ": "UTC",
      "SWIFT_BACKTRACE": "enable=no",
    ]
    let all = environment.merging(usual) { $1 }.merging(more) { $1 }
    return TerminalChild(
      arguments, environment: all, directory: directory.path, columns: columns, rows: rows,
      program: program)
  }

  /// Starts a live recording; it has samples on the card, so that its recording is one to the program.
  func startRecording(_ options: [String]) throws -> Child {
    mkdir(store, 0o755)
    let watch = DirectoryWatch(store)
    let child = start(options)
    let hasSamples = try watch.wait { try list().first?["sampleCount"].integer ?? 0 >= 10 }
    try #require(hasSamples, "no samples: \(child.said)")
    return child
  }

  /// Makes a recording in simulated time; its number.
  @discardableResult
  func record(_ options: String...) throws -> String {
    let outcome = run(Bench.simulated + options)
    try #require(outcome.status == 0, "\(outcome.talk)")
    return String(try #require(outcome.lines.last))
  }

  /// Puts a log into the store, as if it had been recorded here.
  func record(_ log: [UInt8], as name: String) {
    directory.makeDirectory("store")
    directory.write(log, to: "store/" + name)
  }

  /// Puts a recording into the store whose header has axes of the mounting as a later version may write them.
  func recordUnreadableAxes() throws {
    var description = ExampleLog.description()
    description.unread = [UnreadEntry(key: "axes", value: "up", reason: "")]
    record(
      try ExampleLog(ticks: 20, description: description).bytes,
      as: "000001-20261121T023807Z-\("\(description.id)".prefix(8)).imulog")
  }

  /// What `list --json` says.
  func list(_ options: String...) throws -> [JSON] {
    try run(["list", "--json"] + options).json()["recordings"].items
  }

  /// The store's only log, or its newest: a path in ``directory``.
  func logName() throws -> String {
    "store/" + (try #require(recordings.last))
  }

  /// Names of the store's recordings, oldest first.
  var recordings: [String] { directory.names(in: "store").filter { $0.hasSuffix(".imulog") } }

  /// Whether a recording of this computer has a clock that the kernel calls synchronised: what is in the trash ages by
  /// no other.
  func isClockSynchronised(in recording: String) throws -> Bool {
    try run("info", recording, "--json").json()["clock"]["synchronised"].isTrue
  }

  /// Names and sizes of everything in the store and its trash but the cache: equal before and after a command that
  /// failed.
  func inventory() -> [String] {
    let top = directory.names(in: "store").filter { $0 != ".known" }
    let trash = directory.names(in: "store/.trash").map { ".trash/" + $0 }
    return (top + trash).map { "\($0) \(directory.bytes(of: "store/" + $0).count)" }
  }

  /// A text file in ``directory``; its path.
  func file(_ name: String, _ text: String) -> String {
    file(name, Array(text.utf8))
  }

  func file(_ name: String, _ bytes: [UInt8]) -> String {
    directory.write(bytes, to: name)
    return "\(directory.path)/\(name)"
  }
}

extension TemporaryDirectory {
  func text(of name: String) -> String { String(decoding: bytes(of: name), as: UTF8.self) }

  /// Changes the bytes of a file, and returns them.
  @discardableResult
  func change(_ name: String, _ body: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = bytes(of: name)
    body(&bytes)
    write(bytes, to: name)
    return bytes
  }

  /// Writes a script that the program under test starts, and returns its path.
  ///
  /// No program is started in the meantime: it would have a copy of the descriptor for a moment, and the kernel runs no
  /// file that is open for writing (ETXTBSY).
  func script(_ name: String, _ text: String) -> String {
    ProgramStart.excluded { write(Array(text.utf8), to: name) }
    let file = "\(path)/\(name)"
    chmod(file, 0o755)
    return file
  }
}

/// Seconds. What takes longer than any machine does hangs.
let waitingPatience = 60

/// Waits until `condition` holds, which another program brings about.
///
/// - Parameter complaint: What is wrong when it never does.
func waitUntil(
  _ condition: () throws -> Bool, else complaint: @autoclosure () -> String = "never",
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  let end = now.tv_sec + waitingPatience
  while try !condition() {
    clock_gettime(CLOCK_MONOTONIC, &now)
    try #require(now.tv_sec < end, "\(complaint())", sourceLocation: sourceLocation)
    // The processor is for the program.
    poll(nil, 0, 1)
  }
}

/// Compares long texts line by line. The library's own comparison of what differs takes the square of it.
func expectSame(
  _ found: [UInt8], _ expected: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
) {
  guard found != expected else { return }
  let pairs = zip(found.split(separator: 10), expected.split(separator: 10)).enumerated()
  let difference = pairs.first { $0.element.0 != $0.element.1 }.map { line, pair in
    "line \(line + 1): \(String(decoding: pair.0, as: UTF8.self)), expected "
      + String(decoding: pair.1, as: UTF8.self)
  }
  Issue.record(
    "\(found.count) bytes, expected \(expected.count); \(difference ?? "one begins the other")",
    sourceLocation: sourceLocation)
}

extension Outcome {
  /// Checks how the program ended, and words that it said on stderr.
  @discardableResult
  func expect(
    _ status: Int32, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) -> Outcome {
    #expect(self.status == status, "\(talk)", sourceLocation: sourceLocation)
    for word in words {
      #expect(talk.contains(word), "\(talk)", sourceLocation: sourceLocation)
    }
    return self
  }
}

extension Child {
  /// Ends the program, which must end well.
  consuming func end(sourceLocation: SourceLocation = #_sourceLocation) {
    self.signal(SIGTERM)
    self.outcome().expect(0, sourceLocation: sourceLocation)
  }
}

extension TerminalChild {
  /// Leaves the program, which must end well and leave the terminal as it was.
  func quit(sourceLocation: SourceLocation = #_sourceLocation) {
    self.type("q")
    #expect(self.status() == 0, sourceLocation: sourceLocation)
    #expect(isAsBefore, sourceLocation: sourceLocation)
  }
}

extension JSON {
  /// Checks members by their paths, such as `ticks.scheduled`; one that is missing is `.null`.
  func expect(
    _ members: KeyValuePairs<String, JSON>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (path, value) in members {
      let found = path.split(separator: ".").reduce(self) { json, key in
        Int(key).map { json[$0] } ?? json[String(key)]
      }
      #expect(found == value, "\(path)", sourceLocation: sourceLocation)
    }
  }
}

/// A failed command says one sentence on stderr and nothing on stdout.
func expectSentence(
  _ outcome: Outcome, _ status: Int32, _ words: [String],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(outcome.status == status, "\(outcome.talk)", sourceLocation: sourceLocation)
  #expect(outcome.talk.hasPrefix("imulog: "), sourceLocation: sourceLocation)
  #expect(
    outcome.talk.split(separator: "\n").count == 1, "\(outcome.talk)",
    sourceLocation: sourceLocation)
  for word in words {
    #expect(outcome.talk.contains(word), "\(outcome.talk)", sourceLocation: sourceLocation)
  }
}
