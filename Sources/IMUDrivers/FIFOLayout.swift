// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The FIFO of a chip as a configuration uses it: the registers and meaning of its count and data, and how it is started.
@usableFromInline
struct FIFOLayout: Sendable, BitwiseCopyable {
  /// How samples are told apart.
  @usableFromInline
  enum Method: Sendable, BitwiseCopyable {
    /// Packets follow each other without marks (MPU-6050). The count is of bytes.
    case packets
    /// The same of the axes alone: the temperature is read beside them (ICM-20948).
    case axes
    /// A register with the place of the next word in its slot (LSM6DS3, LSM6DSL). The count is of words of two bytes.
    case pattern
    /// A tag before each six bytes (LSM6DSO, LSM6DSV). The count is of words of seven bytes.
    case tagged

    /// Bytes of a unit of the count, which a burst must take out together.
    @inlinable var unitBytes: Int {
      switch self {
      case .packets, .axes: 1
      case .pattern: 2
      case .tagged: 7
      }
    }

    /// Whether the packets of the maker of the MPU-6050 follow each other: the high byte first, acceleration first.
    @inlinable var isOfPackets: Bool { self == .packets || self == .axes }

    /// Bytes of a slot with these channels.
    @inlinable
    func slotBytes(_ channels: ChannelSet, isStamped: Bool) -> Int {
      let sensors =
        (channels.contains(.accelerometer) ? 1 : 0) + (channels.contains(.gyroscope) ? 1 : 0)
      let sets = sensors + (isStamped ? 1 : 0)
      switch self {
      case .packets: return 6 * sensors + (channels.contains(.temperature) ? 2 : 0)
      case .axes, .pattern: return 6 * sets
      case .tagged: return 7 * sets
      }
    }
  }

  @usableFromInline let method: Method
  /// Bytes in the FIFO.
  @usableFromInline let size: Int
  /// The largest count in bytes, where a chip's FIFO may be larger than its data sheet says.
  @usableFromInline var largestCount: Int?
  /// The registers of the count, and of the flags beside it.
  @usableFromInline let status: UInt8
  /// The bits of the second status register that are the upper ones of the count, and those that are always 0.
  @usableFromInline var upperCount: UInt8 = 0
  @usableFromInline var reserved: UInt8 = 0
  /// The register of the data, to which a burst comes back after each word.
  @usableFromInline let data: UInt8
  /// The channels of a slot.
  @usableFromInline let channels: ChannelSet
  /// The chip's counter, whose stamp is in each slot; `nil` when none is.
  @usableFromInline var counter: StampCounter?
  /// First of two registers of a temperature that is not in the FIFO.
  @usableFromInline var temperature: UInt8?
  /// Units at which the second interrupt output rises; 0 for never.
  @usableFromInline var watermark: Int = 0
  /// Whether it may rise a slot earlier: the LSM6DS3 counts the next slot too (AN4650 8.6).
  @usableFromInline var isWatermarkEarly: Bool = false
  /// Stops the FIFO and empties it.
  let stop: RegisterList
  /// Starts it, with the last write: the FIFO's registers while it runs.
  let start: RegisterList
}

/// The counter with which a chip stamps its slots: six ticks in a sample of the fastest output data rate, 25 µs nominally
/// (LSM6DSO data sheet 9.65, AN5130 6.4), so that a slot has a whole number of them.
@usableFromInline
package struct StampCounter: Sendable, BitwiseCopyable {
  /// The lowest of its registers.
  @usableFromInline let register: UInt8
  /// Its bytes.
  @usableFromInline let count: Int
  @usableFromInline let ticksPerSlot: UInt16

  package init(register: UInt8, count: Int, ticksPerSlot: UInt16) {
    (self.register, self.count, self.ticksPerSlot) = (register, count, ticksPerSlot)
  }

  /// Its bits.
  @inlinable var mask: UInt32 { count == 4 ? .max : 1 << UInt32(8 * count) - 1 }
}

