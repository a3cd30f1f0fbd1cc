// SPDX-License-Identifier: Apache-2.0

/// A ZIP archive made by hand, by PKWARE's APPNOTE.TXT 4.3 and 4.4: right, or wrong in one place.
///
///     local header │ name │ data │ [descriptor] │ … │ directory entry │ name │ … │ end
public struct MadeZip: Sendable {
  /// A file of the archive, and what its two headers say of it.
  public struct File: Sendable {
    /// The name, which may be a path.
    public var name: String
    /// The bytes in the archive.
    public var data: [UInt8]
    /// The number of bytes that the data unpack to.
    public var size: Int
    /// The CRC-32 of those.
    public var sum: UInt32
    /// How the data are packed: 0 is not at all, 8 is deflate.
    public var method: UInt32 = 0
    /// Bit 0: encrypted; bit 3: sum and sizes follow the data.
    public var flags: UInt32 = 0
    /// The name in the local header, if it is another one.
    public var localName: String?
    /// The mode of a file on Unix, such as `0o120777` for a symbolic link.
    public var mode: UInt32 = 0o100_644

    /// A file that is stored as it is.
    public init(_ name: String, _ text: String) {
      (self.name, data) = (name, Array(text.utf8))
      (size, sum) = (data.count, MadeZip.crc(data))
    }

    /// A file that is packed by a method: 8 is deflate.
    public init(_ name: String, method: UInt32, packed: [UInt8], size: Int, sum: UInt32) {
      (self.name, data, self.method, self.size, self.sum) = (name, packed, method, size, sum)
    }

    /// The file with one change.
    public func with(_ change: (inout File) -> Void) -> File {
      var file = self
      change(&file)
      return file
    }
  }

  /// The archive's bytes.
  public private(set) var bytes: [UInt8] = []

  /// - Parameter isZip64: Whether the end says that it stands in another record.
  public init(_ files: [File], isZip64: Bool = false) {
    var directory: [UInt8] = []
    for file in files {
      let offset = bytes.count
      let isLater = file.flags & 8 != 0
      func sizes(_ size: Int) -> [UInt8] {
        MadeZip.number(file.sum, 4) + MadeZip.number(UInt32(file.data.count), 4)
          + MadeZip.number(UInt32(size), 4)
      }
      func common(_ method: UInt32) -> [UInt8] {
        MadeZip.number(20, 2) + MadeZip.number(file.flags, 2) + MadeZip.number(method, 2)
          + [0, 0, 0x21, 0]
      }
      let localName = Array((file.localName ?? file.name).utf8)
      bytes += [0x50, 0x4B, 3, 4] + common(file.method)
      bytes += isLater ? [UInt8](repeating: 0, count: 12) : sizes(file.size)
      bytes += MadeZip.number(UInt32(localName.count), 2) + [0, 0] + localName + file.data
      if isLater { bytes += [0x50, 0x4B, 7, 8] + sizes(file.size) }
      let name = Array(file.name.utf8)
      directory += [0x50, 0x4B, 1, 2, 20, 3] + common(file.method) + sizes(file.size)
      directory += MadeZip.number(UInt32(name.count), 2) + [UInt8](repeating: 0, count: 8)
      directory += MadeZip.number(file.mode << 16, 4) + MadeZip.number(UInt32(offset), 4) + name
    }
    let begin = bytes.count
    bytes += directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    let count = isZip64 ? 0xFFFF : UInt32(files.count)
    bytes += MadeZip.number(count, 2) + MadeZip.number(count, 2)
    bytes += MadeZip.number(UInt32(directory.count), 4)
    bytes += MadeZip.number(isZip64 ? .max : UInt32(begin), 4) + [0, 0]
  }

  /// One literal, then copies of 258 bytes from one byte before, each 13 bits of a fixed block (RFC 1951, 3.2.6).
  public static func bomb(copies: Int) -> [UInt8] {
    var bits: [UInt8] = [1, 1, 0]
    func add(_ code: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(UInt8(code >> bit & 1)) }
    }
    add(0x30 + 65, 8)
    for _ in 0..<copies {
      add(0b1100_0101, 8)
      add(0, 5)
    }
    add(0, 7)
    var data = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (place, bit) in bits.enumerated() { data[place / 8] |= bit << UInt8(place % 8) }
    return data
  }

  /// The CRC-32 of APPNOTE.TXT 4.4.7, bit by bit.
  public static func crc(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }

  private static func number(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }
}
