// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Files
import Glibc
import IMUModel
import Import
import LinuxIO
import Terminal
import Text

/// `imulog import`: makes a recording from a file of another kind, or copies a log into the store.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a recording of a file and print its number.",
    discussion: """
      Reads tables and archives of tables, the phone apps' documents, logs, and what export writes as csv, ndjson, json, \
      parquet, mcap, gcsv, kalibr, gyrodata and raw. Units and columns are what the file states: in its header, or by a \
      header that a known program writes, such as EuRoC, phyphox, Sensor Logger, x-IMU3, Axivity, Empatica, Klipper or \
      Betaflight. Nothing is guessed: what is missing is asked for at once, with a command that states it.

      Each sample keeps its own time. Values are kept exactly where 16 bits can hold them; else the largest error is \
      reported. Two tables of one recording, each with a sensor and times of its own, are joined by the nearest times. A \
      damaged log is imported as far as it can be read, and the exit status is then 65.
      """,
    examples: "imulog import walk.csv --explain",
    "imulog import walk.csv --units si",
    "imulog import Accelerometer.csv Gyroscope.csv",
    "imulog import arduino.csv --rate 119 --units g,deg/s --each",
    "imulog import drone.txt --columns time=Zeit,ax=aX,ay=aY,az=aZ --units g,ms")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp(
      "The file to import, or two tables of one recording.", valueName: "file"),
    completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp("What the file is; by default known by its bytes.", valueName: "format"))
  var format: FileKind?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The columns of a table, by name or number: time=, date=, ax= and so on to gz=, temp=; skip= for text that says nothing of the sensor.",
      valueName: "list"))
  var columns: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      What a table does not state: si, g-dps, raw (counts, as of an MPU-6050: 16384 for 1 g), or a unit of each kind: \
      g, mg, m/s2, mm/s2; deg/s, mdps, rad/s, rpm; s, ms, us, ns, min, h; unix for times from 1970; dmy or mdy for \
      dates.
      """, valueName: "list"))
  var units: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Accelerations are counts, so many for 1 g.", valueName: "counts"))
  var accelLsbPerG: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Plain.text("Rates are counts, so many for 1 °/s."), valueName: "counts"))
  var gyroLsbPerDps: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Samples a second; by default those of the times.", valueName: "hz"))
  var rate: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A note to keep with the recording.", valueName: "text"))
  var note = ""

  @Flag(help: "Print how each column is understood, and who states it; import nothing.")
  var explain = false

  @Flag(
    help:
      "Make a recording of each session of a table: after blank lines, the header again, or earlier times."
  )
  var each = false

  @Flag(
    help:
      "Make a take of a table of several sensors: a recording of each, by words such as imu1_ax and imu2_ax have."
  )
  var take = false

  @Flag(help: "Put the rows of a table in the order of their times; rows may share a time.")
  var sort = false

  @Flag(help: "Import what is stated although values or times contradict it.")
  var anyway = false

  mutating func run() throws {
    let request = try importRequest()
    let kind = try ImportedRecording.kind(of: files[0], given: format)
    try refuseOptions(for: kind)
    let line = ProgressLine()
    defer { line.end() }
    do {
      if kind == .raw {
        try copy(files[0])
      } else if take {
        try importTake(kind, request, line)
      } else {
        try importTables(kind, request, line)
      }
    } catch let refusal as ImportError where refusal.kind == .unclear {
      line.end()
      // A line feed in the name of a file begins no line of its own.
      let head = refusal.description.dropLast(refusal.remedy.count)
      Console.talk(
        [String(head.dropLast())] + refusal.remedy.split(separator: "\n").map(String.init))
      throw ExitCode(refusal.exitStatus.rawValue)
    }
  }

  private func importTables(_ kind: FileKind, _ request: ImportRequest, _ line: ProgressLine) throws
  {
    let files = files
    let progress: FileSource.Progress = { line.show("importing \($0)", $1, of: $2) }
    var sessions = 1
    if explain || each {
      let tables = try ImportedRecording.explained(files, kind, request, progress: progress)
      if each, let first = tables.first { sessions = max(1, first.sessions.count) }
      guard sessions == 1 || tables.count == 1 else {
        throw CommandFailure(
          .usage, "one of the tables holds several recordings; split both, and import them in pairs"
        )
      }
      line.end()
      if explain { try Console.data(tables.flatMap(\.explanation).joined(separator: "\n")) }
    }
    let first = try ImportedRecording(files, kind, request, progress: progress)
    line.end()
    if explain { Console.talk("it would be a recording of \(first.summary)") }
    guard sessions > 1 else {
      if !explain { try make(first, line) }
      return
    }
    // Whether all sessions can be imported is known before the first is made.
    for session in 1..<sessions {
      let summary = try first.another(session: session, id: ImportCommand.newID()).summary
      if explain { Console.talk("it would be a recording of \(summary)") }
    }
    guard !explain else { return }
    for session in 0..<sessions {
      try make(try first.another(session: session, id: ImportCommand.newID()), line)
    }
  }

  /// A recording of each sensor of a table, or of none: what is missing of any is known before the first is made.
  private func importTake(_ kind: FileKind, _ request: ImportRequest, _ line: ProgressLine) throws {
    let files = files
    let progress: FileSource.Progress = { line.show("importing \($0)", $1, of: $2) }
    let (sensors, others) = try SensorColumns.list(files[0], kind, request, progress: progress)
    line.end()
    if !others.isEmpty {
      Console.talk("no axis of a sensor, and left out: " + others.joined(separator: ", "))
    }
    let id = ImportCommand.newID()
    let requests = sensors.enumerated().map { index, sensor in
      var own = request
      own.id = ImportCommand.newID()
      (own.columns, own.sensorName) = (sensor.columns, sensor.name)
      own.take = TakePlace(id: id, index: index, count: sensors.count)
      return own
    }
    for own in requests {
      if explain {
        let tables = try ImportedRecording.explained(files, kind, own, progress: progress)
        try Console.data(tables.flatMap(\.explanation).joined(separator: "\n"))
      }
      let imported = try ImportedRecording(files, kind, own, progress: progress)
      line.end()
      if explain { Console.talk("\(own.sensorName) would be a recording of \(imported.summary)") }
    }
    guard !explain else { return }
    var made: [UInt32] = []
    do {
      for own in requests {
        made.append(
          try make(
            try ImportedRecording(files, kind, own, progress: progress), line, own.sensorName))
      }
    } catch {
      // The card is full, or the file has changed since.
      let catalogue = try program.openStore(storeOptions)
      for number in made {
        _ = try catalogue.remove(try catalogue.entry(for: "\(number)"), now: SystemClock().wallTime)
        Console.talk("recording \(number) was made before, and is in the trash")
      }
      throw error
    }
    Console.talk("see them: imulog info \(made[0])")
  }

  private static func newID() -> RecordingID {
    var generator = SystemRandomNumberGenerator()
    return .random(using: &generator)
  }

  /// Makes a recording, prints its number, and says what it has.
  @discardableResult
  private func make(
    _ imported: consuming ImportedRecording, _ line: ProgressLine, _ sensor: String = ""
  ) throws -> UInt32 {
    let summary = imported.summary
    let number = try Importing(store: program.storePath(storeOptions)).run(imported, line)
    try Console.data("\(number)")
    Console.talk(
      sensor.isEmpty
        ? "\(summary); see them: imulog show \(number)"
        : "recording \(number), \(sensor): \(summary)")
    return number
  }

  /// Copies a log.
  private func copy(_ file: String) throws {
    let (number, report) = try Importing(store: program.storePath(storeOptions)).copy(file)
    try Console.data("\(number)")
    guard report.isIntact else {
      throw CommandFailure(.damagedData, "recording \(number) is \(VerifyReport(report).sentence)")
    }
  }

  /// Refuses options that state what the file states itself.
  private func refuseOptions(for kind: FileKind) throws(CommandFailure) {
    var given: Set<FileKind.Option> = []
    if files.count > 1 { given.insert(.second) }
    if columns != nil { given.insert(.columns) }
    if units != nil || accelLsbPerG != nil || gyroLsbPerDps != nil || each || sort || anyway {
      given.insert(.meaning)
    }
    if rate != nil || !note.isEmpty || explain { given.insert(.other) }
    if take { given.formUnion([.columns, .meaning]) }
    let (taken, sentence) = kind.options
    guard given.isSubset(of: taken) else {
      throw CommandFailure(.usage, "\(files[0]) \(sentence)")
    }
  }

  mutating func validate() throws {
    if take, files.count > 1 || columns != nil || each {
      throw ValidationError(
        "--take makes recordings of one table by its columns' names; leave a second file, --columns and --each out"
      )
    }
    guard files.count <= 2 else {
      throw ValidationError(
        "\(files.count) files: import takes one, or two tables of one recording")
    }
  }

  private func importRequest() throws(CommandFailure) -> ImportRequest {
    guard note.utf8.count <= 1000 else {
      throw CommandFailure(
        .usage, "--note has \(note.utf8.count) bytes, and 1000 fit into a recording; shorten it")
    }
    var request = ImportRequest(id: ImportCommand.newID())
    (request.host, request.software) = (SystemTree.live.hostName() ?? "", Software.name)
    request.note = note
    if let text = accelLsbPerG {
      request.accelerometerScale = try ImportCommand.scale(text, "--accel-lsb-per-g")
    }
    if let text = gyroLsbPerDps {
      request.gyroscopeScale = try ImportCommand.scale(text, "--gyro-lsb-per-dps")
    }
    if let text = columns {
      guard let columns = ColumnsOption(text) else {
        throw CommandFailure(
          .usage,
          "--columns \(text): give axes and, unless --rate is to place them, time= with names or numbers, such as "
            + "time=t,ax=aX,ay=aY,az=3"
        )
      }
      request.columns = columns
    }
    if let text = units {
      guard let units = UnitsOption(text) else {
        throw CommandFailure(
          .usage,
          "--units \(text): give si, g-dps, raw, or one unit of each kind, such as g,deg/s,ms; and unix, dmy or mdy"
        )
      }
      request.units = units
    }
    if let text = rate {
      guard let rate = SampleRate(decimal: text) else {
        throw CommandFailure(.usage, "--rate \(text): \(SampleRate.refusal(of: text))")
      }
      request.rate = rate
    }
    (request.isEach, request.isSorted, request.isAnyway) = (each, sort, anyway)
    // The command of a refusal repeats them.
    if let format { request.words += ["--format", format.rawValue] }
    if let store = storeOptions.store { request.words += ["--store", store] }
    return request
  }

  private static func scale(_ text: String, _ option: String) throws(CommandFailure) -> Fraction {
    guard let scale = ImportRequest.scale(countsPerUnit: text) else {
      throw CommandFailure(
        .usage,
        "\(option) \(text): give counts a unit as a decimal number above 0 with at most 9 digits before its point and 9 after it, such as 16384"
      )
    }
    return scale
  }
}

extension FileKind: ExpressibleByArgument {}
