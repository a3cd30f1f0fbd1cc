// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Files
import Glibc
import IMUModel
import OldImport
import LinuxIO
import Terminal
import Text

/// `imulog import`: makes a recording from a file of another kind, or copies a log into the store.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a recording of a file and print its number.",
    discussion: """
      Reads what export writes as csv, json, ndjson, gcsv, kalibr, gyrodata and raw, and the tables of other \
      programs by their header: EuRoC, phyphox, Sensor Logger, x-IMU3, Axivity, Betaflight and more. --columns names the \
      columns of any other table. Values are kept exactly where 16 bits can hold them; else the largest error is \
      reported. Two tables of one recording, each with a sensor and times of its own, are joined by the nearest \
      times. A table without times needs --rate. A damaged log is imported as far as it can be read; what is missing is reported, and the exit status \
      is then 65.

      Examples:
        imulog import walk.csv --accel-lsb-per-g 8192 --gyro-lsb-per-dps 65.5
        imulog import Accelerometer.csv Gyroscope.csv
        imulog import arduino.csv --rate 119
        imulog import drone.txt --columns time=Zeit,ax=aX,ay=aY,az=aZ --units g,ms
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp(
      "The file to import, or two tables of one recording.", valueName: "file"),
    completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "csv for any table, json, ndjson, gyrodata, zip or raw; by default detected.",
      valueName: "format")
  )
  var format: ImportFormat?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Which columns of a table to import, by name or number: time=,ax= and so on to gz=,temp=.",
      valueName: "list"))
  var columns: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Units that a table does not name: si, g-dps, raw, or of g, mg, m/s2, deg/s, mdps, rad/s, s, ms, us, ns, min, h.",
      valueName: "list"))
  var units: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Counts for 1 g in a table; else found in the file, or 16384.", valueName: "counts"))
  var accelLsbPerG: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Plain.text("Counts for 1 °/s in a table; else found in the file, or 131."),
      valueName: "counts"))
  var gyroLsbPerDps: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Samples a second; by default estimated from the times.", valueName: "hz")
  )
  var rate: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A note to keep with the recording.", valueName: "text"))
  var note = ""

  mutating func run() throws {
    let file = files[0]
    let options = try importOptions()
    let store = try program.storePath(storeOptions)
    let importing = Importing(store: store)
    let found = try ImportedFile.format(of: file, given: format)
    if found == .zip, files.count > 1 || columns != nil {
      throw CommandFailure(
        .usage, "\(file) is an archive; leave --columns and a second file out, or unpack it")
    }
    if found == .raw { try refuseTableOptions(file) }
    switch found {
    case .csv, .json, .ndjson, .zip, .gyrodata:
      let line = ProgressLine()
      defer { line.end() }
      let imported = try ImportedFile(
        file, with: files.dropFirst().first, found, options
      ) { line.show("importing \($0)", $1, of: $2) }
      // What is no phone app's document is bad data, whatever the options are.
      if found == .gyrodata {
        line.end()
        try refuseTableOptions(file)
        guard accelLsbPerG == nil, gyroLsbPerDps == nil else {
          throw CommandFailure(
            .usage, "\(file) has values in g or rad/s and no counts; leave the scales out")
        }
      }
      try Console.data("\(importing.run(imported, line))")
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

  private func refuseTableOptions(_ file: String) throws(CommandFailure) {
    guard files.count == 1, columns == nil, units == nil else {
      throw CommandFailure(
        .usage, "\(file) is no table; leave --columns, --units and a second file out")
    }
  }

  mutating func validate() throws {
    guard files.count <= 2 else {
      throw ValidationError(
        "\(files.count) files: import takes one, or two tables of one recording")
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
    if let text = columns {
      guard let columns = ImportColumnNames(text) else {
        throw CommandFailure(
          .usage,
          "--columns \(text): give axes and, unless --rate is to place them, time= with names or numbers, such as "
            + "time=t,ax=aX,ay=aY,az=3"
        )
      }
      options.columns = columns
    }
    if let text = units {
      guard let units = ImportUnits(text) else {
        throw CommandFailure(
          .usage,
          "--units \(text): give si, g-dps, raw, or one unit of each kind, such as g,deg/s,ms")
      }
      options.units = units
    }
    if let text = rate {
      guard let rate = SampleRate(decimal: text) else {
        throw CommandFailure(.usage, "--rate \(text): \(SampleRate.refusal(of: text))")
      }
      options.rate = rate
    }
    return options
  }

  private static func scale(_ text: String, _ option: String) throws(CommandFailure) -> Fraction {
    guard let scale = ImportOptions.scale(countsPerUnit: text) else {
      throw CommandFailure(
        .usage,
        "\(option) \(text): give counts a unit as a decimal number above 0 with at most 9 digits before its point and 9 after it, such as 16384"
      )
    }
    return scale
  }
}

extension ImportFormat: ExpressibleByArgument {}
