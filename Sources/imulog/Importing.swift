// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LinuxIO
import LogFormat
import LogStore
import Terminal

/// Adds imported and salvaged recordings to a store, completely or not at all.
struct Importing {
  let store: String

  /// Writes a file's records as a new recording and returns its number.
  ///
  /// - Parameter line: Shows the progress; it is removed before anything is said.
  func run(_ source: consuming ImportedFile, _ line: ProgressLine) throws -> UInt32 {
    let (remarks, labels, id) = (source.remarks, source.labels, source.description.id)
    let number = try write(source)
    line.end()
    try keep(labels, of: id, number)
    for remark in remarks { Console.talk(Plain.text(remark)) }
    return number
  }

  private func write(_ source: consuming ImportedFile) throws -> UInt32 {
    let (number, _) = try create(source.description) { live in
      var writer = try LogEncoder.after(live.description)
      for pair in source.clockPairs { writer.append(pair) }
      var marks = source.marks.sorted { $0.time < $1.time }[...]
      while let record = try source.next() {
        while record.kind == .sample, let mark = marks.first, mark.time <= record.time {
          writer.append(mark)
          marks.removeFirst()
        }
        writer.append(record)
        try writer.drain(into: &live.storage)
      }
      for mark in marks { writer.append(mark) }
      writer.finish(source.end)
      try writer.drain(into: &live.storage)
    }
    return number
  }

  /// Copies a log unchanged. Its header keeps the number that it had in the other store; its file name has the number
  /// in this one.
  ///
  /// Damaged parts are copied too: every reader reports the same damage in the copy.
  func copy(_ path: String) throws -> (number: UInt32, report: Account) {
    let file = try ProgressStorage(reading: path, "importing \(path)")
    var reader = try LogReader(try ReadAheadStorage(file))
    try refusePresent(reader.description.id)
    return try create(reader.description, firstPage: reader.storage.firstPage) { live in
      try reader.copy(to: &live.storage)
    }
  }

  /// Makes a new recording of everything that can be read of a log; it accounts for every tick, and has the log's labels.
  ///
  /// - Returns: The new recording's number, and the account of the log.
  func recover(_ path: String) throws -> (number: UInt32, report: Account) {
    var reader = try LogReader(try FileStorage(reading: path))
    var generator = SystemRandomNumberGenerator()
    var description = reader.description
    let former = description.id
    description.recoveredFrom = former
    description.id = .random(using: &generator)
    let (number, report) = try create(description) { live in
      var writer = try LogEncoder.after(live.description)
      return try reader.salvage(into: &writer, &live.storage)
    }
    let labels: [RecordingLabel]
    do throws(CatalogueError) {
      labels = try OpenStore.reading(store).labels(of: former).labels
    } catch {
      throw Importing.unkept(number, error)
    }
    try keep(labels, of: description.id, number)
    return (number, report)
  }

  /// Adds labels to a new recording.
  private func keep(_ labels: [RecordingLabel], of id: RecordingID, _ number: UInt32) throws {
    guard !labels.isEmpty else { return }
    do throws(CatalogueError) {
      try OpenStore.reading(store).merge(labels, into: id)
    } catch {
      throw Importing.unkept(number, error)
    }
  }

  private static func unkept(_ number: UInt32, _ error: CatalogueError) -> CommandFailure {
    CommandFailure(
      error.exitStatus,
      "recording \(number) was made, but the labels could not be copied: \(error)")
  }

  /// A store has each UUID once.
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

  private func create<Result>(
    _ description: RecordingDescription, firstPage: [UInt8]? = nil,
    _ fill: (inout LiveRecording) throws -> Result
  ) throws -> (number: UInt32, Result) {
    let now = SystemClock().wallTime
    let catalogue = try OpenStore.writing(store, now: now)
    var live = try catalogue.createUnlisted(
      description, wall: now.nanoseconds, firstPage: firstPage)
    let result: Result
    do {
      result = try fill(&live)
    } catch {
      try catalogue.abandon(live)
      throw error
    }
    return (try catalogue.publish(live).number, result)
  }
}
