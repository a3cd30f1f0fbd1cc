// SPDX-License-Identifier: Apache-2.0

import Export
import Glibc
import Testing

@Suite("Byte sinks")
struct ByteSinkTests {
  /// Pieces of every size around the limits, through both ways in.
  private static let sizes = [0, 1, 7, 4095, 4096, 65536, 65535, 300_000, 3, 262_144, 262_145, 1]

  private func fill(_ sink: inout some ByteSink & ~Copyable) throws -> [UInt8] {
    var expected: [UInt8] = []
    var next: UInt8 = 0
    for size in Self.sizes {
      let piece = (0..<size).map { (_) -> UInt8 in
        next = next &* 167 &+ 13
        return next
      }
      if size <= 65536, size % 2 == 1 {
        let room = try sink.reserve(size)
        room.copyMemory(from: piece, byteCount: size)
        sink.commit(size)
      } else {
        try piece.withUnsafeBytes { try sink.write($0) }
      }
      expected += piece
    }
    try sink.flush()
    return expected
  }

  @Test("the array sink keeps everything in order")
  func array() throws {
    var sink = ArraySink()
    let expected = try fill(&sink)
    #expect(sink.bytes == expected)
  }

  @Test("the file descriptor sink writes everything in order")
  func file() throws {
    var path = Array("/tmp/imulog-sink-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    try #require(descriptor >= 0)
    unlink(path)
    defer { close(descriptor) }
    var sink = BufferedSink(descriptor, name: "memory")
    let expected = try fill(&sink)
    var written = [UInt8](repeating: 0, count: expected.count + 1)
    #expect(pread(descriptor, &written, written.count, 0) == expected.count)
    written.removeLast()
    #expect(written == expected)
  }

  @Test("a full pipe is waited for")
  func nonBlockingPipe() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    let reader = Reader(descriptor: reading)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(reader)
    try #require(pthread_create(&thread, nil, readToEnd, context.toOpaque()) == 0)
    var sink = BufferedSink(writing, name: "pipe")
    let expected = try fill(&sink)
    close(writing)
    pthread_join(thread, nil)
    #expect(reader.bytes == expected)
  }
}

/// Safe: the thread alone uses it until it was joined.
private final class Reader: @unchecked Sendable {
  let descriptor: Int32
  var bytes: [UInt8] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }
}

private func readToEnd(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let reader = Unmanaged<Reader>.fromOpaque(context).takeRetainedValue()
  var piece = [UInt8](repeating: 0, count: 5000)
  while true {
    var entry = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, -1)
    let count = read(reader.descriptor, &piece, piece.count)
    if count == 0 { return nil }
    if count > 0 { reader.bytes += piece[..<count] }
  }
}
