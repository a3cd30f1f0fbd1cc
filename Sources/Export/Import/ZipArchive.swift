// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A file of an archive, as the directory has it.
struct ZipEntry {
  let name: [UInt8]
  let flags: Int
  let method: Int
  let sum: UInt32
  let packedSize: UInt64
  let size: UInt64
  /// Where its own header begins.
  let offset: UInt64

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

  /// The most bytes of a file, and how many times as long as its packed bytes it may be, beyond the first mebibyte.
  private static var sizeLimit: UInt64 { 8 << 30 }
  private static var ratioLimit: UInt64 { 100 }
  private static var isZip64: String {
    "it has the form of archives beyond 4 GB (ZIP64): unpack it, and import what is in it"
  }

  init(_ source: consuming Base) throws(ImportError) {
    let (name, size) = (source.name, source.size)
    func refuse(_ offset: UInt64, _ what: String) -> ImportError {
      .zip(name: name, offset: offset, what: what)
    }
    // The end has 22 bytes, and a comment of up to 65,535.
    let tailBegin = size - min(size, 65_557)
    let tail = try source.bytes(at: tailBegin, Int(size - tailBegin))
    let place = (0..<max(0, tail.count - 21)).last {
      tail.number($0, 4) == 0x0605_4B50 && $0 + 22 + tail.number($0 + 20, 2) == tail.count
    }
    guard let place else {
      throw refuse(size, "its directory is missing: the archive is cut off, so fetch it again")
    }
    let (count, length) = (tail.number(place + 10, 2), tail.number(place + 12, 4))
    let (begin, end) = (UInt64(tail.number(place + 16, 4)), tailBegin + UInt64(place))
    guard tail.number(place + 4, 4) == 0, tail.number(place + 8, 2) == count else {
      throw refuse(end, "it is one of several parts: make it one archive")
    }
    guard count < 0xFFFF, length < 0xFFFF_FFFF, begin < 0xFFFF_FFFF else {
      throw refuse(end, Self.isZip64)
    }
    guard count <= 1000, length <= 1 << 20 else {
      throw refuse(end, "it has more than 1000 files: this is no recording")
    }
    let damage = "the directory is damaged here: fetch the archive again"
    guard begin + UInt64(length) <= end else { throw refuse(end, damage) }
    let bytes = try source.bytes(at: begin, length)
    var (entries, next) = ([ZipEntry](), 0)
    for _ in 0..<count {
      let first = next + 46
      guard first <= bytes.count, bytes.number(next, 4) == 0x0201_4B50,
        case let last = first + bytes.number(next + 28, 2), last <= bytes.count
      else { throw refuse(begin + UInt64(next), damage) }
      entries.append(
        ZipEntry(
          name: Array(bytes[first..<last]), flags: bytes.number(next + 8, 2),
          method: bytes.number(next + 10, 2), sum: UInt32(bytes.number(next + 16, 4)),
          packedSize: UInt64(bytes.number(next + 20, 4)),
          size: UInt64(bytes.number(next + 24, 4)), offset: UInt64(bytes.number(next + 42, 4))))
      next = last + bytes.number(next + 30, 2) + bytes.number(next + 32, 2)
    }
    self.entries = entries
    base = source
  }

  var name: String { base.name }

  /// A file of the archive, from its first byte.
  func source(_ entry: ZipEntry) throws(ImportError) -> ZipSource<Base> {
    let name = "\(base.name): \(entry.shownName)"
    func refuse(_ what: String) -> ImportError {
      .zip(name: name, offset: entry.offset, what: what)
    }
    guard entry.flags & 1 == 0 else {
      throw refuse("it is encrypted: unpack it, and import what is in it")
    }
    guard entry.method == 0 || entry.method == 8 else {
      throw refuse("it is packed in a way that is not read: unpack it, and import what is in it")
    }
    guard max(entry.packedSize, entry.size, entry.offset) < 0xFFFF_FFFF else {
      throw refuse(Self.isZip64)
    }
    guard entry.size <= max(1 << 20, entry.packedSize * Self.ratioLimit),
      entry.size <= Self.sizeLimit
    else { throw refuse("it unpacks to far more than a table would: this is no recording") }
    var base = try base.another()
    let head = try base.bytes(at: entry.offset, 30)
    guard head.count == 30, head.number(0, 4) == 0x0403_4B50 else {
      throw refuse("no file of the archive begins here: it is damaged, so fetch it again")
    }
    let length = head.number(26, 2)
    let begin = entry.offset + UInt64(30 + length + head.number(28, 2))
    // Sizes and the sum may follow the data, and sizes may be in an extra field.
    let isLater = head.number(6, 2) & 8 != 0
    func agrees(_ place: Int, _ value: UInt64) -> Bool {
      isLater || [value, 0xFFFF_FFFF].contains(UInt64(head.number(place, 4)))
    }
    guard try base.bytes(at: entry.offset + 30, length) == entry.name,
      head.number(8, 2) == entry.method, head.number(6, 2) & 1 == 0,
      agrees(14, UInt64(entry.sum)), agrees(18, entry.packedSize), agrees(22, entry.size),
      entry.method == 8 || entry.size == entry.packedSize, begin + entry.packedSize <= base.size
    else {
      throw refuse(
        "what the file says of itself contradicts the directory: the archive is damaged, so fetch it again"
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
  private let begin: UInt64
  /// Packed bytes that were read.
  private var place: UInt64 = 0
  private var inflater = Inflater()
  private var sum = CRC32()
  private var count: UInt64 = 0

  init(_ base: consuming Base, _ entry: ZipEntry, name: String, begin: UInt64) {
    (self.name, self.entry, self.begin) = (name, entry, begin)
    self.base = base
  }

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
    let read = entry.method == 0 ? try packed(into: buffer) : try unpack(into: buffer)
    sum.add(Array(buffer[..<read]))
    count += UInt64(read)
    guard count <= entry.size, read > 0 || (count == entry.size && sum.value == entry.sum) else {
      throw damaged("its bytes are not those that were packed")
    }
    return read
  }

  /// The next packed bytes; none at their end.
  private mutating func packed(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError)
    -> Int
  {
    let step = Int(min(UInt64(buffer.count), entry.packedSize - place))
    guard step > 0 else { return 0 }
    base.seek(to: begin + place)
    let read = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<step]))
    place += UInt64(read)
    return read
  }

  private mutating func unpack(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError)
    -> Int
  {
    while !inflater.isDone {
      if inflater.needsInput {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { piece.deallocate() }
        let read = try packed(into: piece)
        inflater.add(UnsafeRawBufferPointer(rebasing: piece[..<read]))
        continue
      }
      do throws(Inflater.Fault) {
        let read = try inflater.unpack(into: buffer)
        if read > 0 { return read }
      } catch {
        throw damaged(error.clause)
      }
    }
    return 0
  }

  private func damaged(_ what: String) -> ImportError {
    .zip(
      name: name, offset: begin + place, what: "\(what): the archive is damaged, so fetch it again")
  }
}

extension SeekableSource where Self: ~Copyable {
  /// Bytes from a place on, as many as there are.
  mutating func bytes(at offset: UInt64, _ count: Int) throws(ImportError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    seek(to: offset)
    var done = 0
    while done < count {
      let read = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      if read == 0 { break }
      done += read
    }
    return Array(buffer[..<done])
  }
}

extension [UInt8] {
  /// A number of up to four bytes, the lowest first.
  fileprivate func number(_ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(self[place + $1]) << (8 * $1) }
  }
}
