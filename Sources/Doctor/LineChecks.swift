// SPDX-License-Identifier: Apache-2.0

import Boards
import Glibc
import IMUModel
import LinuxIO
import Recorder

extension DoctorCheck {
  static let buttonAndLight = DoctorCheck([
    "button": "whether its line is free, or who holds it", "light": "the same",
  ]) { $0.lines.run() }
}

/// The lines of button, light and interrupt.
struct LineChecks {
  let tree: SystemTree
  let configuration: RecorderConfiguration
  let board: Board?

  private var lines: [(name: String, spec: GPIOLineSpec?)] {
    [
      ("button", configuration.button.spec(board?.button?.name)),
      ("light", configuration.light.spec(board?.led?.name)),
      ("data-ready line", configuration.interrupt.spec(board?.dataReady?.name)),
    ]
  }

  /// Whether button and light are free, or who holds them.
  func run() -> [Check] {
    // The third is tried with its chip.
    lines.prefix(2).compactMap { name, spec in
      guard let spec else { return nil }
      do throws(LinuxIOError) {
        // Not requested: that would change the function of a line which something else drives.
        try GPIOLine.expectFree(spec, tree: tree)
        return Check(name, .ok("\(spec) is free"))
      } catch {
        // A recorder without a button is one, too.
        return Check(name, LineChecks.refused(error, .advice, tree))
      }
    }
  }

  /// The nodes of the chips with these lines. A line that is not found is reported by its own check.
  var nodes: [(path: String, rule: NodeRule)] {
    let survey = GPIOSurvey(tree)
    let paths = lines.compactMap { _, spec -> String? in
      guard let spec, case let search = GPIOLineSearch(spec: spec, survey: survey, tree: tree),
        case .success(let line) = Result(catching: search.line)
      else { return nil }
      return String(line.chip.path.dropFirst(tree.root.utf8.count))
    }
    return Set(paths).sorted().map { ($0, .line) }
  }

  /// A line that the kernel did not give.
  static func refused(
    _ error: LinuxIOError, _ state: Finding.State, _ tree: SystemTree
  ) -> Finding {
    switch error.kind {
    case .lineBusy(holder: GPIOLine.consumer):
      return .unchecked("another imulog has the line, and uses it")
    case .notPermitted where error.errno == EACCES && error.place.hasPrefix(tree.path("/dev/")):
      let right = NodeRight(String(error.place.dropFirst(tree.root.utf8.count)), .line, tree)
      return Finding(state, right.words, right.mends)
    default: return Finding(error, state)
    }
  }
}
