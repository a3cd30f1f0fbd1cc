// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel
import Synchronization

/// Reopens an adapter's node after it went away, on a separate thread, for a thread that must not wait.
///
///     user (sampler)                          thread `imu-bus`
///     transfer fails, node gone
///     giveUp(descriptor)   ── returned ──►    closes it: until then the kernel keeps the adapter
///          bell rings                         looks for the node, opens, claims, reserves
///     collect()            ◄── offered ──     hands it over, or tries again after the interval
///     end()                                   closes what is left, ends
///
/// Each descriptor has one owner at a time: the user, a slot, or the thread. One atomic exchange hands it over, releases
/// what the giver wrote and acquires it for the taker. The user never waits: it exchanges words and adds 1 to an event
/// counter, which cannot be full.
final class BusReopening: Sendable {
  /// An open node.
  struct Opened {
    let descriptor: Int32
    let number: Int
    let access: I2CAccess
  }

  private let place: AdapterPlace
  private let chip: I2CAddress
  private let interval: Int64
  private let bell: Int32
  /// From the user to the thread: a descriptor to be closed, or -1.
  private let returned = Atomic<Int32>(-1)
  /// From the thread to the user: an ``Opened`` as one word, or one of the two words below.
  private let offered = Atomic<Int64>(nothing)
  /// Whether the user's node is gone. Only a hint: stored and loaded relaxed.
  private let isGone = Atomic<Bool>(false)

  private static let nothing: Int64 = -1
  /// The user has ended: nothing may be offered any more.
  private static let over: Int64 = -2

  init(place: AdapterPlace, chip: I2CAddress, interval: Int64) throws(LinuxIOError) {
    bell = try openEventCounter(for: "watching over an I2C bus")
    (self.place, self.chip, self.interval) = (place, chip, interval)
  }

  deinit {
    // No other reference is left. The thread holds this object until it has ended.
    closeReturned()
    close(bell)
  }

  /// Starts the thread for a user of `node`. It ends after ``end()``; it may hang in the kernel, so nothing waits for it.
  func begin(_ node: BusNode) throws(LinuxIOError) {
    try RealTimeThread(name: "imu-bus").run { self.work(node) }.leaveBehind()
  }
}

/// The user's side: no call waits, locks or allocates.
extension BusReopening {
  /// Whether the user's node was seen to be gone.
  var isNodeGone: Bool { isGone.load(ordering: .relaxed) }

  /// Hands over the descriptor of a node that is gone.
  func giveUp(_ descriptor: Int32) {
    isGone.store(false, ordering: .relaxed)
    returned.store(descriptor, ordering: .releasing)
    ring()
  }

  /// The reopened node; `nil` while there is none.
  func collect() -> Opened? {
    guard offered.load(ordering: .relaxed) >= 0 else { return nil }
    return Opened(word: offered.exchange(Self.nothing, ordering: .acquiring))
  }

  /// Ends the thread; a node that was offered and not taken is closed.
  func end() {
    let word = offered.exchange(Self.over, ordering: .acquiringAndReleasing)
    if word >= 0 { close(Opened(word: word).descriptor) }
    closeReturned()
    ring()
  }

  /// Wakes the thread, which then checks whether the node is still there.
  func ring() {
    var one: UInt64 = 1
    _ = write(bell, &one, 8)
  }
}

/// The thread's side.
extension BusReopening {
  private var isOver: Bool { offered.load(ordering: .acquiring) == Self.over }

  private func work(_ first: BusNode) {
    var node = first
    let clock = SystemClock()
    var isMissing = false
    var next = clock.now()
    var nextSelection = next
    while !isOver {
      waitForBell(isMissing ? PollTimeout.milliseconds(until: next, now: clock.now()) : -1)
      if closeReturned() { isMissing = true }
      if isMissing {
        guard clock.now() >= next else { continue }
        next = clock.now() + interval
        isMissing = !reopen(&node)
      } else if !node.isThere {
        isGone.store(true, ordering: .relaxed)
      } else if clock.now() >= nextSelection {
        nextSelection = clock.now() + interval
        place.selectOtherChannel(chip)
      }
    }
    closeReturned()
  }

