// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import Synchronization
import IMUModel

/// A complete copy that waits to become a recording of its store, and the result. Used by one thread at a time.
public final class WholeCopy: @unchecked Sendable {
  // Safe: only `publish` hands it to another thread, one at a time, and waits for that thread's end before using it.
  private var copy: PartialCopy?
  /// The number that it should get.
  public let number: UInt32
  /// Seconds since 1970 at which it began, for the file's name.
  public let start: Int64
  /// The new recording, or why there is none; EAGAIN until it is published.
  public fileprivate(set) var result: Result<CatalogueEntry, CatalogueError>

  /// A copy that was proved to be complete.
  public init(_ copy: consuming PartialCopy, number: UInt32, start: Int64) {
    self.number = number
    self.start = start
    result = .failure(.storage(StorageError(.rename, path: copy.name, errno: EAGAIN)))
    self.copy = consume copy
  }

  private enum Stage { case coming, durable, named, failed }
  private var stage = Stage.coming

  /// Waits for the disk; may run concurrently with other copies.
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
    // If this fails, too, it is synced before anything relies on it.
    do { try copy?.doubt() } catch { return }
  }

  /// Closes the copy, and so releases its lock.
  fileprivate func close() { copy = nil }

  fileprivate func place(in index: StoreIndex, _ lock: borrowing NumberLock) {
    guard stage == .durable, let id = copy?.id else { return }
    do throws(CatalogueError) {
      // The same recording is here already.
      if let there = try index.entry(of: id) {
        throw .present(id: "\(id)", number: there.number)
      }
      let name = RecordingName(
        number: try index.freeNumber(number, lock), start: UTCStamp(seconds: start), id: id)
      let entry = CatalogueEntry(name, in: index.catalogue.path)
      try index.catalogue.wrapped { () throws(StorageError) in
        try copy?.rename(toFree: entry.path)
      }
      stage = .named
      result = .success(entry)
    } catch {
      fail(error)
    }
  }
}

extension StoreIndex {
  /// Makes complete copies recordings of this store: durable, and under their final names. Each copy holds its result.
  ///
  /// Each gets the number that it should have or, where another recording here or in the trash has that, the next one that
  /// was never assigned. Many at once cost little more than one: their syncs wait together. A durable copy without a name
  /// stays a partial copy, so the next attempt need not transfer it again.
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

  /// Syncs copies, several at a time: a disk completes concurrent syncs together.
  private static func sync(_ copies: [WholeCopy]) {
    guard copies.count > 1 else { return copies.forEach { $0.sync() } }
    let work = SyncWork(copies)
    var threads: [pthread_t] = []
    // This thread does the rest where the kernel creates no more threads.
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

  /// The wanted number, or the next one that was never assigned. Called under the number lock.
  fileprivate func freeNumber(_ wanted: UInt32, _ lock: borrowing NumberLock) throws(CatalogueError)
    -> UInt32
  {
    let written = try catalogue.wrapped { () throws(StorageError) in try lock.number() }
    let highest = max(try self.highest(), written)
    // A number uses up the unassigned ones below it: numbers of the upper half are not kept, so that some are left.
    let isTaken = try !isFree(wanted)
    let isGiven = (1...UInt32.max / 2).contains(wanted) && !isTaken
    guard isGiven || highest < .max else { throw .outOfNumbers(catalogue.path) }
    let number = isGiven ? wanted : highest + 1
    if number > highest {
      try catalogue.wrapped { () throws(StorageError) in
        try lock.write(number: number, in: catalogue)
      }
    }
    return number
  }
}

/// Copies to be synced, each by one of several threads.
private final class SyncWork: Sendable {
  private let copies: [WholeCopy]
  private let next = Mutex(0)

  /// Most threads at a time.
  static let most = 16

  init(_ copies: [WholeCopy]) { self.copies = copies }

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
