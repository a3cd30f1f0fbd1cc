// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc
public import IMUModel

/// A store: a directory of recordings. The directory is the index, so nothing can contradict it.
///
///     DIR/000003-20261121T023807Z-1b4e28ba.imulog   a recording
///     DIR/.new-…                                     one that is being created
///     DIR/.import-…                                  one that is being imported
///     DIR/.lock                                      the last number; locked while a new one is assigned
///     DIR/.known                                     which recordings need no check at the next start
///     DIR/.trash/…                                   removed ones, for 30 days
///     DIR/.labels/UUID.labels                        names of parts of recordings
///     DIR/.part-…, .unsynced-…, .aside-…             incomplete copies from elsewhere: see ``PartialCopy``
///     DIR/.freeing-…                                 a recording whose original another machine is asked to free
///     DIR/.deleted-…                                 a recording deleted to make room, whose labels expire
///
/// Several programs may use a store at once. A value of this type keeps nothing open and may be copied.
public struct Catalogue: Sendable {
  /// The directory, without a slash at its end.
  public let path: String
  let files: FileSystem
  /// The flag for opening recordings: O_NOFOLLOW when none may be a link.
  let linkFlag: Int32
  /// Nanoseconds to wait for another program's number lock: 5 s, longer than the few syncs for which it is held.
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
    // Before the first number is assigned, no program may have synced the directories above.
    guard create, access(self.path(of: Catalogue.lockName), F_OK) != 0 else { return }
    try wrapped { () throws(StorageError) in try files.syncParents(of: path) }
  }

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// Wraps storage errors.
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

/// A recording in a store, as its file name describes it.
public struct CatalogueEntry: Hashable, Sendable {
  let name: RecordingName
  private let directory: String
  /// The file's name, without its directory.
  public let fileName: String

  /// The recording's number in its store.
  public var number: UInt32 { name.number }
  /// Seconds since 1970 at which it began, by the wall clock then.
  public var startSeconds: Int64 { name.start.seconds }
  /// The first eight hexadecimal digits of its UUID.
  public var idPrefix: String { name.prefix }
  /// The file's path.
  public var path: String { directory + "/" + fileName }

  /// - Parameter file: The name as it is in the directory, which need not be composed again.
  init(_ name: RecordingName, file: String? = nil, in directory: String) {
    self.name = name
    self.directory = directory
    fileName = file ?? name.text
  }
}

extension Catalogue {
  /// The contents of a store.
  public struct Listing: Equatable, Sendable {
    /// Recordings, newest (highest number) first.
    public var entries: [CatalogueEntry]
    /// Files that end in `.imulog` and were not made by a store; they can be read by path.
    public var strangers: [String]
  }

  /// Recordings, newest first. Reads the directory and no file, so damaged or foreign files do no harm.
  public func list() throws(CatalogueError) -> Listing {
    let names = try wrapped { () throws(StorageError) in try files.names(in: path) }
    let strangers = names.filter {
      $0.hasSuffix(RecordingName.suffix) && !$0.hasPrefix(".") && RecordingName($0) == nil
    }
    return Listing(entries: Catalogue.entries(names, in: path), strangers: strangers.sorted())
  }

  /// The recordings among the names in a directory, newest first.
  package static func entries(_ names: [String], in path: String) -> [CatalogueEntry] {
    newestFirst(
      names.compactMap { file in
        RecordingName(file).map { CatalogueEntry($0, file: file, in: path) }
      })
  }

  /// Sorts by number, and by name where two have the same.
  static func newestFirst(_ entries: [CatalogueEntry]) -> [CatalogueEntry] {
    entries.sorted {
      $0.number != $1.number ? $0.number > $1.number : $0.fileName > $1.fileName
    }
  }

  /// Opens a recording for reading.
  public func reader(of entry: CatalogueEntry) throws(LogError) -> LogReader<FileStorage> {
    try LogReader(
      try LogError.wrapped { () throws(StorageError) in try storage(of: entry) })
  }

  /// The file of a recording, for reading. Where links are not followed, one fails with ELOOP.
  public func storage(of entry: CatalogueEntry) throws(StorageError) -> FileStorage {
    try FileStorage(reading: entry.path, flags: linkFlag, gate: files.gate)
  }

  /// What a list shows of a recording; reads only the first and last page of a complete one.
  public func summary(of entry: CatalogueEntry) throws(LogError) -> LogSummary {
    var reader = try reader(of: entry)
    return try reader.summary { () throws(LogError) in
      try LogError.wrapped { () throws(StorageError) in try isLive(entry) }
    }
  }

