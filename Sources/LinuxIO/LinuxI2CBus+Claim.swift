import CLinuxIO
import Glibc
public import IMUModel

extension LinuxI2CBus {
  /// Makes sure that no kernel driver owns the chip at `address`. Nothing goes over the wire.
  ///
  /// `I2C_RDWR` lets two masters' words mix without a warning; `I2C_SLAVE` is the kernel's only
  /// test. It says who owns the address now and reserves nothing.
  ///
  /// - Throws: ``LinuxIOError`` of kind `heldByDriver`, with the command that frees the chip.
  public mutating func claim(_ address: I2CAddress) throws(LinuxIOError) {
    let answer = clinuxio_i2c_select(descriptor, UInt16(address.rawValue))
    guard answer != 0 else {
      selected = address.rawValue
      return
    }
    throw claimRefused(-answer, address)
  }

  private func claimRefused(_ code: Int32, _ address: I2CAddress) -> LinuxIOError {
    let device = SystemTree.device(bus: number, address: address)
    var error = LinuxIOError(
      kind: .system, attempt: "claiming chip \(address) on I2C bus \(number)",
      place: tree.path("/sys/bus/i2c/devices/\(device)"), finding: "the kernel refused",
      errno: code, remedy: "Look for the adapter in `dmesg`.")
    guard code == EBUSY else { return error }
    let chip = tree.i2cDeviceName(bus: number, address: address).map { " as a \($0)" } ?? ""
    if let driver = tree.i2cDriver(bus: number, address: address) {
      error.kind = .heldByDriver(address, driver: driver)
      error.finding = "the kernel driver \(driver) holds the chip\(chip)"
      error.remedy =
        "Free it with `echo \(device) | sudo tee /sys/bus/i2c/drivers/\(driver)/unbind`."
    } else {
      error.kind = .heldByDriver(address, driver: nil)
      error.finding = "a kernel driver holds the chip\(chip)"
      error.remedy = "Find it with `ls -l /sys/bus/i2c/devices/*/driver` and unbind it."
    }
    return error
  }
}
