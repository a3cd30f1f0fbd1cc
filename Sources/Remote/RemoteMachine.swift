// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import LinuxIO
import Text

/// What a machine reports about itself at the end of a pull: the answer to ``PullRequest/machine``, a line a fact.
///
///     fact software 0.1.0
///     fact time 1785753600000000000
///     fact synchronised 1
///     fact free 24159191040
///     fact recorder armed
///     fact problem sensor%20missing
///     end
///
/// Facts of later versions are skipped.
public struct RemoteMachine: Equatable, Sendable {
  /// The version of its imulog.
  public var software: String
  /// Its clock.
  public var wall: WallTime
  /// Bytes that are free for its store; `nil` if that is not known.
  public var freeBytes: UInt64?
  /// The state of its service; `nil` where none answers.
  public var recorder: String?
  /// The problem that prevents its service from recording.
  public var problem: String?

  /// What a machine reports about itself.
  public init(
    software: String, wall: WallTime, freeBytes: UInt64?, recorder: String?, problem: String?
  ) {
    (self.software, self.wall, self.freeBytes) = (software, wall, freeBytes)
    (self.recorder, self.problem) = (recorder, problem)
  }

  /// When it was asked, by the clock here; `nil` where it was not asked from here.
  var asked: WallTime?

  /// Nanoseconds by which its clock is ahead of the one here, at least: it answered at some time between the question and
  /// `now`, and a slow answer shows no clock that is wrong.
  ///
  ///     asked ─────── it read its clock ─────── now
  public func clockOffset(now: WallTime) -> Int64 {
    func ahead(of time: WallTime) -> Int64 {
      let (offset, overflow) = wall.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
      return overflow ? (wall.nanoseconds < 0 ? .min : .max) : offset
    }
    let (least, most) = (ahead(of: now), ahead(of: asked ?? now))
    return least > 0 ? least : min(most, 0)
  }

  /// The most facts that an answer may have.
  static let most = 64
  /// The most characters of a text that are kept.
  private static let longest = 200

  /// The facts, in their order.
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

  /// A text whose line is no longer than a far end reads: another byte than a letter or digit takes three.
  private static func clipped(_ text: String) -> String {
    var left = PullLine.longest - 64
    let fits = text.prefix { character in
      left -= 3 * character.utf8.count
      return left >= 0
    }.prefix(longest)
    return fits.count == text.count ? text : fits.dropLast() + "…"
  }

  /// Reads facts; `nil` without a version or a time, or when one is nonsense.
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
  /// The text, or its beginning with a sign that it goes on.
  func cut(to length: Int) -> String {
    count > length ? prefix(length - 1) + "…" : self
  }
}

extension FarEnd {
  /// Asks what the machine reports about itself; `nil` from an older far end, which closes the connection at the question.
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
        default: throw violation("reports something about itself that is no fact")
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
