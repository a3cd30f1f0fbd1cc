// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc

/// Recordings that need no repair: `DIR/.known`, so that opening a store checks only new and changed ones.
///
///     8 bytes a recording: a hash of its name, length, and times of change, as `stat` gives them
///
/// The file is a cache and may be deleted or damaged at any time: recordings not in it are checked. Writing or renaming a
/// file changes its times, which no program can set back, so files put in by hand are not in it. Recordings are durable
/// before they are added, so that no power loss makes it wrong.
struct KnownRecordings {
  static let name = ".known"
  /// A million recordings; further ones are checked each time.
  private static let largest: UInt64 = 8 << 20

  private var keys: Set<UInt64> = []
  private var storedCount = 0

  /// Reads a store's file; empty when it cannot be read.
  init(in catalogue: Catalogue) {
    do throws(StorageError) {
      let file = try catalogue.files.open(
        catalogue.path(of: KnownRecordings.name), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      let count = min(try file.regularFileSize(), KnownRecordings.largest) / 8
      var stored = [UInt64](repeating: 0, count: Int(count))
      // Safe: the buffer is the array's own, and does not leave the closure.
      storedCount = try stored.withMutableBytes { buffer throws(StorageError) in
        try file.read(at: 0, into: buffer) / 8
      }
      keys = Set(stored.prefix(storedCount).lazy.map(UInt64.init(littleEndian:)))
    } catch {
      // Reading it again costs only time.
      return
    }
  }

  func contains(_ key: UInt64) -> Bool { keys.contains(key) }

  /// Adds recordings; when most of the file is of gone recordings, drops those.
  ///
  /// - Parameters:
  ///   - fresh: Keys of durable recordings that need no further check.
  ///   - confirmed: Keys in the file that still match.
  func add(_ fresh: [UInt64], confirmed: [UInt64], in catalogue: Catalogue) {
    let isWasteful = storedCount > 2 * confirmed.count + 64
    guard !fresh.isEmpty || isWasteful else { return }
    let stored = (isWasteful ? confirmed + fresh : fresh).map(\.littleEndian)
    do throws(StorageError) {
      guard let file = try catalogue.ownFile(KnownRecordings.name) else {
        // The next start makes the file.
        try catalogue.files.remove(catalogue.path(of: KnownRecordings.name))
        return
      }
      let length = try file.regularFileSize()
      let isReplaced = isWasteful || length > KnownRecordings.largest
      if isReplaced { try file.truncate(to: 0) }
      let end = isReplaced ? 0 : length / 8 * 8
      try stored.withBytes { bytes throws(StorageError) in try file.write(bytes, at: end) }
    } catch {
      // Without it, the next start only takes longer.
      return
    }
  }

  /// A recording's key in its present state: FNV-1a, 64 bits.
  static func key(_ name: String, _ status: stat) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    func mix(_ number: some FixedWidthInteger) {
      var rest = UInt64(truncatingIfNeeded: number)
      for _ in 0..<8 {
        mix(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
    }
    for byte in name.utf8 { mix(byte) }
    mix(status.st_size)
    for time in [status.st_mtim, status.st_ctim] {
      mix(time.tv_sec)
      mix(time.tv_nsec)
    }
    return hash
  }
}
