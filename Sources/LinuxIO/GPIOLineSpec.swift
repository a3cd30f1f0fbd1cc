/// Which GPIO line is meant: by the name that the kernel gives it, or by its chip and its number
/// there.
public enum GPIOLineSpec: Equatable, Sendable {
  /// By name, such as `GPIO17`; see ``GPIOLineName`` for spellings that count as the same.
  case name(String)
  /// By the chip's label, such as `pinctrl-bcm2711` (or its node, `gpiochip0`, whose number changes
  /// from kernel to kernel), and the line's number on it. For lines without a name.
  case offset(chip: String, Int)

  /// The line that a person writes as `GPIO17` or as `pinctrl-bcm2711:17`.
  ///
  /// What follows the last colon is a number for the second; all else is a name.
  public init(_ text: String) {
    if let colon = text.lastIndex(of: ":") {
      let digits = text[text.index(after: colon)...]
      let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      if isNumber, colon > text.startIndex, let offset = Int(digits) {
        self = .offset(chip: String(text[..<colon]), offset)
        return
      }
    }
    self = .name(text)
  }
}

extension GPIOLineSpec: CustomStringConvertible {
  /// As a person writes it.
  public var description: String {
    switch self {
    case .name(let name): name
    case .offset(let chip, let offset): "\(chip):\(offset)"
    }
  }
}
