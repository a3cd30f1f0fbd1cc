import Glibc
import LinuxIO
import Remote

/// A connection to the other machine's `imulog`.
struct FarEnd: ~Copyable {
  /// What became of a connection.
  enum Failure: Error {
    /// It was cut, or the other side said nothing for a minute; what came before is good.
    case broken(String)
    /// It cannot be had, or the other side is no imulog: trying again is no use.
    case unusable(CommandFailure)
    /// The other side refuses this one request.
    case refused(status: Int32, String)
  }

  private let process: OtherProcess
  private var stream: ByteStream
  /// Whether recordings may be freed.
  let mayFree: Bool

  /// Milliseconds of silence after which a connection counts as cut; the other side is silent for five seconds at
  /// most. The first word may take longer: names are looked up, keys exchanged, a Pi wakes up.
  private static var patience: Int32 { 60_000 }

  init(_ host: String, _ options: SSHOptions) throws(Failure) {
    let process: OtherProcess
    do {
      process = try OtherProcess(options.program, options.arguments(host: host))
    } catch {
      throw .unusable(CommandFailure(.unavailable, "\(error)"))
    }
    var stream = ByteStream(process.output, patience: FarEnd.patience)
    let hello: Result<PullReply?, ByteStream.Break>
    do throws(ByteStream.Break) {
      hello = .success(PullReply(line: try stream.line(limit: PullLine.longest)))
    } catch {
      hello = .failure(error)
    }
    guard case .success(.hello(let version, let mayFree)) = hello, version == PullLine.version
    else {
      throw FarEnd.unusable(host, hello, process)
    }
    self.process = process
    self.stream = stream
    self.mayFree = mayFree
  }

  /// Why there was no greeting.
  private static func unusable(
    _ host: String, _ hello: Result<PullReply?, ByteStream.Break>, _ process: consuming OtherProcess
  ) -> Failure {
    if case .success(.hello(let version, _)) = hello {
      return .unusable(
        CommandFailure(
          .unavailable,
          "imulog on \(host) speaks version \(version) of the pull, this one \(PullLine.version); "
            + "install the same version"))
    }
    if case .success(.refused(_, let sentence)) = hello {
      return .unusable(CommandFailure(.unavailable, "\(host) refuses: \(sentence)"))
    }
    // One that closed its output is about to end by itself, and its status tells why.
    var isOver = false
    if case .failure(.closed) = hello { isOver = true }
    let (status, talk) = process.end(isKilled: !isOver)
    let lines = talk.split(whereSeparator: \.isNewline)
    let said = lines.last.map { ": " + Plain.text(String($0)) } ?? ""
    switch (hello, status) {
    case (.success, _), (.failure(.nonsense), _):
      return .unusable(
        CommandFailure(
          .unavailable,
          "\(host) answers, but not as imulog; a start-up file of its shell must not print anything"
        ))
    case (.failure(.silent), _):
      return .unusable(
        CommandFailure(
          .unavailable,
          "\(host) said nothing for \(patience / 1000) s\(said); try `ssh \(host)` first"))
    case (_, 255):
      return .unusable(
        CommandFailure(.unavailable, "cannot connect to \(host)\(said); try `ssh \(host)` first"))
    case (_, 127):
      return .unusable(
        CommandFailure(
          .unavailable, "there is no imulog on \(host)\(said); install it where its ssh finds it"))
    default:
      return .unusable(
        CommandFailure(
          .unavailable, "imulog on \(host) ended with status \(status)\(said)"))
    }
  }

  /// Sends a request.
  func ask(_ request: PullRequest) throws(Failure) {
    do {
      try writeLine(request.line, to: process.input)
    } catch {
      throw .broken("it was closed")
    }
  }

  /// The next reply that says something.
  mutating func reply() throws(Failure) -> PullReply {
    while true {
      let line: String
      do {
        line = try stream.line(limit: PullLine.longest)
      } catch {
        throw FarEnd.broken(error)
      }
      guard let reply = PullReply(line: line) else {
        throw .broken("what came is no answer: \(Plain.text(String(line.prefix(60))))")
      }
      switch reply {
      case .alive: continue
      case .refused(let status, let sentence): throw .refused(status: status, sentence)
      default: return reply
      }
    }
  }

  /// Fills the front of `buffer` with bytes that a reply has announced, at least one; says how many.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    do {
      return try stream.read(into: buffer)
    } catch {
      throw FarEnd.broken(error)
    }
  }

  private static func broken(_ error: ByteStream.Break) -> Failure {
    switch error {
    case .closed: return .broken("it was cut")
    case .silent: return .broken("nothing came for \(patience / 1000) s")
    case .nonsense: return .broken("what came is no answer")
    case .refused(let code): return .broken(String(cString: strerror(code)))
    }
  }
}
