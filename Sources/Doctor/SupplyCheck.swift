// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import Text

/// A Raspberry Pi's supply and temperature, as its firmware sees them.
///
/// Flags: bit 0 the supply is too low, bits 1 to 3 the processor is slowed down, and 16 bits higher what was so since
/// the start (raspberrypi/documentation, vcgencmd get_throttled).
struct SupplyCheck {
  let tree: SystemTree

  private static let name = "supply"
  private static let remedy = "; use a supply of 5.1 V with enough current, and a short cable"

  /// `nil` on machines that are no Raspberry Pi.
  func run() -> Check? {
    if let path, let text = tree.text(path) { return check(text, path) }
    if let alarm { return check(isLow: alarm) }
    guard tree.boardModel()?.hasPrefix("Raspberry Pi") ?? false else { return nil }
    return Check(SupplyCheck.name, .unchecked, "this kernel does not show the firmware's flags")
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
    guard let sensor else { return nil }
    return tree.text("\(folder)/\(sensor)/in0_lcrit_alarm").map { $0 != "0" }
  }

  private func check(isLow: Bool) -> Check {
    isLow
      ? Check(SupplyCheck.name, .wrong, "the voltage is too low" + SupplyCheck.remedy)
      : Check(SupplyCheck.name, .ok, "no under-voltage")
  }

  private func check(_ text: String, _ path: String) -> Check {
    let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard let flags = UInt32(digits, radix: 16) else {
      return Check(SupplyCheck.name, .unchecked, "\(path) reads \(Plain.text(text))")
    }
    let figures = [Check.Figure("get_throttled", "0x" + String(flags, radix: 16))]
    func check(_ state: Check.State, _ words: String) -> Check {
      Check(SupplyCheck.name, state, words, figures: figures)
    }
    if flags & 1 != 0 { return check(.wrong, "the voltage is too low now" + SupplyCheck.remedy) }
    if flags & 1 << 16 != 0 {
      return check(.advice, "the voltage was too low since the start" + SupplyCheck.remedy)
    }
    if flags & (0b1110 | 0b1110 << 16) != 0 {
      return check(
        .advice, "the processor was slowed down since the start, by heat or its supply: cool it")
    }
    return check(.ok, "no under-voltage, no throttling")
  }
}
