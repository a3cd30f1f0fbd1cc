import IMUModel

/// A JSON object on one line, written member by member.
struct JSONLine {
  private var members: [String] = []

  var text: String { "{" + members.joined(separator: ",") + "}" }

  func with(_ name: String, _ value: Bool) -> JSONLine { with(name, raw: value ? "true" : "false") }

  func with(_ name: String, _ value: some BinaryInteger) -> JSONLine { with(name, raw: "\(value)") }

  func with(_ name: String, _ value: (some BinaryInteger)?) -> JSONLine {
    with(name, raw: value.map { "\($0)" } ?? "null")
  }

  func with(_ name: String, _ value: String?) -> JSONLine {
    with(name, raw: value.map(JSONLine.quoted) ?? "null")
  }

  func with(_ name: String, raw value: String) -> JSONLine {
    var copy = self
    copy.members.append(JSONLine.quoted(name) + ":" + value)
    return copy
  }

  /// RFC 8259, section 7; what a terminal could obey is escaped too.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where ForeignText.isObeyed(scalar):
        quoted += ForeignText.escapedForJSON(scalar)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
