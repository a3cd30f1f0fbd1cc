// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

/// What a check found.
package struct Finding: Sendable {
  package enum State: String, Sendable {
    case ok
    /// Recordings work, and would be better.
    case advice
    /// Recordings fail or are lost; `doctor` exits with 1.
    case wrong
    /// It could not be looked at; ``Finding/words`` says why.
    case unchecked
  }

  /// Figures and thresholds, for a report. A unit is part of the name.
  package typealias Figures = [(name: String, value: String)]

  package let state: State
  /// A clause, with the remedy where no command is one.
  package let words: String
  /// The commands that mend it, in their order.
  package let mends: [Mend]
  package let figures: Figures

  package init(_ state: State, _ words: String, _ mends: [Mend] = [], figures: Figures = []) {
    (self.state, self.words, self.mends, self.figures) = (state, words, mends, figures)
  }

  static func ok(_ words: String, figures: Figures = []) -> Finding {
    Finding(.ok, words, figures: figures)
  }

  static func advice(_ words: String, _ mends: [Mend] = [], figures: Figures = []) -> Finding {
    Finding(.advice, words, mends, figures: figures)
  }

  static func wrong(_ words: String, _ mends: [Mend] = [], figures: Figures = []) -> Finding {
    Finding(.wrong, words, mends, figures: figures)
  }

  static func unchecked(_ words: String, figures: Figures = []) -> Finding {
    Finding(.unchecked, words, figures: figures)
  }

  /// Whether a command takes effect only after a new login or a restart of the machine.
  var isLater: Bool { mends.contains { $0.isLater } }
}

extension Finding {
  /// What the kernel refused, with its remedy where no command is one.
  init(_ error: LinuxIOError, _ state: State = .wrong, mends: [Mend] = []) {
    self.init(state, mends.isEmpty ? "\(error.finding). \(error.remedy)" : error.finding, mends)
  }

  /// What the kernel refused and recordings work without.
  init(_ refusal: Refusal) {
    self.init(.advice, "\(refusal.what): \(Errno.words(refusal.errno)). \(refusal.remedy)")
  }
}

/// A line of `doctor`: the name of what was looked at, and the finding.
@dynamicMemberLookup
package struct Check: Sendable {
  /// A word or two, as ``DoctorCheck/lines`` has it.
  package let name: String
  /// Which of several sensors it is about; empty for all, or for the one.
  package let sensor: String
  package let finding: Finding

  package init(_ name: String, _ finding: Finding, of sensor: String = "") {
    (self.name, self.finding, self.sensor) = (name, finding, sensor)
  }

  /// The name, with the sensor's behind it.
  package var title: String { sensor.isEmpty ? name : "\(name) \(sensor)" }

  package subscript<Part>(dynamicMember part: KeyPath<Finding, Part>) -> Part {
    finding[keyPath: part]
  }
}
