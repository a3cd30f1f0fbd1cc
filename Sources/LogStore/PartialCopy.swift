import Glibc
public import IMUModel
import LogFormat

/// A log from elsewhere that is not all here yet.
///
///     DIR/.part-1b4e28ba-2fa1-41d2-883f-0016d3cca427
///
/// It survives its program and is taken up again by the next one. While a value lives, nobody else can take the same
/// copy up.
public struct PartialCopy: LogStorage, ~Copyable {
  /// Which recording it is a copy of.
  public let id: RecordingID
  /// The file's path.
  public var name: String { file.path }
  /// Bytes that are here.
  public private(set) var byteCount: UInt64
  private let file: OpenFile

  static let prefix = ".part-"

  init(_ id: RecordingID, _ file: consuming OpenFile) throws(StorageError) {
    guard try file.lock(exclusive: true, wait: false) else {
      throw StorageError(.lock, path: file.path, errno: EWOULDBLOCK)
    }
    byteCount = try file.regularFileSize()
    self.id = id
    self.file = file
  }

  /// Writes behind what is here.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try file.write(bytes, at: byteCount)
    byteCount += UInt64(bytes.count)
  }

  /// Forgets what is behind `length` bytes.
  public mutating func cut(to length: UInt64) throws(StorageError) {
    try file.truncate(to: length)
    byteCount = length
  }

  /// Reads anywhere.
  public mutating func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    try file.read(at: offset, into: buffer)
  }

  /// ``byteCount``.
  public mutating func size() throws(StorageError) -> UInt64 { byteCount }

  /// Makes it durable. The C function is `fsync`.
  public mutating func sync() throws(StorageError) { try file.sync() }

  /// As ``sync()``: there is no space made ahead.
  public mutating func finish() throws(StorageError) { try file.sync() }
}

extension Catalogue {
  /// The beginning of a copy: what an earlier attempt has left, or an empty file.
  ///
  /// - Throws: ``CatalogueError/storage(_:)`` with EWOULDBLOCK when somebody else is at it.
  public func partialCopy(of id: RecordingID) throws(CatalogueError) -> PartialCopy {
    try wrapped { () throws(StorageError) in
      let file = try files.open(
        path(of: "\(PartialCopy.prefix)\(id)"), flags: O_RDWR | O_CREAT | O_NOFOLLOW)
      return try PartialCopy(id, file)
    }
  }

  /// Makes a copy that is whole a recording of this store: durable, and under its final name.
  ///
  /// - Parameters:
  ///   - number: The number that it should have. Where another recording here or in the trash has it, it gets the
  ///     next one that was never given.
  ///   - start: Seconds since 1970 at which it began, for the file's name.
  public func publish(
    _ copy: consuming PartialCopy, number: UInt32, start: Int64
  ) throws(CatalogueError) -> CatalogueEntry {
    var copy = copy
    if let there = try entry(of: copy.id) {
      // The same recording, whole: this copy of it is of no use any more.
      try wrapped { () throws(StorageError) in try files.remove(copy.name) }
      throw .present(id: "\(copy.id)", number: there.number)
    }
    try wrapped { () throws(StorageError) in try copy.sync() }
    let lock = try wrapped { () throws(StorageError) in try numberLock() }
    let name = RecordingName(
      number: try freeNumber(number, lock), start: UTCStamp(seconds: start), id: copy.id)
    let entry = CatalogueEntry(name, in: path)
    try wrapped { () throws(StorageError) in
      try files.rename(copy.name, to: entry.path)
      // As with a new recording: FAT keeps a file's length with its name.
      try copy.sync()
      try files.syncDirectory(path)
    }
    return entry
  }

  /// Gives a copy that does not go on a name of its own, `DIR/.aside-UUID-N`, so that it is neither lost nor gone on with.
  ///
  /// - Returns: The path that it has now.
  public func setAside(_ copy: consuming PartialCopy) throws(CatalogueError) -> String {
    var count = 1
    while access(path(of: ".aside-\(copy.id)-\(count)"), F_OK) == 0 { count += 1 }
    let aside = path(of: ".aside-\(copy.id)-\(count)")
    let old = copy.name
    try wrapped { () throws(StorageError) in
      try files.rename(old, to: aside)
      try files.syncDirectory(path)
    }
    _ = consume copy
    return aside
  }

  /// The wanted number, or the next one that was never given; to be called under the lock of numbers.
  private func freeNumber(_ wanted: UInt32, _ lock: borrowing NumberLock) throws(CatalogueError)
    -> UInt32
  {
    var taken: Set<UInt32> = []
    try wrapped { () throws(StorageError) in
      for file in try files.names(in: path) + trashNames() {
        if let name = RecordingName(Catalogue.withoutStamp(file)) { taken.insert(name.number) }
      }
    }
    let highest = try wrapped { () throws(StorageError) in
      max(taken.max() ?? 0, try lock.number())
    }
    // A number far from all others would use up those between: it is kept up to six digits.
    if (1...999_999).contains(wanted), !taken.contains(wanted) {
      if wanted > highest {
        try wrapped { () throws(StorageError) in try lock.write(number: wanted) }
      }
      return wanted
    }
    guard highest < .max else { throw .outOfNumbers(path: path) }
    try wrapped { () throws(StorageError) in try lock.write(number: highest + 1) }
    return highest + 1
  }
}
