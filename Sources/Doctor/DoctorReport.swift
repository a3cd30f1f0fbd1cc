// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// All checks as JSON or Markdown, without names of host and user, paths of homes and stores, and notes.
package struct DoctorReport {
  private let checks: [Check]
  /// Paths that are replaced by `…`, the longest first.
  private let hidden: [String]

  package init(_ checks: [Check], hiding paths: [String]) {
    self.checks = checks
    hidden = Set(paths).filter { $0.utf8.count > 1 }.sorted { $0.utf8.count > $1.utf8.count }
  }

  package var json: String {
    JSONWriter.document { json in
      json.member("checks", checks, onNewLines: true) { json, check in
        json.object { json in
          json.member("name", check.name)
          json.member("sensor", check.sensor.isEmpty ? nil : check.sensor)
          json.member("state", check.state.rawValue)
          json.member("words", open(check.words))
          json.member("command", check.mends.first.map { open($0.command) })
          json.member("commands", check.mends.map { open($0.command) })
          json.member("later", check.isLater)
          json.member("figures", check.figures) { json, figure in
            json.object { json in
              json.member("name", figure.name)
              json.member("value", open(figure.value))
              if let word = TimeWord.of(figure.name) { json.member("word", word.rawValue) }
            }
          }
        }
      }
    }
  }

  package var markdown: String {
    let head = ["", "| check | state | found |", "|---|---|---|"]
    func row(_ check: Check) -> String {
      "| \(cell(check.title)) | \(check.state.rawValue) | \(cell(check.words)) |"
    }
    var lines = ["# imulog doctor", "", Software.name, ""]
    lines += ["Left out: names of host and user, paths of homes and stores, notes, serial numbers."]
    // First what a board is judged by; a row for each, also where it was not looked at.
    lines += head
    for name in DoctorReport.board {
      let found = checks.filter { DoctorReport.topic($0) == name }
      lines += found.isEmpty ? ["| \(name) | - | not looked at |"] : found.map(row)
    }
    lines += head
    lines += checks.filter { !DoctorReport.board.contains(DoctorReport.topic($0)) }.map(row)
    let commands = checks.flatMap { check in check.mends.map { (check.title, $0.command) } }
    if !commands.isEmpty { lines += ["", "| check | command |", "|---|---|"] }
    lines += commands.map { "| \(cell($0)) | \(code($1)) |" }
    lines += ["", "| check | figure | value |", "|---|---|---|"]
    for check in checks {
      for figure in check.figures {
        lines.append("| \(cell(check.title)) | \(cell(figure.name)) | \(cell(figure.value)) |")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// What validates a board: `recorded` has hours, losses and bounds.
  private static let board = ["board", "system", "chip", "bus clock", "rate", "recorded", "card"]

  private static func topic(_ check: Check) -> String {
    check.name.hasPrefix("recorded ") ? "recorded" : check.name
  }

  /// The text without paths and names of people.
  private func open(_ text: String) -> String {
    var text = text
    for path in hidden {
      var rest = text
      text = ""
      while let (before, after) = rest.parts(around: path) {
        // It may be a part of another path or word.
        let isWhole =
          (after.first.map { !$0.isLetter && !$0.isNumber } ?? true)
          && (path.hasPrefix("/") || before.last.map { !$0.isLetter && !$0.isNumber } ?? true)
        text += before + (isWhole ? "…" : path)
        rest = String(after)
      }
      text += rest
    }
    return DoctorReport.people.reduce(text) { DoctorReport.withoutName($0, after: $1) }
  }

  /// Directories whose entries are named after people.
  private static let people = ["/home/", "/media/", "/run/media/", "/run/user/"]

  /// Replaces the name after each occurrence of a directory.
  private static func withoutName(_ text: String, after directory: String) -> String {
    var (open, rest) = ("", text)
    while let (before, after) = rest.parts(around: directory) {
      open += "\(before)\(directory)…"
      rest = String(after.drop { $0 != "/" && $0 != " " && $0 != "`" && $0 != "'" && $0 != ":" })
    }
    return open + rest
  }

  /// A command as Markdown shows it unchanged: in code only the table's bar is escaped.
  private func code(_ text: String) -> String {
    let text = Plain.text(open(text)).map { $0 == "|" ? "\\|" : String($0) }.joined()
    return text.contains("`") ? "`` \(text) ``" : "`\(text)`"
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

  /// A check that another machine's doctor made.
  package struct RemoteCheck {
    package var name = ""
    package var state = ""
    package var words = ""
    package var command: String?
  }

  /// Reads the checks of another machine's JSON; `nil` for another text.
  package static func checks(json bytes: [UInt8]) -> [RemoteCheck]? {
    var reader = JSONReader(bytes)
    var checks: [RemoteCheck]?
    do throws(JSONReader.Failure) {
      guard try reader.enterObject() else { return nil }
      while let key = try reader.nextKey() {
        guard key.text == "checks", try reader.enterList() else {
          try reader.skip()
          continue
        }
        var list: [RemoteCheck] = []
        while try reader.nextElement() {
          var check = RemoteCheck()
          guard try reader.enterObject() else { return nil }
          while let key = try reader.nextKey() {
            switch key {
            case "name": check.name = try reader.string() ?? ""
            case "sensor": if let sensor = try reader.string() { check.name += " \(sensor)" }
            case "state": check.state = try reader.string() ?? ""
            case "words": check.words = try reader.string() ?? ""
            case "command": check.command = try reader.string()
            default: try reader.skip()
            }
          }
          list.append(check)
        }
        checks = list
      }
      try reader.end()
    } catch {
      return nil
    }
    return checks
  }
}
