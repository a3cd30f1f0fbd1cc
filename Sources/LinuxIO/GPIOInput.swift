// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel

/// The owner of a GPIO line that is read: a button.
///
/// Both edges are reported, stamped by the kernel with CLOCK_MONOTONIC, so that it does not matter when this program
/// wakes up. The line is pulled to its inactive level by the SoC where its driver can do that, and debounced by the
/// kernel.
///
/// A debounced edge is stamped when the line has been still for the debounce period (gpiolib-cdev.c,
/// `debounce_work_func`): the first contact was earlier by the period, up to 4 ms of the kernel's own ticks, and the
/// bouncing. Both edges of a press are late by the same.
public struct GPIOInput: ~Copyable {
  /// The debounce period that buttons need: contacts bounce for some milliseconds.
  public static let defaultDebounceMicroseconds: UInt32 = 20_000
  /// Edges that the kernel keeps for us: 2.5 s of the fastest that can pass the default debounce.
  private static let keptEdges: UInt32 = 128

  /// The line that was found.
  public let line: GPIOLine
  /// Ready for reading when edges are waiting; for `poll` beside other descriptors.
  public let fileDescriptor: Int32
  /// Why the chip's driver does not pull the line to its inactive level. (Some drivers that cannot do it accept it.)
  public let biasRefusal: Refusal?
  private var sequence: EdgeSequence

  /// Finds a line and asks the kernel for it.
  ///
  /// - Parameters:
  ///   - isActiveLow: Whether it is active while low, as with a button that connects it to ground: then it is pulled up,
  ///     else down.
  ///   - debounceMicroseconds: How long the line must be still before an edge counts; 0 for none.
  /// - Throws: ``LinuxIOError`` of kind `lineBusy`, `notPermitted` or `system`.
  public init(
    _ spec: GPIOLineSpec, isActiveLow: Bool,
    debounceMicroseconds: UInt32 = defaultDebounceMicroseconds, tree: SystemTree = .live
  ) throws(LinuxIOError) {
    let request = try GPIORequest(spec, tree: tree)
    defer { close(request.descriptor) }
    let (answer, refusal) = request.input(
      isActiveLow: isActiveLow, CLINUXIO_GPIO_BOTH_EDGES,
      isActiveLow ? CLINUXIO_GPIO_BIAS_PULL_UP : CLINUXIO_GPIO_BIAS_PULL_DOWN,
      debounceMicroseconds: debounceMicroseconds, kept: Self.keptEdges)
    guard answer >= 0 else { throw request.refused(-answer) }
    let level = clinuxio_gpio_get(answer)
    guard level >= 0 else {
      close(answer)
      throw request.refused(-level)
    }
    line = request.line
    fileDescriptor = answer
    biasRefusal = refusal.map {
      Refusal(
        what: "pulling \(request.line) \(isActiveLow ? "up" : "down")", errno: $0,
        remedy: "Connect a resistor of 10 kΩ from the line to"
          + " \(isActiveLow ? "3.3 V" : "ground"), or it reads noise.")
    }
    sequence = EdgeSequence(isActive: level == 1)
  }

  deinit { close(fileDescriptor) }

  /// Whether the line is active now, or was when the last edge passed the debouncing.
  ///
  /// - Throws: ``LinuxIOError`` of kind `system` when the chip has gone away.
  public func isActive() throws(LinuxIOError) -> Bool {
    let answer = clinuxio_gpio_get(fileDescriptor)
    guard answer >= 0 else { throw line.gone(-answer) }
    return answer == 1
  }

