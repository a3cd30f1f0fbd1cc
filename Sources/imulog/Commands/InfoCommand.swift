import ArgumentParser
import Export
import IMUModel
import LogStore
import Terminal

/// `imulog info`: everything about one recording but its samples.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show what is known about a recording, and how it came out.",
    discussion: """
      The last line is a verdict: good, flawed (more than 1 in 1000 samples missing or a gap of over a second, \
      clipping, 1 read in 100 over half a period late, an acceleration at rest that is a tenth off, an end that \
      was not asked for), damaged, or live. With --check it is the only line, and the exit status is 0 when good, \
      1 when flawed, 65 when damaged or without an end, 75 while it is being recorded.
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: ArgumentHelp("A number, `latest`, or the beginning of a UUID.", valueName: "id"))
  var id: String

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print the verdict alone and say it by the exit status.")
  var check = false

  mutating func run() throws {
    let catalogue = try program.openStore(storeOptions)
    let entry = try catalogue.entry(for: id)
    let isLive = try catalogue.isLive(entry)
    var reader = try LogReader(
      try ProgressStorage(reading: entry.path, "reading recording \(entry.number)"))
    let account = try reader.account(isLive: isLive, ofSamples: true)
    let review = ReviewReport(account)
    if check {
      try json ? Console.json(review.json) : Console.data(review.sentence)
      if let status = review.status { throw ExitCode(status.rawValue) }
      return
    }
    let report = InfoReport(entry: entry, summary: account.summary, review: review)
    if json { return try Console.json(report.json) }
    for (key, value) in report.lines {
      try Console.data(key + String(repeating: " ", count: 12 - key.count) + value)
    }
  }
}
