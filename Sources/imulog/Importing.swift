// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import Import
import LinuxIO
import LogFormat
import LogStore
import Terminal
import Text

/// Adds imported and salvaged recordings to a store, completely or not at all.
struct Importing {
  let store: String

  /// Writes a file's records as a new recording and returns its number.
  ///
  /// - Parameter line: Shows the progress; removed before anything is reported.
  func run(_ source: consuming ImportedRecording, _ line: ProgressLine) throws -> UInt32 {
    let (remarks, labels, marks) = (source.remarks, source.labels, source.marks)
    let number = try write(source)
    line.end()
    for remark in remarks { Console.talk(Plain.text(remark)) }
    if !labels.isEmpty || !marks.isEmpty {
      let catalogue = try Catalogue(path: store, create: true)
      var reader = try catalogue.reader(of: catalogue.entry(for: "\(number)"))
      let times = try reader.labelTimes(isLive: false)
      if let sentence = LabelCommand.outside(number, times, labels, marks) {
        Console.talk(sentence)
      }
    }
    return number
  }

  private func write(_ source: consuming ImportedRecording) throws -> UInt32 {
    let (number, _) = try create(source.description, labels: source.labels) { live in
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

  /// Copies a log unchanged. Its header keeps its number in the other store; its file name has the number in this one.
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
    var labels: [RecordingLabel] = []
    var failure: CatalogueError?
    do throws(CatalogueError) {
      labels = try Catalogue(path: store, create: true).labels(of: former).labels
    } catch {
      failure = error
    }
    let (number, report) = try create(description, labels: labels) { live in
      var writer = try LogEncoder.after(live.description)
      return try reader.salvage(into: &writer, &live.storage)
    }
    if let failure { throw Importing.unkept(number, failure) }
    return (number, report)
  }

  private static func unkept(_ number: UInt32, _ error: CatalogueError) -> CommandFailure {
    CommandFailure(
      error.exitStatus,
      "recording \(number) was made, but the labels could not be copied: \(error)")
  }

  /// A store has each UUID once.
  private func refusePresent(_ id: RecordingID) throws {
    let catalogue = try Catalogue.tidied(store, now: SystemClock().wallTime)
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

  /// Makes a recording and its labels. The labels are durable before it is there: whatever happens in between leaves
  /// neither, or labels of no recording, which are forgotten.
  private func create<Result>(
    _ description: RecordingDescription, firstPage: [UInt8]? = nil, labels: [RecordingLabel] = [],
    _ fill: (inout LiveRecording) throws -> Result
  ) throws -> (number: UInt32, Result) {
    let now = SystemClock().wallTime
    let catalogue = try Catalogue.tidied(store, now: now)
    var live = try catalogue.createUnlisted(
      description, wall: now.nanoseconds, firstPage: firstPage)
    let result: Result
    do {
      result = try fill(&live)
      if !labels.isEmpty {
        try catalogue.merge(labels.map { LabelChange($0) }, into: description.id)
      }
    } catch {
      try catalogue.abandon(live)
      if !labels.isEmpty { try catalogue.forgetLabels(of: description.id) }
      throw error
    }
    do {
      return (try catalogue.publish(live).number, result)
    } catch {
      if !labels.isEmpty { try catalogue.forgetLabels(of: description.id) }
      throw error
    }
  }
}
