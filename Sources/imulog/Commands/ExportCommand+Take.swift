// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
import IMUModel
import LogStore
import Terminal
import Text

extension ExportCommand {
  /// Exports the recordings of a take's sensors as one table, one after the other.
  func exportTake(_ catalogue: Catalogue, _ options: ExportOptions) throws {
    guard options.format.takes(.take) else {
      throw CommandFailure.usage(
        "--take makes one table, and --format \(options.format.rawValue) is none; give "
          + "--format \(ExportOption.take.formatNames)")
    }
    let take = try catalogue.take(source.id)
    let entries = take.recordings
    let headers = try entries.map { try catalogue.reader(of: $0).description }
    try refuseUnlike(entries, headers, options)
    guard output != "-" else {
      let lines = SensorLines(STDOUT_FILENO, name: "stdout", options.format)
      let (_, problem) = try write(take, headers, of: catalogue, options, to: lines)
      if let problem { throw problem }
      return
    }
    let file = try PendingFile(output)
    let lines = SensorLines(file.descriptor, name: output, options.format)
    let (isWhole, problem) = try write(take, headers, of: catalogue, options, to: lines)
    try file.publish(isWhole: isWhole)
    if let problem { throw problem }
  }

  /// Writes all recordings; returns whether nothing is missing, and what a user must know of it.
  private func write(
    _ take: TakeMembers<CatalogueEntry>, _ headers: [RecordingDescription],
    of catalogue: Catalogue, _ options: ExportOptions, to lines: SensorLines
  ) throws -> (isWhole: Bool, problem: CommandFailure?) {
    var (isWhole, problem) = (take.missing == 0, nil as CommandFailure?)
    if take.missing > 0 {
      problem = CommandFailure(
        .damagedData, take.remarks[0] + "; the rows of the others were exported")
    }
    for remark in take.remarks.dropFirst(isWhole ? 0 : 1) { Console.talk(remark) }
    for (entry, (header, delay)) in zip(take.recordings, zip(headers, try delays(headers))) {
      var options = options
      options.takeDelay = delay
      (options.from, options.to) = (
        options.from.map { $0 &- delay }, options.to.map { $0 &- delay }
      )
      let remark = try options.take(entry, in: catalogue)
      var sink = lines.sink(of: header.sensorName)
      let isApart = output != "-" || !Console.isTerminal(STDOUT_FILENO)
      var report = try Exporter(options).write(
        try ProgressStorage(
          try catalogue.storage(of: entry), "exporting recording \(entry.number)",
          isShown: isApart), to: &sink)
      guard lines.hasSameColumns else { throw unlikeColumns(entry) }
      report.add(remark)
      if report.isCutOff { report.remarks.append("its end is missing; what is there was exported") }
      for remark in report.remarks { Console.talk("recording \(entry.number): \(remark)") }
      isWhole = isWhole && report.isWhole
      if report.damages > 0, problem == nil {
        problem = .damaged(entry.number, report.damages, "exported")
      } else if report.areLabelsDamaged, problem == nil {
        problem = CommandFailure(
          .damagedData,
          "labels of recording \(entry.number) are damaged, and those that can be read were exported"
        )
      }
    }
    return (isWhole, problem)
  }

  /// Refuses recordings that one table cannot hold.
  private func refuseUnlike(
    _ entries: [CatalogueEntry], _ headers: [RecordingDescription], _ options: ExportOptions
  ) throws {
    guard let first = headers.first,
      headers.allSatisfy({ $0.take != nil && !$0.sensorName.isEmpty })
    else {
      throw CommandFailure.usage(
        "recording \(source.id) is no take of several sensors; leave --take out")
    }
    let unlike = zip(entries, headers).first {
      $0.1.channels != first.channels || ($0.1.sensor.field == nil) != (first.sensor.field == nil)
    }
    if options.format == .csv, let unlike { throw unlikeColumns(unlike.0) }
  }

  /// Nanoseconds from the first of the sensors' first ticks to each one's: a recording begins with the sensor's next tick.
  private func delays(_ headers: [RecordingDescription]) throws -> [Int64] {
    // Simulated time has no instants of the computer's clock, and all begin with tick 0.
    if headers.allSatisfy({ $0.origin == nil && $0.board == "simulator" }) {
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
