// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Certificate
import Files
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import SimulatedIMU

struct CertifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certify",
    abstract: "Run the sensor's built-in self-test, and judge the chip.",
    discussion: """
      Hold the chip still for ten seconds; no recorder may use it. Each line is a finding: PASS, WARN, FAIL, or - \
      for not judged; then the value and its bound. It finds dead axes, wrong scales and copies of chips.

      Exit status: 0 all pass; 1 a finding fails, or warns although the chip lay still; 75 it moved, or too \
      little could be judged: hold it still and retry.
      """,
    examples: "imulog certify",
    "imulog certify --sensor mpu6050@0x69 --json")

  @ParentCommand var program: Imulog
  @OptionGroup var sensorOptions: SensorOptions

  @Flag(help: "Print JSON.")
  var json = false

  mutating func run() throws {
    // A simulated chip need not be waited for.
    let request = try sensorOptions.request(isTimeVirtual: true)
    let report = try certify(request)
    try json ? Console.json(report.json) : report.lines.forEach { try Console.data($0) }
    switch report.verdict {
    case .pass: break
    case .unknown:
      throw CommandFailure(
        .tryAgain,
        report.isMoved
          ? "the sensor moved: hold it still and run it again"
          : SensorCertificate(report.findings).sentence
            + (request.hasGivenCounts ? "" : "; run it again"))
    case .warn, .fail: throw ExitCode(ExitStatus.flawed.rawValue)
    }
  }

  private func certify(_ request: SensorRequest) throws -> CertifyReport {
    guard request.isSimulated else { return try onHardware(request) }
    let clock = VirtualClock(start: SystemClock().now())
    var bus = try request.simulatedBus(clock)
    let found = try SensorIdentity.identify(on: &bus, choice: request.choice)
    return SensorCertification(
      configuration: request.configuration.sensorConfiguration(
        busClock: SensorRequest.simulatedBusClock), clock: clock,
      hasGivenCounts: request.hasGivenCounts
    ).run(bus, found) {}
  }

  private func onHardware(_ request: SensorRequest) throws -> CertifyReport {
    let search = try SensorSearch(request, on: request.presentBoard())
    // A signal must not leave the chip in its self-test: it ends the program once the registers are as before.
    let signals = try SignalWatch()
    let report = try BusErrand(bus: search.bus).run { progress in
      Result<CertifyReport, any Error> {
        let taken = try search.take(progress)
        let found = taken.identity
        for remark in search.remarks(onChoice: found) { Console.talk(remark) }
        Console.talk("testing the \(found.model.name) at \(found.address): hold it still")
        return SensorCertification(
          configuration: request.configuration.sensorConfiguration(
            busClock: taken.busClock.planned),
          clock: SystemClock(), measuredBusClock: taken.busClock.measured,
          isEnding: { SignalWatch.isEnding }
        ).run(taken.bus, found, progress)
      }
    }
    _ = consume signals
    return try report.get()
  }
}
