import CLinuxIO
import Glibc

/// The owner of a GPIO line that is driven: a light.
///
/// What becomes of the line's level when the value goes away is up to the chip's driver; switch it
/// off before.
public struct GPIOOutput: ~Copyable {
  /// Which line it is.
  public let line: GPIOLine
  private let descriptor: Int32

  /// Finds a line, asks the kernel for it and drives it.
  ///
  /// - Parameters:
  ///   - spec: Which line.
  ///   - isActiveLow: Whether low is on.
  ///   - isOn: What it shall be first.
  ///   - tree: Where `/dev` is.
  /// - Throws: ``LinuxIOError`` of kind `noGPIO`, `noSuchLine`, `ambiguousLine`, `lineBusy`,
  ///   `notPermitted` or `system`.
  public init(
    _ spec: GPIOLineSpec, isActiveLow: Bool, initially isOn: Bool = false, tree: SystemTree = .live
  ) throws(LinuxIOError) {
    let request = try GPIORequest(spec, tree: tree)
    defer { close(request.descriptor) }
    let answer = clinuxio_gpio_output(
      request.descriptor, UInt32(request.line.offset), GPIORequest.consumer, isActiveLow ? 1 : 0,
      isOn ? 1 : 0)
    guard answer >= 0 else { throw request.refused(-answer) }
    line = request.line
    descriptor = answer
  }

  deinit { close(descriptor) }

  /// Drives the line; one system call.
  ///
  /// - Throws: ``LinuxIOError`` of kind `system` when the chip has gone away.
  public mutating func set(_ isOn: Bool) throws(LinuxIOError) {
    let answer = clinuxio_gpio_set(descriptor, isOn ? 1 : 0)
    if answer < 0 {
      throw GPIORequest.error(
        .system, line, "the chip no longer answers", -answer, "Look for it in `dmesg`.")
    }
  }
}
