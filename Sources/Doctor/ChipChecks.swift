// SPDX-License-Identifier: Apache-2.0

import Boards
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import Text

/// A chip, its registers, the wires, and whether they carry the rate. Writes nothing.
struct ChipChecks<Clock: MonotonicClock>: Sendable {
  let configuration: RecorderConfiguration
  /// `nil` where the board's commands change nothing: for another bus than that of its pins, and in a device tree without
  /// parameters.
  let board: Board?
  /// The bus's configured clock in hertz; `nil` when not known.
  let configured: Int?
  /// The machine on which the board's commands run.
  var tree = SystemTree.live
  /// Whether the bus's clock is measured under load, too, which takes two seconds.
  var isLoading = false
  let clock: Clock

  /// - Returns: The chip, `nil` where there is none that imulog knows; the bus's clock, as far as it was measured.
  func run<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, free: [I2CAddress], _ progress: () -> Void
  ) -> (found: SensorIdentity?, clock: BusClock, checks: [Check]) {
    let found: SensorIdentity
    do throws(SensorError) {
      found = try SensorIdentity.identify(on: &bus, addresses: free, choice: configuration.sensor)
    } catch {
      return (nil, BusClock(configured: configured, measured: nil), [Check("chip", missing(error))])
    }
    progress()
    let meter = BusMeter(&bus, found, clock: clock, progress: progress)
    let (loaded, refusal) = loadedMeter(&bus, found, progress)
    let all: [(String, Finding?)] = [
      ("chip", identity(found)), ("configuration kept", settings(&bus, found, progress)),
      ("bus clock", busClock(meter, loaded, refusal)), ("wiring", wiring(meter)),
      ("rate", rate(found, meter)),
    ]
    let clock = BusClock(configured: configured, measured: meter.hertz)
    return (found, clock, all.compactMap { name, finding in finding.map { Check(name, $0) } })
  }
}

/// Which chip it is.
extension ChipChecks {
  private func identity(_ found: SensorIdentity) -> Finding {
    var words = "\(found.model.name) at \(found.address)"
    if !found.alternatives.isEmpty {
      words +=
        ", or \(found.alternatives.map(\.name).joined(separator: ", ")), which answer the same: --sensor says which"
    }
    if !found.others.isEmpty {
      let others = found.others.map { "\($0.model.name) at \($0.address)" }
      words += "; also \(others.joined(separator: ", "))"
    }
    let isForced = found.identity != found.model.identity
    if isForced {
      words +=
        "; it answers \(hexadecimal(found.identity)), as no original does: a copy, which imulog drives as you say, without its FIFO"
    } else if ["mpu6500", "icm20689"].contains(found.model.rawValue) {
      words +=
        "; modules sold as MPU-6050 often carry it, and imulog drives it as what it is, with its own temperature scale"
    }
    return Finding(
      isForced ? .advice : .ok, words,
      figures: [
        ("identity", hexadecimal(found.identity)), ("address", "\(found.address)"),
        ("driven_as", found.model.rawValue),
      ])
  }

  private func missing(_ error: SensorError) -> Finding {
    guard case .notFound(let findings) = error else { return .wrong("\(error)") }
    let figures = findings.map { (name: "probe", value: "\($0)") }
    let addresses = findings.reduce(into: [String]()) { list, finding in
      if list.last != "\(finding.address)" { list.append("\(finding.address)") }
    }.joined(separator: ", ")
    guard !findings.isEmpty else {
      return .unchecked("the address that is asked for is in use, and nothing is read from it")
    }
    let strange = findings.filter(\.isUnknownChip)
    if let first = strange.first, case .success = first.result {
      let isCopy = SensorModel.mpu6050.addresses.contains(first.address)
      let words = strange.map { "\($0)" }.joined(separator: "; ")
      // No command: its set-up would write to a clock.
      let hint =
        isCopy
        ? ": a clock has this address, too; if it is a copy of an MPU-6050, record with --sensor mpu6050"
        : ""
      return .wrong("\(words)\(hint); nothing is written to it", figures: figures)
    }
    let failures = findings.compactMap { finding -> BusError.Kind? in
      if case .failure(let error) = finding.result { error.kind } else { nil }
    }
    if failures.contains(where: { $0 == .timeout || $0 == .busy || $0 == .arbitrationLost }) {
      return .wrong(
        "transfers to \(addresses) do not end: SDA or SCL is held low. Look for a short circuit and swapped wires, then "
          + "switch the sensor's power off and on", figures: figures)
    }
    if failures.count < findings.count {
      let answers = findings.map { "\($0)" }.joined(separator: "; ")
      return .wrong("\(answers): look at SDA and its pull-up", figures: figures)
    }
    return .wrong(
      "no chip answers at \(addresses): look at power and ground, then at SDA and SCL (swapped?), then at CS and SDO or "
        + "AD0 left open; an LSM6DS stuck in SPI or I3C needs its power off and on",
      figures: figures)
  }
}

/// What the chip is set to.
extension ChipChecks {
  /// Reads of each register: one that does not keep its value differs among them.
  private var rounds: Int { 5 }

