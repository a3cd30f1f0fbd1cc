// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Text

/// A connection to the other machine's `imulog`.
struct FarEnd: ~Copyable {
  /// The most characters that are kept of a sentence about a recording.
  private static let longestSentence = 500

  /// Why a connection ended.
  enum Failure: Error {
    /// It was cut; everything received before is good.
    case broken(String)
    /// The rest of an answer is useless: this side cannot keep it, or the other side is at fault.
    case abandoned(isOurs: Bool)
    /// No connection can be made, or the other side is not imulog.
    case unusable(CommandFailure)
    /// The other side violates the protocol, or is inactive for too long: it is not contacted again.
    case over(CommandFailure)
    /// The other side refuses this one request.
    case refused(CommandFailure)
  }

  private let host: String
  private let process: OtherProcess
  private var stream: ByteStream
  private let bounds: WaitBounds
  /// Whether recordings may be freed.
  let mayFree: Bool
  /// The fingerprint of the host's key, such as `SHA256:…`, where ssh shows it; see ``SSHConnection/showsHostKey``.
  let hostKey: String?

  /// Milliseconds that a program may take to end and report why, once it has closed its output.
  private static var farewell: Int32 { 2000 }

  init(_ host: String, _ options: SSHConnection, _ patience: PullPatience) throws(Failure) {
    let process: OtherProcess
    do {
      process = try OtherProcess(options.program, options.arguments(host: host))
    } catch {
      throw .unusable(CommandFailure(.unavailable, "\(error)"))
    }
    let bounds = WaitBounds(patience: patience, talk: Talk(process.talk))
    var stream = ByteStream(process.output, within: bounds)
    let hello = Result { () throws(ByteStream.Break) in
      PullReply(line: try stream.line(limit: PullLine.longest))
    }
    guard case .success(.hello(let version, let mayFree)) = hello, version == PullLine.version
    else {
      throw FarEnd.unusable(host, hello, process, bounds)
    }
    self.host = host
    self.process = process
    self.stream = stream
    self.bounds = bounds
    self.mayFree = mayFree
    // ssh writes it before the greeting can arrive.
    bounds.talk.drain()
    hostKey = bounds.talk.hostKey
  }

  /// Why there was no greeting.
  private static func unusable(
    _ host: String, _ hello: Result<PullReply?, ByteStream.Break>,
    _ process: consuming OtherProcess, _ bounds: WaitBounds
  ) -> Failure {
    // A program that closed its output is about to end, and its status shows why.
    var patience: Int32 = 0
    if case .failure(.closed) = hello {
      let left = bounds.patience.look(now: SystemClock().now()) / 1_000_000
      patience = min(farewell, Int32(clamping: max(0, left)))
      bounds.talk.drain(within: patience)
    }
    let status = process.end(within: patience)
    let said = bounds.talk.lines.last.map { ": " + Plain.text($0) } ?? ""
    func unavailable(_ sentence: String) -> Failure {
      .unusable(CommandFailure(.unavailable, sentence))
    }
    switch (hello, status) {
    case (.success(.hello(let version, _)), _):
      return unavailable(
        "imulog on \(host) speaks version \(version) of the pull protocol, this one \(PullLine.version); "
          + "install the same version")
    case (.success(.refused(_, let sentence)), _):
      return unavailable("\(host) refuses: \(sentence)")
    case (.success, _), (.failure(.nonsense), _):
      return unavailable(
        "\(host) answers, but not as imulog; a start-up file of its shell must not print anything")
    case (.failure(.endlessTalk), _):
      return .over(CommandFailure(.unavailable, endlessTalk(host)))
    case (.failure(.exhausted), _):
      return unavailable(
        "\(host) did not greet within \(span(bounds))\(said); try `ssh \(host)` first")
    case (_, 255):
      return unavailable(
        HostKeyTrouble.sentence(host, bounds.talk.lines)
          ?? "cannot connect to \(host)\(said); try `ssh \(host)` first")
    case (_, 127):
      return unavailable(
        "there is no imulog on \(host)\(said); install it where its ssh finds it")
    default:
      return unavailable("imulog on \(host) ended with status \(status)\(said)")
    }
  }

  /// Sends a request.
  func ask(_ request: PullRequest) throws(Failure) {
    do {
      try send(Array((request.line + "\n").utf8), to: process.input, within: bounds)
    } catch {
      throw failure(error)
    }
  }

  /// The next reply other than `alive`.
  mutating func reply() throws(Failure) -> PullReply {
    while true {
      let line: String
      do {
        line = try stream.line(limit: PullLine.longest)
      } catch {
        throw failure(error)
      }
      guard let reply = PullReply(line: line) else { throw nonsense(line) }
      switch reply {
      case .alive: bounds.patience.noteAlive()
      case .refused(let status, let sentence):
        throw .refused(CommandFailure(ExitStatus(rawValue: status) ?? .inputOutput, sentence))
      default: return reply
      }
    }
  }

  // MARK: The list

