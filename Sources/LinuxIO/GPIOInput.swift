// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel

/// The owner of a GPIO line that is read: a button.
///
/// Both edges are reported, stamped by the kernel with CLOCK_MONOTONIC, so that it does not matter
/// when this program wakes up. The line is pulled to its inactive level by the SoC where its driver
/// can do that, and debounced by the kernel.
///
/// A debounced edge is stamped when the line has been still for the debounce period (where the chip
/// does not debounce by itself, gpiolib-cdev.c, `debounce_work_func`): the first contact was earlier
/// by the period, up to 4 ms of the kernel's own ticks, and the bouncing. Two edges of a press are
/// late by the same.
public struct GPIOInput: ~Copyable {
  /// The debounce period that buttons need: contacts bounce for some milliseconds.
  public static let defaultDebounceMicroseconds: UInt32 = 20_000
  /// Edges that the kernel keeps for us: 2.5 s of the fastest that can pass the default debounce.
  private static let keptEdges: UInt32 = 128

  /// Which line it is.
  public let line: GPIOLine
  /// Ready for reading when edges are waiting; for `poll` beside other descriptors.
  public let fileDescriptor: Int32
  /// Why the line is not pulled to its inactive level, when the chip's driver refused that. (Some
  /// drivers that cannot do it accept it.)
  public let biasRefusal: Refusal?
  private var sequence: EdgeSequence

  /// Finds a line and asks the kernel for it.
  ///
  /// - Parameters:
  ///   - spec: Which line.
  ///   - isActiveLow: Whether it is active while low, as with a button that connects it to ground:
  ///     then it is pulled up, else down.
  ///   - debounceMicroseconds: How long the line must be still before an edge counts; 0 for none.
  ///   - tree: Where `/dev` is.
  /// - Throws: ``LinuxIOError`` of kind `noGPIO`, `noSuchLine`, `ambiguousLine`, `lineBusy`,
  ///   `notPermitted` or `system`.
  public init(
    _ spec: GPIOLineSpec, isActiveLow: Bool,
    debounceMicroseconds: UInt32 = defaultDebounceMicroseconds, tree: SystemTree = .live
  ) throws(LinuxIOError) {
    let request = try GPIORequest(spec, tree: tree)
    defer { close(request.descriptor) }
    let bias = isActiveLow ? CLINUXIO_GPIO_BIAS_PULL_UP : CLINUXIO_GPIO_BIAS_PULL_DOWN
    let ask = { (bias: clinuxio_gpio_bias) in
      clinuxio_gpio_input(
        request.descriptor, UInt32(request.line.offset), GPIORequest.consumer, isActiveLow ? 1 : 0,
        CLINUXIO_GPIO_BOTH_EDGES, bias, debounceMicroseconds, Self.keptEdges)
    }
    var answer = ask(bias)
    var refusal: Refusal?
    if GPIORequest.isRefusedBias(-answer) {
      let plain = ask(CLINUXIO_GPIO_BIAS_AS_IS)
      if plain >= 0 {
        refusal = Self.refusal(-answer, request.line, isActiveLow)
        answer = plain
      }
    }
    guard answer >= 0 else { throw request.refused(-answer) }
    let level = clinuxio_gpio_get(answer)
    guard level >= 0 else {
      close(answer)
      throw request.refused(-level)
    }
    line = request.line
    fileDescriptor = answer
    biasRefusal = refusal
    sequence = EdgeSequence(isActive: level == 1)
  }

  deinit { close(fileDescriptor) }

  /// Whether the line is active now, or was when the last edge passed the debouncing.
  ///
  /// - Throws: ``LinuxIOError`` of kind `system` when the chip has gone away.
  public func isActive() throws(LinuxIOError) -> Bool {
    let answer = clinuxio_gpio_get(fileDescriptor)
    guard answer >= 0 else { throw gone(-answer) }
    return answer == 1
  }

  /// The waiting edges, oldest first; does not wait for any. They alternate: where the kernel lost some, the missing
  /// one is inserted.
  ///
  /// - Throws: ``LinuxIOError`` of kind `system` when the chip has gone away.
  public mutating func read() throws(LinuxIOError) -> [LineEdge] {
    var edges: [LineEdge] = []
    let room = 16
    while true {
      var reported = [clinuxio_gpio_edge](repeating: clinuxio_gpio_edge(), count: room)
      // Safe: the array has room for the count that is given.
      let count = clinuxio_gpio_edges(fileDescriptor, &reported, UInt32(room))
      guard count >= 0 else { throw gone(-count) }
      for edge in reported.prefix(Int(count)) {
        let time = MonotonicTime(nanoseconds: Int64(clamping: edge.time))
        sequence.append(
          LineEdge(isActive: edge.is_active == 1, time: time), number: edge.number, to: &edges)
      }
      if count < room { return edges }
    }
  }

  private func gone(_ code: Int32) -> LinuxIOError {
    GPIORequest.error(
      .system, line, "the chip no longer answers", code, "Look for it in `dmesg`.")
  }

  private static func refusal(_ code: Int32, _ line: GPIOLine, _ isActiveLow: Bool) -> Refusal {
    Refusal(
      "pulling \(line) \(isActiveLow ? "up" : "down")", errno: code,
      remedy: "Connect a resistor of 10 kΩ from the line to"
        + " \(isActiveLow ? "3.3 V" : "ground"), or it reads noise.")
  }
}

/// A change of a GPIO input.
public struct LineEdge: Equatable, Sendable {
  /// Whether the line is active from then on.
  public var isActive: Bool
  /// When, by the kernel's CLOCK_MONOTONIC stamp.
  public var time: MonotonicTime

  /// An edge.
  public init(isActive: Bool, time: MonotonicTime) {
    self.isActive = isActive
    self.time = time
  }
}

/// Makes the kernel's edges alternate again where some were lost.
///
/// The kernel numbers a line's edges and keeps a limited count of them; when there are more, the
/// oldest go. An edge that does not change the level can only follow a lost one, which is put in
/// front of it, with the same time for lack of a better one:
///
///     reported  up 1   ·   ·   up 4          number 2 and 3 lost: down, and up or nothing
///     given     up     down    up
package struct EdgeSequence {
  /// The level after the last edge.
  package private(set) var isActive: Bool
  private var next: UInt32 = 1

  /// Begins at a level; the kernel's first edge has number 1.
  package init(isActive: Bool) { self.isActive = isActive }

  /// Appends `edge`, which the kernel numbered `number`, to `edges`, after the lost edge that must have come before it.
  package mutating func append(_ edge: LineEdge, number: UInt32, to edges: inout [LineEdge]) {
    let missing = number &- next
    next = number &+ 1
    if edge.isActive == isActive {
      // Without a lost edge it is a repetition, of the level that was read at the beginning.
      guard missing > 0 else { return }
      edges.append(LineEdge(isActive: !edge.isActive, time: edge.time))
    }
    edges.append(edge)
    isActive = edge.isActive
  }
}
