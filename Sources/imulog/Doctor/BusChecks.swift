// SPDX-License-Identifier: Apache-2.0

import Boards
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder

/// Board, bus and chip. Nothing is written to a chip before it is known, and nothing is read from one that a recorder has.
struct BusChecks {
  let tree: SystemTree
  let request: SensorRequest

  /// The parts of the configured clock between which the real one needs no remark.
  private static let (slowest, fastest) = (0.8, 1.1)
  /// Of reads that fail, one in so many is the wiring's.
  private static let errorLimit = 100

  func run(_ found: (Check) throws -> Void) throws {
    let board =
      request.board
      ?? Board.detect(model: tree.boardModel(), compatible: tree.boardCompatibles())
    try found(self.board(board))
    guard board?.id != "simulator" else { return }
    // Other machines have other chips at these addresses.
    guard board != nil || request.configuration.bus != nil || tree.i2cAdapters().isEmpty else {
      let adapters = tree.i2cAdapters().map { "\($0.number) (\($0.name))" }
      return try found(
        Check(
          "bus", .unchecked,
          "which one has the sensor? Give --bus: \(adapters.joined(separator: ", "))"))
    }
    let number = busNumber(board)
    for holder in holders(number) { try found(holder) }
    let opened: Result<LinuxI2CBus, LinuxIOError>
    do throws(LinuxIOError) {
      // The kernel keeps one limit of a transfer's time for all users of the bus: it stays as it is.
      let bus = try LinuxI2CBus(number: number, timeoutMilliseconds: nil, tree: tree)
      opened = .success(consume bus)
    } catch {
      opened = .failure(error)
    }
    switch consume opened {
    case .success(var bus):
      try found(Check("bus", .ok, "/dev/i2c-\(number) can be used"))
      for check in chip(&bus, number) { try found(check) }
    case .failure(let error): try found(Check("bus", error))
    }
  }

  private func board(_ board: Board?) -> Check {
    let model = tree.boardModel() ?? "no device tree"
    guard let board else {
      return Check(
        "board", .advice,
        "\(Plain.text(model)): none that imulog knows; give --board or --bus to record",
        figures: [Check.Figure("model", model)])
    }
    return Check("board", .ok, board.title, figures: [Check.Figure("model", model)])
  }

  private func busNumber(_ board: Board?) -> Int {
    if let bus = request.configuration.bus { return bus }
    if let node = board?.busNode,
      let adapter = tree.i2cAdapters().first(where: { $0.name.parts(around: node) != nil })
    {
      return adapter.number
    }
    if case .device(let number) = board?.bus { return number }
    return tree.i2cAdapters().first?.number ?? 1
  }

  /// Kernel drivers at the addresses of sensors.
  private func holders(_ number: Int) -> [Check] {
    SensorFamily.allAddresses.compactMap { address in
      guard let driver = tree.i2cDriver(bus: number, address: address) else { return nil }
      let name = tree.i2cDeviceName(bus: number, address: address) ?? "chip"
      let device = SystemTree.device(bus: number, address: address)
      let figures = [Check.Figure("driver of \(device)", driver)]
      guard BusChecks.sensorDrivers.contains(where: { driver.hasPrefix($0) }),
        driver.utf8.allSatisfy({ BusChecks.plain.contains($0) })
      else {
        guard !driver.hasPrefix("rtc-") else { return clockChip(address, name, driver, figures) }
        return Check(
          "address \(address)", .advice,
          "the kernel's driver \(driver) has a chip there (\(name)): no sensor can be at this address",
          figures: figures)
      }
      return Check(
        "address \(address)", .wrong,
        "the kernel's driver \(Plain.text(driver)) has the chip there (\(Plain.text(name))); it comes back at the next "
          + "start if a line with dtoverlay= in /boot/firmware/config.txt asks for it: remove that line too",
        command: "echo \(device) | sudo tee /sys/bus/i2c/drivers/\(driver)/unbind", figures: figures
      )
    }
  }

  private func clockChip(
    _ address: I2CAddress, _ name: String, _ driver: String, _ figures: [Check.Figure]
  ) -> Check {
    Check(
      "address \(address)", .advice,
      "a clock (\(name), driver \(driver)) has it: connect AD0 of an MPU-6050 to 3.3 V, which gives it 0x69",
      figures: figures)
  }