  /// Whether a program is writing the recording and so has its file locked. The kernel does not report why a file is locked:
  /// any other program's exclusive lock counts, too.
  public func isLive(_ entry: CatalogueEntry) throws(StorageError) -> Bool {
    let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | linkFlag)
    return !(try file.lock(exclusive: false))
  }

  /// The recording that a user means by `text`: see ``RecordingReference``.
  ///
  /// - Throws: ``CatalogueError/notFound(id:path:existing:)``; ``CatalogueError/refused(_:_:)`` where it could be several.
  public func entry(for text: String) throws(CatalogueError) -> CatalogueEntry {
    try choose(
      text, from: try list().entries, place: path, listing: "imulog list",
      nothing: "the store is empty")
  }

  /// The one of `entries`, newest first, that `text` means.
  ///
  /// - Parameters:
  ///   - place: Their directory.
  ///   - listing: The command that shows them.
  ///   - nothing: What to report when there are none.
  func choose(
    _ text: String, from entries: [CatalogueEntry], place: String, listing: String,
    nothing: String
  ) throws(CatalogueError) -> CatalogueEntry {
    let matches = RecordingReference(text).choose(from: entries, number: \.number) {
      entry, digits in
      guard digits.hasPrefix(entry.idPrefix) else { return entry.idPrefix.hasPrefix(digits) }
      return digits.count <= 8 || identity(of: entry)?.begins(with: digits) == true
    }
    guard let match = matches.first else {
      throw .notFound(
        id: text, path: place, existing: Catalogue.existing(entries, listing, nothing: nothing))
    }
    guard matches.count == 1 else {
      let candidates = matches.map { "\($0.number) (\($0.idPrefix))" }.joined(separator: ", ")
      throw .refused("\(text) could be any of \(candidates); give more digits", .usage)
    }
    return match
  }

  private static func existing(
    _ entries: [CatalogueEntry], _ listing: String, nothing: String
  ) -> String {
    guard let newest = entries.first, let oldest = entries.last else {
      return nothing
    }
    if entries.count == 1 { return "the only one is \(newest.number) (\(newest.idPrefix))" }
    return "there are \(entries.count), from \(oldest.number) to \(newest.number) "
      + "(\(newest.idPrefix)); `\(listing)` shows them"
  }

  func belonging() throws(StorageError) -> Belonging {
    Belonging(in: try files.status(path))
  }

  /// Opens or makes a file of the store's own, such as the lock, for reading and writing; `nil` when the name belongs to
  /// something else: see ``Belonging/isOwn(_:)``.
  func ownFile(
    _ name: String, _ share: Belonging.Share = .own
  ) throws(StorageError) -> OpenFile? {
    let belonging = try belonging()
    while true {
      do throws(StorageError) {
        let file = try files.open(path(of: name), flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK)
        guard belonging.isOwn(try file.status()) else { return nil }
        if share == .own { try belonging.share(file, .own) }
        return file
      } catch {
        guard error.isMissing else { throw error }
      }
      do throws(StorageError) {
        // What another program makes meanwhile is that program's to set up.
        let file = try files.open(
          path(of: name), flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK)
        try belonging.apply(to: file, share)
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

/// Why a store, or a recording in it, cannot be used, and the remedy.
public enum CatalogueError: Error, Equatable, Sendable, StatusError {
  /// There is nothing at the store's path.
  case missing(path: String)
  /// The store's path is a file.
  case notADirectory(path: String)
  /// A call to the kernel failed.
  case storage(StorageError)
  /// No recording is meant by `id`; `existing` is a clause about those there are.
  case notFound(id: String, path: String, existing: String)
  /// The recording is being written, or another program has its file locked.
  case isLive(file: String)
  /// The recording is in the store already, under this number.
  case present(id: String, number: UInt32)
  /// The recording's header cannot be read, or cannot be written because a text is too long.
  case log(LogError)
  /// Anything else: a sentence with the remedy.
  case refused(String, ExitStatus)

  static func outOfNumbers(_ path: String) -> CatalogueError {
    .refused(
      "the numbers of store \(path) are used up; start another store with --store", .cannotCreate)
  }

  /// Whether the disk, or the user's quota, is full.
  public var isFull: Bool {
    guard case .storage(let error) = self else { return false }
    return error.isFull
  }

  /// One sentence with the remedy.
  public var description: String {
    switch self {
    case .missing(let path):
      return "there is no store at \(path); a recording makes one, or name another with --store"
    case .notADirectory(let path):
      return "the store \(path) is a file and not a directory; name a directory with --store"
    case .storage(let error): return error.description
    case .notFound(let id, let path, let existing):
      return "no recording \(id) in \(path): \(existing)"
    case .isLive(let file):
      return "\(file) is being written, or locked by another program; stop that first"
    case .present(let id, let number):
      return "recording \(id) is in the store already, as number \(number)"
    case .log(let error): return error.description
    case .refused(let sentence, _): return sentence
    }
  }

  /// Whether the recording, the directory or the storage is in the way.
  public var exitStatus: ExitStatus {
    switch self {
    case .missing, .notFound: .noInput
    case .notADirectory, .present: .cannotCreate
    case .isLive: .tryAgain
    case .storage(let cause): cause.exitStatus
    case .log(let cause): cause.exitStatus
    case .refused(_, let status): status
    }
  }
}
