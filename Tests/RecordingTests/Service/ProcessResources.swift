import Glibc

/// What this process holds of the machine, as the kernel counts it.
enum ProcessResources {
  /// Bytes of memory that are resident (proc_pid_statm(5), second field).
  static func residentByteCount() -> Int {
    let fields = text("/proc/self/statm").split(separator: " ")
    precondition(fields.count > 1, "no /proc/self/statm")
    return (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Open descriptors, without the one that looks.
  static func descriptorCount() -> Int {
    guard let directory = opendir("/proc/self/fd") else { preconditionFailure("no /proc") }
    defer { closedir(directory) }
    var count = -1
    while let entry = readdir(directory) {
      // Names are numbers, but for the two that are dots.
      if entry.pointee.d_name.0 != CChar(46) { count += 1 }
    }
    return count
  }

  private static func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
  }
}
