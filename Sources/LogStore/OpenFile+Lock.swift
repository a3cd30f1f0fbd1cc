import CLinuxIO
import Glibc

extension OpenFile {
  /// Takes the exclusive lock as ``lock(exclusive:)``, and waits for it: whoever may read a file may lock it, for
  /// as long as they like.
  ///
  /// - Parameter patience: Nanoseconds to wait at most.
  /// - Throws: EWOULDBLOCK after that, with who has it; EINTR when a signal that ends the program is blocked and
  ///   pending, for whoever watches for it.
  func waitForLock(patience: Int64) throws(StorageError) {
    let pause: Int64 = 5_000_000
    var left = patience
    while try !lock(exclusive: true) {
      var error = StorageError(
        .lock, path: path, errno: clinuxio_is_end_asked() == 1 ? EINTR : EWOULDBLOCK)
      guard error.errno == EWOULDBLOCK, left > 0 else {
        if error.errno == EWOULDBLOCK { error.holder = try lockHolder() }
        throw error
      }
      var time = timespec(tv_sec: 0, tv_nsec: Int(pause))
      nanosleep(&time, nil)
      left -= pause
    }
  }

  /// Which process has the file locked, as proc_locks(5) says, with its name; `nil` where it does not.
  private func lockHolder() throws(StorageError) -> String? {
    let status = try status()
    let (major, minor) = (
      status.st_dev >> 8 & 0xFFF, status.st_dev & 0xFF | status.st_dev >> 12 & ~0xFF
    )
    func hexadecimal(_ number: dev_t) -> String {
      (number < 16 ? "0" : "") + String(number, radix: 16)
    }
    let place = "\(hexadecimal(major)):\(hexadecimal(minor)):\(status.st_ino)"
    for line in OpenFile.text(of: "/proc/locks").split(separator: "\n") {
      // 1: FLOCK ADVISORY WRITE 812 fd:00:1234 0 EOF; one who waits has an arrow before FLOCK.
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", words[5] == place, let process = Int32(words[4]),
        process > 0
      else { continue }
      let name = OpenFile.text(of: "/proc/\(process)/comm").filter { $0 != "\n" }
      return "process \(process)" + (name.isEmpty ? "" : " (\(name))")
    }
    return nil
  }

  /// What the kernel says in a file; empty when it does not.
  private static func text(of path: String) -> String {
    do throws(StorageError) {
      let file = try OpenFile(path: path, flags: O_RDONLY, gate: .open)
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = try bytes.withMutableBytes { buffer throws(StorageError) in
        try file.read(at: 0, into: buffer)
      }
      return String(decoding: bytes[..<count], as: UTF8.self)
    } catch {
      return ""
    }
  }
}
