// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

/// The owner of a GPIO line that is driven: a light.
///
/// The chip's driver decides the line's level after the value is destroyed; switch it off before.
public struct GPIOOutput: ~Copyable {
  /// Which line it is.
  public let line: GPIOLine
  private let descriptor: Int32

  /// Finds a line, asks the kernel for it and drives it.
  ///
  /// - Parameters:
  ///   - spec: Which line.
  ///   - isActiveLow: Whether low is on.
  ///   - isOn: Its first state.
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

extension GPIOLine {
  /// Finds a line and asks the kernel whether it is free, without taking it: its level and its function stay.
  ///
  /// - Throws: ``LinuxIOError`` of kind `noGPIO`, `noSuchLine`, `ambiguousLine`, `lineBusy`, `notPermitted` or `system`.
  public static func expectFree(
    _ spec: GPIOLineSpec, tree: SystemTree = .live
  ) throws(LinuxIOError) {
    let request = try GPIORequest(spec, tree: tree)
    defer { close(request.descriptor) }
    let size = Int(CLINUXIO_GPIO_NAME_SIZE)
    var name = [CChar](repeating: 0, count: size)
    var consumer = name
    // Safe: both arrays have the size that the call fills at most.
    let answer = clinuxio_gpio_line(
      request.descriptor, UInt32(request.line.offset), &name, &consumer)
    if answer == 1 { throw request.refused(EBUSY) }
    if answer < 0 { throw request.refused(-answer) }
  }
}

/// A request for a line, and the errors when the kernel refuses it.
struct GPIORequest {
  static let consumer = GPIOLine.consumer

  let line: GPIOLine
  let descriptor: Int32
  let tree: SystemTree

  /// Finds the line and opens its chip; the caller closes ``descriptor``.
  init(_ spec: GPIOLineSpec, tree: SystemTree) throws(LinuxIOError) {
    let search = GPIOLineSearch(spec: spec, survey: GPIOSurvey(tree), tree: tree)
    let line = try search.line()
    let descriptor = open(line.chip.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Self.error(.system, line, "the chip went away", errno, "Look for it in `dmesg`.")
    }
    self.line = line
    self.descriptor = descriptor
    self.tree = tree
  }

  /// Whether the code means that the driver has no pulls: ENOTSUPP (524) is the kernel's own and not
  /// in the C library.
  static func isRefusedBias(_ code: Int32) -> Bool {
    code == EINVAL || code == EOPNOTSUPP || code == 524
  }

  /// The error for a line that the kernel did not give.
  func refused(_ code: Int32) -> LinuxIOError {
    switch code {
    case EBUSY: return busy()
    case EINVAL, ENOTTY:
      return Self.error(
        .system, line, "the kernel or the chip's driver does not take the request", code,
        "Use a kernel from 5.10 on, or another line.")
    case ENXIO:
      return Self.error(
        .system, line, "the line raises no interrupts", code, "Use another line.")
    case EACCES, EPERM:
      return Self.error(
        .notPermitted, line, "you may not use it", code,
        "Ask whoever set up this machine which lines are free.")
    default:
      return Self.error(
        .system, line, "the kernel refused", code, "Look for the chip in `dmesg`.")
    }
  }

  private func busy() -> LinuxIOError {
    let size = Int(CLINUXIO_GPIO_NAME_SIZE)
    var name = [CChar](repeating: 0, count: size)
    var consumer = name
    // Safe: both arrays have the size that the call fills at most. A line that was given free
    // meanwhile has no user's name, and neither has one whose user gave none.
    _ = clinuxio_gpio_line(descriptor, UInt32(line.offset), &name, &consumer)
    let holder = GPIOSurvey.text(consumer)
    let finding =
      holder.isEmpty
      ? "the line is in use, by a program that gave no name" : "\"\(holder)\" is using the line"
    return Self.error(
      .lineBusy(holder: holder.isEmpty ? nil : holder), line, finding, EBUSY,
      holder == Self.consumer
        ? "Another imulog has it: `imulog status` shows what it does."
        : "End the program, or remove the overlay, that uses it; or choose another line.")
  }

  /// An error about `line`.
  static func error(
    _ kind: LinuxIOError.Kind, _ line: GPIOLine, _ finding: String, _ code: Int32, _ remedy: String
  ) -> LinuxIOError {
    LinuxIOError(
      kind: kind, attempt: "using \(line)", place: line.chip.path, finding: finding, errno: code,
      remedy: remedy)
  }
}