  /// The waiting edges, oldest first; does not wait. They alternate: where the kernel lost some, one is inserted.
  ///
  /// - Throws: ``LinuxIOError`` of kind `system` when the chip has gone away.
  public mutating func read() throws(LinuxIOError) -> [LineEdge] {
    var edges: [LineEdge] = []
    let room = 16
    while true {
      var reported = [clinuxio_gpio_edge](repeating: clinuxio_gpio_edge(), count: room)
      // Safe: the array has room for the count that is given.
      let count = clinuxio_gpio_edges(fileDescriptor, &reported, UInt32(room))
      guard count >= 0 else { throw line.gone(-count) }
      for edge in reported.prefix(Int(count)) {
        let time = MonotonicTime(nanoseconds: Int64(clamping: edge.time))
        sequence.append(
          LineEdge(isActive: edge.is_active == 1, time: time), number: edge.number, to: &edges)
      }
      if count < room { return edges }
    }
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
/// The kernel numbers a line's edges and keeps a limited count of them; when there are more, it drops the oldest. An edge
/// that does not change the level follows a lost one, which is inserted with the same time:
///
///     reported  up 1   ·   ·   up 4          number 2 and 3 lost: down, and up or nothing
///     given     up     down    up
struct EdgeSequence {
  /// The level after the last edge.
  private var isActive: Bool
  private var next: UInt32 = 1

  /// Begins at a level; the kernel's first edge has number 1.
  init(isActive: Bool) { self.isActive = isActive }

  /// Appends `edge`, which the kernel numbered `number`, to `edges`, after the lost edge that must have come before it.
  mutating func append(_ edge: LineEdge, number: UInt32, to edges: inout [LineEdge]) {
    let missing = number &- next
    next = number &+ 1
    if edge.isActive == isActive {
      // Without a loss, the edge to the level that was read at the beginning.
      guard missing > 0 else { return }
      edges.append(LineEdge(isActive: !edge.isActive, time: edge.time))
    }
    edges.append(edge)
    isActive = edge.isActive
  }
}

/// The owner of a GPIO line that a chip's interrupt output drives.
///
/// The kernel stamps each rising edge with CLOCK_MONOTONIC when it handles the interrupt: some microseconds after the
/// edge as a rule, any time on a busy machine. Edges wait in the kernel and wake nothing.
public struct InterruptLine: ~Copyable, @unchecked Sendable {
  // Safe to send: the memory below is owned by this value alone.

  /// The line that was found.
  public let line: GPIOLine
  private let descriptor: Int32
  private let edges: UnsafeMutablePointer<clinuxio_gpio_edge>
  private var count = 0
  private var first = 0
  /// The number of the next edge; 0 before the first one.
  private var number: UInt32 = 0

  /// Edges that are read at once, and that the kernel keeps: at 50 drains a second, of half a second.
  private static let room = (read: 16, kept: UInt32(32))

  /// Finds a line and asks the kernel for it, pulled to ground where the chip's driver can do that: a line that is not
  /// wired is quiet then.
  ///
  /// - Throws: ``LinuxIOError`` of kind `lineBusy`, `notPermitted` or `system`.
  public init(_ spec: GPIOLineSpec, tree: SystemTree = .live) throws(LinuxIOError) {
    let request = try GPIORequest(spec, tree: tree)
    defer { close(request.descriptor) }
    let (answer, _) = request.input(
      isActiveLow: false, CLINUXIO_GPIO_RISING_EDGES, CLINUXIO_GPIO_BIAS_PULL_DOWN,
      debounceMicroseconds: 0, kept: Self.room.kept)
    guard answer >= 0 else { throw request.refused(-answer) }
    (line, descriptor) = (request.line, answer)
    edges = .allocate(capacity: Self.room.read)
    edges.initialize(repeating: clinuxio_gpio_edge(), count: Self.room.read)
  }

  deinit {
    close(descriptor)
    edges.deallocate()
  }

  /// Takes the oldest edge that waits; `nil` when none does, as on a line that has gone away. Neither allocates nor waits.
  public mutating func next() -> InterruptEdge? {
    if first == count {
      // Safe: the memory has room for the count that is given.
      (first, count) = (
        0, max(0, Int(clinuxio_gpio_edges(descriptor, edges, UInt32(Self.room.read))))
      )
      guard count > 0 else { return nil }
    }
    let edge = edges[first]
    first += 1
    let followsLoss = number != 0 && edge.number != number
    number = edge.number &+ 1
    return InterruptEdge(
      time: MonotonicTime(nanoseconds: Int64(clamping: edge.time)), followsLoss: followsLoss)
  }
}
