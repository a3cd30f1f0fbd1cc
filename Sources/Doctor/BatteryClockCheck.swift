// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Text

/// Whether a clock keeps the time without power.
///
/// The kernel shows no cell. A clock's time says that there is none when it is not valid or of 1970; a right one says
/// little, because the kernel sets the clock every eleven minutes while network time steers it. The Raspberry Pi 5's
/// clock has its cell's voltage beside it, in microvolts; with its charger on, that may be the charger's.
struct BatteryClockCheck {
  let tree: SystemTree

  private static let name = "battery clock"
  private static let consequence =
    "after a power cut recordings are dated wrongly until there is a network"
  /// The start of 2020, before which no imulog ran.
  private static let earliest: Int64 = 1_577_836_800
  /// Microvolts below which a lithium cell is empty, or is not there.
  private static let leastVoltage = 2_000_000

  func run() -> Check {
    let clocks = tree.names(in: "/sys/class/rtc").filter { $0.hasPrefix("rtc") }.sorted()
    // The system starts with the time of this one; without a mark, of the first.
    let first =
      clocks.first { tree.text("/sys/class/rtc/\($0)/hctosys") == "1" } ?? clocks.first
    if let first {
      let check = look(first)
      let good = clocks.first { $0 != first && look($0).state == .ok }
      guard check.state != .ok, let good else { return check }
      return Check(
        BatteryClockCheck.name, check.state,
        "\(check.words); \(good) is good, and not used at start",
        mends: check.mends, figures: check.figures)
    }
    return Check(
      BatteryClockCheck.name, .advice,
      "none: \(BatteryClockCheck.consequence); their times within are right")
  }

  private func look(_ clock: String) -> Check {
    let folder = "/sys/class/rtc/\(clock)"
    let driver = tree.text("\(folder)/name").map { Plain.text($0) }
    let label = clock + (driver.map { " (\($0))" } ?? "")
    let seconds = tree.text("\(folder)/since_epoch").flatMap { Int64($0) }
    let voltage = tree.text("\(folder)/battery_voltage").flatMap { Int($0) }
    let charging = tree.text("\(folder)/charging_voltage").flatMap { Int($0) }
    var figures: [Check.Figure] = []
    if let seconds { figures.append(Check.Figure("since_epoch", "\(seconds)")) }
    if let voltage { figures.append(Check.Figure("battery_voltage_uv", "\(voltage)")) }
    if let charging { figures.append(Check.Figure("charging_voltage_uv", "\(charging)")) }
    func check(_ state: Check.State, _ words: String, _ mends: [Mend] = []) -> Check {
      Check(
        BatteryClockCheck.name, state, "\(label) \(words)", mends: mends, figures: figures)
    }
    if let voltage, voltage < BatteryClockCheck.leastVoltage {
      return check(
        .advice,
        "has no cell or an empty one, \(Plain.number(Int64(voltage) / 10_000, per: 100)) V: "
          + BatteryClockCheck.consequence)
    }
    if access(tree.path("\(folder)/since_epoch"), F_OK) == 0,
      seconds ?? 0 < BatteryClockCheck.earliest
    {
      return check(
        .advice,
        "has no valid time: its cell is missing or empty, or it was never set; with a right wall clock, set it",
        [.shown("sudo hwclock --systohc --rtc /dev/\(clock)")])
    }
    if let voltage {
      let isCharged = charging ?? 0 > 0
      return check(
        .ok,
        "has a cell of \(Plain.number(Int64(voltage) / 10_000, per: 100)) V"
          + (isCharged ? ", or its charger shows that" : ""))
    }
    // Modules with such a chip, and PCs, come with a cell.
    guard let driver, ["rtc-", "rtc_cmos"].contains(where: { driver.hasPrefix($0) }), seconds != nil
    else {
      return check(
        .unchecked,
        "may have a cell or not, which this kernel does not show: without one, \(BatteryClockCheck.consequence)"
      )
    }
    return check(.ok, "has a valid time; how full its cell is cannot be known")
  }
}
