// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// All checks, for a program or for an issue: no host name, no path of a home, no note.
struct DoctorReport {
  private let checks: [Check]

  init(_ checks: [Check]) { self.checks = checks }

  var json: String {
    JSONWriter.document { json in
      json.member("checks", checks, onNewLines: true) { json, check in
        json.object { json in
          json.member("name", check.name)
          json.member("state", check.state.rawValue)
          json.member("words", check.words)
          json.member("command", check.command)
          json.member("later", check.isLater)
          json.member("figures", check.figures) { json, figure in
            json.object { json in
              json.member("name", figure.name)
              json.member("value", figure.value)
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
    lines += ["", "| check | figure | value |", "|---|---|---|"]
    for check in checks {
      for figure in check.figures {
        lines.append("| \(cell(check.name)) | \(cell(figure.name)) | \(cell(figure.value)) |")
      }
    }
    return lines.joined(separator: "\n")
  }

  private func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