  /// Requests the list: readable recordings, newest first, and why the others cannot be read, by number.
  mutating func list() throws(Failure) -> (offers: [PullOffer], unreadable: [UInt32: String]) {
    try ask(.list)
    var offers: [PullOffer] = []
    var numbers: [RecordingID: UInt32] = [:]
    var unreadable: [UInt32: String] = [:]
    var count = 0
    while true {
      count += 1
      switch try reply() {
      case .recording(let offer):
        // The far end may send either of the two.
        if let twin = numbers[offer.id] {
          unreadable[offer.number] = "it has the UUID of recording \(twin)"
        } else {
          numbers[offer.id] = offer.number
          offers.append(offer)
        }
      case .unreadable(let number, let sentence):
        unreadable[number] = sentence.cut(to: FarEnd.longestSentence)
      case .end: return (offers, unreadable)
      default: throw violation("lists something that is no recording")
      }
      guard count <= HostPull.most, unreadable.count <= HostPull.mostUnreadable else {
        throw violation("lists recordings without end")
      }
    }
  }

  /// Fills the front of `buffer` with bytes that a reply announced, at least one; returns how many.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    do {
      return try stream.read(into: buffer)
    } catch {
      throw failure(error)
    }
  }

  /// Whether part of a reply has arrived.
  var isReady: Bool { stream.isReady }

  /// The other side violates the protocol.
  func violation(_ what: String) -> Failure {
    .over(
      CommandFailure(
        .unavailable,
        "\(host) \(what), which imulog never does; verified data is kept, check what answers there")
    )
  }

  private func nonsense(_ line: String) -> Failure {
    violation("answers `\(Plain.text(String(line.prefix(60))))`")
  }

  private func failure(_ error: ByteStream.Break) -> Failure {
    switch error {
    case .closed: return .broken("it was cut")
    case .exhausted:
      return .over(
        CommandFailure(
          .tryAgain,
          "\(host) sent nothing new for \(FarEnd.span(bounds)); received data is kept, so run the same command again, with a longer --timeout for a slow link or a slow recording"
        ))
    case .endlessTalk: return .over(CommandFailure(.unavailable, FarEnd.endlessTalk(host)))
    case .nonsense(let line): return nonsense(line)
    case .refused(let code): return .broken(Errno.words(code))
    }
  }

  private static func span(_ bounds: WaitBounds) -> String {
    Plain.number(bounds.patience.span / 1_000_000, per: 1000) + " s"
  }

  private static func endlessTalk(_ host: String) -> String {
    "the connection to \(host) wrote more than a megabyte to stderr; try `ssh \(host)` first"
  }
}

/// Why ssh does not trust a machine's host key, from its stderr (OpenSSH, sshconnect.c).
enum HostKeyTrouble {
  /// The sentence about ssh's messages; `nil` when they are about something else.
  static func sentence(_ host: String, _ lines: [String]) -> String? {
    if lines.contains(where: { $0.contains("HOST IDENTIFICATION HAS CHANGED") }) {
      let place = lines.first { $0.hasPrefix("Offending ") }
        .flatMap { $0.parts(around: " in ")?.after }
      let line = place.map { "the line " + Plain.text(String($0)) } ?? "its line in known_hosts"
      return
        "the host key of \(host) is not the one that ssh knows: another machine answers, or it was "
        + "reinstalled; only if you know that it was, delete \(line), run `ssh \(host)` once "
        + "and try again"
    }
    guard lines.contains(where: { $0.hasPrefix("Host key verification failed") }) else {
      return nil
    }
    return "ssh does not know the host key of \(host); run `ssh \(host)` once, compare the "
      + "fingerprint that it shows with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on that "
      + "machine, and try again"
  }
}

/// How `ssh` is started; everything else is in the user's own configuration of it.
public struct SSHConnection: Sendable {
  /// The program.
  public var program: String
  /// Its port; `nil` for the configured one.
  public var port: String?
  /// The key's file.
  public var identity: String?
  /// The configuration file.
  public var configuration: String?
  /// Further values of `-o`.
  public var options: [String]
  /// The other machine's store, when it is not the usual one.
  public var remoteStore: String?
  /// Whether ssh is to show the fingerprint of the host's key; not through a connection that it shares with another one.
  public var showsHostKey = false

  /// A connection.
  public init(
    program: String, port: String?, identity: String?, configuration: String?, options: [String],
    remoteStore: String?
  ) {
    self.program = program
    self.port = port
    self.identity = identity
    self.configuration = configuration
    self.options = options
    self.remoteStore = remoteStore
  }

  /// The program's arguments. A host never becomes an option: `--` stands in front of it.
  ///
  /// - Parameter verb: What imulog there is to do.
  func arguments(host: String, _ verb: [String] = ["pull-server"]) -> [String] {
    (showsHostKey ? ["-o", "VisualHostKey=yes"] : []) + plainArguments(host: host, verb)
  }

  private func plainArguments(host: String, _ verb: [String]) -> [String] {
    // ssh uses the first value. With several hosts and a progress line it cannot prompt for a password.
    var words = ["-T", "-o", "BatchMode=yes"]
    if let port { words += ["-p", port] }
    if let identity { words += ["-i", identity] }
    if let configuration { words += ["-F", configuration] }
    for option in options { words += ["-o", option] }
    words += ["--", host, "imulog"]
    if let remoteStore { words += ["--store", ShellWord.quoted(remoteStore)] }
    return words + verb
  }

  /// How a host's imulog is reached, on one line, whatever ssh shows meanwhile. The same words may lead to another store
  /// later.
  func route(to host: String) -> String {
    ForeignText.shown(
      ([program] + plainArguments(host: host, ["pull-server"])).joined(separator: " "))
  }
}
