// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// How full a FIFO is, as the chip counted it.
public struct FIFOFill: Equatable, Sendable, BitwiseCopyable {
  /// What the chip counts: bytes, of a FIFO of tags words of seven bytes, of one with a pattern words of two.
  public let units: Int
  /// The whole slots among them, with what earlier drains left over.
  ///
  /// `nil` in a FIFO of tags until the first drain after the FIFO was started or lost something: its first slot may be
  /// half a one.
  public let slots: Int?
  /// Whether the FIFO has lost the oldest samples, or is about to: a new epoch begins.
  public let isOverrun: Bool
  /// Whether this count proves what was drained before it: the chip has its configuration, as only ``FIFOSensor`` turns
  /// the FIFO on, and samples begin where the driver takes them to begin.
  public let isProof: Bool

  /// The slots that were whole when the FIFO reached its watermark; `nil` when it has not, or has none.
  public let slotsAtWatermark: Int?

  @inlinable
  init(
    units: Int, slots: Int?, isOverrun: Bool, isProof: Bool, slotsAtWatermark: Int? = nil
  ) {
    self.units = units
    self.slotsAtWatermark = slotsAtWatermark
    self.slots = slots
    self.isOverrun = isOverrun
    self.isProof = isProof
  }

  /// A fill for a test's sensor.
  package init(testUnits units: Int, slots: Int?, isOverrun: Bool = false, isProof: Bool = true) {
    self.init(units: units, slots: slots, isOverrun: isOverrun, isProof: isProof)
  }
}

/// Why a FIFO could not be read.
public enum FIFOError: Error, Equatable, Sendable, BitwiseCopyable {
  /// A transfer failed. After a failed burst it is not known what was taken out.
  case bus(BusError)
  /// The count is above the FIFO's size, its flags contradict it or each other, or its two bytes may be of different
  /// instants: nothing was taken out, and the call may be repeated. The bytes as they were read.
  case impossibleCount(UInt32)
  /// The FIFO was emptied and still counts this much.
  case notEmptied(Int)
  /// Samples do not begin where the driver takes them to begin: the FIFO must be started again.
  case misaligned
  /// The burst was longer than what the FIFO had, or the chip vanished meanwhile: it repeats one byte.
  case repeatedByte(UInt8)
  /// Words do not follow each other as the chip numbers them, or have tags that were not requested.
  case brokenSequence(tag: UInt8)
}

extension FIFOError: CustomStringConvertible {
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
