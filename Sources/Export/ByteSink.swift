// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel

/// The destination of an export's bytes.
///
/// Writers format straight into the sink's own memory: ``reserve(_:)`` room, write into it, then
/// ``commit(_:)`` the bytes written. ``BufferedSink`` is the program's; ``ArraySink`` is for tests. A call throws
/// ``ExportError/output(name:code:)`` when bytes could not be passed on.
public protocol ByteSink: ~Copyable {
  /// Room for at least `count` bytes, at most 64 KiB, valid until the next call on the sink.
  mutating func reserve(_ count: Int) throws(ExportError) -> UnsafeMutableRawPointer

  /// Accepts the first `count` bytes of the room reserved last; traps when they are more than were reserved.
  mutating func commit(_ count: Int)

  /// Appends a copy of `bytes` to the bytes committed before.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ExportError)

  /// Passes on all bytes. Bytes that are never flushed are lost.
  mutating func flush() throws(ExportError)
}

/// The most bytes that a caller may reserve at once.
let reservationLimit = 64 * 1024

extension ByteSink where Self: ~Copyable {
  /// Appends the bytes of an array.
  mutating func write(_ bytes: [UInt8]) throws(ExportError) {
    try bytes.withBytes { (buffer) throws(ExportError) in try write(buffer) }
  }

  /// Appends a text as UTF-8.
  package mutating func write(_ text: String) throws(ExportError) { try write(Array(text.utf8)) }
}

extension [UInt8] {
  /// Appends an integer's bytes, the lowest first.
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

/// A sink that passes its bytes on through a buffer of 256 KiB: to an open file descriptor, or to a function.
///
/// The sink neither closes nor syncs the descriptor. A program that writes to a pipe must ignore SIGPIPE, or the signal
/// ends it before it can report the error.
public struct BufferedSink: ByteSink, ~Copyable {
  private static let capacity = 256 * 1024

  private let target: (UnsafeRawBufferPointer) -> Int32
  private let name: String
  private let memory: UnsafeMutableRawPointer
  private var used = 0
  private var reserved = 0

  /// A sink for `descriptor`; errors call it `name`, such as its path or `standard output`.
  public init(_ descriptor: Int32, name: String) {
    self.init(name: name) { writeAll($0, to: descriptor) }
  }

  /// A sink for a function, which receives all bytes in order and returns the number of its error, 0 without one.
  package init(name: String, to target: @escaping (UnsafeRawBufferPointer) -> Int32) {
    (self.target, self.name) = (target, name)
    memory = .allocate(byteCount: BufferedSink.capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// Room for at least `count` bytes, at most 64 KiB; writes the buffer out when there is less.
  public mutating func reserve(_ count: Int) throws(ExportError) -> UnsafeMutableRawPointer {
    precondition(count >= 0 && count <= reservationLimit, "at most 64 KiB can be reserved")
    if BufferedSink.capacity - used < count { try flush() }
    reserved = count
    return memory + used
  }

  /// Accepts the first `count` bytes of the room reserved last; traps when they are more than were reserved.
  public mutating func commit(_ count: Int) {
    precondition(count >= 0 && count <= reserved, "more bytes committed than were reserved")
    used += count
    reserved = 0
  }

  /// Buffers a copy of `bytes`, or writes them directly when they do not fit into the buffer.
  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ExportError) {
    guard let source = bytes.baseAddress else { return }
    if BufferedSink.capacity - used < bytes.count { try flush() }
    reserved = 0
    guard bytes.count <= BufferedSink.capacity else {
      try pass(bytes)
      return
    }
    // Safe: at least `bytes.count` of the buffer's bytes lie after `used`.
    (memory + used).copyMemory(from: source, byteCount: bytes.count)
    used += bytes.count
  }

  /// Passes the buffer on.
  public mutating func flush() throws(ExportError) {
    let count = used
    // Emptied first, so that no byte is written twice after an error.
    used = 0
    try pass(UnsafeRawBufferPointer(start: memory, count: count))
  }

  private func pass(_ bytes: UnsafeRawBufferPointer) throws(ExportError) {
    let code = target(bytes)
    if code != 0 { throw .output(name: name, code: code) }
  }
}

/// A sink that keeps everything in memory, for tests; it cannot fail.
public struct ArraySink: ByteSink, ~Copyable {
  /// All bytes so far.
  public private(set) var bytes: [UInt8] = []
  private let room = UnsafeMutableRawPointer.allocate(byteCount: reservationLimit, alignment: 16)

  /// An empty sink.
  public init() {}

  deinit {
    room.deallocate()
  }

  /// Room that every reservation shares.
  public mutating func reserve(_ count: Int) throws(ExportError) -> UnsafeMutableRawPointer {
    precondition(count >= 0 && count <= reservationLimit, "at most 64 KiB can be reserved")
    return room
  }

  /// Appends the first `count` bytes of the room.
  public mutating func commit(_ count: Int) {
    precondition(count >= 0 && count <= reservationLimit, "more bytes committed than were reserved")
    // Safe: the caller wrote the first `count` bytes of the room.
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: room, count: count))
  }

  /// Appends a copy of `bytes`.
  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ExportError) {
    self.bytes.append(contentsOf: bytes)
  }

  /// Does nothing: there is no buffer.
  public mutating func flush() throws(ExportError) {}
}
