/// The meaning of a cell; a ``Palette`` gives it a colour.
enum Ink: UInt8, CaseIterable, Sendable {
  /// Ordinary text.
  case text
  /// Axes and hints.
  case faint
  /// The X axis of a sensor.
  case x
  /// The Y axis of a sensor.
  case y
  /// The Z axis of a sensor.
  case z
  /// Ticks without samples.
  case gap
  /// A mark of the user.
  case mark
  /// A problem.
  case alert
  /// A recording that runs.
  case recording
}

/// A cell's appearance apart from its character.
struct CellStyle: Equatable, Sendable {
  /// Its meaning.
  var ink: Ink
  /// Whether it is bold.
  var isBold: Bool
  /// Whether foreground and background are exchanged.
  var isReversed: Bool

  /// A style.
  init(_ ink: Ink = .text, isBold: Bool = false, isReversed: Bool = false) {
    self.ink = ink
    self.isBold = isBold
    self.isReversed = isReversed
  }

  /// Ordinary text.
  static let plain = CellStyle()
  /// Axes and hints.
  static let faint = CellStyle(.faint)
  /// Bold text.
  static let bold = CellStyle(.text, isBold: true)
}

/// One place of a terminal.
struct Cell: Equatable, Sendable {
  /// The character; U+0000 in the right half of a wide one.
  var scalar: Unicode.Scalar
  /// Its appearance.
  var style: CellStyle

  /// A character in a style.
  init(_ scalar: Unicode.Scalar, _ style: CellStyle = .plain) {
    self.scalar = scalar
    self.style = style
  }

  /// An empty cell. It has no colour: only an exchanged background shows.
  static let blank = Cell(" ")
  /// The right half of a wide character.
  static let half = Cell("\0")

  /// The one form of all cells that look the same.
  var normal: Cell {
    scalar == " " && !style.isReversed ? .blank : self
  }
}
