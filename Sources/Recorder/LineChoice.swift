/// Which GPIO line the button or the light is on.
public enum LineChoice: Equatable, Sendable {
  /// The board's.
  case automatic
  /// There is none.
  case none
  /// The line of this name, on whichever chip has it.
  case named(String)
  /// The line of this number on the chip with this label or name.
  case offset(chip: String, Int)
}
