// SPDX-License-Identifier: Apache-2.0

/// Which GPIO line is meant.
public enum GPIOLineSpec: Equatable, Sendable, CustomStringConvertible {
  /// By the kernel's name, such as `GPIO17`; other spellings count as the same.
  case name(String)
  /// By the chip's label, such as `pinctrl-bcm2711` (or its node, `gpiochip0`, whose number changes from kernel to
  /// kernel), and the line's number on it. For lines without a name.
  case offset(chip: String, Int)

  /// Reads `GPIO17` or `pinctrl-bcm2711:17`: a number after the last colon; anything else is a name.
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

  /// As ``init(_:)`` reads it.
  public var description: String {
    switch self {
    case .name(let name): name
    case .offset(let chip, let offset): "\(chip):\(offset)"
    }
  }
}

/// The names of a GPIO line: kernels and people have several for the same pin.
///
/// Raspberry Pi's kernel calls the header's lines GPIO2 to GPIO27; mainline names some after their function (`SDA1`,
/// `SPI_CE1_N`). Others add a function or the header's pin: `pin-03 [GPIO1_A0]`, `P9_19 [i2c2_scl]`. People write `17`,
/// `GPIO_17`, `gpio17`, `P9.12`.
enum GPIOLineName {
  /// The names to look for, in this order, when a person asks for `name`: first as it is written.
  static func spellings(of name: String) -> [String] {
    var spellings = [name]
    if let number = headerNumber(name) {
      spellings.append("GPIO\(number)")
      spellings += functions[number] ?? []
      spellings += ["GPIO_\(number)", "gpio\(number)"]
    } else if let number = functions.first(where: { $0.value.contains(name.uppercased()) })?.key {
      spellings += [name.uppercased(), "GPIO\(number)"]
    } else if let pin = beaglePin(name) {
      spellings += pin
    } else {
      spellings.append(name.uppercased())
    }
    var seen: Set<String> = []
    return spellings.filter { seen.insert($0).inserted }
  }

  /// Whether the kernel's name for a line is `spelling`, alone or with a second name in brackets: `P9_19` and `i2c2_scl`
  /// both mean `P9_19 [i2c2_scl]`.
  static func matches(_ kernelName: String, _ spelling: String) -> Bool {
    if kernelName == spelling { return !spelling.isEmpty }
    guard kernelName.hasSuffix("]"), let bracket = kernelName.firstIndex(of: "[") else {
      return false
    }
    let outer = kernelName[..<bracket]
    let trimmed = outer.hasSuffix(" ") ? outer.dropLast() : outer
    return trimmed == spelling || kernelName[bracket...].dropFirst().dropLast() == spelling
  }

  /// The number in `17`, `GPIO17`, `GPIO_17`, `gpio-17` or `BCM17`: the SoC's, which is the header's on a Raspberry Pi.
  private static func headerNumber(_ name: String) -> Int? {
    let upper = name.uppercased()
    let prefix = ["GPIO", "BCM"].first { upper.hasPrefix($0) } ?? ""
    var digits = upper.dropFirst(prefix.count)
    if !prefix.isEmpty, let first = digits.first, "_-".contains(first) { digits.removeFirst() }
    guard (1...3).contains(digits.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(digits)
  }

  /// Mainline's names for lines of a Raspberry Pi's header (gpio-line-names in
  /// arch/arm/boot/dts/broadcom/bcm2711-rpi-4-b.dts, bcm2837-rpi-3-b.dts, bcm2835-rpi-zero-w.dts).
  private static let functions: [Int: [String]] = [
    0: ["ID_SDA", "ID_SD"], 1: ["ID_SCL", "ID_SC"], 2: ["SDA1"], 3: ["SCL1"], 4: ["GPIO_GCLK"],
    7: ["SPI_CE1_N"], 8: ["SPI_CE0_N"], 9: ["SPI_MISO"], 10: ["SPI_MOSI"], 11: ["SPI_SCLK"],
    14: ["TXD1", "TXD0"], 15: ["RXD1", "RXD0"],
  ]

  /// The spellings of a pin of a BeagleBone's or PocketBeagle's header: `P8_3`, `P8.3`, `P8_03`, `P8.03`.
  private static func beaglePin(_ name: String) -> [String]? {
    let upper = Array(name.uppercased())
    guard (4...5).contains(upper.count), upper[0] == "P", upper[1].isNumber,
      upper[2] == "_" || upper[2] == ".", let pin = Int(String(upper[3...])), pin > 0
    else { return nil }
    let padded = pin < 10 ? "0\(pin)" : "\(pin)"
    return ["_", "."].flatMap { ["P\(upper[1])\($0)\(padded)", "P\(upper[1])\($0)\(pin)"] }
  }
}

/// A GPIO chip of this machine, as `GPIO_GET_CHIPINFO_IOCTL` gives it.
public struct GPIOChipInfo: Equatable, Sendable, CustomStringConvertible {
  /// The device node, such as `/dev/gpiochip0`.
  public var path: String
  /// The kernel's name for the chip, such as `gpiochip0`.
  public var name: String
  /// The driver's name for it, such as `pinctrl-bcm2711`, the same on every kernel; may be empty.
  public var label: String
  /// How many lines it has, numbered from 0.
  public var lineCount: Int

  /// Such as `gpiochip0 (pinctrl-bcm2711)`.
  public var description: String { label.isEmpty ? name : "\(name) (\(label))" }
}

/// A GPIO line that was found.
public struct GPIOLine: Equatable, Sendable, CustomStringConvertible {
  /// The name under which other programs see that imulog uses a line.
  public static let consumer = "imulog"

  /// The chip that has it.
  public var chip: GPIOChipInfo
  /// Its number on the chip, from 0.
  public var offset: Int
  /// The kernel's name for it; may be empty.
  public var name: String

  /// Such as `GPIO17, line 17 of gpiochip0 (pinctrl-bcm2711)`.
  public var description: String {
    name.isEmpty ? "line \(offset) of \(chip)" : "\(name), line \(offset) of \(chip)"
  }
}
