import Glibc

/// The texts of all 65 536 counts in one unit, each made when its count is first met.
///
/// Untouched parts of the table (1 MiB of address space) cost no memory.
final class CountTexts {
  /// One text: its bytes in `low` and the first seven bytes of `high`, its length in the last.
  struct Entry {
    var low: UInt64
    var high: UInt64

    /// 0 when the text was not made yet.
    @inline(__always)
    var length: Int { Int(truncatingIfNeeded: UInt64(littleEndian: high) >> 56) }
  }

  private let scale: CountScale
  /// 65 536 entries, by the count's bit pattern.
  let entries: UnsafeMutablePointer<Entry>

  init(_ scale: CountScale) {
    self.scale = scale
    // Safe: calloc's memory is aligned for any type and zero is a valid entry; freed in deinit alone.
    guard let memory = calloc(65536, MemoryLayout<Entry>.stride) else {
      fatalError("no memory for a table of 1 MiB")
    }
    entries = memory.bindMemory(to: Entry.self, capacity: 65536)
  }

  deinit {
    free(entries)
  }

  /// Makes the text of a count and returns its entry.
  @inline(never)
  func make(_ count: Int16) -> Entry {
    let (characters, length) = scale.text(of: count)
    let high = UInt64(truncatingIfNeeded: characters >> 64) | UInt64(length) << 56
    let entry = Entry(
      low: UInt64(truncatingIfNeeded: characters).littleEndian, high: high.littleEndian)
    entries[Int(UInt16(bitPattern: count))] = entry
    return entry
  }
}
