// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Where chips are: a bus of the computer, or a channel of a multiplexer on it, such as `i2c-1/mux@70/3`.
///
/// The kernel gives each channel an adapter, whose number is another one after each start. This path stays.
public struct BusPath: Equatable, Sendable, CustomStringConvertible {
  /// N of the `/dev/i2c-N` of the computer's bus.
  public var root: Int
  /// `nil` for the bus itself.
  public var channel: Channel?

  /// One of the buses behind a multiplexer. What is on the bus before it answers on each of them.
  public struct Channel: Equatable, Sendable {
    /// The multiplexer's address.
    public var multiplexer: I2CAddress
    /// Its number, from 0.
    public var number: Int
  }

  /// A bus of the computer, or a channel.
  public init(root: Int, channel: Channel? = nil) { (self.root, self.channel) = (root, channel) }

  /// Reads `1`, `i2c-1`, or either with `/mux@70/3` behind it; `nil` for another text.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let first = parts[0].hasPrefix("i2c-") ? parts[0].dropFirst(4) : parts[0]
    guard let root = BusPath.number(first, upTo: 1_048_575) else { return nil }
    self.init(root: root)
    guard parts.count > 1 else { return }
    guard parts.count == 3, parts[1].hasPrefix("mux@"),
      let number = BusPath.number(parts[2], upTo: 15)
    else { return nil }
    let digits = parts[1].dropFirst(4)
    let address = UInt8(digits.hasPrefix("0x") ? digits.dropFirst(2) : digits, radix: 16)
    guard let address, 0x70...0x77 ~= address, let multiplexer = I2CAddress(address) else {
      return nil
    }
    channel = Channel(multiplexer: multiplexer, number: number)
  }

  private static func number(_ text: Substring, upTo limit: Int) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int(text).flatMap { $0 <= limit ? $0 : nil }
  }

  /// As ``init(_:)`` reads it, with `i2c-` in front.
  public var description: String {
    guard let channel else { return "i2c-\(root)" }
    return "i2c-\(root)/mux@\(String(channel.multiplexer.rawValue, radix: 16))/\(channel.number)"
  }

  /// Whether an address on two buses, given as text, is that of one chip.
  public static func isOneChip(_ one: String, _ other: String) -> Bool {
    guard let one = BusPath(one), let other = BusPath(other) else { return one == other }
    return one.isReached(from: other)
  }

  /// Whether a chip of the one answers on the other, too: the same bus, or the bus before a multiplexer and its channel.
  public func isReached(from other: BusPath) -> Bool {
    root == other.root && (channel == other.channel || channel == nil || other.channel == nil)
  }
}

/// A multiplexer that the kernel drives.
public struct I2CMultiplexer: Sendable {
  /// Its address.
  public var address: I2CAddress
  /// The kernel's name for it, such as `pca9548`.
  public var name: String
  /// The number of each channel, and N of its /dev/i2c-N.
  public var channels: [(number: Int, adapter: Int)]
}

extension SystemTree {
  private static let devices = "/sys/bus/i2c/devices"

  /// The multiplexers on a bus, by address.
  public func multiplexers(on root: Int) -> [I2CMultiplexer] {
    names(in: Self.devices).sorted().compactMap { name in
      let parts = name.split(separator: "-", maxSplits: 1)
      guard parts.count == 2, Int(parts[0]) == root, parts[1].count == 4,
        let address = UInt8(parts[1], radix: 16).flatMap({ I2CAddress($0) })
      else { return nil }
      let channels = names(in: "\(Self.devices)/\(name)").compactMap {
        entry -> (number: Int, adapter: Int)? in
        // i2c-core-mux links each channel to its adapter.
        guard entry.hasPrefix("channel-"), let number = Int(entry.dropFirst(8)),
          let target = linkTarget("\(Self.devices)/\(name)/\(entry)"), target.hasPrefix("i2c-"),
          let adapter = Int(target.dropFirst(4))
        else { return nil }
        return (number, adapter)
      }
      guard !channels.isEmpty else { return nil }
      return I2CMultiplexer(
        address: address, name: text("\(Self.devices)/\(name)/name") ?? "unnamed",
        channels: channels.sorted { $0.number < $1.number })
    }
  }

  /// The adapters whose transfers are on the same wires: a bus, and the channels behind it.
  public func adapters(sharingWires number: Int) -> [Int] {
    let root = busPath(ofAdapter: number).root
    return [root] + multiplexers(on: root).flatMap { $0.channels.map(\.adapter) }
  }

  /// The multiplexer of a path; `nil` where the kernel has none there, and for a bus of the computer.
  public func multiplexer(of path: BusPath) -> I2CMultiplexer? {
    guard let channel = path.channel else { return nil }
    return multiplexers(on: path.root).first { $0.address == channel.multiplexer }
  }

  /// N of the /dev/i2c-N of a path now; `nil` where the kernel has no such channel.
  public func adapterNumber(of path: BusPath) -> Int? {
    guard let channel = path.channel else { return path.root }
    return multiplexer(of: path)?.channels.first { $0.number == channel.number }?.adapter
  }

  /// The path of a /dev/i2c-N, which may be a channel's.
  public func busPath(ofAdapter number: Int) -> BusPath {
    let folder = "\(Self.devices)/i2c-\(number)/mux_device"
    guard let device = linkTarget(folder)?.split(separator: "-"), device.count == 2,
      let root = Int(device[0]), let address = UInt8(device[1], radix: 16),
      let multiplexer = multiplexers(on: root).first(where: { $0.address.rawValue == address }),
      let channel = multiplexer.channels.first(where: { $0.adapter == number })
    else { return BusPath(root: number) }
    return BusPath(
      root: root,
      channel: BusPath.Channel(multiplexer: multiplexer.address, number: channel.number))
  }

  /// N of the /dev/i2c-N of a path now.
  ///
  /// - Throws: ``LinuxIOError`` for a multiplexer or a channel that the kernel does not have.
  public func openable(_ path: BusPath) throws(LinuxIOError) -> Int {
    if let number = adapterNumber(of: path) { return number }
    guard let channel = path.channel else { return path.root }
    let address = channel.multiplexer
    let device = Self.device(bus: path.root, address: address)
    let attempt = Attempt(
      attempt: "finding the channel \(path)", place: self.path("\(Self.devices)/\(device)"))
    if let present = multiplexer(of: path) {
      let numbers = present.channels.map { "\($0.number)" }.joined(separator: ", ")
      throw attempt.error(
        "the multiplexer (\(present.name)) has no channel \(channel.number)", 0,
        "Give one of its channels: \(numbers).")
    }
    let now = "`echo pca9548 \(address) | sudo tee \(Self.devices)/i2c-\(path.root)/new_device`"
    let overlay =
      "`dtoverlay=i2c-mux,pca9548\(path.root == 1 ? "" : ",i2c\(path.root)"),addr=\(address)`"
    throw attempt.error(
      "the kernel has no multiplexer at \(address)", 0,
      hasTreeParameters
        ? "Add \(overlay) to \(BootConfiguration.path(self)) and restart, or run \(now)."
        : "Declare it in the device tree, or until the next start run \(now).")
  }
}
