// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc

extension Catalogue {
  /// For files in the store.
  func belonging() throws(StorageError) -> Belonging {
    Belonging(in: try files.status(path))
  }

  /// Opens or makes a file of the store's own, such as the lock, for reading and writing; `nil` when the name stands for
  /// something else: see ``Belonging/isOwn(_:)``.
  func ownFile(_ name: String) throws(StorageError) -> OpenFile? {
    let belonging = try belonging()
    while true {
      do throws(StorageError) {
        let file = try files.open(path(of: name), flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK)
        guard belonging.isOwn(try file.status()) else { return nil }
        try belonging.share(file, .own)
        return file
      } catch {
        guard error.isMissing else { throw error }
      }
      do throws(StorageError) {
        // A file that another program makes meanwhile is that program's to set up.
        let file = try files.open(
          path(of: name), flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK)
        try belonging.apply(to: file, .own)
        return file
      } catch {
        guard error.errno == EEXIST else { throw error }
      }
    }
  }

  /// Makes a directory of the store's own, such as the trash, unless it exists.
  func makeOwnDirectory(_ name: String) throws(StorageError) {
    let belonging = try belonging()
    // Set at once: where set-group-ID may not be set, it is inherited, and a later change would lose it.
    try files.makeDirectory(path(of: name), mode: belonging.isShared ? 0o775 : 0o755)
    do {
      let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
      try belonging.apply(to: try files.open(path(of: name), flags: flags), .changing)
    } catch {
      // Another user's directory: changing something in it reports that.
      guard error.errno == EACCES else { throw error }
    }
  }
}
