// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUDrivers
import IMUModel
import LinuxIO
import Text

/// `imulog record`: makes one recording, now.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Make a recording now and print its number.",
    discussion: """
      Records 60 s at 10 Hz by default. Ctrl-C or SIGTERM ends the recording early and keeps it. On a \
      terminal a live graph is shown, and the last line names the keys. Messages go to stderr; the last \
      line of stdout is the recording's number.

      Examples:
        imulog record
        imulog record --rate 200 --for 10m --accel-range 8g --note "left wheel"
        imulog record --board simulator --virtual-time --for 2s
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @OptionGroup var sensorOptions: SensorOptions

  @Option(
    help: ArgumentHelp(
      "The sensors to record; both includes the temperature.", valueName: "accel|gyro|both"),
    completion: .list(["accel", "gyro", "both"]))
  var channels = "both"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Samples a second: from 0.0001 to 1000, or a rate of the chip.", valueName: "hz"),
    completion: .rates)
  var rate = "10"

  @Option(
    help: ArgumentHelp(
      "What keeps the time: the chip, by its FIFO, or a grid of the computer; auto: the chip above 200 Hz.",
      valueName: "auto|chip|grid"),
    completion: .list(["auto", "chip", "grid"]))
  var clock = "auto"

  @Option(
    help: ArgumentHelp(
      "The line from the chip's interrupt output: none, auto (the board's), or a name such as GPIO22.",
      valueName: "line"))
  var interrupt = "none"

  @Flag(
    help:
      "When an LSM6DS or LSM6DSV keeps the time: put its own counter's stamp beside each sample.")
  var timeStamps = false

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp(
      "The length, such as 60s, 1.5m or 500ms; 60s by default.", valueName: "span"))
  var length: String?

  @Flag(help: "Record until Ctrl-C or SIGTERM.")
  var untilStopped = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Full scale of the accelerometer, such as 4g.", valueName: "g"))
  var accelRange = "4g"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Full scale of the gyroscope, such as 500dps.", valueName: "dps"))
  var gyroRange = "500dps"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How often to sync the log, 0 for only at the end; by default 1s, or 10s until stopped at 10 Hz or less.",
      valueName: "span"))
  var syncEvery: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The longest that a processor may take to wake: auto (limited from 50 Hz on), off, or microseconds.",
      valueName: "auto|off|us"))
  var cpuLatency = "auto"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A note to keep with the recording.", valueName: "text"))
  var note = ""

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How the sensor is mounted: the chip's axes that x, y and z are, such as -z,y,x.",
      valueName: "axes"))
  var axes = "x,y,z"

  @Option(
    help: ArgumentHelp("The sensor's calibration, to keep with the recording.", valueName: "file"),
    completion: .file())
  var calibration: String?

  @Flag(help: "Simulate as fast as the computer can.")
  var virtualTime = false

  @Flag(help: "Print the result as JSON.")
  var json = false

  @OptionGroup var terminalOptions: TerminalOptions

  /// The values of the options that are settings of the recorder, by their names.
  var settings: [String: String] {
    let given = [
      "channels": channels, "rate": rate, "clock": clock, "interrupt": interrupt,
      "time-stamps": timeStamps ? "yes" : "no", "for": untilStopped ? "until-stopped" : length,
      "accel-range": accelRange, "gyro-range": gyroRange, "sync-every": syncEvery,
      "cpu-latency": cpuLatency, "note": note, "axes": axes, "while-idle": "sleep",
    ]
    return given.compactMapValues { $0 }
  }

  func validate() throws {
    guard !untilStopped || length == nil else {
      throw ValidationError("--for and --until-stopped exclude each other; give one of them")
    }
  }

  mutating func run() throws {
    // To the end: a second signal must not cut off the number and the verdict of the recording that the first one ended.
    let signals = try SignalWatch()
    do {
      try record(signals)
    } catch {
      signals.keepToExit()
      throw error
    }
    signals.keepToExit()
  }

  private func record(_ signals: borrowing SignalWatch) throws {
    let request = try RecordRequest(self)
    let store = try program.storePath(storeOptions)
    let outcome = try RecordOutcome.recording(request, store: store)
    for talk in outcome.talkOfDiscarded { Console.talk(talk) }
    if let talk = outcome.talk { Console.talk(talk) }
    var failure = outcome.failure
    if !outcome.isGone {
      let unreadable = RecordReview(
        number: outcome.number, store: store,
        storeOption: storeOptions.store ?? program.storeOptions.store
      ).talk()
      if let unreadable, failure != nil { Console.talk(unreadable.sentence) }
      failure = failure ?? unreadable
    }
    // Without a recording there is no number to print for the next command.
    if json {
      try Console.json(outcome.json)
    } else if !outcome.isGone {
      try Console.data("\(outcome.number)")
    }
    if !outcome.isGone { RecordCommand.adopt(in: store, until: signals) }
    if let failure { throw failure }
  }

  /// Adopts recordings that were cut off earlier, until a signal arrives. This recording has ended: a failure here does
  /// not change its outcome.
  private static func adopt(in store: String, until signals: borrowing SignalWatch) {
    do {
      var isWanted = true
      _ = try OpenStore.making(store).adopt {
        isWanted = isWanted && signals.wait(timeoutNanoseconds: 0) == nil
        return isWanted
      }
    } catch {
      Console.talk("cannot look for recordings that were cut off: \(error)")
    }
  }
}
