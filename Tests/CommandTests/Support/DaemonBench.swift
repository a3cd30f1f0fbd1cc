// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing

/// A service with a store, a socket and a configuration of its own, and what a user does with it.
struct DaemonBench {
  private(set) var bench = Bench()
  /// The control socket.
  let socket: String
  /// The configuration file.
  let configuration: String

  /// What is not as the program has it by itself: nothing that depends on the machine.
  private static let settings = [
    "board": "simulator", "rate": "100", "length": "until-stopped", "sync-every": "50ms",
    "button": "none", "light": "none", "reserve": "0",
  ]

  /// - Parameter environment: Variables of the service beside the usual ones.
  init(_ settings: [String: String] = [:], environment: [String: String] = [:]) {
    bench.environment.merge(environment) { $1 }
    socket = bench.directory.path + "/run/control"
    configuration = bench.directory.path + "/imulog.conf"
    bench.environment["IMULOG_SOCKET"] = socket
    configure(settings)
  }

  /// Writes the configuration anew.
  func configure(_ settings: [String: String]) {
    let all = DaemonBench.settings.merging(settings) { $1 }
    let lines = all.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)\n" }
    _ = bench.file("imulog.conf", lines.joined())
  }

  /// Starts the service.
  func start(_ options: String...) -> Child {
    bench.start(["daemon", "--config", configuration] + options)
  }

  /// Starts the service and waits until it is armed.
  func startArmed() throws -> Child {
    let child = start()
    try wait(for: "armed")
    return child
  }

  /// Runs a verb, which must do what it is to do and say nothing.
  func tell(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    let outcome = bench.run(arguments)
    try #require(outcome.status == 0, "\(outcome.talk)", sourceLocation: sourceLocation)
    #expect(outcome.bytes.isEmpty && outcome.talk.isEmpty, sourceLocation: sourceLocation)
  }

  /// What `status --json` says; `nil` while no service answers.
  func status() throws -> JSON? {
    let outcome = bench.run("status", "--json")
    return outcome.status == 0 ? try outcome.json() : nil
  }

  /// Asks until the service is in that state, and `condition` holds.
  @discardableResult
  func wait(
    for state: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: (JSON) throws -> Bool = { _ in true }
  ) throws -> JSON {
    var last: JSON?
    try waitUntil(
      {
        last = try status()
        guard let last, last["state"].text == state else { return false }
        return try condition(last)
      }, else: "never \(state): \(String(describing: last))", sourceLocation: sourceLocation)
    return try #require(last)
  }

  /// Begins a recording and waits until it is recorded.
  func startRecording() throws {
    try tell("start")
    try wait(for: "recording")
  }

  /// Records a recording and waits until it is whole.
  func makeRecording() throws {
    try startRecording()
    try tell("stop")
    try wait(for: "armed")
  }

  /// Ends a service, which must end well.
  func end(_ child: consuming Child, sourceLocation: SourceLocation = #_sourceLocation) {
    child.signal(SIGTERM)
    let outcome = child.outcome()
    #expect(outcome.status == 0, "\(outcome.talk)", sourceLocation: sourceLocation)
    #expect(outcome.bytes.isEmpty, sourceLocation: sourceLocation)
  }

  /// Sends bytes to the socket as no command does; the answer, or "" when there was none.
  ///
  /// - Parameter hangsUp: Whether to go away at once.
  func send(_ bytes: [UInt8], hangsUp: Bool = false) -> String {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: socket.utf8) }
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    let answer = withUnsafeBytes(of: &name) { bytes in
      connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count))
    }
    guard answer == 0 else { return "" }
    var patience = timeval(tv_sec: waitingPatience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    // A service that has received enough hangs up before all is sent.
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if hangsUp { return "" }
    var reply: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while reply.last != 10 {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      reply += buffer[..<count]
    }
    return String(decoding: reply, as: UTF8.self)
  }
}
