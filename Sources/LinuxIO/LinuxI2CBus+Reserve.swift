import CLinuxIO
import Glibc
public import IMUModel

extension LinuxI2CBus {
  /// Makes sure that no other imulog uses the chip at `address` as long as this value lives.
  ///
  /// A record lock (`F_SETLK`, fcntl(2)) of the byte whose number is the address, in the adapter's
  /// node. The kernel gives it up with the process, so nothing is stale after a crash. Only programs
  /// that ask for it heed it.
  ///
  /// Such a lock is the process's and not the value's: closing any descriptor of the same node gives
  /// it up. Do not drop another value for the same bus while the reservation shall hold.
  ///
  /// - Throws: ``LinuxIOError`` of kind `busy`, naming the process that has it, or `system`.
  public borrowing func reserve(_ address: I2CAddress) throws(LinuxIOError) {
    let answer = clinuxio_lock_byte(descriptor, Int64(address.rawValue))
    guard answer != 0 else { return }
    var error = LinuxIOError(
      kind: .system, attempt: "reserving chip \(address) on I2C bus \(number)",
      place: tree.path("/dev/i2c-\(number)"), finding: "the kernel refused", errno: -answer,
      remedy: "Look for the adapter in `dmesg`.")
    if answer == -EAGAIN || answer == -EACCES {
      let holder = clinuxio_lock_holder(descriptor, Int64(address.rawValue))
      // 0 when it was given up meanwhile, or by a process that this one cannot see.
      let process = holder > 0 ? holder : nil
      error.kind = .busy(process: process)
      error.finding = "\(tree.processName(process)) is using the sensor"
      error.remedy =
        "Wait until it is done, or end it; a service ends with `sudo systemctl stop imulog`."
    }
    throw error
  }
}
