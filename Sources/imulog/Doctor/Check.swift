// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

/// What `doctor` found out about one thing that a recording needs.
struct Check: Equatable, Sendable {
  /// How it is.
  enum State: String, Sendable {
    case ok
    /// Recordings work, and would be better.
    case advice
    case wrong
    /// It could not be looked at; ``Check/words`` says why.
    case unchecked
  }

  /// What was looked at, in a word or two.
  let name: String
  let state: State
  /// What was found, in a clause, and what to do about it where no single command does.
  let words: String
  /// The command that mends it.
  var command: String?
  /// Whether the command has its effect only after a new login or a new start of the machine.
  var isLater = false
  /// Figures and thresholds behind the words, for a report.
  var figures: [Figure] = []

  /// A figure with its unit in its name.
  struct Figure: Equatable, Sendable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  init(
    _ name: String, _ state: State, _ words: String, command: String? = nil, isLater: Bool = false,
    figures: [Figure] = []
  ) {
    (self.name, self.state, self.words) = (name, state, words)
    (self.command, self.isLater, self.figures) = (command, isLater, figures)
  }
}

extension Check {
  /// What the kernel refused, with the first command of its remedy.
  init(_ name: String, _ error: LinuxIOError) {
    self.init(name, .wrong, finding: error.finding, remedy: error.remedy)
  }

  /// What the kernel refused and recordings work without.
  init(_ name: String, _ refusal: Refusal) {
    self.init(
      name, .advice, finding: "\(refusal.what): \(Errno.words(refusal.errno))",
      remedy: refusal.remedy)
  }

  private init(_ name: String, _ state: State, finding: String, remedy: String) {
    let quoted = remedy.split(separator: "`", omittingEmptySubsequences: false)
    // Each second part is in quotes.
    let commands = quoted.indices.filter { $0 % 2 == 1 }.map { String(quoted[$0]) }
      .filter {
        ($0.hasPrefix("sudo ") || $0.hasPrefix("echo ")) && $0.parts(around: "PROGRAM") == nil
      }
    let isLater = ["log in again", "start again", "next start"].contains {
      remedy.parts(around: $0) != nil
    }
    self.init(
      name, state, "\(finding). \(remedy)", command: commands.isEmpty ? nil : commands[0],
      isLater: isLater)
  }
}
