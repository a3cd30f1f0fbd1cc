// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
package import Glibc
import Text

/// An open file, closed with its owner. Every method is one kernel call, repeated when a signal interrupts it; C names it
/// as the method, unless stated.
package struct OpenFile: ~Copyable {
  /// Its name in errors; the owner sets it after a rename.
  package var path: String
  package let descriptor: CInt
  private let gate: FaultGate

  /// Opens with `O_CLOEXEC`; new files are readable by all users (0644).
  package init(path: String, flags: CInt, gate: FaultGate) throws(StorageError) {
    descriptor = try retried(FaultGate.Call(operation: .open, path: path, flags: flags), gate) {
      Glibc.open(path, flags | O_CLOEXEC, mode_t(0o644))
    }
    self.path = path
    self.gate = gate
  }

  deinit {
    // An error of close() is ignored: everything that must be durable was synced.
    close(descriptor)
  }

  /// One `pwrite`; returns how many bytes were written, at least 1 of a buffer that is not empty.
  package func writeSome(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError)
    -> Int
  {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return 0 }
    var count = bytes.count
    let call = FaultGate.Call(operation: .write, path: path, offset: offset, bytes: bytes)
    while true {
      switch gate.verdict(call) {
      case .pass: break
      case .shorten(let limit): count = max(1, min(count, limit))
      case .refuse(let code):
        if code == EINTR { continue }
        throw StorageError(.write, path: path, errno: code)
      }
      // Safe: base is valid for bytes.count, which count never exceeds.
      let written = pwrite(descriptor, base, count, off_t(offset))
      if written > 0 { return written }
      // Regular files never write 0 bytes; if one did, waiting would not help.
      let code = written == 0 ? EIO : errno
      if code != EINTR { throw StorageError(.write, path: path, errno: code) }
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      done += try writeSome(rest, at: offset + UInt64(done))
    }
  }

  /// Starts writing these bytes to the medium, so that the next sync waits for less; it reports failures. C:
  /// `sync_file_range`.
  package func beginWriting(_ bytes: Range<UInt64>) {
    clinuxio_begin_writing(descriptor, bytes.lowerBound, UInt64(bytes.count))
  }

  /// `O_DIRECT`, which the C library's header hides; it depends on the processor (asm/fcntl.h).
  #if arch(arm) || arch(arm64)
    private static let direct: CInt = 0o200000
  #else
    private static let direct: CInt = 0o40000
  #endif

  /// Writes all of `bytes` past the page cache, with `O_DIRECT` set for this call only; fails with EINVAL when the file
  /// system does not support that for this piece.
  package func writeDirectly(_ bytes: UnsafeRawBufferPointer, at offset: UInt64)
    throws(StorageError)
  {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | OpenFile.direct) == 0 else {
      throw StorageError(.write, path: path, errno: EINVAL)
    }
    // Clearing a flag that could be set cannot fail.
    defer { _ = fcntl(descriptor, F_SETFL, flags) }
    try write(bytes, at: offset)
  }

  /// Fills `buffer` up to the end of the file. C: `pread`.
  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    guard offset <= UInt64(Int64.max / 2) else { return 0 }
    var done = 0
    while done < buffer.count, let base = buffer.baseAddress {
      let count = try retried(FaultGate.Call(operation: .read, path: path), gate) {
        // Safe: base + done is inside the buffer, and buffer.count - done bytes follow it.
        pread(descriptor, base + done, buffer.count - done, off_t(offset) + off_t(done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// The first bytes of a regular file, at most `limit` of them.
  package func beginning(_ limit: Int) throws(StorageError) -> [UInt8] {
    try bytes(Int(min(try regularFileSize(), UInt64(limit))))
  }

  /// The first bytes, at most `limit`; also of the kernel's files, whose length is 0.
  private func bytes(_ limit: Int) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = try bytes.withMutableBytes { bytes throws(StorageError) in
      try read(at: 0, into: bytes)
    }
    return Array(bytes[..<count])
  }

  /// Reads the file from its beginning in pieces of 64 KiB, until its end or until `each` returns `false`.
  package func readPieces(_ each: (ArraySlice<UInt8>) -> Bool) throws(StorageError) {
    var place: UInt64 = 0
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try piece.withMutableBytes { bytes throws(StorageError) in
        try read(at: place, into: bytes)
      }
      guard count > 0, each(piece[..<count]) else { return }
      place += UInt64(count)
    }
  }

  /// `SEEK_DATA` of linux/fs.h, which the C library's header hides.
  private static let seekData: CInt = 3

  /// The first byte from `offset` on that is not in a hole; `nil` when only a hole, or nothing, is left; `offset` where
  /// the file system knows no holes. C: `lseek`, whose position no other call here uses.
  package func nextData(from offset: UInt64) throws(StorageError) -> UInt64? {
    guard let start = off_t(exactly: offset) else { return nil }
    do {
      let place = try retried(FaultGate.Call(operation: .seek, path: path), gate) {
        lseek(descriptor, start, OpenFile.seekData)
      }
      return UInt64(place)
    } catch {
      switch error.errno {
      case ENXIO: return nil
      case EINVAL: return offset
      default: throw error
      }
    }
  }

  /// Makes data and length durable, but not the file's times. C: `fdatasync`.
  package func syncData() throws(StorageError) {
    try retried(FaultGate.Call(operation: .sync, path: path), gate) { fdatasync(descriptor) }
  }

  /// Makes data and everything about the file durable. C: `fsync`.
  package func sync() throws(StorageError) {
    try retried(FaultGate.Call(operation: .sync, path: path), gate) { fsync(descriptor) }
  }

  /// Fails with ESTALE when the path names another file, or the file is shorter than `byteCount`. C: `fstat` and `stat`.
  package func checkPath(holding byteCount: UInt64) throws(StorageError) {
    var own = stat()
    var found = stat()
    guard fstat(descriptor, &own) == 0 else {
      throw StorageError(.find, path: path, errno: errno)
    }
    do {
      try retried(FaultGate.Call(operation: .find, path: path), gate) { stat(path, &found) }
    } catch {
      guard error.isMissing || error.errno == ENOTDIR else { throw error }
      throw StorageError(.find, path: path, errno: ESTALE)
    }
    // The inode number of an open file is not reused.
    guard own.st_dev == found.st_dev, own.st_ino == found.st_ino,
      UInt64(clamping: own.st_size) >= byteCount
    else {
      throw StorageError(.find, path: path, errno: ESTALE)
    }
  }

  package func truncate(to length: UInt64) throws(StorageError) {
    try retried(FaultGate.Call(operation: .truncate, path: path, offset: length), gate) {
      ftruncate(descriptor, off_t(length))
    }
  }

  /// Owner, permissions, length and times. C: `fstat`.
  package func status() throws(StorageError) -> stat {
    var status = stat()
    try retried(FaultGate.Call(operation: .read, path: path), gate) { fstat(descriptor, &status) }
    return status
  }

  /// Length in bytes; refuses directories (EISDIR), pipes and devices (ENXIO).
  package func regularFileSize() throws(StorageError) -> UInt64 {
    let status = try status()
    switch status.st_mode & S_IFMT {
    case S_IFREG: return UInt64(clamping: status.st_size)
    case S_IFDIR: throw StorageError(.open, path: path, errno: EISDIR)
    default: throw StorageError(.open, path: path, errno: ENXIO)
    }
  }

  /// Whether its path still names this file: others may rename or remove it before it is locked.
  package func isNamed() throws(StorageError) -> Bool {
    let this = try status()
    var named = stat()
    let isThere = try StorageError.unlessMissing { () throws(StorageError) in
      try retried(FaultGate.Call(operation: .look, path: path), gate) { lstat(path, &named) }
    }
    return isThere != nil && this.st_dev == named.st_dev && this.st_ino == named.st_ino
  }

  /// Asks the kernel to drop the file's clean pages, so that it is read from the medium. C: `posix_fadvise`.
  package func forgetCached() throws(StorageError) {
    let code = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    guard code == 0 else { throw StorageError(.read, path: path, errno: code) }
  }

  /// Sets when it was last written, in seconds since 1970. C: `futimens`.
  package func date(seconds: Int64) throws(StorageError) {
    let time = timespec(tv_sec: time_t(seconds), tv_nsec: 0)
    try retried(FaultGate.Call(operation: .write, path: path), gate) {
      futimens(descriptor, [time, time])
    }
  }

  /// C: `fchown`.
  package func setOwner(_ user: UInt32, _ group: UInt32) throws(StorageError) {
    try retried(FaultGate.Call(operation: .handOver, path: path), gate) {
      fchown(descriptor, user, group)
    }
  }

  /// C: `fchmod`.
  package func setPermissions(_ mode: UInt32) throws(StorageError) {
    try retried(FaultGate.Call(operation: .handOver, path: path), gate) { fchmod(descriptor, mode) }
  }

  /// Makes everything on the file's file system durable. C: `syncfs`.
  package func syncFileSystem() throws(StorageError) {
    try retried(FaultGate.Call(operation: .sync, path: path), gate) {
      withErrno(clinuxio_sync_file_system(descriptor))
    }
  }

  /// Whether the file is also open elsewhere, so that removing its name frees nothing.
  ///
  /// - Throws: When the kernel does not report it: another user's file without the right to lease it; some file systems.
  package func isOpenElsewhere() throws(StorageError) -> Bool {
    try retried(FaultGate.Call(operation: .lease, path: path), gate) {
      withErrno(clinuxio_is_open_elsewhere(descriptor))
    } == 1
  }

  /// Locks the file until it is closed; `false` when another program has it locked. C: `flock`, whose lock belongs to this
  /// opening: two openings in one process exclude each other as two processes do.
  package func lock(exclusive: Bool) throws(StorageError) -> Bool {
    do {
      try retried(FaultGate.Call(operation: .lock, path: path), gate) {
        flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB)
      }
      return true
    } catch {
      if error.errno == EWOULDBLOCK { return false }
      throw error
    }
  }
}

