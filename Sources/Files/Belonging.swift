// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Owner, group and permissions of a store's files: those of the directory that holds them.
///
/// Files that root makes in another user's store (`sudo imulog import`) must be usable by its owner. If the directory's
/// group may write to it, the store is shared: every member may remove recordings and assign numbers.
package struct Belonging {
  private let owner: uid_t
  private let group: gid_t
  package let isShared: Bool
  private let isOthers: Bool

  /// For files in a directory with this status.
  package init(in directory: stat) {
    owner = directory.st_uid
    group = directory.st_gid
    isShared = directory.st_mode & S_IWGRP != 0
    isOthers = directory.st_mode & S_IWOTH != 0
  }

  /// What a shared store permits beyond the umask.
  package enum Share {
    /// A recording: the group may read it.
    case reading
    /// The trash, a partial copy: the group may change them, and enter directories.
    case changing
    /// The lock, the known recordings: the same, but others may not even read them, because a reader can lock a file.
    case own
  }

  /// Whether a file is the store's own: regular, without another name elsewhere, which would give others a hold on its
  /// contents, and of the store's owner, this user, or the group of a shared store.
  package func isOwn(_ status: stat) -> Bool {
    let user = geteuid()
    return status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
      && (status.st_uid == owner || user != 0 && status.st_uid == user
        || isShared && status.st_gid == group)
  }

  /// Sets owner, group and permissions of a new file or directory, as far as this user may. Failure is not an error: FAT has
  /// no owners, and whoever cannot use the file gets an error on use.
  package func apply(to file: borrowing OpenFile, _ share: Share) throws(StorageError) {
    let status = try file.status()
    let isRoot = geteuid() == 0
    if isRoot, status.st_uid != owner || status.st_gid != group {
      do { try file.setOwner(owner, group) } catch { return }
    }
    try self.share(file, share)
  }

  /// Adds a shared store's permissions to a file or directory of this user, or as root to any.
  package func share(_ file: borrowing OpenFile, _ share: Share) throws(StorageError) {
    let status = try file.status()
    guard geteuid() == 0 || status.st_uid == geteuid() else { return }
    let old = status.st_mode & 0o7777
    var new = old
    if share == .own, !isOthers { new &= isShared ? 0o660 : 0o600 }
    if isShared {
      new |= S_IRGRP
      if share != .reading { new |= S_IWGRP }
      if share == .changing, status.st_mode & S_IFMT == S_IFDIR { new |= S_IXGRP }
    }
    guard new != old else { return }
    do { try file.setPermissions(new) } catch { return }
  }
}
