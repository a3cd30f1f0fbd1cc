// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import Text

/// A file of an archive, as the directory has it: 46 bytes, and the name.
struct ZipEntry {
  fileprivate let header: [UInt8]

  var name: ArraySlice<UInt8> { header[46...] }
  fileprivate var isEncrypted: Bool { header[8] & 1 != 0 }
  fileprivate var method: Int { header.number(10, 2) }
  fileprivate var sum: UInt32 { UInt32(header.number(16, 4)) }
  fileprivate var packedSize: Int { header.number(20, 4) }
  var size: Int { header.number(24, 4) }
  /// Where its own header begins.
  var offset: Int { header.number(42, 4) }
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
/// Names are only compared; nothing is written anywhere.
struct ZipArchive<Base: SeekableSource & ~Copyable>: ~Copyable {
  let entries: [ZipEntry]
  private let base: Base

  init(_ source: consuming Base) throws(ImportError) {
    let (name, size) = (source.name, Int(clamping: source.size))
    func refuse(_ offset: Int, _ problem: String, _ remedy: String = ZipRefusal.again)
      -> ImportError
    {
      ImportError(name, at: Place(byte: UInt64(offset)), problem, remedy: remedy)
    }
    // The end has 22 bytes, and a comment of up to 65,535.
    let tailBegin = max(0, size - 65_557)
    let tail = try source.bytes(at: UInt64(tailBegin), UInt64(size - tailBegin))
    let place = (0..<max(0, tail.count - 21)).last {
      tail.number($0, 4) == 0x0605_4B50 && $0 + 22 + tail.number($0 + 20, 2) == tail.count
    }
    guard let place else {
      throw refuse(
        size,
        "the end of the archive's directory is missing: it is cut off, or other bytes follow it")
    }
    let (count, length) = (tail.number(place + 10, 2), tail.number(place + 12, 4))
    let (begin, end) = (tail.number(place + 16, 4), tailBegin + place)
    if tail.number(place + 4, 4) != 0 || tail.number(place + 8, 2) != count {
      throw refuse(end, "it is one of several parts", "make it one archive")
    }
    if count == 0xFFFF || max(length, begin) == ZipRefusal.heldElsewhere {
      throw refuse(end, ZipRefusal.zip64, ZipRefusal.unpack)
    }
    if count > 1000 || length > 1 << 20 {
      throw refuse(
        end, "it has more than 1000 files", "this is no recording: unpack it, and import one file")
    }
    let damage = "the directory is damaged here, or other bytes are before the archive"
    guard begin + length <= end else { throw refuse(end, damage) }
    let bytes = try source.bytes(at: UInt64(begin), UInt64(length))
    var (entries, next) = ([ZipEntry](), 0)
    for _ in 0..<count {
      let first = next + 46
      guard first <= bytes.count, bytes.number(next, 4) == 0x0201_4B50,
        case let last = first + bytes.number(next + 28, 2), last <= bytes.count
      else { throw refuse(begin + next, damage) }
      entries.append(ZipEntry(header: Array(bytes[next..<last])))
      next = last + bytes.number(next + 30, 2) + bytes.number(next + 32, 2)
    }
    // A signature of the directory may be its last part.
    let rest = bytes.dropFirst(next)
    guard next <= bytes.count, rest.isEmpty || rest.starts(with: [0x50, 0x4B, 5, 5]) else {
      throw refuse(begin + next, damage)
    }
    self.entries = entries
    base = source
  }

  var name: String { base.name }

