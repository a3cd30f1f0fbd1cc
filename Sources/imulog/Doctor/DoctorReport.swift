// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// All checks, for a program or for an issue: no host name, no path of a home, no note.
struct DoctorReport {
  private let checks: [Check]
  /// Paths that are replaced by a word, the longest first.
  private let hidden: [String]

  init(_ checks: [Check], hiding paths: [String]) {
    self.checks = checks
    hidden = Set(paths).filter { $0.utf8.count > 1 && $0.hasPrefix("/") }.sorted {
      $0.utf8.count > $1.utf8.count
    }
  }

  var json: String {
    JSONWriter.document { json in
      json.member("checks", checks, onNewLines: true) { json, check in
        json.object { json in
          json.member("name", check.name)
          json.member("state", check.state.rawValue)
          json.member("words", open(check.words))
          json.member("command", check.mends.first.map { open($0.command) })
          json.member("commands", check.mends.map { open($0.command) })
          json.member("later", check.isLater)
          json.member("figures", check.figures) { json, figure in
            json.object { json in
              json.member("name", figure.name)
              json.member("value", open(figure.value))
            }
          }
        }
      }
    }
  }

  var markdown: String {
    var lines = [
      "# imulog doctor", "", Software.name, "", "| check | state | found |", "|---|---|---|",
    ]
    for check in checks {
      lines.append("| \(cell(check.name)) | \(check.state.rawValue) | \(cell(check.words)) |")
    }
    let commands = checks.flatMap { check in check.mends.map { (check.name, $0.command) } }
    if !commands.isEmpty { lines += ["", "| check | command |", "|---|---|"] }
    lines += commands.map { "| \(cell($0)) | `\(cell($1))` |" }
    lines += ["", "| check | figure | value |", "|---|---|---|"]
    for check in checks {
      for figure in check.figures {
        lines.append("| \(cell(check.name)) | \(cell(figure.name)) | \(cell(figure.value)) |")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Without the paths that say who somebody is.
  private func open(_ text: String) -> String {
    var text = text
    for path in hidden {
      var rest = text
      text = ""
      while let (before, after) = rest.parts(around: path) {
        // Another path that begins with the same letters is not it.
        let isWhole = after.first.map { !$0.isLetter && !$0.isNumber } ?? true
        text += before + (isWhole ? "…" : path)
        rest = String(after)
      }
      text += rest
    }
    return text
  }

  private func cell(_ text: String) -> String {
    Plain.text(open(text)).map { character in
      switch character {
      case "|": "\\|"
      case "\\": "\\\\"
      case "<": "&lt;"
      default: String(character)
      }
    }.joined()
  }
}
