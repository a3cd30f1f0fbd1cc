/// What a cell means; a ``Palette`` says which colour that is.
public enum Ink: UInt8, CaseIterable, Sendable {
  /// Ordinary text.
  case text
  /// Axes, hints, what may be overlooked.
  case faint
  /// The X axis of a sensor.
  case x
  /// The Y axis of a sensor.
  case y
  /// The Z axis of a sensor.
  case z
  /// Ticks without samples.
  case gap
  /// What the user marked.
  case mark
  /// Something that needs a look.
  case alert
  /// Recording.
  case recording
}

/// How a cell looks, apart from its character.
public struct CellStyle: Equatable, Sendable {
  /// What it means.
  public var ink: Ink
  /// Whether it stands out.
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
  /// What may be overlooked.
  public static let faint = CellStyle(.faint)
  /// Words that stand out.
  public static let bold = CellStyle(.text, isBold: true)
}

/// One place of a terminal.
public struct Cell: Equatable, Sendable {
  /// The character; U+0000 in the right half of a wide one.
  public var scalar: Unicode.Scalar
  /// How it looks.
  public var style: CellStyle

  /// A character in a style.
  public init(_ scalar: Unicode.Scalar, _ style: CellStyle = .plain) {
    self.scalar = scalar
    self.style = style
  }

  /// Nothing. A blank has no colour: only an exchanged background shows.
  public static let blank = Cell(" ")
  /// The right half of a wide character.
  static let half = Cell("\0")

  /// The same to the eye, in one form.
  var normal: Cell {
    scalar == " " && !style.isReversed ? .blank : self
  }
}
