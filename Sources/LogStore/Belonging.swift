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

  /// What is made in a directory with this status.
  init(in directory: stat) {
    owner = directory.st_uid
    group = directory.st_gid
    isShared = directory.st_mode & S_IWGRP != 0
  }

  /// Permissions that a shared store adds to what the umask leaves.
  enum Share {
    /// A recording: the group reads it.
    case reading
    /// The lock, the trash, what is known: the group changes them. Directories can also be entered.
    case changing
  }

  /// Gives a file or directory to whom it belongs, as far as this user may.
  ///
  /// A file system without owners, such as FAT, has none to give, and another user's file is that user's: neither
  /// is an error here. Whoever then cannot use the file is told so when it is tried.
  func apply(to file: borrowing OpenFile, _ share: Share) throws(StorageError) {
    let status = try file.status()
    let isRoot = geteuid() == 0
    if isRoot, status.st_uid != owner || status.st_gid != group {
      do { try file.setOwner(owner, group) } catch { return }
    }
    guard isShared, isRoot || status.st_uid == geteuid() else { return }
    var wanted = S_IRGRP
    if share == .changing { wanted |= S_IWGRP }
    if share == .changing, status.st_mode & S_IFMT == S_IFDIR { wanted |= S_IXGRP }
    guard status.st_mode & wanted != wanted else { return }
    do {
      try file.setPermissions((status.st_mode & 0o7777) | wanted)
    } catch {
      return
    }
  }
}

extension Catalogue {
  /// What is made in the store belongs to its owner.
  func belonging() throws(StorageError) -> Belonging {
    Belonging(in: try files.status(path))
  }

  /// Opens a file of the store's own, such as the lock, or makes it.
  func ownFile(_ name: String, flags: CInt) throws(StorageError) -> OpenFile {
    let file = try files.open(path(of: name), flags: flags | O_CREAT | O_NOFOLLOW)
    try belonging().apply(to: file, .changing)
    return file
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
      // Another user's, as whoever changes something in it is told.
      guard error.errno == EACCES else { throw error }
    }
  }
}
