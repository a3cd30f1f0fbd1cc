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

  /// What stands for a number beyond four bytes.
  private static var heldElsewhere: Int { 0xFFFF_FFFF }
  private static var zip64Refusal: String {
    "it has the form of archives beyond 4 GB (ZIP64): unpack it, and import what is in it"
  }

  init(_ source: consuming Base) throws(ImportError) {
    let (name, size) = (source.name, Int(clamping: source.size))
    func refuse(_ offset: Int, _ what: String) -> ImportError {
      .zip(name: name, offset: UInt64(offset), what: what)
    }
    // The end has 22 bytes, and a comment of up to 65,535.
    let tailBegin = max(0, size - 65_557)
    let tail = try source.bytes(at: tailBegin, size - tailBegin)
    let marks = (0..<max(0, tail.count - 21)).filter { tail.number($0, 4) == 0x0605_4B50 }
    var place = marks.last { $0 + 22 + tail.number($0 + 20, 2) == tail.count }
    // A comment may have the mark too.
    for mark in marks.suffix(16)
    where try source.hasDirectory(at: tailBegin + mark - tail.number(mark + 12, 4)) {
      let end = mark + 22 + tail.number(mark + 20, 2)
      if end == tail.count { place = mark }
      guard place == nil else { continue }
      throw end < tail.count
        ? refuse(
          tailBegin + end,
          "other bytes follow the archive's end here: take them away, or fetch it again")
        : refuse(size, "the archive is cut off in the comment at its end: fetch it again")
    }
    guard let place else {
      throw refuse(
        size,
        "the end of its directory is missing: the archive is cut off, or more than 64 KiB of other bytes follow it; fetch it again"
      )
    }
    let (count, length) = (tail.number(place + 10, 2), tail.number(place + 12, 4))
    let (begin, end) = (tail.number(place + 16, 4), tailBegin + place)
    let isPart = tail.number(place + 4, 4) != 0 || tail.number(place + 8, 2) != count
    let isLarge = count == 0xFFFF || max(length, begin) == Self.heldElsewhere
    let damage = "the directory is damaged here: fetch the archive again"
    let refusals = [
      (isPart, "it is one of several parts: make it one archive"),
      (isLarge, Self.zip64Refusal),
      (count > 1000 || length > 1 << 20, "it has more than 1000 files: this is no recording"),
      (begin + length > end, damage),
    ]
    for (isRefused, what) in refusals where isRefused { throw refuse(end, what) }
    let before = end - length - begin
    if before > 0, try !source.hasDirectory(at: begin),
      try source.hasDirectory(at: end - length)
    {
      throw refuse(
        before,
        "the archive begins only here: take away what is before it, or unpack it, and import what is in it"
      )
    }
    let bytes = try source.bytes(at: begin, length)
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
    let name = "\(base.name): \(entry.shownName)"
    let isLarge = max(entry.packedSize, entry.size, entry.offset) == Self.heldElsewhere
    func refuse(_ what: String) -> ImportError {
      .zip(name: name, offset: UInt64(entry.offset), what: what)
    }
    let refusals = [
      (entry.isEncrypted, "it is encrypted: unpack it, and import what is in it"),
      (
        ![0, 8].contains(entry.method),
        "it is packed in a way that is not read: unpack it, and import what is in it"
      ),
      (isLarge, Self.zip64Refusal),
      (entry.isBomb, "it unpacks to far more than a table would: this is no recording"),
    ]
    for (isRefused, what) in refusals where isRefused { throw refuse(what) }
    var base = try base.another()
    let head = try base.bytes(at: entry.offset, 30)
    guard head.count == 30, head.number(0, 4) == 0x0403_4B50 else {
      throw refuse("no file of the archive begins here: it is damaged, so fetch it again")
    }
    let (flags, length) = (head.number(6, 2), head.number(26, 2))
    let begin = entry.offset + 30 + length + head.number(28, 2)
    // Sum and sizes, two bytes later in the directory. They may follow the data, and sizes may be in an extra field.
    let areSame = [14, 18, 22].allSatisfy {
      flags & 8 != 0
        || [entry.header.number($0 + 2, 4), Self.heldElsewhere].contains(head.number($0, 4))
    }
    guard areSame, try base.bytes(at: entry.offset + 30, length).elementsEqual(entry.name),
      head.number(8, 2) == entry.method, flags & 1 == 0,
      entry.method == 8 || entry.size == entry.packedSize,
      begin + entry.packedSize <= base.size
    else {
      throw refuse(
        "what the file says of itself contradicts the directory: the archive is damaged, so fetch it again"
      )
    }
    // A descriptor repeats the sum after the data, mostly after a mark.
    let descriptor = begin + entry.packedSize
    let after = flags & 8 == 0 ? [] : try base.bytes(at: descriptor, 8)
    if after.count == 8, after.number(0, 4) == 0x0807_4B50, after.number(4, 4) != entry.sum {
      throw .zip(
        name: name, offset: UInt64(descriptor),
        what:
          "the checksum after the file's bytes is not the directory's: the archive is damaged, so fetch it again"
      )
    }
    return ZipSource(base, entry, name: name, begin: begin)
  }
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
    let bytes = try base.bytes(at: begin + place, min(most, entry.packedSize - place))
    place += bytes.count
    return bytes
  }

  private func damaged(_ what: String) -> ImportError {
    .zip(
      name: name, offset: UInt64(begin + place),
      what: "\(what): the archive is damaged, so fetch it again")
  }
}

extension SeekableSource where Self: ~Copyable {
  /// Bytes from a place on, as many as there are.
  mutating func bytes(at offset: Int, _ count: Int) throws(ImportError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    seek(to: UInt64(offset))
    var done = 0
    while done < count {
      let read = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      if read == 0 { break }
      done += read
    }
    return Array(buffer[..<done])
  }

  /// Whether the last bytes have the mark of an archive's end, and an entry of its directory is before one or where it
  /// says: text may have the mark, too. The source is at its first byte afterwards.
  mutating func hasArchiveEnd() throws(ImportError) -> Bool {
    defer { rewind() }
    let begin = max(0, Int(clamping: size) - 65_557)
    let tail = try bytes(at: begin, Int(clamping: size) - begin)
    let marks = tail.indices.dropLast(21).filter { tail.number($0, 4) == 0x0605_4B50 }
    for mark in marks.suffix(16) {
      if try hasDirectory(at: begin + mark - tail.number(mark + 12, 4)) { return true }
      if try hasDirectory(at: tail.number(mark + 16, 4)) { return true }
    }
    return false
  }

  /// Whether an entry of a directory begins at a place.
  fileprivate mutating func hasDirectory(at place: Int) throws(ImportError) -> Bool {
    guard place >= 0 else { return false }
    return try bytes(at: place, 4) == [0x50, 0x4B, 1, 2]
  }
}

extension [UInt8] {
  /// A number of up to four bytes, the lowest first.
  fileprivate func number(_ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(self[place + $1]) << (8 * $1) }
  }
}
