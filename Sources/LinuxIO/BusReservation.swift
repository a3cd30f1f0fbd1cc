// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel
import Synchronization

/// Who may use a chip, by record locks (`F_SETLK`, fcntl(2)) of bytes of the adapter's node.
///
/// The byte whose number is the chip's address is a recorder's, the one 256 above it is of who only looks at the chip.
/// Each locks its own first and asks for the other's then, so that one of two who begin at once sees the other, and it
/// is always the recorder that stays:
///
///     look                                     recorder
///     locks 0x168; 0x68 is free
///     transfer, transfer
///                                              locks 0x68; 0x168 is locked: waits
///     before the next transfer: 0x68 is
///     locked, so it unlocks 0x168, and
///     makes no more transfers                  0x168 is free: sets the chip up
///
/// The kernel releases a lock with its process, so nothing is stale after a crash. Only programs that use such locks
/// respect them. A lock belongs to the process, not to a value: closing any descriptor of the same node releases it.
/// Keep other values for the same bus as long as the reservation is needed.
private enum ReservedByte {
  static func recorder(_ address: I2CAddress) -> Int64 { Int64(address.rawValue) }
  static func look(_ address: I2CAddress) -> Int64 { 0x100 + Int64(address.rawValue) }

  /// Those of the recorders of all addresses.
  static let (first, count): (Int64, Int64) = (0, 0x80)
}

extension LinuxI2CBus {
  /// Nanoseconds that a recorder waits for who looks at the chip: a transfer that an adapter gives up after its usual
  /// second, and a pause between two transfers.
  public static var lookPatience: Int64 { 2_000_000_000 }

  /// Nanoseconds between two questions whether a look is over.
  private static var lookInterval: Int64 { 2_000_000 }

  /// Keeps any other imulog from using the chip at `address` as long as this value exists. One that only looks at it
  /// (``BusLook``) makes way, for which this call waits.
  ///
  /// - Throws: ``LinuxIOError`` of kind `busy`, naming the process that has it, or `system`.
  public borrowing func reserve<Clock: MonotonicClock>(
    _ address: I2CAddress, clock: Clock = SystemClock()
  ) throws(LinuxIOError) {
    try lock(ReservedByte.recorder(address), address)
    let look = ReservedByte.look(address)
    let deadline = clock.now() + Self.lookPatience
    while clinuxio_is_locked(descriptor, look, 1) == 1 {
      // It asks before its next transfer, and makes none until then.
      guard !isStopped(clinuxio_lock_holder(descriptor, look)) else { return }
      guard clock.now() < deadline else { throw inUse(look, address, EAGAIN) }
      clock.sleep(until: clock.now() + Self.lookInterval)
    }
  }

  /// Whether a process is stopped, by a signal or a debugger: the state in proc(5)'s `stat`, after the name in brackets.
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
    throw refused(
      "the kernel refused", address, -answer, remedy: "Look for the adapter in `dmesg`.")
  }

  fileprivate borrowing func inUse(
    _ byte: Int64, _ address: I2CAddress, _ code: Int32
  ) -> LinuxIOError {
    let holder = clinuxio_lock_holder(descriptor, byte)
    // 0 when it was released meanwhile, or the holder is invisible to this process.
    let process = holder > 0 ? holder : nil
    var error = refused(
      "\(tree.processName(process)) is using the sensor", address, code,
      remedy: "Wait until it is done, or end it; a service ends with `sudo systemctl stop imulog`.")
    error.kind = .busy(process: process)
    return error
  }

  private borrowing func refused(
    _ finding: String, _ address: I2CAddress, _ code: Int32, remedy: String
  ) -> LinuxIOError {
    LinuxIOError(
      kind: .system, attempt: "reserving chip \(address) on I2C bus \(number)",
      place: tree.path("/dev/i2c-\(number)"), finding: finding, errno: code, remedy: remedy)
  }
}

/// A bus that is looked at, and makes way for a recorder: transfers fail from the moment in which one has reserved a
/// chip of the bus, and everything that it would have to wait for is given back.
public struct BusLook: I2CBus, Sendable, ~Copyable {
  /// Whether the look was cut short, for who has handed over the bus.
  public final class Ending: Sendable {
    private let cut = Atomic<Bool>(false)

    /// Whether a recorder has reserved a chip of the bus.
    public var isCut: Bool { cut.load(ordering: .relaxed) }

    fileprivate func note() { cut.store(true, ordering: .relaxed) }
  }

  /// Whether the look was cut short.
  public let ending = Ending()
  // Above the bus, and so given back before the chip is.
  private var interrupt: InterruptLine?
  private var bus: LinuxI2CBus
  private var looked: [I2CAddress] = []

  /// Looks at a bus.
  public init(_ bus: consuming LinuxI2CBus) {
    self.bus = bus
  }

  /// Keeps other looks from the chip at `address`, until a recorder wants it. Makes no transfer.
  ///
  /// - Throws: ``LinuxIOError`` of kind `heldByDriver`, `busy` or `system`.
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

  /// The bus's.
  public var longestRead: Int { bus.longestRead }

  /// Reads registers where no recorder is on the bus.
  ///
  /// - Throws: ``BusError`` of kind `busy` where one is.
  public mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    guard stays() else { throw BusError(.busy, .read, address: address, register: register) }
    try bus.read(address, register: register, into: buffer)
  }

  /// Writes one register where no recorder is on the bus.
  ///
  /// - Throws: ``BusError`` of kind `busy` where one is.
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
    guard clinuxio_is_locked(bus.descriptor, first, count) == 1 else { return true }
    ending.note()
    // The line first: a recorder asks for it when the chip is its own.
    interrupt = nil
    for address in looked { _ = clinuxio_unlock_byte(bus.descriptor, ReservedByte.look(address)) }
    return false
  }
}
