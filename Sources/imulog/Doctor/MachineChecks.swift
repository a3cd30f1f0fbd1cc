// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

/// What the machine grants a recorder, its clocks and its supply.
struct MachineChecks {
  let tree: SystemTree

  /// The priority that the sampler asks for, and the wake-up that `cpu-latency = auto` asks for.
  private static let (priority, microseconds): (Int32, Int32) = (80, 20)

  func run() -> [Check] {
    [realTime(), memory(), latency()] + [clock(), battery()] + [supply()].compactMap { $0 }
  }

  private func realTime() -> Check {
    do throws(LinuxIOError) {
      let thread = try RealTimeThread(name: "imu-doctor", priority: MachineChecks.priority)
      if let refusal = thread.scheduling.refusal { return Check("real time", refusal) }
      return Check("real time", .ok, "SCHED_FIFO \(MachineChecks.priority) is granted")
    } catch {
      return Check("real time", error)
    }
  }

  private func memory() -> Check {
    if let refusal = MemoryLock.engage(tree: tree) { return Check("memory", refusal) }
    MemoryLock.release()
    return Check("memory", .ok, "it can be locked")
  }

  private func latency() -> Check {
    let (hold, refusal) = LatencyHold.engage(microseconds: MachineChecks.microseconds, tree: tree)
    if let refusal { return Check("wake-ups", refusal) }
    return Check("wake-ups", .ok, "they can be held to \(hold?.microseconds ?? 0) µs")
  }

  private func clock() -> Check {
    SystemClock().readWallClock().isSynchronised
      ? Check("wall clock", .ok, "synchronised")
      : Check(
        "wall clock", .advice,
        "not synchronised: recordings say so, and are dated again once it is; without a network, have a battery clock",
        command: "sudo timedatectl set-ntp true")
  }

  private func battery() -> Check {
    let clocks = tree.names(in: "/sys/class/rtc").filter { $0.hasPrefix("rtc") }
    return clocks.isEmpty
      ? Check(
        "battery clock", .advice,
        "none: after a power cut recordings are dated wrongly until there is a network; their times within are right"
      )
      : Check("battery clock", .ok, clocks.sorted().joined(separator: ", "))
  }

  /// A Raspberry Pi's flags: bit 0 the supply is too low, bits 1 to 3 the processor is slowed down, and 16 bits higher what was so
  /// since the start (raspberrypi/documentation, vcgencmd get_throttled).
  private func supply() -> Check? {
    let path = "/sys/devices/platform/soc/soc:firmware/get_throttled"
    guard let text = tree.text(path) else { return nil }
    let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard let flags = UInt32(digits, radix: 16) else {
      return Check("supply", .unchecked, "\(path) reads \(Plain.text(text))")
    }
    let figures = [Check.Figure("get_throttled", "0x" + String(flags, radix: 16))]
    let remedy = "; use a supply of 5.1 V with enough current, and a short cable"
    if flags & 1 != 0 {
      return Check("supply", .wrong, "the voltage is too low now" + remedy, figures: figures)
    }
    if flags & 1 << 16 != 0 {
      return Check(
        "supply", .advice, "the voltage was too low since the start" + remedy, figures: figures)
    }
    if flags & (0b1110 | 0b1110 << 16) != 0 {
      return Check(
        "supply", .advice,
        "the processor was slowed down since the start, by heat or its supply: cool it",
        figures: figures)
    }
    return Check("supply", .ok, "no under-voltage, no throttling", figures: figures)
  }
}