  private func waitForBell(_ milliseconds: Int32) {
    var entry = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, milliseconds) > 0 else { return }
    var count: UInt64 = 0
    _ = read(bell, &count, 8)
  }

  /// Closes the descriptor that the user gave up; `false` when there was none.
  @discardableResult
  private func closeReturned() -> Bool {
    let descriptor = returned.exchange(-1, ordering: .acquiring)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// Whether the node is open again and offered, or not wanted any more.
  ///
  /// No error ends the search: permissions are set a moment after the node appears, and another program may be probing
  /// the chip. Meanwhile the gap in the log names the bus as its cause.
  private func reopen(_ node: inout BusNode) -> Bool {
    guard let number = place.find() else { return false }
    do throws(LinuxIOError) {
      var bus = try LinuxI2CBus(number: number, tree: place.tree)
      try bus.claim(chip)
      try bus.reserve(chip)
      node = BusNode(path: place.tree.path("/dev/i2c-\(number)"))
      offer(Opened(descriptor: bus.release(), number: number, access: bus.access))
      return true
    } catch {
      return false
    }
  }

  private func offer(_ opened: Opened) {
    // Before the exchange that releases it, so that the taker of the new node never sees the report about the old one.
    isGone.store(false, ordering: .relaxed)
    let (isOffered, _) = offered.compareExchange(
      expected: Self.nothing, desired: opened.word, ordering: .acquiringAndReleasing)
    // The user has ended meanwhile.
    if !isOffered { close(opened.descriptor) }
  }
}

extension BusReopening.Opened {
  /// The descriptor in bits 0 to 30, the number in 32 to 61, the access in 62: not negative.
  init(word: Int64) {
    descriptor = Int32(word & 0x7FFF_FFFF)
    number = Int(word >> 32 & 0x3FFF_FFFF)
    access = word >> 62 & 1 == 0 ? .combined : .smbusBlocks
  }

  var word: Int64 {
    Int64(descriptor) | Int64(number & 0x3FFF_FFFF) << 32 | (access == .combined ? 0 : 1 << 62)
  }
}

/// A device node as it was when it was opened: the path may lead to another one later.
struct BusNode: Sendable {
  private let path: String
  private let identity: Identity?

  private struct Identity: Equatable {
    let device: UInt64
    let file: UInt64
    let kind: UInt64
  }

  init(path: String) {
    self.path = path
    identity = BusNode.identity(path)
  }

  /// Whether the path still leads to that node.
  var isThere: Bool { identity != nil && BusNode.identity(path) == identity }

  private static func identity(_ path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(
      device: UInt64(status.st_dev), file: UInt64(status.st_ino), kind: UInt64(status.st_rdev))
  }
}

extension LinuxI2CBus {
  /// From now on, reopens the node when it goes away: a USB adapter that is unplugged and plugged in. Called once.
  ///
  /// A separate thread looks for the node every `interval` nanoseconds, opens it, and claims and reserves `chip`, whose
  /// configuration is lost with its supply: the driver detects that. Until then transfers fail at once with
  /// ``BusError/Kind/gone``. The thread that makes transfers neither waits nor locks nor allocates.
  ///
  /// - Throws: ``LinuxIOError`` when the kernel creates no more threads or descriptors.
  public mutating func keepOpen(
    at place: AdapterPlace, chip: I2CAddress, every interval: Int64 = 2_000_000_000
  ) throws(LinuxIOError) {
    let next = try BusReopening(place: place, chip: chip, interval: interval)
    try next.begin(BusNode(path: tree.path("/dev/i2c-\(number)")))
    reopening = next
  }

