// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO

/// What the machine is, and what it grants a recorder.
extension DoctorCheck {
  static let system = DoctorCheck("system", "system, kernel and architecture, for a report") {
    let release = ($0.tree.text("/etc/os-release") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("PRETTY_NAME=") }
      .map { $0.dropFirst("PRETTY_NAME=".utf8.count).filter { $0 != "\"" } }
    let kernel = $0.tree.text("/proc/sys/kernel/osrelease") ?? "unknown"
    var names = utsname()
    // Safe: the kernel ends each name with a NUL, and cannot fail to fill in memory of this function.
    uname(&names)
    let machine = withUnsafeBytes(of: &names.machine) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let system = release ?? "unknown system"
    return .ok(
      "\(system), Linux \(kernel), \(machine)",
      figures: [("os", system), ("kernel", kernel), ("architecture", machine)])
  }

  static let realTime = DoctorCheck("real-time class", "whether the sampler may have SCHED_FIFO") {
    _ in
    // The priority that the sampler asks for.
    let priority: Int32 = 80
    do throws(LinuxIOError) {
      let thread = try RealTimeThread(name: "imu-doctor", priority: priority)
      // No command: with file capabilities the kernel would start the program no more where the service's unit bounds
      // them (capabilities(7)).
      if let refusal = thread.scheduling.refusal { return Finding(refusal) }
      return .ok("SCHED_FIFO is granted", figures: [("priority", "\(priority)")])
    } catch {
      return Finding(error)
    }
  }

  static let memoryLock = DoctorCheck("memory lock", "whether memory can be locked") {
    if let refusal = MemoryLock.engage(tree: $0.tree) { return Finding(refusal) }
    MemoryLock.release()
    return .ok("memory can be locked")
  }

  static let processorSleep = DoctorCheck(
    "processor sleep", "whether it can be limited, for quick wake-ups"
  ) {
    // As `cpu-latency = auto` asks for.
    let (hold, refusal) = LatencyHold.engage(microseconds: 20, tree: $0.tree)
    guard let refusal else {
      return .ok(
        "can be limited, so that wake-ups are quick",
        figures: [("wake_up_us", "\(hold?.microseconds ?? 0)")])
    }
    guard refusal.errno == EACCES else { return Finding(refusal) }
    let path = "/dev/cpu_dma_latency"
    let right = NodeRight(path, .latency, bits: 0o2, $0.tree)
    return .advice("its limit (\(path)): \(right.words)", right.mends)
  }

  static let wallClock = DoctorCheck("wall clock", "whether the clock is synchronised") {
    clockFinding($0.tree, isSynchronised: SystemClock().readWallClock().isSynchronised)
  }

  /// - Parameter isSynchronised: What the kernel says of its clock.
  static func clockFinding(_ tree: SystemTree, isSynchronised: Bool) -> Finding {
    guard !isSynchronised else { return .ok("synchronised, as the kernel claims") }
    let words =
      "not synchronised: recordings say so, and are dated again once it is; without a network, have a battery clock"
    guard tree.runsSystemd else {
      return .advice("\(words); no systemd runs here, so start a time service such as chrony")
    }
    // The services that timedatectl can switch on (systemd-timedated(8)).
    guard tree.names(in: "/usr/lib/systemd/ntp-units.d").isEmpty else {
      return .advice(words, [.run("timedatectl", "set-ntp", "true")])
    }
    // timesyncd would replace any other service.
    let units = tree.names(in: "/usr/lib/systemd/system") + tree.names(in: "/lib/systemd/system")
    let hasOther = units.contains { unit in ["chrony", "ntp"].contains { unit.hasPrefix($0) } }
    let canInstall = !hasOther && tree.hasProgram("apt")
    return .advice(words, canInstall ? [.shown("sudo apt install systemd-timesyncd")] : [])
  }
}
