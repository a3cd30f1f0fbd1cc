/// Which colour an ink is.
///
/// The terminal's own 16 colours (ECMA-48, SGR 30 to 37, and the bright ones of aixterm, 90 to 97): they are the
/// user's choice, and go with their background.
public enum Palette: Equatable, Sendable {
  /// For a dark background.
  case dark
  /// For a light background.
  case light
  /// No colours: bold and reversed are all.
  case none

  /// The SGR parameter of an ink; 39 is the terminal's own foreground.
  func foreground(_ ink: Ink) -> Int {
    switch self {
    case .none: return 39
    case .dark:
      switch ink {
      case .text: return 39
      case .faint: return 90
      case .x: return 91
      case .y: return 92
      case .z: return 94
      case .gap: return 35
      case .mark: return 93
      case .alert: return 93
      case .recording: return 91
      }
    case .light:
      switch ink {
      case .text: return 39
      case .faint: return 90
      case .x: return 31
      case .y: return 32
      case .z: return 34
      case .gap: return 35
      case .mark: return 35
      case .alert: return 31
      case .recording: return 31
      }
    }
  }
}
