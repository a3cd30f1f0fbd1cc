// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

extension LinuxI2CBus {
  /// The longest transfer. A burst of 256 bytes takes 24 ms at 100 kHz; the adapters' own default of one second would
  /// cost a second's samples each time a wire comes loose.
  public static let defaultTimeoutMilliseconds = 100

  /// Opens `/dev/i2c-<number>` and reads the adapter's abilities.
  ///
  /// - Parameters:
  ///   - number: N of `/dev/i2c-N`.
  ///   - timeoutMilliseconds: Longest transfer, rounded up to 10 ms. The kernel has one limit for an adapter, so this
  ///     changes it for every user of the bus until it is set again. A lost arbitration becomes an error: if the kernel
  ///     repeated a burst from a FIFO, the bytes that its first attempt took out would be lost silently. `nil` leaves
  ///     both as they are.
  /// - Throws: ``LinuxIOError`` of kind `i2cOff`, `notPermitted` or `system`.
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
    guard let access = I2CAccess(functions: mask) else {
      close(descriptor)
      throw opening.tooSimple(mask)
    }
    if let timeoutMilliseconds {
      // Not every adapter takes it.
      let centiseconds = UInt32(clamping: max(1, (timeoutMilliseconds + 9) / 10))
      _ = clinuxio_i2c_limit(descriptor, centiseconds, 0)
    }
    self.init(adopting: descriptor, number: number, access: access, tree: tree)
  }
}

/// The sentences for an adapter that could not be opened.
struct I2COpening {
  let number: Int
  let tree: SystemTree

  var path: String { tree.path("/dev/i2c-\(number)") }

  private var attempt: Attempt { Attempt(attempt: "opening I2C bus \(number)", place: path) }

  /// The error for `open` or `I2C_FUNCS` that failed with `code`.
  func refused(_ code: Int32) -> LinuxIOError {
    switch code {
    case ENOENT, ENXIO, ENODEV: return absent(code)
    case EACCES:
      let remedy = tree.groupRemedy(
        path,
        else:
          "Run `sudo apt install i2c-tools && sudo udevadm trigger`, which gives the node to the"
          + " group i2c, then `sudo usermod -aG i2c $USER`, and log in again.")
      return attempt.error("you may not use it", code, remedy, kind: .notPermitted)
    case EPERM: return attempt.forbiddenByDeviceRules()
    case ENOTTY, EISDIR, ENOTDIR, EINVAL, ENOSYS:
      return attempt.error(
        "this is not an I2C adapter", code, "Name a bus by its number; \(adaptersThereAre).")
    default: return attempt.refused(code, "Look for the adapter in `dmesg`.")
    }
  }

  /// The error for an adapter that lacks what a sensor needs.
  func tooSimple(_ mask: UInt64) -> LinuxIOError {
    attempt.error(
      "the adapter can do neither plain I2C nor SMBus I2C blocks"
        + " (it can do 0x\(String(mask, radix: 16)))", 0,
      "Connect the sensor to another bus; \(adaptersThereAre).")
  }

  private func absent(_ code: Int32) -> LinuxIOError {
    if !tree.i2cAdapters().isEmpty {
      return attempt.error("there is no such bus", code, "Use another one: \(adaptersThereAre).")
    }
    if !tree.kernelAdapterNumbers().isEmpty {
      return attempt.error(
        "the kernel drives I2C adapters but shows none of them to programs", code,
        "Run `sudo modprobe i2c-dev`, and `echo i2c-dev | sudo tee"
          + " /etc/modules-load.d/i2c-dev.conf` to have it at every start.", kind: .i2cOff)
    }
    return attempt.error(
      "this machine has no I2C adapter, or it is switched off", code, switchOn, kind: .i2cOff)
  }

  private var switchOn: String {
    guard tree.boardModel()?.hasPrefix("Raspberry Pi") ?? false else {
      return "Switch the adapter on in the board's device tree or firmware, then run"
        + " `sudo modprobe i2c-dev`."
    }
    // It switches the bus on without a reboot. Raspberry Pi OS has it; Ubuntu and Debian do not.
    if tree.hasProgram("raspi-config") { return "Run `sudo raspi-config nonint do_i2c 0`." }
    return
      "Add the lines `[all]` and `dtparam=i2c_arm=on` to \(BootConfiguration.path(tree)) and start"
      + " again."
  }

  private var adaptersThereAre: String {
    let adapters = tree.i2cAdapters()
    if adapters.isEmpty { return "this machine shows none to programs" }
    return "there are " + adapters.map { "\($0.number) (\($0.name))" }.joined(separator: ", ")
  }
}

/// How this program accesses chips behind an adapter.
enum I2CAccess: Equatable, Sendable {
  /// `I2C_RDWR`: one transfer of any length, with a repeated START.
  case combined
  /// SMBus calls of libi2c, for adapters without plain I2C: pieces of up to 32 bytes.
  case smbusBlocks

  /// Plain I2C (I2C_FUNC_I2C) where the adapter can; else SMBus (I2C_FUNC_SMBUS_READ_I2C_BLOCK and
  /// I2C_FUNC_SMBUS_WRITE_BYTE_DATA); `nil` where it can do neither.
  ///
  /// - Parameter functions: Its answer to `I2C_FUNCS` (`linux/i2c.h`).
  init?(functions: UInt64) {
    let blocks: UInt64 = 0x0400_0000 | 0x0010_0000
    if functions & 0x0000_0001 != 0 {
      self = .combined
    } else if functions & blocks == blocks {
      self = .smbusBlocks
    } else {
      return nil
    }
  }
}
