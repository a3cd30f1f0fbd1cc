// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

/// What `doctor` found out about one thing that a recording needs.
package struct Check: Equatable, Sendable {
  /// How it is.
  package enum State: String, Sendable {
    case ok
    /// Recordings work, and would be better.
    case advice
    case wrong
    /// It could not be looked at; ``Check/words`` says why.
    case unchecked
  }

  /// What was looked at, in a word or two.
  package let name: String
  package let state: State
  /// What was found, in a clause, and what to do about it where no command does.
  package let words: String
  /// The commands that mend it, in their order.
  package private(set) var mends: [Mend] = []
  /// Figures and thresholds behind the words, for a report.
  package private(set) var figures: [Figure] = []

  /// A figure with its unit in its name.
  package struct Figure: Equatable, Sendable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  package init(
    _ name: String, _ state: State, _ words: String, mends: [Mend] = [], figures: [Figure] = []
  ) {
    (self.name, self.state, self.words) = (name, state, words)
    (self.mends, self.figures) = (mends, figures)
  }

  /// Whether a command has its effect only after a new login or a new start of the machine.
  var isLater: Bool { mends.contains { $0.isLater } }
}

extension Check {
  /// What the kernel refused, with its remedy where no command is one.
  init(_ name: String, _ error: LinuxIOError, _ state: State = .wrong, mends: [Mend] = []) {
    self.init(
      name, state, mends.isEmpty ? "\(error.finding). \(error.remedy)" : error.finding,
      mends: mends)
  }

  /// What the kernel refused and recordings work without.
  init(_ name: String, _ refusal: Refusal) {
    self.init(name, .advice, "\(refusal.what): \(Errno.words(refusal.errno)). \(refusal.remedy)")
  }
}
