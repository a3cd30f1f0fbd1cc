// SPDX-License-Identifier: Apache-2.0

import Files
import LogFormat

extension LogReader where Storage: ~Copyable {
  /// The log's first page, or what there is of it.
  package mutating func firstPage() throws(LogError) -> [UInt8] {
    let count = try load(page: 0)
    return Array(page.prefix(count))
  }

  /// Copies everything after the first page, which the copy has already, except pages of zeros at the end, and accounts
  /// for the log on the way. Damaged parts are copied too: every reader finds the same damage in the copy.
  ///
  /// Each piece is read twice, the second time from the cache.
  ///
  /// - Throws: ``LogError/storage(_:)`` of either storage.
  package mutating func copy<Target: LogStorage & ~Copyable>(
    to target: inout Target
  ) throws(LogError) -> Account {
    rewind()
    var account = Account(description)
    account.byteCount = try byteCount()
    let end = try writtenByteCount()
    let memory = PageMemory(pages: 16)
    var offset = UInt64(LogFormat.pageSize)
    while offset < end {
      do throws(StorageError) {
        let count = UInt64(try storage.read(at: offset, into: memory.bytes))
        // Another program cut the file meanwhile.
        guard count > 0 else { break }
        let limit = min(offset + count, end)
        try target.append(memory.prefix(Int(limit - offset)))
        offset = limit
      } catch {
        throw .storage(error)
      }
      while let item = try next(within: offset) { account.add(item, from: self) }
    }
    while let item = try next() { account.add(item, from: self) }
    account.finish(self)
    return account
  }
}
