// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import Text

/// A file of an archive, as the directory has it: 46 bytes, and the name.
struct ZipEntry {
  fileprivate let header: ArraySlice<UInt8>

  /// What distinguishes it: where its own header begins.
  var offset: Int { header.number(42, 4) }
  var size: Int { header.number(24, 4) }
  fileprivate var name: ArraySlice<UInt8> { header.dropFirst(46) }
  fileprivate var method: Int { header.number(10, 2) }
  fileprivate var sum: Int { header.number(16, 4) }
  fileprivate var packedSize: Int { header.number(20, 4) }
  /// Whether it unpacks to more than any table would: over 100 times its packed bytes, beyond the first mebibyte.
  var isBomb: Bool { size > max(1 << 20, packedSize * 100) }

  var shownName: String {
    name.isEmpty
      ? "a file without a name" : ForeignText.shown(String(decoding: name, as: UTF8.self))
  }
}

/// The files in a ZIP archive, by the directory at its end (PKWARE's APPNOTE.TXT 6.3, 4.3 and 4.4).
///
///     header │ data │ header │ data │ … │ directory: an entry a file │ end: where the directory is
///
/// What is not plain is refused: parts, ZIP64, encryption. Sizes and sums are the directory's, and unpacked bytes must have
/// them. Names are only compared; nothing is written anywhere.
struct ZipArchive {
  let entries: [ZipEntry]
  private let base: any SeekableSource

  var name: String { base.name }

  init(_ source: any SeekableSource) throws(ImportError) {
    let size = Int(clamping: source.size)
    // The end has 22 bytes, and a comment of up to 65,535.
    let tailBegin = max(0, size - 65_557)
    let tail = try source.bytes(at: UInt64(tailBegin), UInt64(size - tailBegin))[...]
    let place = (0..<max(0, tail.count - 21)).last {
      tail.number($0, 4) == 0x0605_4B50 && $0 + 22 + tail.number($0 + 20, 2) == tail.count
    }
    guard let place else { throw .notPlain(source.name, size) }
    let end = tail[place...]
    let (count, length, begin) = (end.number(10, 2), end.number(12, 4), end.number(16, 4))
    guard end.number(4, 4) == 0, end.number(8, 2) == count, count <= 1000, length <= 1 << 20,
      begin + length <= tailBegin + place
    else { throw .notPlain(source.name, tailBegin + place) }
    var bytes = try source.bytes(at: UInt64(begin), UInt64(length))[...]
    var entries: [ZipEntry] = []
    for _ in 0..<count {
      guard bytes.count >= 46, bytes.number(0, 4) == 0x0201_4B50,
        case let all = 46 + bytes.number(28, 2), all <= bytes.count
      else { throw .notPlain(source.name, begin + length - bytes.count) }
      entries.append(ZipEntry(header: bytes.prefix(all)))
      bytes = bytes.dropFirst(all + bytes.number(30, 2) + bytes.number(32, 2))
    }
    // A signature of the directory may be its last part.
    guard bytes.isEmpty || bytes.starts(with: [0x50, 0x4B, 5, 5]) else {
      throw .notPlain(source.name, begin + length - bytes.count)
    }
    (self.entries, base) = (entries, source)
  }

  /// A file of the archive, from its first byte.
  func source(_ entry: ZipEntry) throws(ImportError) -> ZipSource {
    let name = "\(base.name)/\(entry.shownName)"
    let head = try base.bytes(at: UInt64(entry.offset), 30)[...]
    guard head.count == 30, head.number(0, 4) == 0x0403_4B50 else {
      throw .notPlain(name, entry.offset)
    }
    let length = head.number(26, 2)
    let begin = entry.offset + 30 + length + head.number(28, 2)
    guard !entry.isBomb, [0, 8].contains(entry.method), entry.header.number(8, 2) & 1 == 0,
      try base.bytes(at: UInt64(entry.offset + 30), UInt64(length)).elementsEqual(entry.name),
      entry.method == 8 || entry.size == entry.packedSize,
      begin + entry.packedSize <= Int(clamping: base.size)
    else { throw .notPlain(name, entry.offset) }
    return ZipSource(try base.another(), entry, name: name, begin: begin)
  }
}

/// One file in a ZIP archive, unpacked as it is read; its length and its sum are checked.
final class ZipSource: ImportSource {
  let name: String
  private let base: any SeekableSource
  private let entry: ZipEntry
  private let begin: Int
  /// Packed bytes that were read.
  private var place = 0
  private var inflater = Inflater()
  private var sum = CRC32()
  private var count = 0

  fileprivate init(_ base: any SeekableSource, _ entry: ZipEntry, name: String, begin: Int) {
    (self.name, self.base, self.entry, self.begin) = (name, base, entry, begin)
  }

  var hasStatedLength: Bool { true }

  func another() throws(ImportError) -> ZipSource {
    ZipSource(try base.another(), entry, name: name, begin: begin)
  }

  func seek(to byte: UInt64) throws(ImportError) {
    (place, inflater, sum, count) = (0, Inflater(), CRC32(), 0)
    try pass(byte)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    guard !buffer.isEmpty else { return 0 }
    var read = 0
    if entry.method == 0 {
      let bytes = try packed(buffer.count)
      buffer.copyBytes(from: bytes)
      read = bytes.count
    }
    while entry.method == 8, read == 0, !inflater.isDone {
      if inflater.needsInput { inflater.add(try packed(64 * 1024)) }
      do throws(Inflater.Fault) {
        read = try inflater.unpack(into: buffer)
      } catch {
        throw damaged(error.clause)
      }
    }
    sum.add(Array(buffer[..<read]))
    count += read
    guard count <= entry.size, read > 0 || (count, Int(sum.value)) == (entry.size, entry.sum) else {
      throw damaged("its bytes do not have the directory's size or checksum")
    }
    return read
  }

  /// The next packed bytes, at most so many; none at their end.
  private func packed(_ most: Int) throws(ImportError) -> [UInt8] {
    let bytes = try base.bytes(
      at: UInt64(begin + place), UInt64(min(most, entry.packedSize - place)))
    place += bytes.count
    return bytes
  }

  private func damaged(_ problem: String) -> ImportError {
    ImportError(
      name, at: Place(byte: UInt64(begin + place)), "\(problem): the archive is damaged",
      remedy: "fetch the archive again")
  }
}

extension ImportError {
  fileprivate static func notPlain(_ file: String, _ byte: Int) -> ImportError {
    ImportError(
      file, at: Place(byte: UInt64(byte)),
      "the archive is damaged or cut off, other bytes are around it, or it is not a plain one (encrypted, in parts, ZIP64)",
      remedy: "fetch it again, or unpack it, and import what is in it")
  }
}

extension ArraySlice<UInt8> {
  /// A number of up to four bytes from a place of the slice on, the lowest first.
  fileprivate func number(_ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(self[startIndex + place + $1]) << (8 * $1) }
  }
}