/// The result of a CLinuxIO call, which returns -errno, as a C library's call returns it.
func withErrno(_ code: CInt) -> CInt {
  guard code < 0 else { return code }
  errno = -code
  return -1
}

/// Repeats a call that fails with -1 while signals interrupt it.
@discardableResult
func retried<Result: FixedWidthInteger & SignedInteger>(
  _ call: FaultGate.Call, _ gate: FaultGate, _ body: () -> Result
) throws(StorageError) -> Result {
  while true {
    let code: CInt
    if case .refuse(let refused) = gate.verdict(call) {
      code = refused
    } else {
      let result = body()
      if result >= 0 { return result }
      code = errno
    }
    if code != EINTR { throw StorageError(call.operation, path: call.path, errno: code) }
  }
}

extension OpenFile {
  /// Takes the exclusive lock as ``lock(exclusive:)``, waiting for it: any program that may read a file may lock it.
  ///
  /// - Parameter patience: Nanoseconds to wait at most.
  /// - Throws: EWOULDBLOCK after that, with the holder; EINTR when a signal that ends the program is blocked and pending.
  package func waitForLock(patience: Int64) throws(StorageError) {
    let pause: Int64 = 5_000_000
    var left = patience
    while try !lock(exclusive: true) {
      if clinuxio_is_end_asked() == 1 { throw StorageError(.lock, path: path, errno: EINTR) }
      guard left > 0 else {
        var error = StorageError(.lock, path: path, errno: EWOULDBLOCK)
        error.holder = try lockHolder()
        throw error
      }
      var time = timespec(tv_sec: 0, tv_nsec: Int(pause))
      nanosleep(&time, nil)
      left -= pause
    }
  }

