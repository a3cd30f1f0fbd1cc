// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel

/// The kernel's files under a root: `/dev`, `/proc`, `/sys` and `/etc` of this machine, or of a directory that looks like
/// another machine. Reading allocates: for start-up and diagnosis.
public struct SystemTree: Sendable {
  /// This machine.
  public static let live = SystemTree(root: "")

  /// A path without a slash at its end; empty for `/`.
  public let root: String

  /// The tree under the directory `root`.
  public init(root: String) {
    self.root = root.hasSuffix("/") ? String(root.dropLast()) : root
  }

  /// The absolute path of a file in the tree; `path` begins with a slash.
  public func path(_ path: String) -> String { root + path }

  /// A file's bytes, at most `limit`; `nil` when it is absent or unreadable.
  func bytes(_ path: String, limit: Int = 4096) -> [UInt8]? {
    // Nonblocking: another kind of file, such as a FIFO, could block the open without end.
    let descriptor = open(self.path(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      // Safe: each read gets the rest of the buffer, and `count` is what was written.
      while count < limit, let start = buffer.baseAddress {
        let result = Glibc.read(descriptor, start + count, limit - count)
        if result < 0 && errno == EINTR { continue }
        failed = result < 0
        guard result > 0 else { return }
        count += result
      }
    }
    return failed ? nil : bytes
  }

  /// A file's text up to its first NUL, without white space around it; `nil` when absent or empty.
  package func text(_ path: String, limit: Int = 4096) -> String? {
    guard let bytes = bytes(path, limit: limit) else { return nil }
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    var line = bytes.prefix { $0 != 0 }.drop(while: isSpace)
    while let last = line.last, isSpace(last) { line.removeLast() }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  /// Paths of the files that count in several directories, given in the order of their precedence: a file hides those of
  /// its name in later ones (udev(7), modules-load.d(5)).
  package func settings(in directories: [String], suffix: String) -> [String] {
    var seen: Set<String> = []
    return directories.flatMap { directory in
      names(in: directory).sorted().filter { $0.hasSuffix(suffix) && seen.insert($0).inserted }
        .map { "\(directory)/\($0)" }
    }
  }

  /// Whether a program of the system has this name.
  package func hasProgram(_ name: String) -> Bool {
    ["/usr/bin", "/usr/sbin"].contains { names(in: $0).contains(name) }
  }

  /// Names in a directory, in no order; none when it is absent or unreadable.
  package func names(in path: String) -> [String] {
    guard let directory = opendir(self.path(path)) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // Safe: d_name ends in a NUL and the entry lives until the next readdir on this stream.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// The last component of a symbolic link's target; `nil` when there is no such link.
  func linkTarget(_ path: String) -> String? {
    let capacity = 4096
    // Safe: readlink writes at most `capacity` bytes and returns how many.
    let target = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress else { return }
        count = max(0, readlink(self.path(path), start, capacity))
      }
    }
    guard let last = target.split(separator: UInt8(ascii: "/")).last else { return nil }
    return String(decoding: last, as: UTF8.self)
  }

  /// The machine's name; `nil` when the kernel has none.
  public func hostName() -> String? { text("/proc/sys/kernel/hostname") }

  /// What tells this boot from all others, as the kernel writes it: 36 characters; `nil` when it has none.
  public func bootID() -> String? { text("/proc/sys/kernel/random/boot_id") }

  /// The board's name in the device tree, such as `Raspberry Pi 4 Model B Rev 1.4`; `nil` on a PC.
  public func boardModel() -> String? {
    text("/proc/device-tree/model") ?? text("/sys/firmware/devicetree/base/model")
  }

  /// The device tree's names of the board and its chip, most specific first, such as `raspberrypi,4-model-b`,
  /// `brcm,bcm2711`; empty without a device tree.
  public func boardCompatibles() -> [String] {
    let paths = ["/proc/device-tree/compatible", "/sys/firmware/devicetree/base/compatible"]
    guard let bytes = paths.lazy.compactMap({ self.bytes($0) }).first else { return [] }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the board's firmware can change its device tree by parameters (`dtparam=` in `config.txt`): Raspberry Pi's trees
  /// have them, those of a mainline kernel, such as Debian's, do not.
  package var hasTreeParameters: Bool { !names(in: "/proc/device-tree/__overrides__").isEmpty }

  /// The name of a group in `/etc/group`; `nil` when the file does not have it.
  func groupName(_ identifier: UInt32) -> String? {
    guard let file = bytes("/etc/group", limit: 65536) else { return nil }
    for line in file.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count >= 3, String(decoding: fields[2], as: UTF8.self) == String(identifier)
      else { continue }
      return String(decoding: fields[0], as: UTF8.self)
    }
    return nil
  }

  /// The remedy for the device node at `path`, which this user may not open; `other` when it has no group of its own.
  func groupRemedy(_ path: String, else other: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0, status.st_gid != 0, let group = groupName(status.st_gid)
    else { return other }
    return status.st_mode & 0o060 == 0o060
      ? "Run `sudo usermod -aG \(group) $USER` and log in again."
      : "Its mode does not let its group: run `sudo chmod g+rw \(path)`."
  }

  /// Capabilities in effect for this process (`CapEff` in `/proc/self/status`); 0 when unknown.
  func effectiveCapabilities() -> UInt64 {
    guard let status = text("/proc/self/status", limit: 16384) else { return 0 }
    for line in status.split(separator: "\n") where line.hasPrefix("CapEff:") {
      let digits = line.dropFirst("CapEff:".count).filter { $0.isHexDigit }
      return UInt64(digits, radix: 16) ?? 0
    }
    return 0
  }

  /// The holder of a record lock in words, such as `imulog daemon (process 123)`: its program and, when it has one, its
  /// verb. `process` is 0 when the lock was released meanwhile, or its holder is invisible to this process.
  func processName(_ process: Int32) -> String {
    guard process > 0 else { return "another process" }
    let bytes = bytes("/proc/\(process)/cmdline") ?? []
    let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard let program = words.first?.split(separator: "/").last else { return "process \(process)" }
    let verb = words.dropFirst().first { word in
      word.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }
    return "\(program)\(verb.map { " \($0)" } ?? "") (process \(process))"
  }

  /// The processor's temperature in °C; `nil` when the kernel has none. From the thermal zone of the processor's type
  /// (`cpu-thermal` on a Raspberry Pi), else from the first that has one.
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

  /// Bytes that a process without privileges may still write to the file system of `path`; `nil` when `path`
  /// does not exist. The corresponding C function is `statvfs`.
  public func freeBytes(at path: String) -> UInt64? {
    var status = statvfs()
    guard statvfs(self.path(path), &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return overflow ? .max : bytes
  }
}

/// An I2C adapter as the kernel lists it.
public struct I2CAdapter: Equatable, Sendable {
  /// N of `/dev/i2c-N`. It may change from one start of the machine to the next.
  public var number: Int
  /// The driver's name for it, such as `bcm2835 (i2c@7e804000)`.
  public var name: String
}

extension SystemTree {
  /// Adapters that programs may use, by number.
  public func i2cAdapters() -> [I2CAdapter] {
    adapterNumbers(in: "/sys/class/i2c-dev").map { number in
      let name = text("/sys/class/i2c-dev/i2c-\(number)/name")
      return I2CAdapter(number: number, name: name ?? "unnamed")
    }
  }

  /// The adapters that the kernel drives, whether or not programs may use them.
  package func kernelAdapterNumbers() -> [Int] { adapterNumbers(in: "/sys/bus/i2c/devices") }

  private func adapterNumbers(in directory: String) -> [Int] {
    names(in: directory).compactMap { name in
      name.hasPrefix("i2c-") ? Int(name.dropFirst("i2c-".count)) : nil
    }.sorted()
  }

  /// The bus clock in Hz that the device tree requests; `nil` without one.
  ///
  /// The real clock may be lower: dividers are coarse, and a Raspberry Pi 3 was measured at 62 %.
  public func i2cClock(bus number: Int) -> Int? {
    // One directory by three names: newer kernels lack the first, which documents still name.
    let directories = [
      "/sys/class/i2c-adapter/i2c-\(number)", "/sys/bus/i2c/devices/i2c-\(number)",
      "/sys/class/i2c-dev/i2c-\(number)/device",
    ]
    return directories.lazy.compactMap { directory -> Int? in
      guard let bytes = bytes("\(directory)/of_node/clock-frequency"), bytes.count == 4
      else { return nil }
      // Device-tree cells are big-endian.
      let clock = bytes.reduce(0) { $0 << 8 | Int($1) }
      return clock > 0 ? clock : nil
    }.first
  }

  /// The kernel driver that is bound to a chip; `nil` when there is none.
  public func i2cDriver(bus number: Int, address: I2CAddress) -> String? {
    linkTarget("/sys/bus/i2c/devices/\(Self.device(bus: number, address: address))/driver")
  }

  /// The kernel's name for the chip, such as `mpu6050`; `nil` when it has none.
  public func i2cDeviceName(bus number: Int, address: I2CAddress) -> String? {
    text("/sys/bus/i2c/devices/\(Self.device(bus: number, address: address))/name")
  }

  /// The kernel's name for a chip's place, such as `1-0068`.
  package static func device(bus number: Int, address: I2CAddress) -> String {
    let digits = String(address.rawValue, radix: 16)
    return "\(number)-" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

/// The path without symbolic links; `nil` with the reason in errno when it leads nowhere.
package func realPath(_ path: String) -> String? {
  guard let text = realpath(path, nil) else { return nil }
  // Safe: realpath allocated the C string, which is freed after it is copied.
  defer { free(text) }
  return String(cString: text)
}
