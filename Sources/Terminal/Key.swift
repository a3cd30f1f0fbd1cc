/// What was pressed.
public enum Key: Hashable, Sendable {
  /// A letter, a digit, a sign; a space too.
  case character(Unicode.Scalar)
  /// Ctrl and a letter, in lower case: `.control("c")`.
  case control(Unicode.Scalar)
  case up, down, left, right
  case shiftLeft, shiftRight
  case home, end, pageUp, pageDown
  case enter, escape, backspace, delete, tab
}
