import Glibc

/// The kernel's files under a root: `/dev`, `/proc`, `/sys` and `/etc` of this machine, or of a
/// directory that looks like another machine.
///
/// Reading is for start-up and diagnosis: it allocates, and the files are small.
public struct SystemTree: Sendable {
  /// This machine.
  public static let live = SystemTree(root: "")

  /// A path without a slash at its end; empty for `/`.
  public let root: String

  /// The tree under the directory `root`.
  public init(root: String) {
    self.root = root.hasSuffix("/") ? String(root.dropLast()) : root
  }

  /// The absolute path of a file in the tree; `path` begins with a slash.
  public func path(_ path: String) -> String { root + path }
}

extension SystemTree {
  /// A file's bytes, at most `limit`; `nil` when it is absent or unreadable.
  func bytes(_ path: String, limit: Int = 4096) -> [UInt8]? {
    let descriptor = open(self.path(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      // Safe: each read is given what is left of the buffer, and `count` counts what was written.
      while count < limit, let start = buffer.baseAddress {
        let result = Glibc.read(descriptor, start + count, limit - count)
        if result < 0 && errno == EINTR { continue }
        failed = result < 0
        guard result > 0 else { return }
        count += result
      }
    }
    return failed ? nil : bytes
  }

  /// A file's text up to its first NUL, without white space around it; `nil` when absent or empty.
  func text(_ path: String, limit: Int = 4096) -> String? {
    guard let bytes = bytes(path, limit: limit) else { return nil }
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    var line = bytes.prefix { $0 != 0 }.drop(while: isSpace)
    while let last = line.last, isSpace(last) { line.removeLast() }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  /// Names in a directory, in no order; none when it is absent or unreadable.
  func names(in path: String) -> [String] {
    guard let directory = opendir(self.path(path)) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // Safe: d_name ends in a NUL and the entry lives until the next readdir on this stream.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// The last component of a symbolic link's target; `nil` when there is no such link.
  func linkTarget(_ path: String) -> String? {
    let capacity = 4096
    // Safe: readlink writes at most `capacity` bytes and says how many.
    let target = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress else { return }
        count = max(0, readlink(self.path(path), start, capacity))
      }
    }
    guard let last = target.split(separator: UInt8(ascii: "/")).last else { return nil }
    return String(decoding: last, as: UTF8.self)
  }

  /// Whether anything has this path.
  func exists(_ path: String) -> Bool { access(self.path(path), F_OK) == 0 }
}
