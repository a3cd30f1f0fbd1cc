import ArgumentParser
import Export
import IMUModel
import LogStore
import Terminal

/// `imulog info`: everything about one recording but its samples.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show everything about a recording, with a verdict.",
    discussion: """
      The last line is the verdict: good, flawed, damaged or live. A recording is flawed if more than 1 \
      sample in 1000 is missing, a gap is longer than 1 s, a value is clipped, 1 sample in 100 was more \
      than half a period late, the acceleration at rest is off by a tenth, or a fault ended it. With \
      --check only the verdict is printed, and the exit status is 0 for good, 1 for flawed, 65 for damaged \
      or without an end, 75 while it is being recorded.

      Examples:
        imulog info latest
        imulog info latest --check || echo "do it again"
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: ArgumentHelp("A number, `latest`, or the beginning of a UUID.", valueName: "id"))
  var id: String

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print only the verdict; the exit status is 0 for a good recording.")
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
