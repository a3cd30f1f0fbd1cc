import Glibc
import Synchronization
import IMUModel

/// A copy that is whole and waits to become a recording of its store, and how that ended.
///
/// Used by one thread at a time.
public final class WholeCopy: @unchecked Sendable {
  // Proof: `publish` alone hands one to another thread, each to one, and looks at it again when that has ended.
  private var copy: PartialCopy?
  /// The number that it should have.
  public let number: UInt32
  /// Seconds since 1970 at which it began, for the file's name.
  public let start: Int64
  /// The recording that it has become, or why it did not: EAGAIN as long as it was not published.
  public fileprivate(set) var result: Result<CatalogueEntry, CatalogueError>

  /// A copy that is proved to be whole.
  public init(_ copy: consuming PartialCopy, number: UInt32, start: Int64) {
    self.number = number
    self.start = start
    result = .failure(.storage(StorageError(.rename, path: copy.name, errno: EAGAIN)))
    self.copy = consume copy
  }

  /// How far it is.
  private enum Stage { case coming, durable, named, failed }
  private var stage = Stage.coming

  /// What can be done beside others: all that waits for the disk.
  fileprivate func sync() {
    do throws(StorageError) {
      switch stage {
      case .coming:
        try copy?.sync()
        stage = .durable
      case .named: try copy?.seal()
      case .durable, .failed: break
      }
    } catch {
      fail(.storage(error))
    }
  }

  fileprivate func fail(_ error: CatalogueError) {
    guard stage != .failed else { return }
    let wasNamed = stage == .named
    stage = .failed
    result = .failure(error)
    guard wasNamed else { return }
    // What cannot be renamed either stays, and is synced before anything relies on it.
    do { try copy?.doubt() } catch { return }
  }

  /// Ends the copy and its lock.
  fileprivate func close() { copy = nil }

  fileprivate func place(in index: StoreIndex, _ lock: borrowing NumberLock) {
    guard stage == .durable, let id = copy?.id else { return }
    do throws(CatalogueError) {
      // The same recording, whole: this copy of it is of no use any more.
      if let there = try index.entry(of: id) {
        throw .present(id: "\(id)", number: there.number)
      }
      let name = RecordingName(
        number: try index.freeNumber(number, lock), start: UTCStamp(seconds: start), id: id)
      let entry = CatalogueEntry(name, in: index.catalogue.path)
      do throws(StorageError) {
        try copy?.rename(toFree: entry.path)
      } catch {
        throw .storage(error)
      }
      stage = .named
      result = .success(entry)
    } catch {
      fail(error)
    }
  }
}

extension StoreIndex {
  /// Makes copies that are whole recordings of this store: durable, and under their final names.
  ///
  /// Each gets the number that it should have, or, where another recording here or in the trash has that, the next one
  /// that was never given. Many at once cost little more than one: their syncs wait together.
  ///
  /// The result of each says how that ended. One that is durable and gets no name is the beginning of a copy still, to its
  /// last byte: the next attempt need not bring it anew.
  public func publish(_ copies: [WholeCopy]) {
    StoreIndex.sync(copies)
    do {
      let lock = try catalogue.wrapped { () throws(StorageError) in try catalogue.numberLock() }
      for copy in copies { copy.place(in: self, lock) }
    } catch {
      for copy in copies { copy.fail(error) }
    }
    StoreIndex.sync(copies)
    do {
      try catalogue.wrapped { () throws(StorageError) in
        try catalogue.files.syncDirectory(catalogue.path)
      }
    } catch {
      for copy in copies { copy.fail(error) }
    }
    for copy in copies { copy.close() }
  }

  /// Makes copies durable, several at a time: a disk that is asked by many at once answers all of them together.
  private static func sync(_ copies: [WholeCopy]) {
    guard copies.count > 1 else { return copies.forEach { $0.sync() } }
    let work = SyncWork(copies)
    var threads: [pthread_t] = []
    // This thread does what is left where the kernel makes no more of them.
    for _ in 1..<min(copies.count, SyncWork.most) {
      var thread = pthread_t()
      let argument = Unmanaged.passRetained(work)
      let code = pthread_create(&thread, nil, { SyncWork.main($0) }, argument.toOpaque())
      guard code == 0 else {
        argument.release()
        break
      }
      threads.append(thread)
    }
    work.run()
    for thread in threads { pthread_join(thread, nil) }
  }

  /// The wanted number, or the next one that was never given; to be called under the lock of numbers.
  fileprivate func freeNumber(_ wanted: UInt32, _ lock: borrowing NumberLock) throws(CatalogueError)
    -> UInt32
  {
    let written = try catalogue.wrapped { () throws(StorageError) in try lock.number() }
    let highest = max(try self.highest(), written)
    // A number far from all others would use up those between: it is kept up to six digits.
    if (1...999_999).contains(wanted), try isFree(wanted) {
      if wanted > highest {
        try catalogue.wrapped { () throws(StorageError) in
          try lock.write(number: wanted, in: catalogue)
        }
      }
      return wanted
    }
    guard highest < .max else { throw .outOfNumbers(path: catalogue.path) }
    try catalogue.wrapped { () throws(StorageError) in
      try lock.write(number: highest + 1, in: catalogue)
    }
    return highest + 1
  }
}

/// Copies to be made durable by several threads, each by one of them.
private final class SyncWork: Sendable {
  private let copies: [WholeCopy]
  private let next = Mutex(0)

  /// Threads at a time.
  static let most = 16

  init(_ copies: [WholeCopy]) {
    self.copies = copies
  }

  static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    // Safe: the reference was retained for this thread alone.
    if let argument = $0 { Unmanaged<SyncWork>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
  }

  func run() {
    while let copy = next.withLock({ index -> WholeCopy? in
      guard index < copies.count else { return nil }
      index += 1
      return copies[index - 1]
    }) {
      copy.sync()
    }
  }
}