  /// Compares the registers with those that a recorder would write. Only a recorder writes them.
  private func settings<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, _ found: SensorIdentity, _ progress: () -> Void
  ) -> Finding? {
    let wanted: [(register: Register, value: UInt8)]
    do throws(SensorError) {
      wanted = try configuration.sensorConfiguration(for: found.model, busClock: configured)
        .registers(of: found.model)
    } catch {
      // The rate's check reports it.
      return nil
    }
    var (figures, unlike, unsteady) = (Finding.Figures(), 0, [String]())
    for (register, value) in wanted {
      var values: [UInt8] = []
      for _ in 0..<rounds {
        do throws(BusError) {
          values.append(try bus.read(found.address, register: register.address))
        } catch {
          // The check of the wires counts errors.
          continue
        }
        progress()
      }
      guard let first = values.first else { return .unchecked("\(register) cannot be read") }
      figures.append(("\(register)", "\(hexadecimal(first)), recorded with \(hexadecimal(value))"))
      if first != value { unlike += 1 }
      if values.contains(where: { $0 != first }) { unsteady.append("\(register)") }
    }
    guard unsteady.isEmpty else {
      return .wrong(
        "\(unsteady.joined(separator: ", ")) read differently from one time to the next: look at supply and wires",
        figures: figures)
    }
    return unlike == 0
      ? .ok("\(wanted.count) registers are as a recorder writes them", figures: figures)
      : .unchecked(
        "\(unlike) of \(wanted.count) registers are not as a recorder writes them: none has set the chip up since its "
          + "power came, or with other settings; a recording shows whether it keeps them",
        figures: figures)
  }
}

/// The wires.
extension ChipChecks {
  /// The parts of the configured clock between which the real one needs no remark.
  private var slowest: Double { 0.8 }
  private var fastest: Double { 1.1 }
  /// The wiring is bad where more than one read in so many fails.
  private var errorLimit: Int { 100 }

  private func wiring(_ meter: BusMeter) -> Finding {
    let (reads, errors) = (meter.readCount, meter.errorCount)
    let figures: Finding.Figures = [
      ("reads", "\(reads)"), ("failed", "\(errors)"), ("failed_at_most", "1 in \(errorLimit)"),
    ]
    guard errors * errorLimit > reads else {
      return .ok("\(reads) reads, \(errors == 0 ? "none" : "\(errors)") failed", figures: figures)
    }
    return .wrong(
      "\(errors) of \(reads) reads failed: look at the wires, shorten them, and see that SDA and SCL "
        + "have pull-ups of 1.8 to 4.7 kΩ to 3.3 V", figures: figures)
  }

  /// Measures once more while the processors are busy, which moves the clock of some boards.
  private func loadedMeter<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, _ found: SensorIdentity, _ progress: () -> Void
  ) -> (meter: BusMeter?, refusal: LinuxIOError?) {
    guard isLoading else { return (nil, nil) }
    do throws(LinuxIOError) {
      let load = try (0..<4).map { _ throws(LinuxIOError) in try BusyLoad() }
      // A core's clock follows within a second.
      for _ in 0..<10 {
        clock.sleep(until: clock.now() + 100_000_000)
        progress()
      }
      return withExtendedLifetime(load) {
        (BusMeter(&bus, found, clock: clock, progress: progress), nil)
      }
    } catch {
      return (nil, error)
    }
  }

  private func busClock(
    _ meter: BusMeter, _ loaded: BusMeter?, _ refusal: LinuxIOError?
  ) -> Finding {
    guard let hertz = meter.hertz else {
      return .unchecked("it cannot be measured: too few reads succeeded, or they take no time")
    }
    func kilohertz(_ hertz: Double) -> String { "\(Int((hertz / 1000).rounded())) kHz" }
    var text = "\(kilohertz(hertz)) estimated"
    var figures = [(name: "measured_hz", value: "\(Int(hertz))")]
    if let loaded = loaded?.hertz {
      text += " at rest, \(kilohertz(loaded)) under load"
      figures.append(("loaded_hz", "\(Int(loaded))"))
    }
    if let refusal { text += " (not under load: \(refusal))" }
    guard let configured else {
      return .ok("\(text); nothing claims another", figures: figures)
    }
    figures.append(("configured_hz", "\(configured)"))
    figures.append(("part_of_configured", "\(slowest) to \(fastest)"))
    let words = "\(text), \(configured / 1000) kHz claimed"
    let parts = [hertz, loaded?.hertz].compactMap { $0.map { $0 / Double(configured) } }
    guard parts.contains(where: { !(slowest...fastest).contains($0) }) else {
      return .ok(words, figures: figures)
    }
    let isSlow = parts.contains { $0 < slowest }
    return .advice(
      words + (isSlow ? ": imulog plans by the one at rest" : ""), steady, figures: figures)
  }

  /// The board's command for a bus that keeps its clock.
  private var steady: [Mend] {
    board?.steadyBusCommand.map { [later($0)] } ?? []
  }

  /// A command of the board for this machine, which a restart follows.
  private func later(_ command: String) -> Mend {
    .shown(BootConfiguration.command(command, tree), isLater: true)
  }
}

/// The configured rate on the bus as it is.
extension ChipChecks {
  private func rate(_ found: SensorIdentity, _ meter: BusMeter) -> Finding {
    let busClock = BusClock(configured: configured, measured: meter.hertz)
    let refusal = configuration.refusal(of: found.model, on: busClock, keptBy: nil)
    if let refusal {
      return .wrong("\(refusal)", (busClock.isSlow ? steady : []) + faster(found.model))
    }
    let isMeasured = meter.hertz != nil
    return .ok(
      "the bus carries \(Plain.hertz(configuration.rate)) Hz\(isMeasured ? "" : " as configured")")
  }

  /// The board's command for a faster bus, where that is what helps.
  private func faster(_ model: SensorModel) -> [Mend] {
    let command = board?.setup.first { $0.parts(around: "i2c_arm_baudrate=400000") != nil }
    let fast = BusClock(configured: 400_000, measured: nil)
    guard let command, configured ?? 0 < 400_000,
      configuration.refusal(of: model, on: fast, keptBy: nil) == nil
    else { return [] }
    // A # begins the explanation.
    let words = command.parts(around: "   #").map { String($0.before) } ?? command
    return [later(words)]
  }
}
