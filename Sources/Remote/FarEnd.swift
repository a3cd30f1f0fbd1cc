// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Text

/// A connection to the other machine's `imulog`.
struct FarEnd: ~Copyable {
  private static let longestSentence = 500

  /// Why a connection ended.
  enum Failure: Error {
    /// It was cut; everything received is good.
    case broken(String)
    /// The rest of an answer is useless, by this side's fault or the other's.
    case abandoned(isOurs: Bool)
    /// No connection can be made, or the other side is not imulog.
    case unusable(CommandFailure)
    /// The other side violates the protocol, or is silent for too long: it is not contacted again.
    case over(CommandFailure)
    /// The other side refuses one request.
    case refused(CommandFailure)
  }

  private let host: String
  private let process: OtherProcess
  private var stream: ByteStream
  private let bounds: WaitBounds
  let mayFree: Bool
  /// The fingerprint of the host's key, `SHA256:…`, if ssh shows it; see ``SSHConnection/showsHostKey``.
  let hostKey: String?

  /// Milliseconds for a program to end, once it has closed its output.
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
    // A program that closed its output ends soon, and its status shows why.
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
        "\(host) answers, but not as imulog; start-up files of its shell must print nothing")
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

  /// Requests the list: readable recordings, newest first, and why others cannot be read, by number.
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
        if let twin = numbers[offer.id] {
          unreadable[offer.number] = "it has the UUID of recording \(twin)"
        } else {
          numbers[offer.id] = offer.number
          offers.append(offer)
        }
      case .unreadable(let number, let sentence):
        unreadable[number] = sentence.cut(to: FarEnd.longestSentence)
      case .end: return (offers, unreadable)
      default: throw violation("lists something that is not a recording")
      }
      guard count <= HostPull.most, unreadable.count <= HostPull.mostUnreadable else {
        throw violation("lists recordings without end")
      }
    }
  }

  /// Fills the front of `buffer` with announced bytes; returns how many, at least one.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    do {
      return try stream.read(into: buffer)
    } catch {
      throw failure(error)
    }
  }

  var isReady: Bool { stream.isReady }

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
          "\(host) sent nothing new for \(FarEnd.span(bounds)); received data is kept, so run the same command again, with a longer --timeout if link or recording are slow"
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
