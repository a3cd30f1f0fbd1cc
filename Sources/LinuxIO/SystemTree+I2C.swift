public import IMUModel

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

  /// Numbers of the adapters that the kernel drives, whether or not programs may use them.
  func kernelAdapterNumbers() -> [Int] { adapterNumbers(in: "/sys/bus/i2c/devices") }

  private func adapterNumbers(in directory: String) -> [Int] {
    names(in: directory).compactMap { name in
      name.hasPrefix("i2c-") ? Int(name.dropFirst("i2c-".count)) : nil
    }.sorted()
  }

  /// The bus clock in Hz that the device tree asks for; `nil` when it does not say.
  ///
  /// What the wire sees may be less: dividers are coarse, and a Raspberry Pi 3 was seen at 62 %.
  public func i2cClock(bus number: Int) -> Int? {
    // One directory by three names: newer kernels lack the first, which documents still name.
    let directories = [
      "/sys/class/i2c-adapter/i2c-\(number)",
      "/sys/bus/i2c/devices/i2c-\(number)",
      "/sys/class/i2c-dev/i2c-\(number)/device",
    ]
    for directory in directories {
      guard let bytes = bytes("\(directory)/of_node/clock-frequency"), bytes.count == 4
      else { continue }
      // Device-tree cells are big-endian.
      let clock = bytes.reduce(0) { $0 << 8 | Int($1) }
      if clock > 0 { return clock }
    }
    return nil
  }

  /// The kernel driver that is bound to a chip; `nil` when there is none.
  public func i2cDriver(bus number: Int, address: I2CAddress) -> String? {
    linkTarget("/sys/bus/i2c/devices/\(Self.device(bus: number, address: address))/driver")
  }

  /// What the kernel thinks the chip is, such as `mpu6050`; `nil` when it knows of none.
  public func i2cDeviceName(bus number: Int, address: I2CAddress) -> String? {
    text("/sys/bus/i2c/devices/\(Self.device(bus: number, address: address))/name")
  }

  /// The kernel's name for a chip's place, such as `1-0068`.
  static func device(bus number: Int, address: I2CAddress) -> String {
    let digits = String(address.rawValue, radix: 16)
    return "\(number)-" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
