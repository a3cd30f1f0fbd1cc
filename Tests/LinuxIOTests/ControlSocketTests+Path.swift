// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LinuxIOTestSupport
import Testing
import TestSupport

/// The file at which it is called: whose it is, and what else may be there.
extension ControlSocketTests {
  @Test("is for its owner and its group alone")
  func rights() throws {
    let inner = fixture.root + "/new/control"
    do {
      let socket = try ControlSocket(path: inner)
      _ = socket.deadline
      #expect(mode(inner) == 0o660)
      #expect(mode(fixture.root + "/new") == 0o750)
      #expect(mode(inner + ".lock") & 0o007 == 0)
    }
    #expect(access(inner, F_OK) != 0)
    unlink(inner + ".lock")
    rmdir(fixture.root + "/new")
  }

  @Test("has one owner, and the next one takes over when that was killed")
  func takeover() throws {
    let process = ProgramStart.perform { begin_process_serving(path) }
    #expect(process > 0)
    let error = try #require(throws: LinuxIOError.self) { _ = try ControlSocket(path: path) }
    #expect(error.kind == .busy)
    #expect(error.finding.hasSuffix("(process \(process)) is serving there already"))
    end_other_process(process)
    #expect(access(path, F_OK) == 0)
    var socket = try ControlSocket(path: path)
    _ = call("status\n")
    let questions = socket.questions(at: start)
    #expect(questions.count == 1)
  }

  @Test("removes nothing but a socket")
  func otherFile() throws {
    fixture.file("/run/control", "mine")
    let error = try #require(throws: LinuxIOError.self) { _ = try ControlSocket(path: path) }
    #expect(error.finding == "something other than a socket is there")
    #expect(line(of: path) == "mine")
  }

  @Test("at a path that cannot be is refused in words")
  func badPaths() {
    let long = fixture.root + "/run/" + String(repeating: "c", count: 108)
    let paths = [(long, "107 bytes"), ("/proc/imulog/control", "not there")]
    for (path, words) in paths {
      do throws(LinuxIOError) {
        _ = try ControlSocket(path: path)
        Issue.record("opened \(path)")
      } catch {
        #expect(error.finding.contains(words), "\(error)")
      }
    }
    unlink(long + ".lock")
  }

  @Test("that no program serves is reported to the client as such")
  func notRunning() throws {
    for leftover in [false, true] {
      if leftover {
        let process = ProgramStart.perform { begin_process_serving(path) }
        end_other_process(process)
      }
      let error = try #require(throws: LinuxIOError.self) {
        _ = try ControlClient.ask(path: path, line: "status")
      }
      #expect(error.kind == .notRunning)
      #expect(error.remedy.contains("systemctl start imulog"))
    }
  }

  @Test("whose service does not answer is given up after the timeout")
  func noAnswer() throws {
    let socket = try ControlSocket(path: path)
    _ = socket.deadline
    let error = try #require(throws: LinuxIOError.self) {
      _ = try ControlClient.ask(path: path, line: "status", timeoutNanoseconds: 2_000_000)
    }
    #expect(error.finding.hasSuffix("in time"))
    #expect(error.errno == ETIMEDOUT)
  }

  @Test("gives its descriptors back")
  func descriptors() throws {
    let before = openDescriptors()
    for _ in 0..<30 {
      var socket = try ControlSocket(path: path)
      let caller = call("status\n")
      _ = socket.questions(at: start)
      hangUp(caller)
    }
    #expect(openDescriptors() < before + 30)
  }
}
