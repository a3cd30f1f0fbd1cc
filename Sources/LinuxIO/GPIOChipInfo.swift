/// A GPIO chip of this machine, as `GPIO_GET_CHIPINFO_IOCTL` gives it.
public struct GPIOChipInfo: Equatable, Sendable {
  /// The device node, such as `/dev/gpiochip0`. Its number differs from kernel to kernel.
  public var path: String
  /// The kernel's name for the chip, such as `gpiochip0`.
  public var name: String
  /// The driver's name for it, such as `pinctrl-bcm2711`, the same on every kernel; may be empty.
  public var label: String
  /// How many lines it has, numbered from 0.
  public var lineCount: Int

  /// A chip.
  public init(path: String, name: String, label: String, lineCount: Int) {
    self.path = path
    self.name = name
    self.label = label
    self.lineCount = lineCount
  }
}

extension GPIOChipInfo: CustomStringConvertible {
  /// Such as `gpiochip0 (pinctrl-bcm2711)`.
  public var description: String { label.isEmpty ? name : "\(name) (\(label))" }
}

/// A GPIO line that was found.
public struct GPIOLine: Equatable, Sendable {
  /// Its chip.
  public var chip: GPIOChipInfo
  /// Its number on the chip.
  public var offset: Int
  /// The kernel's name for it; may be empty.
  public var name: String

  /// A line.
  public init(chip: GPIOChipInfo, offset: Int, name: String) {
    self.chip = chip
    self.offset = offset
    self.name = name
  }
}

extension GPIOLine: CustomStringConvertible {
  /// Such as `GPIO17, line 17 of gpiochip0 (pinctrl-bcm2711)`.
  public var description: String {
    name.isEmpty ? "line \(offset) of \(chip)" : "\(name), line \(offset) of \(chip)"
  }
}
