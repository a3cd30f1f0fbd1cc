import Glibc

/// A store: a directory of recordings. The directory is the index; there is nothing else to get out
/// of step.
///
///     DIR/000003-20261121T023807Z-1b4e28ba.imulog   a recording
///     DIR/.new-…                                     one that is being created
///     DIR/.import-…                                  one that is being imported, not whole yet
///     DIR/.lock                                      the last number; locked while one is given away
///     DIR/.known                                     which recordings need no look at the next start
///     DIR/.trash/…                                   removed ones, for 30 days
///     DIR/.part-…, .unsynced-…, .aside-…             copies from elsewhere that are not whole: see ``PartialCopy``
///     DIR/.freeing-…                                 a recording whose original another machine is asked to free
///
/// Several programs may use a store at once. A value of this type holds nothing open and may be
/// copied.
public struct Catalogue: Sendable {
  /// The directory, without a slash at its end.
  public let path: String
  let files: FileSystem
  /// What recordings are opened with: O_NOFOLLOW when none may be a link.
  let linkFlag: Int32
  /// Nanoseconds for which a call waits for another program that gives a number away: 5 s, longer than the few syncs
  /// that this takes.
  public var lockPatience: Int64 = 5_000_000_000

  static let lockName = ".lock"
  static let temporaryPrefix = ".new-"
  static let unfinishedPrefix = ".import-"

  /// The store at `path`.
  ///
  /// - Parameters:
  ///   - create: Whether to make the directory, and those above it, when it is missing.
  ///   - followsLinks: Whether a recording may be a link to a file elsewhere.
  public init(
    path: String, create: Bool = false, followsLinks: Bool = true
  ) throws(CatalogueError) {
    try self.init(path: path, create: create, followsLinks: followsLinks, gate: .open)
  }

  package init(
    path: String, create: Bool, followsLinks: Bool = true, gate: FaultGate
  ) throws(CatalogueError) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    files = FileSystem(gate: gate)
    linkFlag = followsLinks ? 0 : O_NOFOLLOW
    let files = self.files
    switch try wrapped({ () throws(StorageError) in try files.isDirectory(path) }) {
    case true?: break
    case false?: throw .notADirectory(path: path)
    case nil:
      guard create else { throw .missing(path: path) }
      try wrapped { () throws(StorageError) in try files.makeDirectories(path) }
    }
    // Until the first number is given it may be that no program came to sync the names above it.
    guard create, access(self.path(of: Catalogue.lockName), F_OK) != 0 else { return }
    try wrapped { () throws(StorageError) in try files.syncParents(of: path) }
  }

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// Makes calls to the storage under this module's error for stores.
  func wrapped<Result: ~Copyable>(_ body: () throws(StorageError) -> Result) throws(CatalogueError)
    -> Result
  {
    do {
      return try body()
    } catch {
      throw .storage(error)
    }
  }
}

/// A recording in a store, as its file's name gives it.
public struct CatalogueEntry: Hashable, Sendable {
  let name: RecordingName
  private let directory: String
  /// The file's name, without its directory.
  public let fileName: String

  /// The recording's number in its store.
  public var number: UInt32 { name.number }
  /// Seconds since 1970 at which it began, by the wall clock of that moment.
  public var startSeconds: Int64 { name.start.seconds }
  /// The first eight hexadecimal digits of its UUID.
  public var idPrefix: String { name.prefix }
  /// The file's path.
  public var path: String { directory + "/" + fileName }

  init(_ name: RecordingName, in directory: String) {
    self.init(name, file: name.text, in: directory)
  }

  /// - Parameter file: The name as it is in the directory, which is made anew at some cost.
  init(_ name: RecordingName, file: String, in directory: String) {
    self.name = name
    self.directory = directory
    fileName = file
  }
}
