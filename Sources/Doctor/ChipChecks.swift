// SPDX-License-Identifier: Apache-2.0

import Boards
import IMUDrivers
import IMUModel
import Recorder
import Text

/// A chip, its registers, the wires, and whether they carry the rate. Writes nothing.
struct ChipChecks<Clock: MonotonicClock>: Sendable {
  let configuration: RecorderConfiguration
  /// `nil` for another bus than that of the board's pins, which the board's commands do not change.
  let board: Board?
  /// The bus's configured clock in hertz; `nil` when not known.
  let configured: Int?
  /// The configuration of a Raspberry Pi's firmware.
  var bootPath = "/boot/firmware/config.txt"
  let clock: Clock

  /// - Returns: The chip; `nil` where there is none that imulog knows.
  func run<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, free: [I2CAddress], _ progress: () -> Void
  ) -> (found: SensorIdentity?, checks: [Check]) {
    let found: SensorIdentity
    do throws(SensorError) {
      found = try SensorIdentity.identify(on: &bus, addresses: free, choice: configuration.sensor)
    } catch {
      return (nil, [Check("chip", missing(error))])
    }
    progress()
    let meter = BusMeter(&bus, found, clock: clock, progress: progress)
    let all: [(String, Finding?)] = [
      ("chip", identity(found)), ("configuration kept", settings(&bus, found, progress)),
      ("bus clock", busClock(meter)), ("wiring", wiring(meter)), ("rate", rate(found, meter)),
    ]
    return (found, all.compactMap { name, finding in finding.map { Check(name, $0) } })
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

  private func busClock(_ meter: BusMeter) -> Finding {
    guard let hertz = meter.hertz else {
      return .unchecked("too few reads succeeded to measure it")
    }
    let text = "\(Int((hertz / 1000).rounded())) kHz measured"
    var figures = [(name: "measured_hz", value: "\(Int(hertz))")]
    guard let configured else {
      return .ok("\(text); the configured one is not known", figures: figures)
    }
    figures.append(("configured_hz", "\(configured)"))
    figures.append(("part_of_configured", "\(slowest) to \(fastest)"))
    let (part, words) = (hertz / Double(configured), "\(text), \(configured / 1000) kHz configured")
    if part < slowest {
      return .advice(
        "\(words): a rate that imulog accepts by the configured one may miss samples",
        figures: figures)
    }
    if part > fastest {
      return .advice(
        "\(words): intervals of times by the chip's clock assume a bus that is at most a tenth faster",
        figures: figures)
    }
    return .ok(words, figures: figures)
  }
}

/// The configured rate on the bus as it is.
extension ChipChecks {
  private func rate(_ found: SensorIdentity, _ meter: BusMeter) -> Finding? {
    let rate = "\(Plain.hertz(configuration.rate)) Hz"
    if let error = refusal(found.model, configured) {
      return .wrong("\(error)", faster(found.model))
    }
    guard let hertz = meter.hertz else { return nil }
    // The kernel's share of the longer read counts as the bus's.
    guard let error = refusal(found.model, Int(hertz * 1.03)) else {
      return .ok("the bus carries \(rate)")
    }
    return .advice(
      "the bus as measured, \(Int(hertz / 1000)) kHz, does not carry \(rate): recordings will miss samples",
      faster(found.model), figures: [("arithmetic", "\(error)")])
  }

  private func refusal(_ model: SensorModel, _ clock: Int?) -> SensorError? {
    do throws(SensorError) {
      _ = try configuration.sensorConfiguration(for: model, busClock: clock)
      return nil
    } catch {
      return error
    }
  }

  /// The board's command for a faster bus, where that is what helps.
  private func faster(_ model: SensorModel) -> [Mend] {
    let command = board?.setup.first { $0.parts(around: "i2c_arm_baudrate=400000") != nil }
    guard let command, configured ?? 0 < 400_000, refusal(model, 400_000) == nil else { return [] }
    // A # begins the explanation.
    let words = command.parts(around: "   #").map { String($0.before) } ?? command
    let usual = "/boot/firmware/config.txt"
    let here = words.parts(around: usual).map { "\($0.before)\(bootPath)\($0.after)" } ?? words
    return [.shown(here, isLater: true)]
  }
}

/// The bus's real clock and its errors, from reads of a known chip's registers.
///
/// A byte is nine bit times. A read of 26 registers takes 24 bytes longer than one of 2; the shortest of many is free of
/// the kernel's other work. Only registers of data and configuration are read, which changes nothing in the chip.
private struct BusMeter {
  /// In hertz; `nil` when no read succeeded.
  var hertz: Double?
  var readCount = 0
  /// Reads that failed.
  var errorCount = 0

  private static let errorLimit = 5
  /// Reads of each length.
  private static let rounds = 60
  private static let lengths = (short: 2, long: 26)

  /// - Parameter progress: Called after each read.
  init<Bus: I2CBus & ~Copyable, Clock: MonotonicClock>(
    _ bus: inout Bus, _ chip: SensorIdentity, clock: Clock, progress: () -> Void
  ) {
    // The first output register of an MPU; in the others, a register before the outputs.
    let start: UInt8 = chip.model.family === SensorModel.mpu6050.family ? 0x3B : 0x20
    var least = (short: Int64.max, long: Int64.max)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 1)
    defer { buffer.deallocate() }
    for index in 0..<2 * BusMeter.rounds {
      let isLong = index % 2 == 1
      let count = isLong ? BusMeter.lengths.long : BusMeter.lengths.short
      readCount += 1
      let before = clock.now()
      do throws(BusError) {
        defer { progress() }
        try bus.read(
          chip.address, register: start,
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
      } catch {
        errorCount += 1
        // A bus that hangs would take a second for each.
        if errorCount == BusMeter.errorLimit { break }
        continue
      }
      let time = clock.now() - before
      if isLong { least.long = min(least.long, time) } else { least.short = min(least.short, time) }
    }
    guard least.short < .max, least.long < .max, least.long > least.short else { return }
    let bits = Double(9 * (BusMeter.lengths.long - BusMeter.lengths.short))
    hertz = bits * 1e9 / Double(least.long - least.short)
  }
}
