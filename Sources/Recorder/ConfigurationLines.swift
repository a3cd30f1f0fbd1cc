import IMUModel

/// The lines of a configuration file, sorted by key; their values are not understood yet.
struct ConfigurationLines {
  struct Setting {
    let line: Int
    let value: String
    /// Said on the command line, as an option of the key's name.
    var isOption = false
  }

  let file: String
  private var settings: [ConfigurationKey: Setting] = [:]

  init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
    self.file = file
    // Lines as editors count them: ended by LF, with or without a CR before.
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      guard let text = String(validating: line, as: UTF8.self) else {
        throw error(index + 1, "this is not UTF-8; save the file as UTF-8 text")
      }
      try read(text.unicodeScalars[...], number: index + 1)
    }
  }

  subscript(key: ConfigurationKey) -> Setting? { settings[key] }

  /// What the command line says goes before what the file says.
  mutating func replace(_ key: ConfigurationKey, with value: String) {
    settings[key] = Setting(line: 1, value: value, isOption: true)
  }

  /// An error in the line of `key`, which must be in the file.
  func error(_ key: ConfigurationKey, _ remedy: String) -> ConfigurationError {
    let setting = settings[key]
    return ConfigurationError(
      file: setting?.isOption == true ? "--\(key.rawValue)" : file, line: setting?.line ?? 1,
      key: key.rawValue, value: setting?.value, remedy: remedy)
  }

  private func error(
    _ line: Int, key: String? = nil, value: String? = nil, _ remedy: String
  ) -> ConfigurationError {
    ConfigurationError(file: file, line: line, key: key, value: value, remedy: remedy)
  }

  private mutating func read(
    _ whole: Substring.UnicodeScalarView, number: Int
  ) throws(ConfigurationError) {
    var line = whole
    if line.last == "\r" { line.removeLast() }
    // The mark that some editors put in front of UTF-8.
    if number == 1, line.first == "\u{FEFF}" { line.removeFirst() }
    let statement = trimmed(withoutComment(line))
    guard !statement.isEmpty else { return }
    if let control = statement.first(where: { $0 != "\t" && ForeignText.isObeyed($0) }) {
      let code = String(control.value, radix: 16, uppercase: true)
      throw error(number, "the character U+\(padded(code)) is none to write with; take it out")
    }
    guard let equals = statement.firstIndex(of: "=") else {
      throw error(number, "\(Substring(statement)): this is neither KEY = VALUE nor a # comment")
    }
    let name = String(trimmed(statement[..<equals]))
    let value = String(trimmed(statement[statement.index(after: equals)...]))
    guard let key = ConfigurationKey(rawValue: name) else {
      throw error(number, key: name, value: value, unknown(name))
    }
    if let first = settings[key] {
      throw error(
        number, key: name, value: value,
        "\(name) is given on line \(first.line) already; keep one of the two lines")
    }
    settings[key] = Setting(line: number, value: value)
  }

  private func unknown(_ name: String) -> String {
    if let near = ConfigurationKey.nearest(to: name) {
      return "there is no such key; is \(near.rawValue) meant?"
    }
    let keys = ConfigurationKey.allCases.map(\.rawValue).joined(separator: ", ")
    return "there is no such key; the keys are \(keys)"
  }

  private func padded(_ code: String) -> String {
    String(repeating: "0", count: max(0, 4 - code.count)) + code
  }

  /// The line up to a `#` that begins it or follows white space.
  private func withoutComment(
    _ line: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView {
    var isBehindSpace = true
    for index in line.indices {
      if line[index] == "#", isBehindSpace { return line[..<index] }
      isBehindSpace = isSpace(line[index])
    }
    return line
  }

  private func trimmed(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }

  private func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
