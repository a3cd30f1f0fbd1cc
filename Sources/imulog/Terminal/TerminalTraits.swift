import Terminal

/// What the environment says of the terminal.
enum TerminalTraits {
  /// The colours to use: none with `NO_COLOR` (https://no-color.org), else for the background that `COLORFGBG` names,
  /// or that the terminal says it has; dark when no one says.
  static func palette(_ environment: (String) -> String?, ask: () -> Bool?) -> Palette {
    if let wish = environment("NO_COLOR"), !wish.isEmpty { return .none }
    if let isLight = environment("COLORFGBG").flatMap(isLight) { return isLight ? .light : .dark }
    // The kernel's own console has no answer, and is dark.
    if environment("TERM") == "linux" { return .dark }
    return ask() == true ? .light : .dark
  }

  /// `COLORFGBG` is `FOREGROUND;BACKGROUND`, numbers of the 16 colours, sometimes with a word between them: 7 and
  /// the bright ones but dark grey are light. (rxvt's manual.)
  static func isLight(_ text: String) -> Bool? {
    guard let last = text.split(separator: ";").last, text.contains(";"), let number = Int(last),
      (0...15).contains(number)
    else { return nil }
    return number == 7 || number > 8
  }
}
