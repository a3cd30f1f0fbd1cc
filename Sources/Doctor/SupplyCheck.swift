// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import Text

extension DoctorCheck {
  static let supply = DoctorCheck(
    "supply", "a Raspberry Pi's under-voltage and throttling"
  ) { SupplyCheck(tree: $0.tree).run() }
}

/// A Raspberry Pi's supply and temperature, as its firmware sees them.
///
/// Flags: bit 0 the supply is too low, bits 1 to 3 the processor is slowed down; 16 bits higher, the same since the
/// start (raspberrypi/documentation, vcgencmd get_throttled).
private struct SupplyCheck {
  let tree: SystemTree

  private static let remedy = "; use a supply of 5.1 V with enough current, and a short cable"

  /// `nil` on other machines.
  func run() -> Finding? {
    if let path, let text = tree.text(path) { return finding(text, path) }
    if let isLow = alarm {
      return isLow ? .wrong("the voltage is too low" + SupplyCheck.remedy) : .ok("no under-voltage")
    }
    guard tree.boardModel()?.hasPrefix("Raspberry Pi") ?? false else { return nil }
    return .unchecked("this kernel does not show the firmware's flags")
  }

  /// The firmware's file: below `soc` on most, below `soc@107c000000` on a Raspberry Pi 5.
  private var path: String? {
    let platform = "/sys/devices/platform"
    for soc in tree.names(in: platform).sorted() where soc.hasPrefix("soc") {
      for device in tree.names(in: "\(platform)/\(soc)") where device.hasSuffix(":firmware") {
        let path = "\(platform)/\(soc)/\(device)/get_throttled"
        if tree.text(path) != nil { return path }
      }
    }
    return nil
  }

  /// Whether the voltage was too low lately, by the kernel's own watch (raspberrypi-hwmon).
  private var alarm: Bool? {
    let folder = "/sys/class/hwmon"
    let sensor = tree.names(in: folder).first { tree.text("\(folder)/\($0)/name") == "rpi_volt" }
    return sensor.flatMap { tree.text("\(folder)/\($0)/in0_lcrit_alarm") }.map { $0 != "0" }
  }

  private func finding(_ text: String, _ path: String) -> Finding {
    let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard let flags = UInt32(digits, radix: 16) else {
      return .unchecked("\(path) reads \(Plain.text(text))")
    }
    let figures = [(name: "get_throttled", value: "0x" + String(flags, radix: 16))]
    if flags & 1 != 0 {
      return .wrong("the voltage is too low now" + SupplyCheck.remedy, figures: figures)
    }
    if flags & 1 << 16 != 0 {
      let words = "the voltage was too low since the start" + SupplyCheck.remedy
      return .advice(words, figures: figures)
    }
    if flags & (0b1110 | 0b1110 << 16) != 0 {
      return .advice(
        "the processor was slowed down since the start, by heat or its supply: cool it",
        figures: figures)
    }
    return .ok("no under-voltage, no throttling", figures: figures)
  }
}
