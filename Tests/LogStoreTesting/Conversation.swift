// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogFormat

/// What the two ends of a pull say to each other, as text:
///
///     < imulog-pull 1 keep               a line of the far end
///     > list                             a request
///     < recording 7 $a $a.n complete 5   $a: the UUID of log a; $a.n: its bytes, $a.n-5: 5 fewer; $a.h, $a.h9: digest of all, of 9
///     @ $a 0 4096                        these bytes of the recording, from the far end
///     ? Permission denied                a line of the far end's stderr; a fingerprint only where ssh is to show it
///     ~ or ~ 255                         it closes its output, or ends with this status; another connection follows
///     -                                  another connection follows
///     = here as 7                        what this end reports of it, or its end
///
/// ` | ` ends a line, too. Answers come in the order of the requests, so that a played far end need not read before it answers.
public struct Conversation: Sendable {
  /// One connection.
  public struct Connection: Sendable {
    /// What the far end is asked.
    public var requests: [String] = []
    /// All that it says.
    public var replies: [UInt8] = []
    fileprivate var talk = ""
    /// What it does after that, as a shell does it.
    fileprivate var end = ""
  }

  /// The connections, one after the other.
  public private(set) var connections: [Connection] = [Connection()]
  /// What this end reports.
  public private(set) var reports: [String] = []

  /// The requests of each connection.
  public var requests: [[String]] {
    // No line follows the one that ends the last.
    let count = connections.lastIndex {
      !$0.requests.isEmpty || !$0.replies.isEmpty || !$0.talk.isEmpty
    }
    return connections.prefix((count ?? 0) + 1).map(\.requests)
  }

  /// The logs that a conversation may name.
  public static let logs: [Character: ExampleLog] = {
    do {
      func member(_ number: UInt64, _ index: Int) throws -> ExampleLog {
        var description = ExampleLog.description(number)
        description.take = TakePlace(id: ExampleLog.description(8).id, index: index, count: 2)
        description.sensorName = index == 0 ? "left" : "right"
        return try ExampleLog(ticks: 90, seed: number, description: description)
      }
      return [
        // Two sensors of a take.
        "l": try member(6, 0), "m": try member(7, 1),
        "a": try ExampleLog(ticks: 600, seed: 1), "b": try ExampleLog(ticks: 90, seed: 2),
        "c": try ExampleLog(ticks: 90, seed: 5),
        "r": try ExampleLog(ticks: 600, seed: 3, ends: false),
        // Another recording with the UUID of `a`.
        "x": try ExampleLog(ticks: 700, seed: 4, description: ExampleLog.description(1)),
      ]
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  /// One of them.
  public static func log(_ name: Character) -> ExampleLog {
    guard let log = logs[name] else { preconditionFailure("there is no log \(name)") }
    return log
  }

  /// The conversation that a text has.
  public init(_ text: String) {
    for line in text.replacing(" | ", with: "\n").split(separator: "\n") {
      let said = Conversation.filled(line.dropFirst(2))
      let last = connections.count - 1
      switch line.first {
      case "<": connections[last].replies += Array((said + "\n").utf8)
      case ">": connections[last].requests.append(said)
      case "?": connections[last].talk += said + "\n"
      case "=": reports.append(said)
      case "@":
        let bytes = Conversation.log(line.dropFirst(3).first ?? "a").bytes
        let numbers = said.split(separator: " ").compactMap { Int($0) }
        connections[last].replies += bytes[numbers[0]..<numbers[1]]
      case "-": connections.append(Connection())
      default:
        connections[last].end = said.isEmpty ? "exec >&-" : "exit \(said)"
        connections.append(Connection())
      }
    }
  }

  /// A text with the values of what it names, such as `$a.n`.
  private static func filled(_ text: Substring) -> String {
    String(text).replacing(/\$([abclmrx])(?:\.([nh])(-?[0-9]+)?)?/) { match in
      let log = log(match.1.first ?? "a")
      let number = match.3.flatMap { Int($0) }
      switch match.2 {
      case "n": return "\(log.bytes.count + (number ?? 0))"
      case "h": return "\(SHA256.digest(of: Array(log.bytes.prefix(number ?? log.bytes.count))))"
      default: return "\(log.description.id)"
      }
    }
  }
}

/// Machines that say what a conversation has for them, whatever they are asked, and keep what they were asked.
public struct PlayedHosts {
  private let directory = TemporaryDirectory()

  /// - Parameter conversations: By what ssh is told to connect to.
  public init(_ conversations: [String: Conversation]) {
    for (host, conversation) in conversations {
      directory.makeDirectory(host)
      for (index, connection) in conversation.connections.enumerated() {
        directory.write(connection.replies, to: "\(host)/replies.\(index)")
        directory.write(Array(connection.talk.utf8), to: "\(host)/talk.\(index)")
        directory.write(Array((connection.end + "\n").utf8), to: "\(host)/end.\(index)")
      }
      directory.write(Array("0\n".utf8), to: "\(host)/count")
    }
    // It is sent SIGTERM when its input is closed, and reads that to its end.
    let script = """
      #!/bin/sh
      set -e; trap '' TERM
      while [ "$1" != -- ]; do [ "$1" != VisualHostKey=yes ] || all=#; shift; done
      cd \(directory.path) && cd "$2" && read n <count && echo $((n + 1)) >count
      sed "$all/^Host key fingerprint/d" talk.$n >&2 && cat replies.$n && . ./end.$n
      exec cat >requests.$n

      """
    directory.write(Array(script.utf8), to: "far-end")
    precondition(chmod(program, 0o755) == 0)
  }

  /// What is started instead of ssh.
  public var program: String { directory.path + "/far-end" }

  /// The requests of each connection that was made to a host.
  public func requests(of host: String) -> [[String]] {
    let text = String(decoding: directory.bytes(of: "\(host)/count"), as: UTF8.self)
    return (0..<(Int(text.dropLast()) ?? 0)).map { index in
      String(decoding: directory.bytes(of: "\(host)/requests.\(index)"), as: UTF8.self)
        .split(separator: "\n").map { String($0) }
    }
  }
}
