// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUModel
import LogStore
import Terminal
import Text

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read a whole recording and report damage.",
    discussion: """
      Exit status: 0 complete, 65 something is missing or damaged. Where the chip kept the time, samples that \
      are proved lost or doubled count.
      """,
    examples: "imulog verify latest")

  @ParentCommand var program: Imulog
  @OptionGroup var log: LogOptions

  @Flag(help: "Print JSON.")
  var json = false

  mutating func run() throws {
    let report = VerifyReport(try log.isPath ? verifyFile() : verifyRecording())
    try json ? Console.json(report.json) : report.print()
    if !report.isWhole { throw CommandFailure(.damagedData, report.sentence) }
  }

  private func verifyFile() throws -> Account {
    var reader = try LogReader(try ProgressStorage(reading: log.target, "verifying \(log.target)"))
    return try reader.account()
  }

  /// Opens the log through the catalogue, which follows links only when asked to.
  private func verifyRecording() throws -> Account {
    let catalogue = try program.openStore(log.storeOptions)
    let entry = try catalogue.entry(for: log.target)
    var reader = try LogReader(
      try ProgressStorage(
        try catalogue.storage(of: entry), "verifying recording \(entry.number)"))
    return try reader.account()
  }
}

/// The result of `verify`, for people or as JSON.
struct VerifyReport {
  private let report: Account

  init(_ report: Account) { self.report = report }

  /// Whether nothing is missing or damaged.
  var isWhole: Bool { report.isIntact && report.chipClock?.isWhole ?? true }

  var sentence: String {
    var parts: [String] = []
    if report.damageCount > 0 {
      let least = report.isLossKnown ? "" : "at least "
      parts.append(
        "\(report.damageCount) damaged \(report.damageCount == 1 ? "part" : "parts"), "
          + "\(least)\(report.damagedTickCount) ticks lost")
    }
    if report.unexplainedTickCount > 0 {
      parts.append("\(report.unexplainedTickCount) ticks that nothing accounts for")
    }
    if !report.isComplete {
      parts.append("no end, \(report.sampleCount) samples were found before it")
    } else if report.isBalanced == false, report.damageCount == 0 {
      parts.append("its account does not balance")
    }
    if let end = report.end, report.sampleCount != end.tally.sampled {
      parts.append("\(report.sampleCount) of \(end.tally.sampled) samples were salvaged")
    }
    if let clock = report.chipClock, let flaw = clock.flaw { parts.append(flaw) }
    return parts.isEmpty ? "the recording is whole" : "not whole: " + parts.joined(separator: "; ")
  }

  func print() throws {
    try Console.data("samples   \(report.sampleCount)")
    try Console.data("gaps      \(report.gapCount)")
    try Console.data("pages     \(report.pageCount)")
    try Console.data("bytes     \(report.byteCount)")
    try Console.data("complete  \(report.isComplete ? "yes" : "no")")
    for damage in report.damage { try Console.data("damage    \(damage)") }
    if let chip = ChipTimesReport(report) {
      for row in [chip.summary] + chip.places { try Console.data(TextTable.line(row, width: 10)) }
    }
    if isWhole { Console.talk(sentence) }
  }

  var json: String {
    JSONWriter.document { json in
      json.member("id", "\(report.description.id)")
      json.member("intact", report.isIntact)
      json.member("hasEnd", report.isComplete)
      json.member("sampleCount", report.sampleCount)
      json.member("recordedSampleCount", report.end?.tally.sampled)
      json.member("gapCount", report.gapCount)
      json.member("pageCount", report.pageCount)
      json.member("size_bytes", report.byteCount)
      json.member("damageCount", report.damageCount)
      json.member("ticksLost", report.damagedTickCount)
      json.member("isLossKnown", report.isLossKnown)
      json.member("damage", report.damage) { $0.add($1) }
      json.key("chipTimes")
      json.chipTimes(report.chipClock, report.description)
    }
  }
}
