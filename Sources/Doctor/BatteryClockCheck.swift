// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Text

extension DoctorCheck {
  static let batteryClock = DoctorCheck(
    "battery clock", "whether a clock keeps the time without power"
  ) { BatteryClockCheck(tree: $0.tree).run() }
}

/// Whether a clock keeps the time without power.
///
/// The kernel shows no cell. An invalid time, or one of 1970, shows that it is missing; a right one proves little, because
/// the kernel sets the clock every eleven minutes while network time steers it. A Raspberry Pi 5 shows the voltage of
/// its cell, in microvolts; with its charger on, that may be the charger's.
private struct BatteryClockCheck {
  let tree: SystemTree

  private static let consequence =
    "after a power cut recordings are dated wrongly until there is a network"
  /// The start of 2020, before which no imulog ran.
  private static let earliest: Int64 = 1_577_836_800
  /// Microvolts below which a lithium cell is empty or missing.
  private static let leastVoltage: Int64 = 2_000_000

  func run() -> Finding {
    let clocks = tree.names(in: "/sys/class/rtc").filter { $0.hasPrefix("rtc") }.sorted()
    // The system starts with the time of this one; without a mark, of the first.
    let first =
      clocks.first { tree.text("/sys/class/rtc/\($0)/hctosys") == "1" } ?? clocks.first
    guard let first else {
      return .advice("none: \(BatteryClockCheck.consequence); their times within are right")
    }
    let found = look(first)
    let good = clocks.first { $0 != first && look($0).state == .ok }
    guard found.state != .ok, let good else { return found }
    return Finding(
      found.state, "\(found.words); \(good) is good, and not used at start", found.mends,
      figures: found.figures)
  }

  private func look(_ clock: String) -> Finding {
    let folder = "/sys/class/rtc/\(clock)"
    func number(_ file: String) -> Int64? { tree.text("\(folder)/\(file)").flatMap { Int64($0) } }
    let driver = tree.text("\(folder)/name").map { Plain.text($0) }
    let label = clock + (driver.map { " (\($0))" } ?? "")
    let (seconds, voltage) = (number("since_epoch"), number("battery_voltage"))
    let charging = number("charging_voltage")
    let figures = [
      ("since_epoch", seconds), ("battery_voltage_uv", voltage), ("charging_voltage_uv", charging),
    ].compactMap { name, value in value.map { (name: name, value: "\($0)") } }
    func finding(_ state: Finding.State, _ words: String, _ mends: [Mend] = []) -> Finding {
      Finding(state, "\(label) \(words)", mends, figures: figures)
    }
    let volts = voltage.map { "\(Plain.number($0 / 10_000, per: 100)) V" } ?? ""
    if let voltage, voltage < BatteryClockCheck.leastVoltage {
      return finding(
        .advice, "has no cell or an empty one, \(volts): \(BatteryClockCheck.consequence)")
    }
    if access(tree.path("\(folder)/since_epoch"), F_OK) == 0,
      seconds ?? 0 < BatteryClockCheck.earliest
    {
      return finding(
        .advice,
        "has no valid time: its cell is missing or empty, or it was never set; with a right wall clock, set it",
        [.shown("sudo hwclock --systohc --rtc /dev/\(clock)")])
    }
    if voltage != nil {
      let isCharged = charging ?? 0 > 0
      return finding(
        .ok, "has a cell of \(volts)" + (isCharged ? ", or its charger shows that" : ""))
    }
    // Modules with such a chip, and PCs, come with a cell.
    guard let driver, ["rtc-", "rtc_cmos"].contains(where: { driver.hasPrefix($0) }), seconds != nil
    else {
      return finding(
        .unchecked,
        "may have a cell or not, which this kernel does not show: without one, \(BatteryClockCheck.consequence)"
      )
    }
    return finding(.ok, "has a valid time; how full its cell is cannot be known")
  }
}
