import Export
import IMUModel
import LinuxIO
import LogFormat
import LogStore
import Terminal

/// Puts recordings from elsewhere, or what is left of damaged ones, into a store: whole, or not at all.
struct Importing {
  let store: String

  /// Writes what an importer gives as a new recording; its number.
  func run<Source: Importer & ~Copyable>(_ source: consuming Source) throws -> UInt32 {
    let remarks = source.remarks
    let number = try create(source.description) { live in
      var writer = try LogWriter(after: live.description)
      for pair in source.clockPairs { writer.append(pair) }
      while let record = try source.next() {
        writer.append(record)
        try writer.drain(into: &live.storage)
      }
      writer.finish(source.end)
      try writer.drain(into: &live.storage)
    }
    for remark in remarks { Console.talk(Plain.text(remark)) }
    return number
  }

  /// Copies a log as it is. Its header keeps the number that it had elsewhere; its file's name has the one
  /// that it has here.
  ///
  /// Damaged parts are copied too: every reader says the same about them, here and there.
  func copy(_ path: String) throws -> (number: UInt32, report: LogVerification) {
    var reader = try LogReader(try ProgressStorage(reading: path, "importing \(path)"))
    let report = try reader.verify()
    let id = reader.description.id
    try refusePresent(id)
    var log = try FileStorage(reading: path)
    let firstPage = try Importing.firstPage(of: &log)
    let number = try create(reader.description, firstPage: firstPage) { live in
      try Importing.copyPages(of: &log, to: &live.storage)
    }
    return (number, report)
  }

  /// Makes a new recording of what can be read of a log, in which every tick says what happened to it.
  ///
  /// - Returns: Its number, and what was found in the log.
  func recover(_ path: String) throws -> (number: UInt32, report: LogVerification) {
    var reader = try LogReader(try FileStorage(reading: path))
    let report = try reader.verify()
    var generator = SystemRandomNumberGenerator()
    var description = reader.description
    description.recoveredFrom = description.id
    description.id = .random(using: &generator)
    let number = try create(description) { live in
      var writer = try LogWriter(after: live.description)
      try reader.salvage(into: &writer, &live.storage)
    }
    return (number, report)
  }

  /// A UUID is in a store once.
  private func refusePresent(_ id: RecordingID) throws {
    let catalogue = try OpenStore.writing(store, now: SystemClock().wallTime)
    let entry: CatalogueEntry
    do {
      entry = try catalogue.entry(for: "\(id)")
    } catch {
      // A `catch .notFound` alone stops the compiler of Swift 6.0.
      if case .notFound = error { return }
      throw error
    }
    throw CommandFailure(
      .cannotCreate, "recording \(id) is in the store already, as number \(entry.number)")
  }

  private func create(
    _ description: RecordingDescription, firstPage: [UInt8]? = nil,
    _ fill: (inout LiveRecording) throws -> Void
  ) throws -> UInt32 {
    let now = SystemClock().wallTime
    let catalogue = try OpenStore.writing(store, now: now)
    var live = try catalogue.createUnlisted(
      description, wall: now.nanoseconds, firstPage: firstPage)
    do {
      try fill(&live)
    } catch {
      try catalogue.abandon(live)
      throw error
    }
    return try catalogue.publish(live).number
  }

  private static func firstPage(of log: inout FileStorage) throws(StorageError) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: LogFormat.pageSize)
    // Safe: the buffer is the array's and does not leave the closure.
    let result = page.withUnsafeMutableBytes { buffer -> Result<Int, StorageError> in
      do throws(StorageError) {
        return .success(try log.read(at: 0, into: buffer))
      } catch {
        return .failure(error)
      }
    }
    return try Array(page[..<result.get()])
  }

  /// Copies everything after the first page but pages of zeros at the end, which were never written.
  private static func copyPages(
    of log: inout FileStorage, to copy: inout FileStorage
  ) throws(StorageError) {
    let page = UnsafeMutableRawBufferPointer.allocate(
      byteCount: LogFormat.pageSize, alignment: 16)
    defer { page.deallocate() }
    // Safe: the buffer is this function's own until it returns, and only filled bytes of it are read.
    let end = try log.writtenByteCount()
    var offset = UInt64(LogFormat.pageSize)
    while offset < end {
      let room = Int(min(UInt64(page.count), end - offset))
      let count = try log.read(
        at: offset, into: UnsafeMutableRawBufferPointer(rebasing: page[..<room]))
      guard count > 0 else { return }
      try copy.append(UnsafeRawBufferPointer(rebasing: page[..<count]))
      offset += UInt64(count)
    }
  }
}
