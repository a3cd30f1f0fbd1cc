// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogStore

/// Reads and writes whole small files.
enum WholeFile {
  /// All bytes of a small file, such as a motion to simulate; not more than `limit`.
  static func read(_ path: String, atMost limit: Int = .max) throws(StorageError) -> [UInt8] {
    var storage = try FileStorage(reading: path)
    let size = min(limit, Int(clamping: try storage.size()))
    var bytes = [UInt8](repeating: 0, count: size)
    var done = 0
    while done < bytes.count {
      let count = try read(&storage, at: done, into: &bytes)
      guard count > 0 else { break }
      done += count
    }
    return Array(bytes[..<done])
  }

  private static func read(
    _ storage: inout FileStorage, at offset: Int, into bytes: inout [UInt8]
  ) throws(StorageError) -> Int {
    // Safe: the buffer is the array's rest and does not leave the closure.
    let result = bytes.withUnsafeMutableBytes { all -> Result<Int, StorageError> in
      do throws(StorageError) {
        let rest = UnsafeMutableRawBufferPointer(rebasing: all[offset...])
        return .success(try storage.read(at: UInt64(offset), into: rest))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// The identity of the file at a path: equal for all its names and links.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// `nil` when there is no file that this user may reach.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