  /// The process that has the file locked, with its name, by proc_locks(5); `nil` where that shows none.
  private func lockHolder() throws(StorageError) -> String? {
    let status = try status()
    let (major, minor) = (
      status.st_dev >> 8 & 0xFFF, status.st_dev & 0xFF | status.st_dev >> 12 & ~0xFF
    )
    let place =
      "\(major.digits(2, radix: 16)):\(minor.digits(2, radix: 16)):\(status.st_ino)"
    for line in OpenFile.text(of: "/proc/locks").split(separator: "\n") {
      // 1: FLOCK ADVISORY WRITE 812 fd:00:1234 0 EOF; a waiting process has an arrow before FLOCK.
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", words[5] == place, let process = Int32(words[4]),
        process > 0
      else { continue }
      let name = OpenFile.text(of: "/proc/\(process)/comm").filter { $0 != "\n" }
      return "process \(process)" + (name.isEmpty ? "" : " (\(name))")
    }
    return nil
  }

  /// The contents of a kernel's file; empty when it cannot be read.
  private static func text(of path: String) -> String {
    do throws(StorageError) {
      let file = try OpenFile(path: path, flags: O_RDONLY, gate: .open)
      return String(decoding: try file.bytes(1 << 16), as: UTF8.self)
    } catch {
      return ""
    }
  }
}
