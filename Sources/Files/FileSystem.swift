// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
package import Glibc

/// Calls on names and directories, all through one gate.
package struct FileSystem: Sendable {
  package let gate: FaultGate

  package init(gate: FaultGate) { self.gate = gate }

  package func open(_ path: String, flags: CInt) throws(StorageError) -> OpenFile {
    try OpenFile(path: path, flags: flags, gate: gate)
  }

  /// Makes one directory; `false` when something has the name already.
  @discardableResult
  package func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws(StorageError) -> Bool {
    do {
      try retried(FaultGate.Call(operation: .makeDirectory, path: path), gate) {
        mkdir(path, mode)
      }
      return true
    } catch {
      if error.errno != EEXIST { throw error }
      return false
    }
  }

  /// Makes a directory and the missing ones above it, each with the owner of its parent.
  package func makeDirectories(_ path: String) throws(StorageError) {
    var isMade: Bool
    do {
      isMade = try makeDirectory(path)
    } catch {
      guard error.errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex
      else { throw error }
      try makeDirectories(String(path[..<slash]))
      isMade = try makeDirectory(path)
    }
    guard isMade else { return }
    let made = try open(path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try Belonging(in: try status(path + "/..")).apply(to: made, .reading)
  }

  /// Makes the names of a directory and of those above it durable, up to the root of its file system.
  ///
  /// A directory that this user may not read is skipped: they cannot sync it and have not made it.
  package func syncParents(of path: String) throws(StorageError) {
    guard let resolved = realpath(path, nil) else {
      throw StorageError(.open, path: path, errno: errno)
    }
    // Safe: realpath returned its own memory with a C string, which is freed after it is copied.
    defer { free(resolved) }
    var path = String(cString: resolved)
    let device = try status(path, .open).st_dev
    while path != "/" {
      path = parent(of: path)
      guard try status(path, .open).st_dev == device else { return }
      do {
        try syncDirectory(path)
      } catch {
        guard error.operation == .open, error.errno == EACCES else { throw error }
      }
    }
  }

  /// A file's length, and its last change in seconds since 1970; `nil` when it is missing. Does not follow links.
  package func facts(_ path: String) throws(StorageError) -> (byteCount: UInt64, changed: Int64)? {
    let found = try StorageError.unlessMissing { () throws(StorageError) in
      try status(path, .open, followsLink: false)
    }
    guard let status = found else { return nil }
    // A rename changes only the ctime.
    let changed = max(Int64(status.st_mtim.tv_sec), Int64(status.st_ctim.tv_sec))
    return (UInt64(clamping: status.st_size), changed)
  }

  /// Renames `old` to `new`, replacing what had that name.
  package func rename(_ old: String, to new: String) throws(StorageError) {
    try retried(FaultGate.Call(operation: .rename, path: old, newPath: new), gate) {
      Glibc.rename(old, new)
    }
  }

  /// Renames `old` to `new`, or fails with EEXIST when something has that name.
  package func rename(_ old: String, toFree new: String) throws(StorageError) {
    try renameFree(FileName(old), FileName(new))
  }

  /// The same with names in open directories, whatever their paths mean by now.
  package func rename(
    _ old: String, in oldDirectory: borrowing OpenFile, toFree new: String,
    in newDirectory: borrowing OpenFile
  ) throws(StorageError) {
    try renameFree(FileName(old, in: oldDirectory), FileName(new, in: newDirectory))
  }

  /// Where the file system cannot guarantee it (EINVAL), the new name is checked just before.
  private func renameFree(_ old: FileName, _ new: FileName) throws(StorageError) {
    let call = FaultGate.Call(operation: .rename, path: old.path, newPath: new.path)
    do {
      try retried(call, gate) {
        withErrno(clinuxio_rename_free(old.directory, old.text, new.directory, new.text))
      }
    } catch {
      guard error.errno == EINVAL else { throw error }
      var status = stat()
      guard fstatat(new.directory, new.text, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
        throw StorageError(.rename, path: old.path, errno: EEXIST)
      }
      guard errno == ENOENT else { throw StorageError(.rename, path: old.path, errno: errno) }
      try retried(call, gate) { renameat(old.directory, old.text, new.directory, new.text) }
    }
  }

  /// Removes the name of a file; `false` when it is missing already.
  @discardableResult
  package func remove(_ path: String) throws(StorageError) -> Bool { try remove(FileName(path)) }

  /// The same in an open directory, whatever its path means by now.
  @discardableResult
  package func remove(_ name: String, in directory: borrowing OpenFile) throws(StorageError) -> Bool
  {
    try remove(FileName(name, in: directory))
  }

  private func remove(_ name: FileName) throws(StorageError) -> Bool {
    try StorageError.unlessMissing { () throws(StorageError) in
      try retried(FaultGate.Call(operation: .remove, path: name.path), gate) {
        unlinkat(name.directory, name.text, 0)
      }
    } != nil
  }

  /// Whether certainly no user can remove a name: its file is immutable, or something is mounted on it.
  package func isFixed(_ path: String) -> Bool { clinuxio_is_fixed(path) == 1 }

  /// Makes the names in a directory durable.
  package func syncDirectory(_ path: String) throws(StorageError) {
    try open(path, flags: O_RDONLY | O_DIRECTORY).sync()
  }

  /// The file that a name stands for: `stat`, or `lstat` for a link itself.
  package func status(
    _ path: String, _ operation: StorageError.Operation = .look, followsLink: Bool = true
  ) throws(StorageError) -> stat {
    var status = stat()
    try retried(FaultGate.Call(operation: operation, path: path), gate) {
      followsLink ? stat(path, &status) : lstat(path, &status)
    }
    return status
  }

  /// Whether this user may make and remove names in a directory. `access` checks the real user: imulog is never set-user-ID.
  package func mayChangeNames(in directory: String) -> Bool {
    access(directory, W_OK | X_OK) == 0
  }

  /// Whether `path` is a directory; `nil` when it is missing.
  package func isDirectory(_ path: String) throws(StorageError) -> Bool? {
    try StorageError.unlessMissing { () throws(StorageError) in
      try status(path, .open).st_mode & S_IFMT == S_IFDIR
    }
  }

  /// Names in a directory, in no order, without `.` and `..`.
  package func names(in path: String) throws(StorageError) -> [String] {
    try names(path) { opendir(path) }
  }

  /// The same for an open directory.
  package func names(in directory: borrowing OpenFile) throws(StorageError) -> [String] {
    let descriptor = directory.descriptor
    return try names(directory.path) {
      // The stream closes its descriptor.
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard own >= 0 else { return nil }
      guard let stream = fdopendir(own) else {
        let code = errno
        close(own)
        errno = code
        return nil
      }
      // Both descriptors have one position.
      rewinddir(stream)
      return stream
    }
  }

  /// - Parameter open: Opens the directory, or sets `errno`.
  private func names(_ path: String, open: () -> OpaquePointer?) throws(StorageError) -> [String] {
    if case .refuse(let code) = gate.verdict(FaultGate.Call(operation: .list, path: path)) {
      throw StorageError(.list, path: path, errno: code)
    }
    guard let directory = open() else { throw StorageError(.list, path: path, errno: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      // Safe: the kernel ends d_name with a zero byte, and entry lives until the next readdir.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    if errno != 0 { throw StorageError(.list, path: path, errno: errno) }
    return names
  }
}

/// A name in an open directory, or a path.
private struct FileName {
  let directory: CInt
  let text: String
  let path: String

  init(_ path: String) { (directory, text, self.path) = (AT_FDCWD, path, path) }

  init(_ name: String, in directory: borrowing OpenFile) {
    (self.directory, text) = (directory.descriptor, name)
    path = "\(directory.path)/\(name)"
  }
}
