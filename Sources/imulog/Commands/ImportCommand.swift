// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Export
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Terminal

/// `imulog import`: makes a recording from a file of another kind, or copies a log into the store.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a recording of a file and print its number.",
    discussion: """
      Accepts tables of counts (CSV with a header such as t_us,ax,ay,az,gx,gy,gz,temp), the phone apps' \
      JSON, and imulog's own logs. A damaged log is imported as far as it can be read; what is missing is \
      reported, and the exit status is then 65.

      Example:
        imulog import walk.csv --accel-lsb-per-g 8192 --gyro-lsb-per-dps 65.5
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp("The file to import.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "csv, gyrodata or raw; by default detected.", valueName: "format"))
  var format: ImportFormat?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Counts for 1 g in a CSV file; 16384 by default.", valueName: "counts"))
  var accelLsbPerG: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Plain.text("Counts for 1 °/s in a CSV file; 131 by default."), valueName: "counts"))
  var gyroLsbPerDps: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Samples a second; by default estimated from the times.", valueName: "hz")
  )
  var rate: String?

  @Option(help: ArgumentHelp("A note to keep with the recording.", valueName: "text"))
  var note = ""

  mutating func run() throws {
    var source = try ProgressSource(path: file)
    let options = try importOptions()
    let store = try program.storePath(storeOptions)
    let importing = Importing(store: store)
    switch try format ?? ImportFormat.detect(&source) {
    case .csv: try Console.data("\(importing.run(try CSVImporter(source, options)))")
    case .gyrodata:
      guard accelLsbPerG == nil, gyroLsbPerDps == nil else {
        throw CommandFailure(
          .usage, "\(file) has values in g or rad/s and no counts; leave the scales out")
      }
      try Console.data("\(importing.run(try PhoneImporter(source, options)))")
    case .raw:
      guard accelLsbPerG == nil, gyroLsbPerDps == nil, rate == nil, note.isEmpty else {
        throw CommandFailure(
          .usage, "\(file) is a log and has its own scales, rate and note; leave those options out")
      }
      let (number, report) = try importing.copy(file)
      try Console.data("\(number)")
      guard report.isIntact else {
        throw CommandFailure(
          .damagedData, "recording \(number) is \(VerifyReport(report).sentence)")
      }
    }
  }

  private func importOptions() throws(CommandFailure) -> ImportOptions {
    var generator = SystemRandomNumberGenerator()
    guard note.utf8.count <= 1000 else {
      throw CommandFailure(
        .usage, "--note has \(note.utf8.count) bytes, and 1000 fit into a recording; shorten it")
    }
    var options = ImportOptions(
      id: .random(using: &generator), host: SystemTree.live.hostName() ?? "",
      software: Software.name, note: note)
    if let text = accelLsbPerG {
      options.accelerometerScale = try ImportCommand.scale(text, "--accel-lsb-per-g")
    }
    if let text = gyroLsbPerDps {
      options.gyroscopeScale = try ImportCommand.scale(text, "--gyro-lsb-per-dps")
    }
    if let text = rate {
      guard let rate = SampleRate(decimal: text) else {
        throw CommandFailure(
          .usage, "--rate \(text): give hertz as a decimal number above 0, such as 10 or 12.5")
      }
      options.rate = rate
    }
    return options
  }

  private static func scale(_ text: String, _ option: String) throws(CommandFailure) -> Fraction {
    guard let scale = ImportOptions.scale(countsPerUnit: text) else {
      throw CommandFailure(
        .usage, "\(option) \(text): give counts a unit as a decimal number above 0, such as 16384")
    }
    return scale
  }
}

extension ImportFormat: ExpressibleByArgument {}

/// A file to import that shows its progress on the terminal when reading takes long.
///
/// A table is read several times, to check it and to import it; the line shows the current pass.
private struct ProgressSource: ImportSource, ~Copyable {
  private var source: FileSource
  private let line: ProgressLine
  private let length: UInt64
  private var offset: UInt64

  /// Opens the file for reading.
  init(path: String) throws(ImportError) {
    let source = try FileSource(path: path)
    var status = stat()
    // Without a length the line shows no percentage.
    length = stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    self.source = source
    line = ProgressLine()
    offset = 0
  }

  deinit {
    line.end()
  }

  var name: String { source.name }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    line.show("importing \(source.name)", offset, of: length)
    let count = try source.read(into: buffer)
    offset += UInt64(count)
    return count
  }

  mutating func rewind() {
    source.rewind()
    offset = 0
  }
}
