// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting

/// A file system of its own in memory, to be filled or made read-only; only root can have one.
final class SmallDisk: Sendable {
  let path: String

  /// Why there can be none here, if there can be none.
  static let refusal: String? = {
    if geteuid() != 0 { return "mounting needs root" }
    let directory = TemporaryDirectory()
    guard mount("none", directory.path, "tmpfs", 0, "size=64k") == 0 else {
      return "the kernel refuses to mount (errno \(errno))"
    }
    umount2(directory.path, Int32(MNT_DETACH))
    return nil
  }()

  static let isPossible = refusal == nil
  static let reason = "needs a disk of its own: \(refusal ?? "it can have one")"

  /// Mounts a file system of so many bytes, a multiple of 4096, at an empty directory.
  ///
  /// - Parameter files: How many files and directories it can have, itself among them.
  init(at path: String, bytes: Int, files: Int = 1000) {
    self.path = path
    mkdir(path, 0o755)
    let options = "size=\(bytes),nr_inodes=\(files)"
    precondition(mount("none", path, "tmpfs", 0, options) == 0, "cannot mount: errno \(errno)")
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
  }

  /// Makes it read-only.
  func forbidWriting() {
    precondition(
      mount("none", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0,
      "cannot remount: errno \(errno)")
  }
}
