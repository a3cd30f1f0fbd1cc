// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
@testable import LinuxIO
import LinuxIOTestSupport
import Testing
import TestSupport

@Suite("A control socket", .waitsForPrograms)
final class ControlSocketTests {
  let fixture = TemporaryTree()
  let start = MonotonicTime(nanoseconds: 1_000_000_000)
  var path: String { fixture.root + "/run/control" }

  /// Callers that have not hung up.
  private var callers: Set<Int32> = []

  init() { fixture.directory("/run") }

  deinit {
    for caller in callers { close(caller) }
    unlink(path)
    unlink(path + ".lock")
  }

  /// The descriptor, which does not block, of a caller who has sent a text.
  func call(_ text: String = "") -> Int32 {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, type, 0)
    let answer = withUnsafeBytes(of: &name) { bytes in
      connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count))
    }
    #expect(answer == 0)
    callers.insert(descriptor)
    send(descriptor, text)
    return descriptor
  }

  func send(_ descriptor: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    #expect(Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// The input so far: text, "" when the other end hung up, `nil` when there is nothing.
  private func received(_ descriptor: Int32) -> String? {
    // A program that another test starts has copies of descriptors until it runs, and delays a hang-up.
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&waiting, 1, 10_000)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count < 0 && errno == ECONNRESET { return "" }
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  func mode(_ path: String) -> mode_t {
    var status = stat()
    stat(path, &status)
    return status.st_mode & 0o777
  }

  @Test(
    "endless answers are sent as fast as a caller reads them: only a slow one loses whole parts"
  )
  func endless() throws {
    var socket = try ControlSocket(path: path)
    let (slow, quick) = (call(), call())
    var peers: [ControlPeer] = []
    for caller in [slow, quick] {
      send(caller, "watch\n")
      peers += socket.questions(at: start).map(\.peer)
    }
    try #require(peers.count == 2)
    var accepted = 0
    var refused = 0
    var toQuick = 0
    var fromQuick = 0
    for part in 0..<400 {
      let bytes = [UInt8](repeating: UInt8(part % 251), count: 4096)
      if socket.send(peers[0], bytes) == true { accepted += 1 } else { refused += 1 }
      if socket.send(peers[1], bytes) == true { toQuick += bytes.count }
      while let text = bytesFrom(quick), text > 0 { fromQuick += text }
    }
    // The bytes kept by the kernel and by the socket are bounded.
    #expect(refused > 100)
    while let count = bytesFrom(quick), count > 0 { fromQuick += count }
    #expect(toQuick == 400 * 4096)
    #expect(fromQuick == toQuick)
    var fromSlow = 0
    for _ in 0..<100 {
      while let count = bytesFrom(slow), count > 0 { fromSlow += count }
      _ = socket.send(peers[0], [])
    }
    #expect(fromSlow == accepted * 4096)
    let isTaken = socket.send(peers[0], [1])
    #expect(isTaken == true)
  }

  @Test("a stream without news is told from one whose other end hung up")
  func news() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let stream = ControlStream(fileDescriptor: ends[0])
    var read = [stream.read()]
    send(ends[1], "x")
    hangUp(ends[1])
    read += [stream.read(), stream.read()]
    #expect(read == [[], [UInt8(ascii: "x")], nil])
  }

  /// Ends a caller's connection. A process that another test starts meanwhile may hold a copy of the
  /// descriptor until its `exec`, so closing it alone would not hang up yet.
  func hangUp(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
    callers.remove(descriptor)
    close(descriptor)
  }

  /// How many bytes have come; 0 when the other end hung up, `nil` when there are none.
  private func bytesFrom(_ descriptor: Int32) -> Int? {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count < 0 ? nil : count
  }

  @Test("a caller of an endless answer who hangs up makes room for another")
  func hangUp() throws {
    var socket = try ControlSocket(path: path)
    for _ in 0..<(3 * ControlSocket.mostPeers) {
      let caller = call("watch\n")
      let questions = socket.questions(at: start)
      let peer = try #require(questions.first?.peer)
      let isTaken = socket.send(peer, [1, 2, 3])
      #expect(isTaken == true)
      hangUp(caller)
      let none = socket.questions(at: start)
      #expect(none.isEmpty)
      let isGone = socket.send(peer, [4]) == nil
      #expect(isGone)
    }
    // One that hangs up unseen is forgotten at the next part.
    let caller = call("watch\n")
    let peer = try #require(socket.questions(at: start).first?.peer)
    hangUp(caller)
    let isGone = socket.send(peer, [1]) == nil
    #expect(isGone && !isReady(socket.fileDescriptor))
  }

  @Test("takes a line and answers with a line")
  func question() throws {
    var socket = try ControlSocket(path: path)
    let descriptor = socket.fileDescriptor
    #expect(!isReady(descriptor))
    let caller = call("status\n")
    #expect(isReady(descriptor))
    let questions = socket.questions(at: start)
    #expect(questions.map(\.line) == ["status"])
    // A caller who waits wakes no one.
    #expect(!isReady(descriptor))
    let none = socket.questions(at: start)
    #expect(none.isEmpty)
    #expect(!isReady(caller))
    for question in questions { socket.answer(question.peer, "{\"ok\":true}") }
    #expect(received(caller) == "{\"ok\":true}\n")
    #expect(received(caller) == "")
  }

  @Test("is answered to the client, whatever comes between")
  func client() throws {
    // The service's side runs on a thread, because the client waits.
    var server = try ControlSocket(path: path)
    let path = path
    let thread = try RealTimeThread(name: "caller")
    let running = thread.run(moving: [String]()) { answers in
      for line in ["status", "mark a b"] {
        do throws(LinuxIOError) {
          answers.append(try ControlClient.ask(path: path, line: line))
        } catch {
          answers.append("\(error)")
        }
      }
    }
    var asked: [String] = []
    while asked.count < 2 {
      var waiting = pollfd(fd: server.fileDescriptor, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, 10_000)
      for question in server.questions(at: start) {
        asked.append(question.line)
        server.answer(question.peer, String(repeating: "x", count: 20_000) + question.line)
      }
    }
    let answers = running.join()
    #expect(asked == ["status", "mark a b"])
    #expect(answers.map(\.count) == [20_006, 20_008])
    #expect(answers.first?.hasSuffix("xstatus") == true)
  }

  @Test("puts a line together from its pieces, and takes one line a caller")
  func pieces() throws {
    var socket = try ControlSocket(path: path)
    let caller = call()
    for piece in ["st", "at", "us"] {
      send(caller, piece)
      let none = socket.questions(at: start)
      #expect(none.isEmpty)
    }
    send(caller, "\nstop\n")
    let questions = socket.questions(at: start)
    #expect(questions.map(\.line) == ["status"])
    let none = socket.questions(at: start)
    #expect(none.isEmpty)
  }

  @Test("answers a caller that has shut down its sending side")
  func halfClosed() throws {
    var socket = try ControlSocket(path: path)
    let caller = call("status\n")
    shutdown(caller, Int32(SHUT_WR))
    let questions = socket.questions(at: start)
    #expect(questions.count == 1)
    #expect(!isReady(socket.fileDescriptor))
    for question in questions { socket.answer(question.peer, "yes") }
    #expect(received(caller) == "yes\n")
  }

  @Test("drops a caller who sends no line in two seconds")
  func silence() throws {
    var socket = try ControlSocket(path: path)
    let early = socket.deadline
    #expect(early == nil)
    let caller = call("stat")
    _ = socket.questions(at: start)
    let deadline = socket.deadline
    #expect(deadline == start + 2_000_000_000)
    _ = socket.questions(at: start + 1_999_999_999)
    #expect(!isReady(caller))
    _ = socket.questions(at: start + 2_000_000_000)
    #expect(received(caller) == "")
    let late = socket.deadline
    #expect(late == nil)
  }

  @Test("has no deadline for a caller who waits for the answer")
  func patience() throws {
    var socket = try ControlSocket(path: path)
    let caller = call("stop\n")
    let questions = socket.questions(at: start)
    let deadline = socket.deadline
    #expect(deadline == nil)
    _ = socket.questions(at: start + 60_000_000_000)
    for question in questions { socket.answer(question.peer, "done") }
    #expect(received(caller) == "done\n")
  }

  @Test(
    "accepts a line of 1,024 bytes with its end, and enough of a longer one to refuse it",
    arguments: [(1023, true), (1024, false), (5000, false)])
  func length(count: Int, isTaken: Bool) throws {
    var socket = try ControlSocket(path: path)
    let line = String(repeating: "m", count: count)
    let caller = call(line + "\n")
    var questions: [ControlQuestion] = []
    for _ in 0..<8 { questions += socket.questions(at: start) }
    try #require(questions.count == 1)
    let heard = questions[0].line
    #expect(isTaken ? heard == line : (line + "\n").hasPrefix(heard))
    #expect((heard.utf8.count > ControlSocket.longestLine) == !isTaken)
    socket.answer(questions[0].peer, "heard")
    #expect(received(caller) == "heard\n")
  }

  @Test("forgets a caller who goes away, before the line and after it")
  func gone() throws {
    var socket = try ControlSocket(path: path)
    let first = call("half")
    _ = socket.questions(at: start)
    hangUp(first)
    let none = socket.questions(at: start)
    #expect(none.isEmpty)
    let second = call("status\n")
    let questions = socket.questions(at: start)
    hangUp(second)
    #expect(isReady(socket.fileDescriptor))
    _ = socket.questions(at: start)
    #expect(!isReady(socket.fileDescriptor))
    for question in questions { socket.answer(question.peer, "too late") }
  }

  @Test("takes at most eight at once, and the ninth when one is gone")
  func crowd() throws {
    var socket = try ControlSocket(path: path)
    for number in 0..<9 { _ = call("mark \(number)\n") }
    var questions: [ControlQuestion] = []
    for _ in 0..<4 { questions += socket.questions(at: start) }
    #expect(questions.map(\.line) == (0..<8).map { "mark \($0)" })
    #expect(!isReady(socket.fileDescriptor))
    socket.answer(questions[3].peer, "done")
    #expect(isReady(socket.fileDescriptor))
    var more: [ControlQuestion] = []
    for _ in 0..<2 { more += socket.questions(at: start) }
    #expect(more.map(\.line) == ["mark 8"])
  }
}
