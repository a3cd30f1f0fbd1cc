extension SystemTree {
  /// The machine's name; `nil` when the kernel has none.
  public func hostName() -> String? { text("/proc/sys/kernel/hostname") }

  /// What the device tree calls the board, such as `Raspberry Pi 4 Model B Rev 1.4`; `nil` on
  /// machines without a device tree, as PCs are.
  public func boardModel() -> String? {
    text("/proc/device-tree/model") ?? text("/sys/firmware/devicetree/base/model")
  }

  /// The device tree's names of the board and its chip, most specific first, such as
  /// `raspberrypi,4-model-b`, `brcm,bcm2711`; empty on machines without a device tree.
  public func boardCompatibles() -> [String] {
    let paths = ["/proc/device-tree/compatible", "/sys/firmware/devicetree/base/compatible"]
    guard let bytes = paths.lazy.compactMap({ self.bytes($0) }).first else { return [] }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

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

  /// Capabilities in effect for this process (`CapEff` in `/proc/self/status`); 0 when unknown.
  func effectiveCapabilities() -> UInt64 {
    guard let status = text("/proc/self/status", limit: 16384) else { return 0 }
    for line in status.split(separator: "\n") where line.hasPrefix("CapEff:") {
      let digits = line.dropFirst("CapEff:".count).filter { $0.isHexDigit }
      return UInt64(digits, radix: 16) ?? 0
    }
    return 0
  }
}
