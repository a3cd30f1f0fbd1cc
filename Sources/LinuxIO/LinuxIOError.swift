public import IMUModel

/// A refusal of the kernel that the program cannot continue with: what was attempted, where, why, and
/// what its user can do about it.
public struct LinuxIOError: Error, Equatable, Sendable {
  /// Why, as far as a program can act on it.
  public enum Kind: Equatable, Sendable {
    /// The machine has no I2C adapter that programs may use.
    case i2cOff
    /// There are adapters, but not the one asked for.
    case noSuchBus
    /// The user may not open the device node.
    case notPermitted
    /// The path leads to something that is not an I2C adapter.
    case notAnI2CBus
    /// The adapter can do neither of the transfers a sensor needs.
    case adapterTooSimple
    /// A transfer does not end, and the kernel cannot be made to end it.
    case busHangs
    /// A kernel driver owns the chip. `driver` is `nil` when the kernel does not give its name.
    case heldByDriver(I2CAddress, driver: String?)
    /// Another process has what may be had once: try again when it is done. `process` is `nil` when
    /// the kernel does not say which.
    case busy(process: Int32?)
    /// The machine has no GPIO chip that programs may use.
    case noGPIO
    /// There are GPIO chips, but no such line.
    case noSuchLine
    /// Several lines are called so.
    case ambiguousLine
    /// The GPIO line is in use; `holder` is the name that its user gave, `nil` when it gave none.
    case lineBusy(holder: String?)
    /// No service listens at the control socket.
    case notRunning
    /// The service did not answer.
    case noAnswer
    /// Anything else; `errno` says it.
    case system
  }

  /// Why.
  public var kind: Kind
  /// What was attempted, such as `opening I2C bus 1`.
  public var attempt: String
  /// Where: a device node, or the name of a thread.
  public var place: String
  /// What was found, in a clause, such as `there is no such bus`.
  public var finding: String
  /// The kernel's error number, or 0 when no call failed.
  public var errno: Int32
  /// What the user can do, as one sentence.
  public var remedy: String

  /// Whether the user's rights are the only obstacle; if not, the hardware or its set-up is.
  public var isPermission: Bool { kind == .notPermitted }
}

extension LinuxIOError: CustomStringConvertible {
  /// One sentence with the remedy in a second, such as `opening I2C bus 7 (/dev/i2c-7): there is no
  /// such bus (errno 2, No such file or directory). Use one of the buses there are: 1 (bcm2835).`
  public var description: String {
    let code = errno == 0 ? "" : " (errno \(errno), \(meaning(ofErrno: errno)))"
    return "\(attempt) (\(place)): \(finding)\(code). \(remedy)"
  }
}

extension LinuxIOError: StatusError {
  /// Whether permission, another program or the device is in the way.
  public var exitStatus: ExitStatus {
    switch kind {
    case .notPermitted: .noPermission
    case .busy: .tryAgain
    default: .unavailable
    }
  }
}