  /// The kernel's drivers of chips that imulog records, and the characters of their names.
  private static let sensorDrivers = ["inv-mpu6050", "inv_mpu6050", "st_lsm6dsx", "st_lsm9ds"]
  private static let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)

  private func chip(_ bus: inout LinuxI2CBus, _ number: Int) -> [Check] {
    var (free, checks) = ([I2CAddress](), [Check]())
    for address in SensorFamily.allAddresses {
      do throws(LinuxIOError) {
        try bus.claim(address)
        // Before anything is read: a chip that another recorder has stays alone.
        try bus.reserve(address)
        free.append(address)
      } catch {
        // A kernel driver's is named already.
        guard case .busy = error.kind else { continue }
        checks.append(
          Check("address \(address)", .unchecked, "\(error.finding): its chip is not disturbed"))
      }
    }
    // A read that gets stuck would hold up the recording on the same wires.
    guard checks.isEmpty else {
      return checks + [Check("chip", .unchecked, "a recorder uses this bus: nothing on it is read")]
    }
    do throws(SensorError) {
      let found = try SensorIdentity.identify(on: &bus, addresses: free, choice: request.choice)
      return [chip(found)] + meter(&bus, found, number)
    } catch {
      return [Check("chip", .wrong, "\(error)")]
    }
  }

  private func chip(_ found: SensorIdentity) -> Check {
    var words = "\(found.model.name) at \(found.address)"
    if !found.alternatives.isEmpty {
      words +=
        ", or \(found.alternatives.map(\.name).joined(separator: ", ")), which answer the same"
    }
    if !found.others.isEmpty {
      words +=
        "; also \(found.others.map { "\($0.model.name) at \($0.address)" }.joined(separator: ", "))"
    }
    if found.identity != found.model.identity {
      words += "; it answers \(hexadecimal(found.identity)), as no original does: it may be a copy"
    }
    return Check(
      "chip", .ok, words, figures: [Check.Figure("identity", hexadecimal(found.identity))])
  }

  private func meter(_ bus: inout LinuxI2CBus, _ chip: SensorIdentity, _ number: Int) -> [Check] {
    let meter = BusMeter(&bus, chip)
    let asked = tree.i2cClock(bus: number)
    var figures = [
      Check.Figure("reads", "\(meter.readCount)"), Check.Figure("failed", "\(meter.errorCount)"),
    ]
    if let asked { figures.append(Check.Figure("configured_hz", "\(asked)")) }
    var checks: [Check] = []
    if let clock = meter.clock {
      figures.append(Check.Figure("measured_hz", "\(Int(clock))"))
      checks.append(self.clock(clock, asked, figures))
    } else {
      checks.append(Check("bus clock", .unchecked, "no read succeeded", figures: figures))
    }
    let isNoisy = meter.errorCount * BusChecks.errorLimit > meter.readCount
    checks.append(
      Check(
        "wiring", isNoisy ? .wrong : .ok,
        isNoisy
          ? "\(meter.errorCount) of \(meter.readCount) reads failed: look at the wires, shorten them, and see that SDA and "
            + "SCL have pull-ups of 1.8 to 4.7 kΩ to 3.3 V"
          : "\(meter.readCount) reads, \(meter.errorCount == 0 ? "none" : "\(meter.errorCount)") failed",
        figures: figures))
    return checks
  }

  private func clock(_ clock: Double, _ asked: Int?, _ figures: [Check.Figure]) -> Check {
    let text = "\(Int((clock / 1000).rounded())) kHz measured"
    guard let asked else {
      return Check("bus clock", .ok, "\(text); the configured one is not known", figures: figures)
    }
    let (part, name) = (clock / Double(asked), "\(text), \(asked / 1000) kHz configured")
    if part < BusChecks.slowest {
      return Check(
        "bus clock", .advice,
        "\(name): a rate that imulog accepts by the configured one may miss samples",
        figures: figures)
    }
    if part > BusChecks.fastest {
      return Check(
        "bus clock", .advice,
        "\(name): intervals of times by the chip's clock assume a bus that is at most a tenth faster",
        figures: figures)
    }
    return Check("bus clock", .ok, name, figures: figures)
  }

  private func hexadecimal(_ value: UInt8) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }
}
