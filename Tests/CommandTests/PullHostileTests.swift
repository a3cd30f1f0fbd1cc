// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import TestSupport
import Testing

@Suite(
  "A far end of a pull that is broken or hostile", .waitsForPrograms, .timeLimit(.minutes(60)))
struct PullHostileTests {
  /// A replacement for ssh, and the expected end of the pull.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Shell lines; `$offer` is a line that offers 8192 bytes, `$large` one that offers a gigabyte.
    let script: String
    let status: Int32
    /// `$timeout` is the timeout.
    let words: String
    /// Seconds; long enough for cases that end at a limit of bytes.
    let timeout: Int

    init(
      _ what: String, _ script: String, _ status: Int32, _ words: String, timeout: Int = 1
    ) {
      testDescription = what
      self.script = script
      self.status = status
      self.words = words
      self.timeout = timeout
    }
  }

  private static let id = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
  /// Greets, and lists one recording.
  private static let greeted = "echo imulog-pull 1 keep; read request; "
  private static let listed =
    greeted + "echo $offer; echo end; read request; echo end; read request; "
  private static let listedLarge =
    greeted + "echo $large; echo end; read request; echo end; read request; "
  /// Does nothing for ever, with all pipes open.
  private static let silence = "exec sleep 1000"

  static let cases: [Case] = [
    Case("no greeting", silence, 69, "did not greet within $timeout"),
    Case("a greeting without end", "yes | tr -d '\\n'", 69, "not as imulog"),
    Case(
      "endless words on stderr", "yes >&2", 69, "more than a megabyte to stderr", timeout: 50),
    Case(
      "endless words on stderr after the greeting", greeted + "yes >&2", 69,
      "more than a megabyte to stderr", timeout: 50),
    Case(
      "stdout closed before the greeting, and no end", "exec >&-; " + silence, 69,
      "ended with status 143"),
    Case(
      "stdout closed after the greeting, and no end", greeted + "exec >&-; " + silence, 75,
      "kept breaking"),
    Case(
      "a list without its end", greeted + "echo $offer; " + silence, 75,
      "sent nothing new for $timeout"),
    Case(
      "an endless list", greeted + "yes \"$offer\"", 69, "lists recordings without end",
      timeout: 50),
    Case(
      "an endless list of what cannot be read",
      greeted + "seq -f 'unreadable %.0f because' 1000000", 69, "lists recordings without end",
      timeout: 50),
    Case("alive for ever, at once", listed + "yes alive", 75, "sent nothing new for $timeout"),
    Case(
      "a chunk that does not end", listed + "echo bytes 8192; printf x; " + silence, 75,
      "sent nothing new for $timeout"),
    Case(
      "a gigabyte of what is no recording",
      listedLarge + "while :; do echo bytes 65536; head -c 65536 /dev/zero; done", 74,
      "the data received is not recording", timeout: 50),
  ]

  @Test(
    "ends within the timeout with a sentence, in bounded memory and disk, and ssh with it",
    arguments: cases)
  func hostile(_ hostile: Case) throws {
    let (far, outcome) = try ScriptedFarEnd.pull(
      from: "offer='recording 1 \(PullHostileTests.id) 8192 complete 0'\n"
        + "large='recording 1 \(PullHostileTests.id) 1073741824 complete 0'\n" + hostile.script,
      until: hostile.words, timeout: hostile.timeout)
    #expect(outcome.status == hostile.status, "\(outcome.talk)")
    #expect(far.goes)
    let kept = far.laptop.directory.names(in: "store")
    for name in kept {
      #expect(far.laptop.directory.bytes(of: "store/" + name).count <= 8192, "\(name)")
    }
    #expect(far.laptop.recordings.isEmpty)
  }

  @Test("when the pull is killed, its child processes end, also one that writes without end")
  func killed() throws {
    for script in ["yes >&2", "echo imulog-pull 1 keep; exec sleep 1000", "exec sleep 1000"] {
      let far = try ScriptedFarEnd(script)
      let watch = DirectoryWatch(far.laptop.directory.path)
      let pull = far.laptop.start(["pull", "pi"])
      let isStarted = watch.wait { far.connections == 1 }
      #expect(isStarted)
      pull.signal(SIGKILL)
      #expect(pull.outcome().status == -SIGKILL)
      #expect(far.goes)
    }
  }

  @Test(
    "a far end whose output is full ends with its children when the pull gives up")
  func children() throws {
    let (far, outcome) = try ScriptedFarEnd.pull(
      from: "trap '' TERM HUP PIPE; sleep 1000 & sleep 1000 & wait",
      until: "did not greet within $timeout", timeout: 1)
    #expect(outcome.status == 69)
    #expect(far.goes)
  }
}

/// A machine that pulls through a shell script, which replaces ssh and the far end.
struct ScriptedFarEnd {
  var laptop = Bench()
  /// The reading end of a pipe that the far end and its children hold open.
  private let lifeline: Lifeline

  init(_ script: String) throws {
    let folder = laptop.directory.path
    lifeline = try Lifeline(folder + "/lifeline")
    let text = "#!/bin/sh\nexec 9>\(folder)/lifeline\necho >> \(folder)/calls\n\(script)\n"
    laptop.environment["IMULOG_SSH"] = laptop.directory.script("ssh", text)
    laptop.environment["PATH"] = "/usr/bin:/bin"
  }

  /// `imulog pull pi …`, which may use no more than 32 MB of memory of its own.
  func pull(_ options: String...) -> Outcome {
    let words = (["pull", "pi"] + options).joined(separator: " ")
    return laptop.shell("ulimit -d 32768; exec \(Child.program) \(words)")
  }

  /// A pull that ends with `words`, in which `$timeout` is the timeout, in seconds.
  ///
  /// A machine that is too busy to start or run the far end within the timeout proves nothing: after such a timeout the
  /// pull is repeated once, with ten times the timeout.
  static func pull(
    from script: String, until words: String, timeout: Int, isLast: Bool = false
  ) throws -> (ScriptedFarEnd, Outcome) {
    let far = try ScriptedFarEnd(script)
    let outcome = far.pull("--timeout", "\(timeout)s")
    let end = words.replacing("$timeout", with: "\(timeout) s")
    if far.connections > 0, outcome.talk.contains(end) { return (far, outcome) }
    let isHurried = ["did not greet within", "sent nothing new for"].contains {
      outcome.talk.contains($0)
    }
    try #require(isHurried && !isLast, "\(outcome.talk)")
    return try pull(from: script, until: words, timeout: 10 * timeout, isLast: true)
  }

  /// The contents of the mark of a request to it.
  var route: String {
    "\(laptop.directory.path)/ssh -T -o BatchMode=yes -- pi imulog pull-server\n"
  }

  /// How often it was started.
  var connections: Int { laptop.directory.bytes(of: "calls").count }

  /// Waits until none of its processes runs any more; `false` after 30 s.
  var goes: Bool { lifeline.isCut(within: 30_000) }
}

/// A named pipe whose other end the started processes hold.
final class Lifeline: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    try #require(mkfifo(path, 0o600) == 0)
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  }

  deinit {
    close(descriptor)
  }

  /// Whether a process has held the other end, and none does any more.
  func isCut(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1 && entry.revents & Int16(POLLHUP) != 0
  }
}
