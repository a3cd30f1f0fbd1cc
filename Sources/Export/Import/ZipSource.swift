// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// One file in a ZIP archive, unpacked as it is read.
///
///     local header │ name │ extra │ data │ [descriptor] │ local header │ … │ central directory
///
/// The archive is read from its front, as a stream: names, sizes and sums of the local headers count. Names are only
/// compared; nothing is written anywhere. Stored and deflated files are read (PKWARE's APPNOTE 6.3, 4.3.7 to 4.3.9); the
/// sum of the bytes and their number are checked.
public struct ZipSource<Base: ImportSource & ~Copyable>: ImportSource, ~Copyable {
  /// The most bytes of a file, and how many times as long as its packed bytes it may be, beyond the first mebibyte.
  private static var sizeLimit: UInt64 { 8 << 30 }
  private static var ratioLimit: UInt64 { 100 }

  /// The archive's and the file's.
  public let name: String
  private let archive: String
  private let index: Int
  private var input: ZipInput<Base>
  private var header: ZipHeader?
  private var inflater = Inflater()
  private var sum = CRC32()
  private var count: UInt64 = 0
  private var isOver = false

  /// - Parameter index: The file's place in the archive, from 0; `name` is its name there.
  init(_ base: consuming Base, index: Int, name: String) {
    archive = base.name
    self.name = "\(archive): \(name)"
    self.index = index
    input = ZipInput(base)
  }

  /// The file once more.
  public func another() throws(ImportError) -> ZipSource<Base> {
    ZipSource(self, try input.another())
  }

  private init(_ other: borrowing ZipSource<Base>, _ input: consuming ZipInput<Base>) {
    (name, archive, index) = (other.name, other.archive, other.index)
    self.input = input
  }

  /// Goes back to the first byte of the file.
  public mutating func rewind() {
    input.rewind()
    (header, isOver) = (nil, false)
  }

  /// Fills `buffer` with the next bytes and returns their number; 0 at the end.
  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if header == nil {
      for _ in 0..<index {
        guard try nextHeader() else { throw .changed(name: archive) }
        try skip()
      }
      guard try nextHeader() else { throw .changed(name: archive) }
    }
    return try unpack(into: buffer)
  }

  /// Goes to the next file; whether there is one.
  mutating func nextHeader() throws(ImportError) -> Bool {
    header = try ZipHeader(&input)
    (inflater, sum, count, isOver) = (Inflater(), CRC32(), 0, false)
    return header != nil
  }

  /// The file's name in the archive.
  var entryName: String { header?.name ?? "" }

  /// Reads to the file's end.
  mutating func skip() throws(ImportError) {
    guard let header else { return }
    if !header.hasDescriptor, !isOver, count == 0 { return try input.skip(header.packedSize) }
    let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
    defer { rest.deallocate() }
    while try unpack(into: rest) > 0 {}
  }

  /// The next bytes of the file.
  mutating func unpack(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    guard let header, !isOver else { return 0 }
    try header.check(archive)
    let read: Int
    if header.method == 0 {
      let left = header.size - min(count, header.size)
      read = try input.read(into: buffer, atMost: Int(clamping: left))
    } else {
      let offset = input.offset
      let name = place
      read = try inflate(into: buffer) { fault in
        .zip(name: name, offset: offset, what: fault.clause)
      }
    }
    count += UInt64(read)
    sum.add(Array(buffer[..<read]))
    let packed = max(1 << 20, (input.offset - header.begin) * Self.ratioLimit)
    guard count <= Self.sizeLimit, header.method == 0 || count <= packed else {
      throw .zip(
        name: place, offset: input.offset,
        what: "it unpacks to far more than a table would: this is no recording")
    }
    if read < buffer.count { try end(header) }
    return read
  }

  /// The archive and the file in it, for errors: the name that it was opened by may be another, or none.
  private var place: String {
    entryName.isEmpty ? archive : "\(archive): \(ForeignText.shown(entryName))"
  }

  private mutating func inflate(
    into buffer: UnsafeMutableRawBufferPointer, _ fault: (Inflater.Fault) -> ImportError
  ) throws(ImportError) -> Int {
    var inflater = inflater
    defer { self.inflater = inflater }
    return try inflater.read(
      into: buffer, { () throws(ImportError) -> UInt8 in try input.byte() }, fault: fault)
  }

  /// Checks the sum and the size after the last byte.
  private mutating func end(_ header: ZipHeader) throws(ImportError) {
    isOver = true
    var (size, check) = (header.size, header.sum)
    if header.hasDescriptor { (check, size) = try input.descriptor(isLong: header.isLong) }
    guard sum.value == check, count == size else {
      throw .zip(
        name: place, offset: input.offset,
        what: "its bytes are not those that were packed: the archive is damaged, so fetch it again")
    }
  }
}

/// The header of a file in an archive.
struct ZipHeader {
  let name: String
  let method: Int
  let sum: UInt32
  let packedSize: UInt64
  let size: UInt64
  /// Where the packed bytes begin.
  let begin: UInt64
  /// Whether sum and sizes follow the bytes, and whether sizes have 64 bits.
  let hasDescriptor: Bool
  let isLong: Bool
  private let isEncrypted: Bool

  /// The next header; `nil` where the directory begins.
  init?<Base: ImportSource & ~Copyable>(_ input: inout ZipInput<Base>) throws(ImportError) {
    let offset = input.offset
    let mark = try input.number(4)
    if mark == 0x0201_4B50 || mark == 0x0605_4B50 { return nil }
    guard mark == 0x0403_4B50 else {
      throw .zip(name: input.name, offset: offset, what: "no file of an archive begins here")
    }
    _ = try input.number(2)
    let flags = try input.number(2)
    method = Int(try input.number(2))
    _ = try input.number(4)
    sum = UInt32(try input.number(4))
    var (packed, size) = (try input.number(4), try input.number(4))
    let nameLength = Int(try input.number(2))
    let extraLength = Int(try input.number(2))
    let bytes = try input.bytes(nameLength)
    name = String(decoding: bytes, as: UTF8.self)
    var extra = try input.bytes(extraLength)[...]
    var isLong = false
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    while extra.count >= 4 {
      let (kind, length) = (number(extra.prefix(2)), Int(number(extra.dropFirst(2).prefix(2))))
      let field = extra.dropFirst(4).prefix(length)
      if kind == 1 {
        isLong = true
        if field.count >= 16 {
          if size == 0xFFFF_FFFF { size = number(field.prefix(8)) }
          if packed == 0xFFFF_FFFF { packed = number(field.dropFirst(8).prefix(8)) }
        }
      }
      extra = extra.dropFirst(4 + length)
    }
    (packedSize, self.size, self.isLong) = (packed, size, isLong)
    hasDescriptor = flags & 8 != 0
    isEncrypted = flags & 1 != 0
    begin = input.offset
  }

  /// Whether the file can be read.
  func check(_ archive: String) throws(ImportError) {
    func refuse(_ what: String) -> ImportError {
      .zip(name: "\(archive): \(ForeignText.shown(name))", offset: begin, what: what)
    }
    if isEncrypted { throw refuse("it is encrypted: unpack it, and import what is in it") }
    guard method == 0 || method == 8 else {
      throw refuse("it is packed in a way that is not read: unpack it, and import what is in it")
    }
    guard method == 8 || !hasDescriptor else {
      throw refuse("its length is not known: unpack it, and import what is in it")
    }
  }
}
