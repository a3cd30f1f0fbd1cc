// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel
import Synchronization

/// Who may use a chip, by record locks (`F_SETLK`, fcntl(2)) of bytes of the adapter's node.
///
/// A recorder locks the byte whose number is the chip's address, a program that only looks at the chip the byte 256 above
/// it. Each locks its own byte first and then asks for the other's, so that one of two that begin at once sees the other,
/// and the recorder stays:
///
///     look                                     recorder
///     locks 0x168; 0x68 is free
///     transfer, transfer
///                                              locks 0x68; 0x168 is locked: waits
///     before the next transfer: 0x68 is
///     locked, so it unlocks 0x168, and
///     makes no more transfers                  0x168 is free: sets the chip up
///
/// The kernel releases a lock with its process, so nothing is stale after a crash. A lock belongs to the process, not to
/// a value: closing any descriptor of the same node releases it, so keep other values for the same bus as long as the
/// reservation is needed.
private enum ReservedByte {
  static func recorder(_ address: I2CAddress) -> Int64 { Int64(address.rawValue) }
  static func look(_ address: I2CAddress) -> Int64 { 0x100 + Int64(address.rawValue) }

  /// The recorders' bytes of all addresses.
  static let (first, count): (Int64, Int64) = (0, 0x80)
}

extension LinuxI2CBus {
  /// Nanoseconds that a recorder waits for a look at the chip: a transfer that an adapter gives up after its usual
  /// second, and a pause between two transfers.
  static var lookPatience: Int64 { 2_000_000_000 }

  /// Numbers of the nodes on which this process has had a chip.
  private static let reserved = Mutex<Set<Int>>([])

  /// Whether this process has had a chip on a node. Closing another descriptor of it could release the chip.
  public static func hasReserved(on number: Int) -> Bool {
    reserved.withLock { $0.contains(number) }
  }

  /// Nanoseconds between two questions whether a look is over.
  private static var lookInterval: Int64 { 2_000_000 }

  /// Keeps any other imulog from using the chip at `address` as long as this value exists. Waits for one that only looks
  /// at it (``BusLook``) to make way.
  ///
  /// - Throws: ``LinuxIOError`` of kind `busy`, naming the process that has it, or `system`.
  public borrowing func reserve<Clock: MonotonicClock>(
    _ address: I2CAddress, clock: Clock = SystemClock()
  ) throws(LinuxIOError) {
    try lock(ReservedByte.recorder(address), address)
    Self.reserved.withLock { _ = $0.insert(number) }
    let look = ReservedByte.look(address)
    let deadline = clock.now() + Self.lookPatience
    while clinuxio_is_locked(descriptor, look, 1) == 1 {
      // It asks before its next transfer, and makes none until then.
      guard !isStopped(clinuxio_lock_holder(descriptor, look)) else { return }
      guard clock.now() < deadline else { throw inUse(look, address, EAGAIN) }
      clock.sleep(until: clock.now() + Self.lookInterval)
    }
  }

  /// Whether a signal or a debugger has stopped a process: its state in proc(5)'s `stat`, after the name in brackets.
  private borrowing func isStopped(_ process: Int32) -> Bool {
    guard process > 0, let text = tree.text("/proc/\(process)/stat"),
      let end = text.lastIndex(of: ")")
    else { return false }
    let state = text[text.index(after: end)...].drop { $0 == " " }.first
    return state == "T" || state == "t"
  }

  fileprivate borrowing func lock(
    _ byte: Int64, _ address: I2CAddress
  ) throws(LinuxIOError) {
    let answer = clinuxio_lock_byte(descriptor, byte)
    guard answer != 0 else { return }
    if answer == -EAGAIN || answer == -EACCES { throw inUse(byte, address, -answer) }
    throw reserving(address).refused(-answer, "Look for the adapter in `dmesg`.")
  }

  fileprivate borrowing func inUse(
    _ byte: Int64, _ address: I2CAddress, _ code: Int32
  ) -> LinuxIOError {
    reserving(address).error(
      "\(tree.processName(clinuxio_lock_holder(descriptor, byte))) is using the sensor", code,
      "Wait until it is done, or end it; a service ends with `sudo systemctl stop imulog`.",
      kind: .busy)
  }

  private borrowing func reserving(_ address: I2CAddress) -> Attempt {
    Attempt(
      attempt: "reserving chip \(address) on I2C bus \(number)",
      place: tree.path("/dev/i2c-\(number)"))
  }
}