extension FIFOLayout {
  /// First of two registers of a temperature that is recorded and not in the FIFO.
  @inlinable var slowTemperature: UInt8? { channels.contains(.temperature) ? temperature : nil }

  @inlinable var unitBytes: Int { method.unitBytes }

  @inlinable var slotBytes: Int { method.slotBytes(channels, isStamped: counter != nil) }

  /// Units of the count in a slot.
  @inlinable var slotUnits: Int { slotBytes / unitBytes }

  /// Bytes that a fill reads: the count, and in a FIFO with a pattern the next word's place.
  @inlinable var statusCount: Int { method == .pattern ? 4 : 2 }

  /// The slots that it holds before a fill counts as overrun.
  var capacity: Int {
    switch method {
    case .packets, .axes: (size - 1) / slotBytes - 3
    case .pattern: size / slotBytes - 2
    case .tagged: (size - 7) / slotBytes
    }
  }

  /// The longest burst: 50 ms on the bus, which is half an adapter's time limit.
  func longestBurst(busClock: Int?) -> Int {
    let words = (busClock ?? 100_000) / 20 / 9 / unitBytes
    return max(1, words) * unitBytes
  }
}

/// How full a FIFO is, as the chip counted it.
public struct FIFOFill: Equatable, Sendable, BitwiseCopyable {
  /// What the chip counts: bytes, in a FIFO with tags words of seven bytes, in one with a pattern words of two.
  public let units: Int
  /// The whole slots among them, with what earlier drains left over; `nil` in a FIFO with tags until the first drain after
  /// it was started or lost words, because its first slot may be incomplete.
  public let slots: Int?
  /// Whether the FIFO has lost the oldest samples, or is about to: a new epoch begins.
  public let isOverrun: Bool
  /// Whether this count proves the earlier drains: the chip has its configuration, as only ``FIFOSensor`` turns the FIFO on,
  /// and samples begin where the driver expects them.
  public let isProof: Bool
  /// The slots that were whole when the FIFO reached its watermark; `nil` when it has not, or has none.
  public let slotsAtWatermark: Int?

  @inlinable
  package init(
    units: Int, slots: Int?, isOverrun: Bool = false, isProof: Bool = true,
    slotsAtWatermark: Int? = nil
  ) {
    (self.units, self.slots, self.isOverrun) = (units, slots, isOverrun)
    (self.isProof, self.slotsAtWatermark) = (isProof, slotsAtWatermark)
  }
}

/// Why a FIFO could not be read.
public enum FIFOError: Error, Equatable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// A transfer failed. After a failed burst it is not known how much was taken out.
  case bus(BusError)
  /// The count is above the FIFO's size, its flags contradict it or each other, or its two bytes may be of different
  /// instants: nothing was taken out, and the call may be repeated. The bytes as they were read.
  case impossibleCount(UInt32)
  /// The FIFO was emptied and still counts this much.
  case notEmptied(Int)
  /// Samples do not begin where the driver expects them: the FIFO must be started again.
  case misaligned
  /// The burst was longer than the FIFO's contents, or the chip vanished meanwhile: it repeats one byte.
  case repeatedByte(UInt8)
  /// Words do not follow each other as the chip numbers them, or have tags that were not requested.
  case brokenSequence(tag: UInt8)

  /// One clause, such as `the FIFO's status reads 0xffff, which it never is`.
  public var description: String {
    switch self {
    case .bus(let error): return "\(error)"
    case .impossibleCount(let count):
      return "the FIFO's status reads 0x\(String(count, radix: 16)), which it never is"
    case .notEmptied(let count): return "the FIFO was emptied and still counts \(count)"
    case .misaligned: return "the next byte in the FIFO is not the beginning of a sample"
    case .repeatedByte(let byte):
      return "the FIFO had fewer samples than it counted: it repeats \(hexadecimal(byte))"
    case .brokenSequence(let tag):
      return "the FIFO's words are not in sequence at tag \(hexadecimal(tag))"
    }
  }
}
