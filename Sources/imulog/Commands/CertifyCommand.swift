// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import SimulatedIMU

/// `imulog certify`: runs the chip's built-in self-test, and judges the chip.
struct CertifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certify",
    abstract: "Run the sensor's built-in self-test, and judge the chip.",
    discussion: """
      Each line is one finding: PASS, WARN, FAIL, or - for what could not be judged, then what was found and its bound. \
      After the self-test it records nothing, but looks at some seconds of samples as a recording's certificate does. \
      The chip must lie still for ten seconds, and no recorder may be using it. It shows an axis that does not work, \
      a wrong scale, and a copy of a chip by its identity, its noise, or a self-test that it does not have.

      The exit status is 0 when every finding passes, 1 when one fails or warns, and 75 when the chip moved: hold it \
      still and run it again.

      Examples:
        imulog certify
        imulog certify --sensor mpu6050@0x69 --json
      """)

  @ParentCommand var program: Imulog

  @Option(help: "The board, one of `imulog boards`; detected by default.", completion: .boards)
  var board: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The number N of /dev/i2c-N; by default the board's.", valueName: "n"))
  var bus: Int?

  @Option(
    help: ArgumentHelp(
      "The chip: auto, or a model; @0x69 after it chooses the address.",
      valueName: "auto|model"),
    completion: .sensors)
  var sensor = "auto"

  @Option(
    help: ArgumentHelp(
      "The simulated motion: still (the default), tumble, or a CSV file of counts.",
      valueName: "still|tumble|file"),
    completion: .motions)
  var motion: String?

  @Flag(help: "Print JSON.")
  var json = false

  mutating func run() throws {
    let report = try certify(try request())
    try json ? Console.json(report.json) : report.lines.forEach { try Console.data($0) }
    switch report.verdict {
    case .pass: break
    case .unknown:
      throw CommandFailure(.tryAgain, "the sensor moved: hold it still and run it again")
    case .warn, .fail: throw ExitCode(ExitStatus.flawed.rawValue)
    }
  }

  private func request() throws(CommandFailure) -> SensorRequest {
    var configuration = RecorderConfiguration.default
    (configuration.board, configuration.bus) = (board, bus)
    configuration.sensor = sensor
    // A simulated chip need not be waited for.
    let request = try SensorRequest(configuration, motion: motion, isTimeVirtual: true)
    guard !request.isSimulated || bus == nil else {
      throw CommandFailure(.usage, "the simulator has no bus to choose; leave --bus out")
    }
    guard request.isSimulated || motion == nil else {
      throw CommandFailure(
        .usage, "--motion is the simulator's; give --board simulator with it")
    }
    if let bus, bus < 0 {
      throw CommandFailure(.usage, "--bus \(bus): give the number N of a /dev/i2c-N")
    }
    return request
  }

  private func certify(_ request: SensorRequest) throws -> CertifyReport {
    guard request.isSimulated else { return try onHardware(request) }
    let clock = VirtualClock(start: SystemClock().now())
    var bus = try request.simulatedBus(clock)
    let found = try SensorIdentity.identify(on: &bus, choice: request.choice)
    return SensorCertification(
      configuration: request.settings(busClock: SensorRequest.simulatedBusClock), clock: clock
    ).run(bus, found) {}
  }

  private func onHardware(_ request: SensorRequest) throws -> CertifyReport {
    let board = request.presentBoard()
    let number = try request.busNumber(board)
    let busClock = SystemTree.live.i2cClock(bus: number) ?? board?.busHertz
    let search = SensorSearch(
      request: request, bus: number, isFixed: bus != nil, busClock: busClock, interrupt: nil)
    return try BusErrand(bus: number).run { progress in
      Result<CertifyReport, any Error> {
        let taken = try search.take(progress)
        let found = taken.identity
        for remark in search.remarks(onChoice: found) { Console.talk(remark) }
        Console.talk("testing the \(found.model.name) at \(found.address): hold it still")
        return SensorCertification(
          configuration: request.settings(busClock: busClock), clock: SystemClock()
        ).run(taken.bus, found, progress)
      }
    }.get()
  }
}
