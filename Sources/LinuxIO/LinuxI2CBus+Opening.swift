// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

extension LinuxI2CBus {
  /// Longest transfer by default. A burst of 256 bytes takes 24 ms at 100 kHz, and the adapters'
  /// own default of one second would cost a logger a second's samples each time a wire comes loose.
  public static let defaultTimeoutMilliseconds = 100

  /// Opens `/dev/i2c-<number>` and reads the adapter's abilities.
  ///
  /// - Parameters:
  ///   - number: N of `/dev/i2c-N`.
  ///   - timeoutMilliseconds: Longest transfer, rounded up to 10 ms. The kernel keeps one such
  ///     limit for an adapter, so this changes it for every user of the bus until it is set again,
  ///     and a lost arbitration is an error: repeated by the kernel, a burst from a FIFO would lack what its first
  ///     attempt took out, and no one would know. `nil` leaves both as they are.
  ///   - tree: Where `/dev` and `/sys` are.
  /// - Throws: ``LinuxIOError`` of kind `i2cOff`, `noSuchBus`, `notPermitted`, `notAnI2CBus`,
  ///   `adapterTooSimple` or `system`.
  public init(
    number: Int, timeoutMilliseconds: Int? = defaultTimeoutMilliseconds, tree: SystemTree = .live
  ) throws(LinuxIOError) {
    let opening = I2COpening(number: number, tree: tree)
    let descriptor = open(opening.path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw opening.refused(errno) }
    var mask: UInt64 = 0
    let answer = clinuxio_i2c_functions(descriptor, &mask)
    guard answer == 0 else {
      close(descriptor)
      throw opening.refused(-answer)
    }
    guard let access = I2CAccess(I2CFunctions(rawValue: mask)) else {
      close(descriptor)
      throw opening.tooSimple(mask)
    }
    var isTimeLimited = false
    if let timeoutMilliseconds {
      let centiseconds = UInt32(clamping: max(1, (timeoutMilliseconds + 9) / 10))
      isTimeLimited = clinuxio_i2c_limit(descriptor, centiseconds, 0) == 0
    }
    self.init(
      adopting: descriptor, number: number, access: access, isTimeLimited: isTimeLimited,
      tree: tree)
  }
}

