// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

extension ExportCommand {
  /// A recording of a take, and how it is exported with the others.
  private struct Member: Sendable {
    let entry: CatalogueEntry
    let sensor: String
    let options: ExportOptions
    let remark: StoreRemark?
  }

  /// Exports the recordings of a take's sensors in one file: one after the other, or side by side on one grid.
  func exportTake(_ catalogue: Catalogue, _ options: ExportOptions) throws {
    guard options.format.takes(.take) else {
      throw CommandFailure.usage(
        "--take makes one file of several recordings, and --format \(options.format.rawValue) holds one; give "
          + "--format \(ExportOption.take.formatNames)")
    }
    guard source.id.parts(around: "/") == nil else {
      throw CommandFailure.usage(
        "--take exports all sensors, and \(source.id) is one; leave --take or the name out")
    }
    let take = try catalogue.take(source.id)
    let headers = try take.recordings.map { try catalogue.reader(of: $0).description }
    guard headers.allSatisfy({ $0.take != nil && !$0.sensorName.isEmpty }) else {
      throw CommandFailure.usage(
        "recording \(source.id) is no take of several sensors; leave --take out")
    }
    try correctionOptions.refuse(for: take.recordings, named: source.id)
    let members = try members(take.recordings, headers, of: catalogue, options)
    let isJoined = options.format == .csv && options.isResampled
    guard !isJoined || options.time == nil else {
      throw CommandFailure.usage(
        "--take and --grid make a table whose first column is t_grid_ns; leave --time out")
    }
    if options.format == .csv, !isJoined { try refuseUnlike(take.recordings, headers) }
    let missing =
      take.missing == 0 ? nil : take.remarks[0] + "; the rows of the others were exported"
    for remark in take.remarks.dropFirst(missing == nil ? 0 : 1) { Console.talk(remark) }
    let problem = try toOutput(options) { descriptor, name in
      let reports =
        switch options.format {
        case .json: try document(members, of: catalogue, headers, to: descriptor, name)
        case .parquet, .mcap, .html: try file(members, of: catalogue, to: descriptor, name)
        case _ where isJoined: try join(members, of: catalogue, to: descriptor, name)
        default: try list(members, of: catalogue, options.format, to: descriptor, name)
        }
      var problem = missing.map { CommandFailure(.damagedData, $0) }
      for (member, report) in zip(members, reports) {
        guard let found = outcome(of: report, member.entry, member.remark) else { continue }
        if problem != nil { Console.talk(found.sentence) }
        problem = problem ?? found
      }
      return (problem, isWhole: missing == nil && reports.allSatisfy(\.isWhole))
    }
    if let problem { throw problem }
  }

  /// The rows of one sensor after the other's.
  private func list(
    _ members: [Member], of catalogue: Catalogue, _ format: ExportFormat,
    to descriptor: Int32, _ name: String
  ) throws -> [Exporter.Report] {
    let lines = SensorLines(descriptor, name: name, format)
    return try members.map { member in
      var sink = lines.sink(of: member.sensor)
      let report = try write(member.entry, of: catalogue, member.options, to: &sink)
      guard lines.hasSameColumns else { throw unlikeColumns(member.entry) }
      return report
    }
  }

  /// One document with those of all, which have their own times.
  private func document(
    _ members: [Member], of catalogue: Catalogue, _ headers: [RecordingDescription],
    to descriptor: Int32, _ name: String
  ) throws -> [Exporter.Report] {
    var sink = BufferedSink(descriptor, name: name)
    let id = headers.first?.take.map { "\($0.id)" } ?? ""
    try sink.write(
      "{\"format\":\"imulog-take\",\n\"schema\":1,\n\"takeID\":\"\(id)\",\n\"recordings\":[\n")
    var reports: [Exporter.Report] = []
    for member in members {
      if !reports.isEmpty { try sink.write(",\n") }
      reports.append(try write(member.entry, of: catalogue, member.options, to: &sink))
    }
    try sink.write("]}\n")
    try sink.flush()
    return reports
  }

  /// One sensor after the other.
  private func file(
    _ members: [Member], of catalogue: Catalogue, to descriptor: Int32, _ name: String
  ) throws -> [Exporter.Report] {
    var sink = BufferedSink(descriptor, name: name)
    var file = TakeFile()
    var reports: [Exporter.Report] = []
    for member in members {
      reports.append(
        try file.add(
          try progress(catalogue, member.entry), of: member.sensor, by: Exporter(member.options),
          to: &sink))
    }
    try file.finish(to: &sink)
    return reports
  }