/// A bus that is looked at, and makes way for a recorder: once one has reserved a chip of the bus, transfers fail, and
/// everything that it would have to wait for is given back.
public struct BusLook: I2CBus, Sendable, ~Copyable {
  /// Whether the look was cut short; readable after the bus was moved away.
  public final class Ending: Sendable {
    private let cut = Atomic<Bool>(false)

    /// Whether a recorder has reserved a chip of the bus.
    public var isCut: Bool { cut.load(ordering: .relaxed) }

    fileprivate func note() { cut.store(true, ordering: .relaxed) }
  }

  /// Whether the look was cut short.
  public let ending = Ending()
  // Declared before the bus, so released before the chip is.
  private var interrupt: InterruptLine?
  private var bus: LinuxI2CBus
  private var looked: [I2CAddress] = []
  /// The other nodes of the same wires, where a recorder counts, too.
  private let kin: KinNodes?

  /// Looks at a bus.
  ///
  /// - Parameter family: The adapters on the same wires (``SystemTree/adapters(sharingWires:)``). No chip of theirs may be
  ///   this process's.
  public init(
    _ bus: consuming LinuxI2CBus, beside family: [Int] = [], _ tree: SystemTree = .live
  ) {
    let others = family.filter { [number = bus.number] in $0 != number }
    kin = others.isEmpty ? nil : KinNodes(others, tree)
    self.bus = bus
  }

  /// The process that records on these wires, in words; `nil` for none.
  public var recorder: String? {
    let (first, count) = (ReservedByte.first, ReservedByte.count)
    for descriptor in [bus.descriptor] + (kin?.descriptors ?? [])
    where clinuxio_is_locked(descriptor, first, count) == 1 {
      let holders = (first..<first + count).lazy.map { clinuxio_lock_holder(descriptor, $0) }
      return bus.tree.processName(holders.first { $0 != 0 } ?? 0)
    }
    return nil
  }

  /// Keeps other looks from the chip at `address`, until a recorder wants it. Makes no transfer.
  ///
  /// - Throws: ``LinuxIOError`` of kind `busy` or `system`.
  public mutating func take(_ address: I2CAddress) throws(LinuxIOError) {
    try bus.claim(address)
    let byte = ReservedByte.look(address)
    try bus.lock(byte, address)
    let recorder = ReservedByte.recorder(address)
    guard clinuxio_is_locked(bus.descriptor, recorder, 1) != 1 else {
      _ = clinuxio_unlock_byte(bus.descriptor, byte)
      throw bus.inUse(recorder, address, EAGAIN)
    }
    looked.append(address)
  }

  /// Takes the line from the chip's interrupt output.
  public mutating func wire(_ interrupt: consuming InterruptLine) {
    self.interrupt = consume interrupt
  }

  /// Takes the oldest edge that waits.
  public mutating func nextEdge() -> InterruptEdge? { interrupt?.next() }

  /// See ``I2CBus/longestRead``.
  public var longestRead: Int { bus.longestRead }

  /// Reads registers; throws ``BusError`` of kind `busy` where a recorder is on the bus.
  public mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    guard stays() else { throw BusError(.busy, .read, address: address, register: register) }
    try bus.read(address, register: register, into: buffer)
  }

  /// Writes one register; throws as ``read(_:register:into:)``.
  public mutating func write(
    _ address: I2CAddress, register: UInt8, value: UInt8
  ) throws(BusError) {
    guard stays() else { throw BusError(.busy, .write, address: address, register: register) }
    try bus.write(address, register: register, value: value)
  }

  /// Whether no recorder has come; makes way for one that has.
  private mutating func stays() -> Bool {
    guard !ending.isCut else { return false }
    let (first, count) = (ReservedByte.first, ReservedByte.count)
    guard
      clinuxio_is_locked(bus.descriptor, first, count) == 1
        || (kin?.descriptors.contains { clinuxio_is_locked($0, first, count) == 1 } ?? false)
    else { return true }
    ending.note()
    // The line first: a recorder requests it once it has the chip.
    interrupt = nil
    for address in looked { _ = clinuxio_unlock_byte(bus.descriptor, ReservedByte.look(address)) }
    return false
  }
}

/// Nodes that are open to ask for their locks only.
private final class KinNodes: Sendable {
  let descriptors: [Int32]

  /// Those that can be opened: one that this user may not open is of no recorder of theirs, and a look at it is refused.
  init(_ numbers: [Int], _ tree: SystemTree) {
    descriptors = numbers.map { open(tree.path("/dev/i2c-\($0)"), O_RDWR | O_CLOEXEC) }
      .filter { $0 >= 0 }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
