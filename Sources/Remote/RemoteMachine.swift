// SPDX-License-Identifier: Apache-2.0

import Glibc
package import IMUModel
package import LinuxIO
import Text

/// What a machine reports about itself, the answer to ``PullRequest/machine``: a line a fact. Unknown facts are skipped.
///
///     fact software 0.1.0
///     fact time 1785753600000000000
///     fact synchronised 1
///     fact free 24159191040
///     fact recorder armed
///     fact problem sensor%20missing
///     end
package struct RemoteMachine: Equatable, Sendable {
  package var software: String
  package var wall: WallTime
  package var freeBytes: UInt64?
  /// The state of its service; `nil` where none answers.
  package var recorder: String?
  /// Why its service cannot record.
  package var problem: String?

  package init(
    software: String, wall: WallTime, freeBytes: UInt64?, recorder: String?, problem: String?
  ) {
    (self.software, self.wall, self.freeBytes) = (software, wall, freeBytes)
    (self.recorder, self.problem) = (recorder, problem)
  }

  /// When it was asked, by the clock here.
  var asked: WallTime?

  /// Least nanoseconds by which its clock is ahead of the one here: it was read at some time between ``asked`` and `now`.
  package func clockOffset(now: WallTime) -> Int64 {
    func ahead(of time: WallTime) -> Int64 {
      let (offset, overflow) = wall.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
      return overflow ? (wall.nanoseconds < 0 ? .min : .max) : offset
    }
    let (least, most) = (ahead(of: now), ahead(of: asked ?? now))
    return least > 0 ? least : min(most, 0)
  }

  /// Most facts of an answer.
  static let most = 64
  /// Most characters of a text.
  private static let longest = 200

  var facts: [(name: String, value: String)] {
    [
      ("software", software), ("time", "\(wall.nanoseconds)"),
      ("synchronised", wall.isSynchronised ? "1" : "0"),
    ]
      + [
        ("free", freeBytes.map { "\($0)" }), ("recorder", recorder),
        ("problem", problem.map { RemoteMachine.clipped($0) }),
      ].compactMap { name, value in value.map { (name, $0) } }
  }

  /// A text cut to fit on a line: a byte other than an ASCII letter or digit takes three there.
  private static func clipped(_ text: String) -> String {
    var left = PullLine.longest - 64
    let fits = text.prefix { character in
      left -= 3 * character.utf8.count
      return left >= 0
    }.prefix(longest)
    return fits.count == text.count ? text : fits.dropLast() + "…"
  }

  /// Reads facts; `nil` without a version or a time, or with an invalid number.
  init?(_ facts: [(name: String, value: String)]) {
    var values: [String: String] = [:]
    for fact in facts { values[fact.name] = fact.value }
    func text(_ name: String) -> String? {
      values[name].map { ForeignText.shown($0).cut(to: RemoteMachine.longest) }
    }
    guard let software = text("software"),
      let time = values["time"].flatMap({ PullLine.signed($0) })
    else { return nil }
    let free = values["free"]
    guard free == nil || free.flatMap({ PullLine.number($0) }) != nil else { return nil }
    self.init(
      software: software,
      wall: WallTime(nanoseconds: time, isSynchronised: values["synchronised"] == "1"),
      freeBytes: free.flatMap { PullLine.number($0) }, recorder: text("recorder"),
      problem: text("problem"))
  }
}

extension String {
  /// The text, cut with an ellipsis.
  func cut(to length: Int) -> String {
    count > length ? prefix(length - 1) + "…" : self
  }
}

extension FarEnd {
  /// Asks for the machine's facts; `nil` from an older far end, which closes the connection.
  mutating func machine() throws(Failure) -> RemoteMachine? {
    var facts: [(name: String, value: String)] = []
    let asked = SystemClock().wallTime
    do throws(Failure) {
      try ask(.machine)
      while true {
        switch try reply() {
        case .fact(let name, let value):
          facts.append((name, value))
          guard facts.count <= RemoteMachine.most else {
            throw violation("lists facts without end")
          }
        case .end:
          guard var machine = RemoteMachine(facts) else {
            throw violation("reports neither its version nor its clock")
          }
          machine.asked = asked
          return machine
        default: throw violation("reports something that is not a fact")
        }
      }
    } catch {
      switch error {
      case .broken, .refused: return nil
      default: throw error
      }
    }
  }
}

/// What one connection to a machine shows, without a pull.
package struct MachineProbe: Sendable {
  package let mayFree: Bool
  package let recordings: Int
  /// Why others cannot be read there, by number.
  package let unreadable: [UInt32: String]
  /// What it reports about itself; `nil` from an older imulog.
  package let machine: RemoteMachine?

  /// Connects, and asks for the list of recordings and for the machine's facts.
  package init(
    _ destination: String, _ connection: SSHConnection, timeout: Int64
  ) throws(CommandFailure) {
    let patience = PullPatience(timeout: timeout, now: SystemClock().now())
    do throws(FarEnd.Failure) {
      var farEnd = try FarEnd(destination, connection, patience)
      mayFree = farEnd.mayFree
      let (offers, unreadable) = try farEnd.list()
      recordings = offers.count
      self.unreadable = unreadable
      machine = try farEnd.machine()
    } catch {
      switch error {
      case .over(let failure), .unusable(let failure), .refused(let failure): throw failure
      case .broken(let reason):
        throw CommandFailure(.tryAgain, "the connection to \(destination) broke, \(reason)")
      case .abandoned:
        throw CommandFailure(.unavailable, "\(destination) did not answer as imulog does")
      }
    }
  }

  package static func run(
    _ words: [String], on destination: String, _ connection: SSHConnection, timeout: Int64
  ) throws(CommandFailure) -> OtherProcess.Ending {
    do {
      let process = try OtherProcess(
        connection.program, connection.arguments(host: destination, words))
      return process.finish(within: timeout)
    } catch {
      throw CommandFailure(.unavailable, "\(error)")
    }
  }
}
