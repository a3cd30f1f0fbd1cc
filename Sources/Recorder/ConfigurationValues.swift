/// Turns the values of a configuration file into what they mean.
struct ConfigurationValues {
  let lines: ConfigurationLines

  init(_ lines: ConfigurationLines) {
    self.lines = lines
  }

  /// What `parse` makes of the key's value, or `fallback` when the file does not have the key.
  ///
  /// - Parameter accepts: What to say when `parse` makes nothing of it.
  func read<Value>(
    _ key: ConfigurationKey, _ fallback: Value, accepts: String, _ parse: (String) -> Value?
  ) throws(ConfigurationError) -> Value {
    guard let entry = lines[key] else { return fallback }
    guard !entry.value.isEmpty || key == .note else {
      throw ConfigurationError(
        file: lines.file, line: entry.line, key: key.rawValue, value: nil,
        remedy: "the value is missing; \(accepts)")
    }
    guard let value = parse(entry.value) else { throw lines.error(key, accepts) }
    return value
  }

  func word<Value>(
    _ key: ConfigurationKey, _ fallback: Value, _ words: [String: Value], accepts: String
  ) throws(ConfigurationError) -> Value {
    try read(key, fallback, accepts: accepts) { words[$0] }
  }

  /// `auto` (`nil`) or one of `names`.
  func choice(
    _ key: ConfigurationKey, of names: [String]
  ) throws(ConfigurationError) -> String? {
    let accepts = "give auto or one of \(names.joined(separator: ", "))"
    return try read(key, nil, accepts: accepts) { text in
      text == "auto" ? .some(nil) : names.contains(text) ? .some(text) : nil
    }
  }

  /// A full scale, with or without its unit.
  func range(
    _ key: ConfigurationKey, _ fallback: Int, of ranges: [Int], unit: String
  ) throws(ConfigurationError) -> Int {
    let names = ranges.map { "\($0)\(unit)" }.joined(separator: ", ")
    return try read(key, fallback, accepts: "give one of \(names)") { text in
      let digits = text.hasSuffix(unit) ? String(text.dropLast(unit.count)) : text
      return Digits.number(digits, upTo: 1_000_000).flatMap { ranges.contains($0) ? $0 : nil }
    }
  }

  /// `auto`, `none`, a line's name or `CHIP:OFFSET`.
  func line(
    _ key: ConfigurationKey, _ fallback: LineChoice
  ) throws(ConfigurationError) -> LineChoice {
    let accepts = "give auto, none, a line's name such as GPIO17, or CHIPLABEL:OFFSET"
    return try read(key, fallback, accepts: accepts) { text in
      switch text {
      case "auto": return LineChoice.automatic
      case "none": return LineChoice.none
      default: break
      }
      guard let colon = text.lastIndex(of: ":") else { return .named(text) }
      let chip = String(text[..<colon])
      let number = String(text[text.index(after: colon)...])
      guard !chip.isEmpty, let offset = Digits.number(number, upTo: 65_535) else { return nil }
      return .offset(chip: chip, offset)
    }
  }

  /// Whether `low` is the active level.
  func level(_ key: ConfigurationKey, _ fallback: Bool) throws(ConfigurationError) -> Bool {
    try word(key, fallback, ["low": true, "high": false], accepts: "give low or high")
  }
}

/// Whole numbers in decimal digits, and nothing else: no sign, no space.
enum Digits {
  static func number(_ text: String, upTo limit: Int) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text).flatMap { $0 <= limit ? $0 : nil }
  }
}