/// The sentences for an adapter that could not be opened.
package struct I2COpening {
  let number: Int
  let tree: SystemTree

  /// The errors for `/dev/i2c-<number>` in `tree`.
  package init(number: Int, tree: SystemTree) {
    self.number = number
    self.tree = tree
  }

  var path: String { tree.path("/dev/i2c-\(number)") }

  /// The error for `open` or `I2C_FUNCS` that failed with `code`.
  package func refused(_ code: Int32) -> LinuxIOError {
    switch code {
    case ENOENT, ENXIO, ENODEV: return absent(code)
    case EACCES: return notPermitted(code)
    case EPERM: return .forbiddenByDeviceRules(attempt: "opening I2C bus \(number)", path)
    case ENOTTY, EISDIR, ENOTDIR, EINVAL, ENOSYS:
      return error(
        .notAnI2CBus, "this is not an I2C adapter", code,
        remedy: "Name a bus by its number; \(adaptersThereAre).")
    default:
      return error(
        .system, "the kernel refused", code, remedy: "Look for the adapter in `dmesg`.")
    }
  }

  /// The error for an adapter that lacks what a sensor needs.
  func tooSimple(_ mask: UInt64) -> LinuxIOError {
    error(
      .adapterTooSimple,
      "the adapter can do neither plain I2C nor SMBus I2C blocks"
        + " (it can do 0x\(String(mask, radix: 16)))", 0,
      remedy: "Connect the sensor to another bus; \(adaptersThereAre).")
  }

  private func absent(_ code: Int32) -> LinuxIOError {
    if !tree.i2cAdapters().isEmpty {
      return error(
        .noSuchBus, "there is no such bus", code, remedy: "Use another one: \(adaptersThereAre).")
    }
    if !tree.kernelAdapterNumbers().isEmpty {
      return error(
        .i2cOff, "the kernel drives I2C adapters but shows none of them to programs", code,
        remedy: "Run `sudo modprobe i2c-dev`, and `echo i2c-dev | sudo tee"
          + " /etc/modules-load.d/i2c-dev.conf` to have it at every start.")
    }
    return error(
      .i2cOff, "this machine has no I2C adapter, or it is switched off", code, remedy: switchOn)
  }

  private var switchOn: String {
    guard tree.boardModel()?.hasPrefix("Raspberry Pi") ?? false else {
      return "Switch the adapter on in the board's device tree or firmware, then run"
        + " `sudo modprobe i2c-dev`."
    }
    // Raspberry Pi OS has it, which switches the bus on without a new start; Ubuntu and Debian do not.
    if tree.hasProgram("raspi-config") { return "Run `sudo raspi-config nonint do_i2c 0`." }
    return
      "Add the lines `[all]` and `dtparam=i2c_arm=on` to \(BootConfiguration.path(tree)) and start"
      + " again."
  }

  private func notPermitted(_ code: Int32) -> LinuxIOError {
    var status = stat()
    let isKnown = stat(path, &status) == 0
    let group = isKnown && status.st_gid != 0 ? tree.groupName(status.st_gid) : nil
    let remedy: String
    if group != nil, status.st_mode & 0o060 != 0o060 {
      remedy = "Its mode does not let its group: run `sudo chmod g+rw \(path)`."
    } else if let group {
      remedy = "Run `sudo usermod -aG \(group) $USER` and log in again."
    } else {
      remedy =
        "Run `sudo apt install i2c-tools && sudo udevadm trigger`, which gives the node to the"
        + " group i2c, then `sudo usermod -aG i2c $USER`, and log in again."
    }
    return error(.notPermitted, "you may not use it", code, remedy: remedy)
  }

  private var adaptersThereAre: String {
    let adapters = tree.i2cAdapters()
    if adapters.isEmpty { return "this machine shows none to programs" }
    return "there are " + adapters.map { "\($0.number) (\($0.name))" }.joined(separator: ", ")
  }

  private func error(
    _ kind: LinuxIOError.Kind, _ finding: String, _ code: Int32, remedy: String
  ) -> LinuxIOError {
    LinuxIOError(
      kind: kind, attempt: "opening I2C bus \(number)", place: path, finding: finding, errno: code,
      remedy: remedy)
  }
}

/// What an adapter can do, as it answers to `I2C_FUNCS` (`linux/i2c.h`, I2C_FUNC_*).
///
/// Only the abilities that this program uses have names.
public struct I2CFunctions: OptionSet, Sendable {
  /// The kernel's mask.
  public let rawValue: UInt64

  /// Abilities by the kernel's mask.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// I2C_FUNC_I2C: messages of any length with a repeated START between them.
  public static let plainI2C = I2CFunctions(rawValue: 0x0000_0001)
  /// I2C_FUNC_SMBUS_WRITE_BYTE_DATA: one byte to a register.
  public static let smbusWriteByteData = I2CFunctions(rawValue: 0x0010_0000)
  /// I2C_FUNC_SMBUS_READ_I2C_BLOCK: up to 32 consecutive registers.
  public static let smbusReadI2CBlock = I2CFunctions(rawValue: 0x0400_0000)
}

/// How this program accesses chips behind an adapter.
public enum I2CAccess: Equatable, Sendable {
  /// `I2C_RDWR`: one transfer of any length, with a repeated START.
  case combined
  /// SMBus calls of libi2c, for adapters without plain I2C: pieces of up to 32 bytes.
  case smbusBlocks

  /// Plain I2C where the adapter can; SMBus where it cannot; `nil` where it can do neither.
  public init?(_ functions: I2CFunctions) {
    if functions.contains(.plainI2C) {
      self = .combined
    } else if functions.contains([.smbusReadI2CBlock, .smbusWriteByteData]) {
      self = .smbusBlocks
    } else {
      return nil
    }
  }
}