  /// A row for each instant. Each recording is read by a thread, and its rows come through a pipe.
  private func join(
    _ members: [Member], of catalogue: Catalogue, to descriptor: Int32, _ name: String
  ) throws -> [Exporter.Report] {
    var threads: [ExportThread] = []
    var failure: (any Error)?
    do {
      for member in members {
        threads.append(
          try ExportThread { sink in
            try Exporter(member.options).write(try catalogue.storage(of: member.entry), to: &sink)
          })
      }
      var table = JoinedTable(zip(members, threads).map { ($0.sensor, $1.descriptor) })
      var sink = BufferedSink(descriptor, name: name)
      try table.write(to: &sink)
    } catch {
      failure = error
    }
    // A thread whose rows nobody reads any more ends.
    let results = threads.map { $0.end() }
    if let failure { throw failure }
    return try results.map { try $0.get() }
  }

  /// The recordings with the options of each, whose times count from the first of the sensors' first ticks.
  private func members(
    _ entries: [CatalogueEntry], _ headers: [RecordingDescription], of catalogue: Catalogue,
    _ options: ExportOptions
  ) throws -> [Member] {
    let grid = headers.map(\.rate).min { $0.hertz < $1.hertz }
    return try zip(entries, zip(headers, try delays(headers))).map { entry, header in
      var options = options
      // Counts of different sensors are different values.
      if options.format == .parquet { options.units = options.units ?? .si }
      if options.format != .json { (options.takeDelay, options.takeGrid) = (header.1, grid) }
      (options.from, options.to) = (
        options.from.map { $0 &- header.1 }, options.to.map { $0 &- header.1 }
      )
      let remark = try options.take(entry, in: catalogue)
      return Member(
        entry: entry, sensor: header.0.sensorName, options: options, remark: remark)
    }
  }

  /// Refuses recordings whose rows have not the same columns.
  private func refuseUnlike(_ entries: [CatalogueEntry], _ headers: [RecordingDescription]) throws {
    let unlike = zip(entries, headers).first {
      $0.1.channels != headers[0].channels
        || ($0.1.sensor.field == nil) != (headers[0].sensor.field == nil)
    }
    if let unlike { throw unlikeColumns(unlike.0) }
  }

  /// Nanoseconds from the first of the sensors' first ticks to each one's: a recording begins with the sensor's next tick.
  private func delays(_ headers: [RecordingDescription]) throws -> [Int64] {
    // Simulated time has no instants of the computer's clock, and all begin with tick 0; imports have the times of one table.
    if headers.allSatisfy({ $0.origin == nil && ($0.board == "simulator" || $0.isImported) }) {
      return headers.map { _ in 0 }
    }
    let starts = headers.compactMap { $0.origin?.monotonic }
    guard starts.count == headers.count, let first = starts.min(),
      Set(headers.map(\.boot)).count == 1
    else {
      throw CommandFailure.usage(
        "the headers do not say how far the first ticks of recording \(source.id)'s sensors are apart; export each "
          + "alone, as \(source.id)/NAME")
    }
    return starts.map { $0 &- first }
  }

  private func unlikeColumns(_ entry: CatalogueEntry) -> CommandFailure {
    .usage(
      "recording \(entry.number) has other columns than the take's first; choose --channels that all have, "
        + "give --format ndjson, or export each alone as \(entry.number)/NAME")
  }
}

/// An export by a thread of its own, whose bytes come through a pipe.
private final class ExportThread {
  typealias Work = @Sendable (inout BufferedSink) throws -> Exporter.Report
  private typealias Outcome = Result<Exporter.Report, any Error>

  /// Where its bytes can be read.
  let descriptor: Int32
  private var thread: RunningThread<Outcome?>?

  init(_ work: @escaping Work) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw CommandFailure(.inputOutput, "cannot make a pipe: \(Errno.words(errno))")
    }
    let (output, input) = (ends[0], ends[1])
    descriptor = output
    do {
      let waiting = try RealTimeThread(name: "imu-export", stackSize: 1 << 20)
      thread = waiting.run(moving: nil as Outcome?) { outcome in
        var sink = BufferedSink(input, name: "a pipe")
        outcome = Outcome { try work(&sink) }
        close(input)
      }
    } catch {
      close(input)
      close(output)
      throw error
    }
  }

  /// Waits for the end of the work, which may not pass on any more bytes.
  func end() -> Result<Exporter.Report, any Error> {
    close(descriptor)
    guard let outcome = thread.take()?.join() else {
      preconditionFailure("a thread has an outcome, and ends once")
    }
    return outcome
  }
}
