// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO

/// A directory that looks like the root of a machine, and goes away with the value.
final class TemporaryTree {
  let root: String
  private var made: [String] = []

  init() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/imulog-tree-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { fatalError("mkdtemp: errno \(errno)") }
    root = String(cString: path)
  }

  deinit {
    for path in made.reversed() { remove(path) }
    remove(root)
  }

  var tree: SystemTree { SystemTree(root: root) }

  func directory(_ path: String) {
    var parent = root
    for component in path.split(separator: "/") {
      parent += "/\(component)"
      if mkdir(parent, 0o755) == 0 { made.append(parent) }
    }
  }

  func file(_ path: String, _ bytes: [UInt8]) {
    directory(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    guard let file = fopen(root + path, "w") else { fatalError("\(path): errno \(errno)") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    made.append(root + path)
  }

  func file(_ path: String, _ text: String = "") { file(path, Array(text.utf8)) }

  /// Removes the file or directory with this path.
  func removeAll(_ path: String) {
    for made in made.reversed() where made == root + path || made.hasPrefix(root + path + "/") {
      remove(made)
    }
  }

  /// Files of the tree that this process has open.
  func openFiles() -> [String] {
    (0..<256).compactMap { number in
      var target = [CChar](repeating: 0, count: 256)
      guard readlink("/proc/self/fd/\(number)", &target, 255) > 0 else { return nil }
      let path = String(decoding: target.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      return path.hasPrefix(root) ? path : nil
    }
  }

  func link(_ path: String, to target: String) {
    directory(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    symlink(target, root + path)
    made.append(root + path)
  }

  /// A tree with the adapters 0 and 1, as a Raspberry Pi 4 has them.
  static func raspberryPi() -> TemporaryTree {
    let tree = TemporaryTree()
    tree.file("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    tree.file("/sys/class/i2c-dev/i2c-1/name", "bcm2835 (i2c@7e804000)\n")
    tree.file("/sys/class/i2c-dev/i2c-0/name", "bcm2835 (i2c@7e205000)\n")
    return tree
  }
}

/// The bytes of a small file of this machine.
func bytes(of path: String) -> [UInt8] {
  guard let file = fopen(path, "r") else { return [] }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 16384)
  let count = fread(&buffer, 1, buffer.count, file)
  return Array(buffer.prefix(count))
}

/// The lines of a small file of this machine.
func lines(of path: String) -> [String] {
  bytes(of: path).split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
}

/// The first line of a small file of this machine.
func line(of path: String) -> String { lines(of: path).first ?? "" }

/// How many threads of this process have that name.
func threads(named name: String) -> Int {
  guard let directory = opendir("/proc/self/task") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while let entry = readdir(directory) {
    // Safe: d_name ends in a NUL and the entry lives until the next readdir on this stream.
    let task = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if line(of: "/proc/self/task/\(task)/comm") == name { count += 1 }
  }
  return count
}

/// Waits for an effect of another thread; returns whether it came before the seconds were over.
func comes(within seconds: Int64, _ isThere: () throws -> Bool) rethrows -> Bool {
  let clock = SystemClock()
  let deadline = clock.now() + seconds * 1_000_000_000
  repeat {
    if try isThere() { return true }
    sched_yield()
  } while clock.now() < deadline
  return false
}

/// Whether a descriptor has something to read.
func isReady(_ descriptor: Int32) -> Bool {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&waiting, 1, 0) == 1
}

/// How many descriptors this process has open.
func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}
