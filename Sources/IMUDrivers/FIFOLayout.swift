// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The FIFO of a chip as a configuration uses it: where its count and its data are, what they mean, and how it is started.
@usableFromInline
struct FIFOLayout: Sendable, BitwiseCopyable {
  /// What says which bytes are a sample.
  @usableFromInline
  enum Method: Sendable, BitwiseCopyable {
    /// Nothing: packets follow each other (MPU-6050). The count is of bytes.
    case packets
    /// A register with the place of the next word in its slot (LSM6DS3, LSM6DSL). The count is of words of two bytes.
    case pattern
    /// A tag before each six bytes (LSM6DSO, LSM6DSV). The count is of words of seven bytes.
    case tagged
  }

  @usableFromInline let method: Method
  /// Bytes in the FIFO.
  @usableFromInline let size: Int
  /// The registers of the count, and of the flags beside it.
  @usableFromInline let status: UInt8
  /// The bits of the second status register that are the upper ones of the count.
  @usableFromInline var upperCount: UInt8 = 0
  /// Those that are always 0.
  @usableFromInline var reserved: UInt8 = 0
  /// The register of the data. A burst stays there, or comes back to it after each word.
  @usableFromInline let data: UInt8
  /// The channels of a slot.
  @usableFromInline let channels: ChannelSet
  /// The chip's counter, whose stamp is in each slot; `nil` when none is.
  @usableFromInline var counter: StampCounter?
  /// First of two registers of a temperature that is not in the FIFO.
  @usableFromInline var temperature: UInt8?
  /// Units at which the second interrupt output rises; 0 for never.
  @usableFromInline var watermark: Int = 0
  /// Whether it may rise a slot earlier: the LSM6DS3 counts the slot that comes next (AN4650 8.6).
  @usableFromInline var isWatermarkEarly: Bool = false
  /// Stops the FIFO and empties it.
  let stop: RegisterList
  /// Starts it, with the last write: the FIFO's registers while it runs.
  let start: RegisterList
}

/// The counter from which a chip stamps its slots: six ticks of the oscillator's fastest output data rate, 25 µs nominally
/// (LSM6DSO data sheet 9.65, AN5130 6.4), so that a slot has a whole number of them.
@usableFromInline
package struct StampCounter: Sendable, BitwiseCopyable {
  /// The lowest of its registers.
  @usableFromInline let register: UInt8
  /// Its bytes.
  @usableFromInline let count: Int
  @usableFromInline let ticksPerSlot: UInt16

  package init(_ register: Register, count: Int, ticksPerSlot: UInt16) {
    (self.register, self.count, self.ticksPerSlot) = (register.address, count, ticksPerSlot)
  }

  /// Its bits.
  @inlinable var mask: UInt32 { count == 4 ? .max : 1 << UInt32(8 * count) - 1 }
}

extension FIFOLayout {
  /// First of two registers of a temperature that is recorded and not in the FIFO.
  @inlinable var slowTemperature: UInt8? { channels.contains(.temperature) ? temperature : nil }

  /// Bytes of a unit of the count, which a burst must take out together.
  @inlinable var unitBytes: Int { FIFOLayout.unitBytes(method) }

  /// The same for a FIFO of that kind.
  @inlinable
  static func unitBytes(_ method: Method) -> Int {
    switch method {
    case .packets: 1
    case .pattern: 2
    case .tagged: 7
    }
  }

  /// Bytes of a slot.
  @inlinable var slotBytes: Int {
    FIFOLayout.slotBytes(method, channels, isStamped: counter != nil)
  }

  /// The same for a FIFO of that kind with these channels.
  @inlinable
  static func slotBytes(_ method: Method, _ channels: ChannelSet, isStamped: Bool) -> Int {
    let sensors =
      (channels.contains(.accelerometer) ? 1 : 0) + (channels.contains(.gyroscope) ? 1 : 0)
    let sets = sensors + (isStamped ? 1 : 0)
    switch method {
    case .packets: return 6 * sensors + (channels.contains(.temperature) ? 2 : 0)
    case .pattern: return 6 * sets
    case .tagged: return 7 * sets
    }
  }

  /// Units of the count in a slot.
  @inlinable var slotUnits: Int { slotBytes / unitBytes }

  /// The same for a FIFO of that kind with these channels.
  static func slotUnits(_ method: Method, _ channels: ChannelSet, isStamped: Bool = false) -> Int {
    slotBytes(method, channels, isStamped: isStamped) / unitBytes(method)
  }

  /// Bytes that a fill reads: the count, and in a FIFO with a pattern the next word's place.
  @inlinable var statusCount: Int { method == .pattern ? 4 : 2 }

  /// The slots that it holds before a fill counts as overrun.
  var capacity: Int {
    switch method {
    case .packets: (size - 1) / slotBytes - 3
    case .pattern: size / slotBytes - 2
    case .tagged: (size - 7) / slotBytes
    }
  }

  /// Fills in a row that are no whole packets until that proves that packets begin elsewhere: a fill may fall into the
  /// writing of a packet, 25 in a row never do.
  @inlinable var partialFillLimit: Int { 25 }

  /// The longest burst: 50 ms on the bus, which is half an adapter's time limit.
  func longestBurst(busClock: Int?) -> Int {
    let words = (busClock ?? 100_000) / 20 / 9 / unitBytes
    return max(1, words) * unitBytes
  }
}