  /// A file of the archive, from its first byte.
  func source(_ entry: ZipEntry) throws(ImportError) -> ZipSource<Base> {
    let name = "\(base.name)/\(entry.shownName)"
    func refuse(_ problem: String, _ remedy: String = ZipRefusal.again, at offset: Int? = nil)
      -> ImportError
    {
      ImportError(name, at: Place(byte: UInt64(offset ?? entry.offset)), problem, remedy: remedy)
    }
    if entry.isEncrypted { throw refuse("it is encrypted", ZipRefusal.unpack) }
    if ![0, 8].contains(entry.method) {
      throw refuse("it is packed in a way that is not read", ZipRefusal.unpack)
    }
    if max(entry.packedSize, entry.size, entry.offset) == ZipRefusal.heldElsewhere {
      throw refuse(ZipRefusal.zip64, ZipRefusal.unpack)
    }
    if entry.isBomb {
      throw refuse(
        "it unpacks to far more than a table would", "this is no recording: fetch another one")
    }
    var base = try base.another()
    let head = try base.bytes(at: UInt64(entry.offset), 30)
    guard head.count == 30, head.number(0, 4) == 0x0403_4B50 else {
      throw refuse("no file of the archive begins here")
    }
    let (flags, length) = (head.number(6, 2), head.number(26, 2))
    let begin = entry.offset + 30 + length + head.number(28, 2)
    // Sum and sizes, two bytes later in the directory. They may follow the data, and sizes may be in an extra field.
    let areSame = [14, 18, 22].allSatisfy {
      flags & 8 != 0
        || [entry.header.number($0 + 2, 4), ZipRefusal.heldElsewhere].contains(head.number($0, 4))
    }
    guard areSame,
      try base.bytes(at: UInt64(entry.offset + 30), UInt64(length)).elementsEqual(entry.name),
      head.number(8, 2) == entry.method, flags & 1 == 0,
      entry.method == 8 || entry.size == entry.packedSize,
      begin + entry.packedSize <= base.size
    else { throw refuse("what the file says of itself contradicts the directory") }
    // A descriptor repeats the sum after the data, mostly after a mark.
    let descriptor = begin + entry.packedSize
    let after = flags & 8 == 0 ? [] : try base.bytes(at: UInt64(descriptor), 8)
    if after.count == 8, after.number(0, 4) == 0x0807_4B50, after.number(4, 4) != entry.sum {
      throw refuse("the checksum after the file's bytes is not the directory's", at: descriptor)
    }
    return ZipSource(base, entry, name: name, begin: begin)
  }
}

private enum ZipRefusal {
  /// What stands for a number beyond four bytes.
  static let heldElsewhere = 0xFFFF_FFFF
  static let zip64 = "it has the form of archives beyond 4 GB (ZIP64)"
  static let unpack = "unpack it, and import what is in it"
  static let again = "fetch the archive again"
}

/// One file in a ZIP archive, unpacked as it is read; its length and its sum are checked.
public struct ZipSource<Base: SeekableSource & ~Copyable>: ImportSource, ~Copyable {
  /// The archive's and the file's.
  public let name: String
  private var base: Base
  private let entry: ZipEntry
  private let begin: Int
  /// Packed bytes that were read.
  private var place = 0
  private var inflater = Inflater()
  private var sum = CRC32()
  private var count = 0

  fileprivate init(_ base: consuming Base, _ entry: ZipEntry, name: String, begin: Int) {
    (self.name, self.entry, self.begin) = (name, entry, begin)
    self.base = base
  }

  /// The directory has it.
  public var hasStatedLength: Bool { true }

  /// The file once more.
  public func another() throws(ImportError) -> ZipSource<Base> {
    ZipSource(try base.another(), entry, name: name, begin: begin)
  }

  /// Goes back to the first byte of the file.
  public mutating func rewind() {
    (place, inflater, sum, count) = (0, Inflater(), CRC32(), 0)
  }

  /// Fills `buffer` with the next bytes and returns their number; 0 at the end.
  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
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
    guard count <= entry.size, read > 0 || count == entry.size else {
      let words = count < entry.size ? "\(count) bytes" : "more"
      throw damaged("it unpacks to \(words) where the directory has \(entry.size)")
    }
    guard read > 0 || sum.value == entry.sum else {
      throw damaged("its bytes do not have the directory's checksum")
    }
    return read
  }

  /// The next packed bytes, at most so many; none at their end.
  private mutating func packed(_ most: Int) throws(ImportError) -> [UInt8] {
    let bytes = try base.bytes(
      at: UInt64(begin + place), UInt64(min(most, entry.packedSize - place)))
    place += bytes.count
    return bytes
  }

  private func damaged(_ problem: String) -> ImportError {
    ImportError(
      name, at: Place(byte: UInt64(begin + place)), "\(problem): the archive is damaged",
      remedy: ZipRefusal.again)
  }
}

extension [UInt8] {
  /// A number of up to four bytes, the lowest first.
  fileprivate func number(_ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(self[place + $1]) << (8 * $1) }
  }
}
