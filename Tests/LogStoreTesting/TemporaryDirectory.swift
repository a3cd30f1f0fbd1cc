// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A directory of its own for one test, deleted with what is in it when the test releases it, or at the process's end.
public final class TemporaryDirectory: Sendable {
  /// Those of static properties are never released.
  private static let remaining: Mutex<Set<String>> = {
    atexit {
      for path in TemporaryDirectory.remaining.withLock({ $0 }) { TemporaryDirectory.delete(path) }
    }
    return Mutex([])
  }()

  /// The directory's path.
  public let path: String

  /// A new, empty directory below `TMPDIR` or `/tmp`; traps when there can be none.
  ///
  /// - Parameter inMemory: Whether to prefer a file system without a disk, where a sync costs
  ///   nothing. A `TMPDIR` in `/dev/shm` is one.
  public init(inMemory: Bool = false) {
    let memory = "/dev/shm"
    let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let isWanted = inMemory && !usual.hasPrefix(memory + "/")
    let parent = isWanted && access(memory, W_OK) == 0 ? memory : usual
    var template = Array("\(parent)/imulog-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no temporary directory: errno \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    TemporaryDirectory.remaining.withLock { _ = $0.insert(path) }
  }

  deinit {
    TemporaryDirectory.delete(path)
    TemporaryDirectory.remaining.withLock { _ = $0.remove(path) }
  }

  /// Names in a directory below this one, or in this one, sorted.
  public func names(in subdirectory: String = "") -> [String] {
    TemporaryDirectory.names(at: "\(path)/\(subdirectory)")
  }

  /// A file's bytes; empty when it cannot be read.
  public func bytes(of name: String) -> [UInt8] {
    let descriptor = open("\(path)/\(name)", O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Makes a directory, unless it is there.
  public func makeDirectory(_ name: String) {
    let isThere = mkdir("\(path)/\(name)", 0o755) == 0 || errno == EEXIST
    precondition(isThere, "cannot make \(name): errno \(errno)")
  }

  /// Makes or replaces a file.
  public func write(_ bytes: [UInt8], to name: String) {
    let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, mode_t(0o644))
    precondition(descriptor >= 0, "cannot write \(name): errno \(errno)")
    defer { close(descriptor) }
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
  }

  /// Names in any directory, sorted; none when it cannot be read.
  public static func names(at path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func delete(_ path: String) {
    for name in names(at: path) where unlink("\(path)/\(name)") != 0 {
      delete("\(path)/\(name)")
    }
    rmdir(path)
  }
}
