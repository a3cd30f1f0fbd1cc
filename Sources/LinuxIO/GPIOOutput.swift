// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

/// The owner of a GPIO line that is driven: a light.
///
/// The chip's driver decides the line's level after the value is destroyed; switch it off before.
public struct GPIOOutput: ~Copyable {
  /// The line that was found.
  public let line: GPIOLine
  private let descriptor: Int32

  /// Finds a line, asks the kernel for it and drives it.
  ///
  /// - Parameters:
  ///   - isActiveLow: Whether low is on.
  ///   - isOn: Its first state.
  /// - Throws: ``LinuxIOError`` of kind `lineBusy`, `notPermitted` or `system`.
  public init(
    _ spec: GPIOLineSpec, isActiveLow: Bool, initially isOn: Bool = false, tree: SystemTree = .live
  ) throws(LinuxIOError) {
    let request = try GPIORequest(spec, tree: tree)
    defer { close(request.descriptor) }
    let answer = clinuxio_gpio_output(
      request.descriptor, UInt32(request.line.offset), GPIOLine.consumer, isActiveLow ? 1 : 0,
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
    if answer < 0 { throw line.gone(-answer) }
  }
}

extension GPIOLine {
  /// Finds a line and asks the kernel whether it is free, without taking it: its level and its function stay.
  ///
  /// - Throws: ``LinuxIOError`` of kind `lineBusy`, `notPermitted` or `system`.
  public static func expectFree(
    _ spec: GPIOLineSpec, tree: SystemTree = .live
  ) throws(LinuxIOError) {
    let request = try GPIORequest(spec, tree: tree)
    defer { close(request.descriptor) }
    let (answer, _, _) = GPIOSurvey.line(request.line.offset, of: request.descriptor)
    if answer == 1 { throw request.refused(EBUSY) }
    if answer < 0 { throw request.refused(-answer) }
  }

  fileprivate var attempt: Attempt { Attempt(attempt: "using \(self)", place: chip.path) }

  /// The error for a line whose chip has gone away.
  func gone(_ code: Int32) -> LinuxIOError {
    attempt.error("the chip no longer answers", code, "Look for it in `dmesg`.")
  }
}

/// A request for a line, and the errors when the kernel refuses it.
struct GPIORequest {
  let line: GPIOLine
  let descriptor: Int32

  /// Finds the line and opens its chip; the caller closes ``descriptor``.
  init(_ spec: GPIOLineSpec, tree: SystemTree) throws(LinuxIOError) {
    line = try GPIOLineSearch(spec: spec, survey: GPIOSurvey(tree), tree: tree).line()
    descriptor = open(line.chip.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw line.attempt.error("the chip went away", errno, "Look for it in `dmesg`.")
    }
  }

  /// Requests the line as an input, without its pull where the driver refuses that.
  ///
  /// - Returns: The descriptor or a negated errno, and the errno with which the pull was refused.
  func input(
    isActiveLow: Bool, _ edges: clinuxio_gpio_edges, _ bias: clinuxio_gpio_bias,
    debounceMicroseconds: UInt32, kept: UInt32
  ) -> (answer: Int32, refusal: Int32?) {
    func ask(_ bias: clinuxio_gpio_bias) -> Int32 {
      clinuxio_gpio_input(
        descriptor, UInt32(line.offset), GPIOLine.consumer, isActiveLow ? 1 : 0, edges, bias,
        debounceMicroseconds, kept)
    }
    let answer = ask(bias)
    // 524, ENOTSUPP, is the kernel's own and not in the C library.
    guard [EINVAL, EOPNOTSUPP, 524].contains(-answer) else { return (answer, nil) }
    let plain = ask(CLINUXIO_GPIO_BIAS_AS_IS)
    return plain < 0 ? (answer, nil) : (plain, -answer)
  }

  /// The error for a line that the kernel did not give.
  func refused(_ code: Int32) -> LinuxIOError {
    let attempt = line.attempt
    switch code {
    case EBUSY: return busy()
    case EINVAL, ENOTTY:
      return attempt.error(
        "the kernel or the chip's driver does not take the request", code,
        "Use a kernel from 5.10 on, or another line.")
    case ENXIO: return attempt.error("the line raises no interrupts", code, "Use another line.")
    case EACCES, EPERM:
      return attempt.error(
        "you may not use it", code, "Ask whoever set up this machine which lines are free.",
        kind: .notPermitted)
    default: return attempt.refused(code, "Look for the chip in `dmesg`.")
    }
  }

  private func busy() -> LinuxIOError {
    // A line that was freed meanwhile has no user's name, nor has one whose user gave none.
    let (_, _, holder) = GPIOSurvey.line(line.offset, of: descriptor)
    return line.attempt.error(
      holder.isEmpty
        ? "the line is in use, by a program that gave no name" : "\"\(holder)\" is using the line",
      EBUSY,
      holder == GPIOLine.consumer
        ? "Another imulog has it: `imulog status` shows what it does."
        : "End the program, or remove the overlay, that uses it; or choose another line.",
      kind: .lineBusy(holder: holder.isEmpty ? nil : holder))
  }
}