  /// Uses the reopened node, if there is one.
  ///
  /// - Throws: ``BusError`` of kind `gone` when there is none yet.
  mutating func adoptReopened(
    _ operation: BusError.Operation, _ address: I2CAddress, _ register: UInt8
  ) throws(BusError) {
    guard let opened = reopening?.collect() else {
      throw BusError(.gone, operation, address: address, register: register, errno: ENODEV)
    }
    (descriptor, number, access) = (opened.descriptor, opened.number, opened.access)
    (selected, failures) = (0, 0)
  }

  /// A transfer failed: a node that is gone is given up. Not every driver reports that its adapter was unplugged
  /// (i2c-tiny-usb answers EIO), so after each four failures the other thread checks whether the node is still there.
  mutating func noticeFailure(_ kind: BusError.Kind) {
    guard let reopening, descriptor >= 0 else { return }
    failures &+= 1
    if kind == .gone || reopening.isNodeGone {
      reopening.giveUp(release())
    } else if failures % 4 == 0 {
      reopening.ring()
    }
  }

  /// Hands over the descriptor, which the value then does not close.
  mutating func release() -> Int32 {
    defer { descriptor = -1 }
    return descriptor
  }
}

/// Where an adapter is looked for when it comes back.
public struct AdapterPlace: Sendable {
  private let number: Int
  /// The adapter's name when it was chosen; `nil` when only the number counts, or the kernel has none.
  private let name: String?
  /// The adapters that were there then.
  private let adapters: [I2CAdapter]
  /// The path of a channel; `nil` where it is a bus of the computer.
  private let path: BusPath?
  let tree: SystemTree

  /// The place of the adapter at `/dev/i2c-<number>`. Unless it was chosen by that number (`isFixed`), it is found again
  /// under another one.
  public init(number: Int, isFixed: Bool, tree: SystemTree = .live) {
    self.number = number
    self.tree = tree
    let path = tree.busPath(ofAdapter: number)
    self.path = path.channel == nil ? nil : path
    adapters = isFixed ? [] : tree.i2cAdapters()
    name = adapters.first { $0.number == number }?.name
  }

  /// N of the `/dev/i2c-N` to open now; `nil` when the adapter is not there.
  ///
  /// By name: the adapter under its old number, or under another, or else a new one whose name differs only in digits:
  /// USB adapters count how often they were plugged in (`i2c-tiny-usb at bus 001 device 005`). Of several none is chosen.
  func find() -> Int? {
    if let path { return tree.adapterNumber(of: path) }
    guard let name else { return number }
    let present = tree.i2cAdapters()
    let same = present.filter { $0.name == name }
    if same.contains(where: { $0.number == number }) { return number }
    if !same.isEmpty { return same.count == 1 ? same[0].number : nil }
    let kind = withoutDigits(name)
    let similar = present.filter { !adapters.contains($0) && withoutDigits($0.name) == kind }
    return similar.count == 1 ? similar[0].number : nil
  }

  /// Makes the kernel select the channel anew, by a read on another one, where no chip need answer.
  ///
  /// A multiplexer whose supply fails for a moment comes back without a channel. The kernel still takes the last one for
  /// selected, so no chip answers until it has selected another. A channel that this process has used is left alone: then
  /// transfers go to several channels, and need no cure.
  func selectOtherChannel(_ chip: I2CAddress) {
    let channels = path.flatMap { tree.multiplexer(of: $0) }?.channels ?? []
    let other = channels.first {
      $0.number != path?.channel?.number && !LinuxI2CBus.hasReserved(on: $0.adapter)
    }
    guard let other else { return }
    do {
      var bus = try LinuxI2CBus(number: other.adapter, timeoutMilliseconds: nil, tree: tree)
      // An identity register, or one without an effect, of each chip that could be there.
      _ = try bus.read(chip, register: 0x0F)
    } catch {
      // Only the selection counts.
      return
    }
  }

  private func withoutDigits(_ name: String) -> String { name.filter { !$0.isNumber } }
}
