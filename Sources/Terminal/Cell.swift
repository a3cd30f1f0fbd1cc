/// The meaning of a cell; a ``Palette`` gives it a colour.
public enum Ink: UInt8, CaseIterable, Sendable {
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
public struct CellStyle: Equatable, Sendable {
  /// Its meaning.
  public var ink: Ink
  /// Whether it is bold.
  public var isBold: Bool
  /// Whether foreground and background are exchanged.
  public var isReversed: Bool

  /// A style.
  public init(_ ink: Ink = .text, isBold: Bool = false, isReversed: Bool = false) {
    self.ink = ink
    self.isBold = isBold
    self.isReversed = isReversed
  }

  /// Ordinary text.
  public static let plain = CellStyle()
  /// Axes and hints.
  public static let faint = CellStyle(.faint)
  /// Bold text.
  public static let bold = CellStyle(.text, isBold: true)
}

/// One place of a terminal.
public struct Cell: Equatable, Sendable {
  /// The character; U+0000 in the right half of a wide one.
  public var scalar: Unicode.Scalar
  /// Its appearance.
  public var style: CellStyle

  /// A character in a style.
  public init(_ scalar: Unicode.Scalar, _ style: CellStyle = .plain) {
    self.scalar = scalar
    self.style = style
  }

  /// An empty cell. It has no colour: only an exchanged background shows.
  public static let blank = Cell(" ")
  /// The right half of a wide character.
  static let half = Cell("\0")

  /// The one form of all cells that look the same.
  var normal: Cell {
    scalar == " " && !style.isReversed ? .blank : self
  }
}
