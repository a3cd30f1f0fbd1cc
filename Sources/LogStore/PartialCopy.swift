import Glibc
public import IMUModel
import LogFormat

/// A log from elsewhere that is not all here yet.
///
///     DIR/.part-1b4e28ba-2fa1-41d2-883f-0016d3cca427       as it comes
///     DIR/.unsynced-1b4e28ba-2fa1-41d2-883f-0016d3cca427   from before its sync until the sync has succeeded
///
/// It survives its program and is taken up again by the next one. While a value lives, no other program can take the
/// same copy up. One without a byte goes with its value.
///
/// After a sync that failed, the kernel holds pages that read as they were written, are taken for clean, and are not
/// on the medium; the next sync succeeds (fsync(2), NOTES). Therefore the name changes before each sync and changes
/// back after it: whoever finds the second name without its lock finds a sync that failed or was never answered, and
/// begins anew. A loss of power needs no such name: what is read after it comes from the medium.
public struct PartialCopy: LogStorage, ~Copyable {
  /// Which recording it is a copy of.
  public let id: RecordingID
  /// The file's path.
  public var name: String { file.path }
  /// Bytes that are here.
  public private(set) var byteCount: UInt64
  /// Bytes from the first one on that are on their way to the medium.
  private var begun: UInt64
  private var file: OpenFile
  private let files: FileSystem
  private let partialPath: String
  private let unsyncedPath: String

  static let prefix = ".part-"
  static let unsyncedPrefix = ".unsynced-"

  /// - Parameter file: The file under its first name, locked.
  init(_ id: RecordingID, _ file: consuming OpenFile, in store: Catalogue) throws(StorageError) {
    byteCount = try file.regularFileSize()
    begun = byteCount
    self.id = id
    files = store.files
    partialPath = file.path
    unsyncedPath = store.path(of: "\(PartialCopy.unsyncedPrefix)\(id)")
    self.file = file
  }

  deinit {
    let isUseless = file.path == unsyncedPath || file.path == partialPath && byteCount == 0
    guard isUseless else { return }
    // One that cannot be removed here is removed by the next copy of the recording, or when it expires.
    do { try files.remove(file.path) } catch { return }
  }

  /// Bytes that go to the medium at a time while more come.
  private static let stride: UInt64 = 4 << 20

  /// Writes after what is here.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try file.write(bytes, at: byteCount)
    byteCount += UInt64(bytes.count)
    // The last page is still written to.
    let whole = byteCount & ~4095
    guard whole >= begun + PartialCopy.stride else { return }
    file.beginWriting(begun..<whole)
    begun = whole
  }

  /// Forgets what comes after `length` bytes.
  public mutating func cut(to length: UInt64) throws(StorageError) {
    try file.truncate(to: length)
    byteCount = length
    begun = min(begun, length)
  }

  /// Reads anywhere.
  public mutating func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    try file.read(at: offset, into: buffer)
  }

  /// ``byteCount``.
  public mutating func size() throws(StorageError) -> UInt64 { byteCount }

  /// The C function is `lseek`.
  public mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64? {
    try file.nextData(from: offset)
  }

  /// Makes it durable. After a failure nothing of it is used. The C function is `fsync`.
  public mutating func sync() throws(StorageError) {
    try doubt()
    try file.sync()
    try rename(to: partialPath)
  }

  /// As ``sync()``: there is no space made ahead.
  public mutating func finish() throws(StorageError) { try sync() }

  /// Makes it durable under its name for good; the directory is still to be synced.
  ///
  /// As with a new recording: FAT keeps a file's length with its name.
  func seal() throws(StorageError) {
    let mode = try file.status().st_mode & 0o7777
    if mode & S_IWGRP != 0 {
      // The group reads a recording. That of another member is theirs to change.
      do {
        try file.setPermissions(mode & ~S_IWGRP)
      } catch {
        guard error.isForbidden else { throw error }
      }
    }
    try file.sync()
  }

  /// Gives it the second name: under a name for good it would be taken for what is here.
  mutating func doubt() throws(StorageError) { try rename(to: unsyncedPath) }

  private mutating func rename(to path: String) throws(StorageError) {
    try files.rename(file.path, to: path)
    file.path = path
  }

  /// Gives it a name that nothing has, or fails with EEXIST.
  mutating func rename(toFree path: String) throws(StorageError) {
    try files.rename(file.path, toFree: path)
    file.path = path
  }
}
