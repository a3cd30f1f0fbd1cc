// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The first 32 bytes of every page, which tell what it is without its neighbours.
///
///      0        4           8          12           20          28      32
///     ┌────────┬───────────┬──────────┬────────────┬───────────┬───────┐
///     │ 89 I M │ recording │ sequence │ first tick │ first     │ check │ chunks …
///     │ version│           │          │            │ time      │       │
///     └────────┴───────────┴──────────┴────────────┴───────────┴───────┘
public struct PageHeader: Equatable, Sendable, BitwiseCopyable {
  /// Bytes of a page header.
  public static let size = 32

  /// The recording that the page belongs to: the first four bytes of its UUID, little-endian.
  public var recording: UInt32
  /// The page's index in the file; its offset is `sequence` × 4096.
  public var sequence: UInt32
  /// A lower bound of the ticks of the page's samples and gaps.
  public var firstTick: UInt64
  /// Nanoseconds since tick 0's deadline of the page's first sample, or its expected time.
  public var firstTime: Int64
  /// CRC-32C of the header before this field; the chunks' checks continue from it.
  public internal(set) var check: UInt32 = 0

  /// A header whose check is computed when it is encoded.
  public init(recording: UInt32, sequence: UInt32, firstTick: UInt64, firstTime: Int64) {
    (self.recording, self.sequence) = (recording, sequence)
    (self.firstTick, self.firstTime) = (firstTick, firstTime)
  }

  /// The value of ``recording`` for a recording's identity.
  public static func tag(of id: RecordingID) -> UInt32 {
    UInt32(truncatingIfNeeded: id.high >> 32).byteSwapped
  }

  /// Writes the header with its check at the beginning of `page`, and keeps the check. Traps below 32 bytes.
  public mutating func encode(into page: UnsafeMutableRawBufferPointer) {
    page.storeLittleEndian(PageHeader.mark, at: 0)
    page.storeLittleEndian(recording, at: 4)
    page.storeLittleEndian(sequence, at: 8)
    page.storeLittleEndian(firstTick, at: 12)
    page.storeLittleEndian(firstTime, at: 20)
    check = crc32c(0, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(page)[0..<28]))
    page.storeLittleEndian(check, at: 28)
  }

  /// Reads the header at the beginning of `page`, whichever recording and place it belongs to.
  ///
  /// - Throws: `cutShort`, `notWritten`, `notALog`, `damagedPageHeader` or `unsupportedVersion`.
  public init(decoding page: UnsafeRawBufferPointer) throws(FormatError) {
    guard page.count >= PageHeader.size else {
      throw FormatError(page.isZero ? .notWritten : .cutShort, offset: 0)
    }
    let bytes = UnsafeRawBufferPointer(rebasing: page[0..<PageHeader.size])
    let mark: UInt32 = bytes.littleEndian(at: 0)
    guard mark & 0xFF_FFFF == PageHeader.mark & 0xFF_FFFF else {
      throw FormatError(page.isZero ? .notWritten : .notALog, offset: 0)
    }
    check = bytes.littleEndian(at: 28)
    guard check == crc32c(0, UnsafeRawBufferPointer(rebasing: bytes[0..<28])) else {
      throw FormatError(.damagedPageHeader, offset: 0)
    }
    guard bytes[3] == LogFormat.version else {
      throw FormatError(.unsupportedVersion(bytes[3]), offset: 0)
    }
    recording = bytes.littleEndian(at: 4)
    sequence = bytes.littleEndian(at: 8)
    firstTick = bytes.littleEndian(at: 12)
    firstTime = bytes.littleEndian(at: 20)
  }

  /// The bytes 89, `I`, `M` and the version. 89 is neither ASCII nor UTF-8, so a log never passes for text.
  static let mark = UInt32(0x4D_4989) | UInt32(LogFormat.version) << 24
}
