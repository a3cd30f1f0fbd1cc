import Glibc

extension SystemTree {
  /// The processor's temperature in °C; `nil` when the kernel has none.
  ///
  /// Of the thermal zones that one whose type says so (`cpu-thermal` on a Raspberry Pi), else the
  /// first. The kernel's files hold thousandths of a degree.
  public func cpuTemperature() -> Double? {
    let directory = "/sys/class/thermal"
    let zones = names(in: directory).compactMap { name in
      name.hasPrefix("thermal_zone") ? Int(name.dropFirst("thermal_zone".count)) : nil
    }.sorted().map { "\(directory)/thermal_zone\($0)" }
    let ofProcessor = zones.first { zone in
      let type = text("\(zone)/type")?.lowercased() ?? ""
      return ["cpu", "x86_pkg", "soc"].contains { type.hasPrefix($0) }
    }
    for zone in [ofProcessor].compactMap({ $0 }) + zones {
      if let thousandths = text("\(zone)/temp").flatMap({ Int($0) }) {
        return Double(thousandths) / 1000
      }
    }
    return nil
  }

  /// Bytes that this process may still write to the file system of `path`; `nil` when there is no
  /// such path. What the system keeps for its superuser does not count.
  ///
  /// The corresponding C function is `statvfs`.
  public func freeBytes(at path: String) -> UInt64? {
    var status = statvfs()
    guard statvfs(self.path(path), &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return overflow ? .max : bytes
  }
}
