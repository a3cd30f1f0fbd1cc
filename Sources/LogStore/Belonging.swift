import Glibc

/// Whose a store's files are: the owner, the group and the sharing of the directory that they are made in.
///
/// Root works on the stores of others (`sudo imulog import`), and what it makes there must be of use to the owner. A
/// directory that its group may write to is a shared store: every member removes recordings and gives numbers away,
/// whatever umask the one had who made the lock and the trash.
struct Belonging {
  private let owner: uid_t
  private let group: gid_t
  /// Whether its group may write to it.
  let isShared: Bool
  /// Whether every user may.
  private let isOthers: Bool

  /// What is made in a directory with this status.
  init(in directory: stat) {
    owner = directory.st_uid
    group = directory.st_gid
    isShared = directory.st_mode & S_IWGRP != 0
    isOthers = directory.st_mode & S_IWOTH != 0
  }

  /// Permissions that a shared store adds to what the umask leaves.
  enum Share {
    /// A recording: the group reads it.
    case reading
    /// The trash, a copy that is not whole: the group changes them. Directories can also be entered.
    case changing
    /// The lock, what is known: the same, and others do not even read them, because who reads a file can lock it.
    case own
  }

  /// Whether a file is the store's own: regular, without another name elsewhere, whose contents would not be the
  /// store's, and of its owner, of this user, or of its group where that shares it.
  func isOwn(_ status: stat) -> Bool {
    let user = geteuid()
    return status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
      && (status.st_uid == owner || user != 0 && status.st_uid == user
        || isShared && status.st_gid == group)
  }

  /// Gives a file or directory that was just made to whom it belongs, as far as this user may.
  ///
  /// A file system without owners, such as FAT, has none to give, and another user's file is that user's: neither
  /// is an error here. Whoever then cannot use the file gets an error when it is tried.
  func apply(to file: borrowing OpenFile, _ share: Share) throws(StorageError) {
    let status = try file.status()
    let isRoot = geteuid() == 0
    if isRoot, status.st_uid != owner || status.st_gid != group {
      do { try file.setOwner(owner, group) } catch { return }
    }
    try self.share(file, share)
  }

  /// Gives a file or directory the permissions that a shared store adds, if it is this user's or the user is root.
  func share(_ file: borrowing OpenFile, _ share: Share) throws(StorageError) {
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

extension Catalogue {
  /// What is made in the store belongs to its owner.
  func belonging() throws(StorageError) -> Belonging {
    Belonging(in: try files.status(path))
  }

  /// Opens a file of the store's own, such as the lock, for reading and writing, or makes it; `nil` when what has the
  /// name is none: see ``Belonging/isOwn(_:)``.
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
        // What another program makes meanwhile is its, and not to be given away.
        let file = try files.open(
          path(of: name), flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK)
        try belonging.apply(to: file, .own)
        return file
      } catch {
        guard error.errno == EEXIST else { throw error }
      }
    }
  }

  /// Makes a directory of the store's own, such as the trash, unless it is there.
  func makeOwnDirectory(_ name: String) throws(StorageError) {
    let belonging = try belonging()
    // Asked for at once: where set-group-ID may not be set, it is inherited and lost by any change afterwards.
    try files.makeDirectory(path(of: name), mode: belonging.isShared ? 0o775 : 0o755)
    do {
      let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
      try belonging.apply(to: try files.open(path(of: name), flags: flags), .changing)
    } catch {
      // Another user's, as whoever changes something in it learns.
      guard error.errno == EACCES else { throw error }
    }
  }
}
