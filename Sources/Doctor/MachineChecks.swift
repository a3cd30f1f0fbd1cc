// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO

/// What the machine grants a recorder, its clocks and its supply.
struct MachineChecks {
  let tree: SystemTree

  /// The priority that the sampler asks for, and the wake-up that `cpu-latency = auto` asks for.
  private static let (priority, microseconds): (Int32, Int32) = (80, 20)

  func system() -> Check {
    let release = (tree.text("/etc/os-release") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("PRETTY_NAME=") }
      .map { $0.dropFirst("PRETTY_NAME=".utf8.count).filter { $0 != "\"" } }
    let kernel = tree.text("/proc/sys/kernel/osrelease") ?? "unknown"
    var names = utsname()
    // Safe: the kernel ends each name with a NUL, and cannot fail to fill in memory of this function.
    uname(&names)
    let machine = withUnsafeBytes(of: &names.machine) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let system = release ?? "unknown system"
    return Check(
      "system", .ok, "\(system), Linux \(kernel), \(machine)",
      figures: [
        Check.Figure("os", system), Check.Figure("kernel", kernel),
        Check.Figure("architecture", machine),
      ])
  }

  func realTime() -> Check {
    let name = "real-time class"
    do throws(LinuxIOError) {
      let thread = try RealTimeThread(name: "imu-doctor", priority: MachineChecks.priority)
      // No command: with file capabilities the kernel would start the program no more where the service's unit bounds
      // them (capabilities(7)).
      if let refusal = thread.scheduling.refusal { return Check(name, refusal) }
      return Check(
        name, .ok, "SCHED_FIFO is granted",
        figures: [Check.Figure("priority", "\(MachineChecks.priority)")])
    } catch {
      return Check(name, error)
    }
  }

  func memory() -> Check {
    if let refusal = MemoryLock.engage(tree: tree) { return Check("memory lock", refusal) }
    MemoryLock.release()
    return Check("memory lock", .ok, "memory can be locked")
  }

  func latency() -> Check {
    let name = "processor sleep"
    let (hold, refusal) = LatencyHold.engage(microseconds: MachineChecks.microseconds, tree: tree)
    guard let refusal else {
      return Check(
        name, .ok, "can be limited, so that wake-ups are quick",
        figures: [Check.Figure("wake_up_us", "\(hold?.microseconds ?? 0)")])
    }
    guard refusal.errno == EACCES else { return Check(name, refusal) }
    let path = "/dev/cpu_dma_latency"
    let right = NodeRight(path, .latency, bits: 0o2, tree)
    return Check(name, .advice, "its limit (\(path)): \(right.words)", mends: right.mends)
  }

  func clock() -> Check {
    wallClock(isSynchronised: SystemClock().readWallClock().isSynchronised)
  }

  /// - Parameter isSynchronised: Whether the kernel says so of its clock.
  func wallClock(isSynchronised: Bool) -> Check {
    let name = "wall clock"
    guard !isSynchronised else { return Check(name, .ok, "synchronised") }
    let words =
      "not synchronised: recordings say so, and are dated again once it is; without a network, have a battery clock"
    guard tree.runsSystemd else {
      return Check(
        name, .advice, "\(words); no systemd runs here, so start a time service such as chrony")
    }
    // The services that timedatectl can switch on (systemd-timedated(8)).
    guard tree.names(in: "/usr/lib/systemd/ntp-units.d").isEmpty else {
      return Check(name, .advice, words, mends: [.run("timedatectl", "set-ntp", "true")])
    }
    // It replaces any other one.
    let units = tree.names(in: "/usr/lib/systemd/system") + tree.names(in: "/lib/systemd/system")
    let hasOther = units.contains { unit in ["chrony", "ntp"].contains { unit.hasPrefix($0) } }
    return Check(
      name, .advice, words,
      mends: hasOther || !tree.hasProgram("apt")
        ? [] : [.shown("sudo apt install systemd-timesyncd")])
  }
}
