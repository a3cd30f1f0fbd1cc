// SPDX-License-Identifier: Apache-2.0

import Boards
import IMUDrivers
import IMUModel
import Recorder
import Text

/// What is on a bus that can be used: the chip, what it is set to, the wires, and whether they carry the rate. Writes
/// nothing.
struct ChipChecks<Clock: MonotonicClock>: Sendable {
  let configuration: RecorderConfiguration
  /// The board with this bus; `nil` for another bus, which the board's commands do not change.
  let board: Board?
  /// The bus's configured clock in hertz; `nil` when not known.
  let configured: Int?
  /// A Raspberry Pi's file of its firmware.
  var bootPath = "/boot/firmware/config.txt"
  let clock: Clock

  /// - Returns: The chip, if there is one that is known.
  func run<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, free: [I2CAddress], _ progress: () -> Void
  ) -> (found: SensorIdentity?, checks: [Check]) {
    let found: SensorIdentity
    do throws(SensorError) {
      found = try SensorIdentity.identify(on: &bus, addresses: free, choice: configuration.sensor)
    } catch {
      return (nil, [missing(error)])
    }
    progress()
    let meter = BusMeter(&bus, found, clock: clock, progress: progress)
    return (
      found,
      [identity(found), settings(&bus, found, progress)].compactMap { $0 }
        + wires(meter) + [rate(found, meter)].compactMap { $0 }
    )
  }
}

/// Which chip it is.
extension ChipChecks {
  private func identity(_ found: SensorIdentity) -> Check {
    var words = "\(found.model.name) at \(found.address)"
    if !found.alternatives.isEmpty {
      words +=
        ", or \(found.alternatives.map(\.name).joined(separator: ", ")), which answer the same: --sensor says which"
    }
    if !found.others.isEmpty {
      words +=
        "; also \(found.others.map { "\($0.model.name) at \($0.address)" }.joined(separator: ", "))"
    }
    let isForced = found.identity != found.model.identity
    if isForced {
      words +=
        "; it answers \(found.identityText), as no original does: a copy, which imulog drives as you say, without its FIFO"
    } else if ["mpu6500", "icm20689"].contains(found.model.rawValue) {
      words +=
        "; modules sold as MPU-6050 often carry it, and imulog drives it as what it is, with its own temperature scale"
    }
    return Check(
      "chip", isForced ? .advice : .ok, words,
      figures: [
        Check.Figure("identity", found.identityText), Check.Figure("address", "\(found.address)"),
        Check.Figure("driven_as", found.model.rawValue),
      ])
  }

  private func missing(_ error: SensorError) -> Check {
    guard case .notFound(let findings) = error else {
      return Check("chip", .wrong, "\(error)")
    }
    let figures = findings.map { Check.Figure("probe", "\($0)") }
    func check(_ words: String, _ mends: [Mend] = []) -> Check {
      Check("chip", .wrong, words, mends: mends, figures: figures)
    }
    let addresses = findings.reduce(into: [String]()) { list, finding in
      if list.last != "\(finding.address)" { list.append("\(finding.address)") }
    }.joined(separator: ", ")
    guard !findings.isEmpty else {
      return Check(
        "chip", .unchecked, "the address that is asked for is in use, and nothing is read from it")
    }
    let strange = findings.filter(\.isUnknownChip)
    if let first = strange.first, case .success = first.result {
      let isCopy = SensorModel.mpu6050.addresses.contains(first.address)
      let words = strange.map { "\($0)" }.joined(separator: "; ")
      // No command: its set-up would write to a clock.
      return check(
        words
          + (isCopy
            ? ": a clock has this address, too; if you know it for a copy of an MPU-6050, record with --sensor mpu6050"
            : "") + "; nothing is written to it")
    }
    let failures = findings.compactMap { finding -> BusError.Kind? in
      if case .failure(let error) = finding.result { error.kind } else { nil }
    }
    if failures.contains(where: { $0 == .timeout || $0 == .busy || $0 == .arbitrationLost }) {
      return check(
        "transfers to \(addresses) do not end: SDA or SCL is held low. Look for a short circuit and swapped wires, then "
          + "switch the sensor's power off and on")
    }
    if failures.count < findings.count {
      return check(
        findings.map { "\($0)" }.joined(separator: "; ")
          + ": look at SDA and its pull-up")
    }
    return check(
      "no chip answers at \(addresses): look at power and ground, then at SDA and SCL (swapped?), then at CS and SDO or "
        + "AD0 left open; an LSM6DS stuck in SPI or I3C needs its power off and on")
  }
}

/// What the chip is set to.
extension ChipChecks {
  /// Reads each so often, in which a register that does not keep its value shows.
  private var rounds: Int { 5 }

  /// Compares the registers with those that a recorder would write. Only a recorder writes them.
  private func settings<Bus: I2CBus & ~Copyable>(
    _ bus: inout Bus, _ found: SensorIdentity, _ progress: () -> Void
  ) -> Check? {
    let wanted: [(register: Register, value: UInt8)]
    do throws(SensorError) {
      wanted = try configuration.sensorConfiguration(for: found.model, busClock: configured)
        .registers(of: found.model)
    } catch {
      // The rate's check has it.
      return nil
    }
    var (figures, unlike, unsteady) = ([Check.Figure](), 0, [String]())
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
      guard let first = values.first else {
        return Check("configuration kept", .unchecked, "\(register) cannot be read")
      }
      figures.append(
        Check.Figure("\(register)", "\(hexadecimal(first)), recorded with \(hexadecimal(value))"))
      if first != value { unlike += 1 }
      if values.contains(where: { $0 != first }) { unsteady.append("\(register)") }
    }
    guard unsteady.isEmpty else {
      return Check(
        "configuration kept", .wrong,
        "\(unsteady.joined(separator: ", ")) read differently from one time to the next: look at supply and wires",
        figures: figures)
    }
    return unlike == 0
      ? Check(
        "configuration kept", .ok, "\(wanted.count) registers are as a recorder writes them",
        figures: figures)
      : Check(
        "configuration kept", .unchecked,
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
  /// Of reads that fail, one in so many is the wiring's.
  private var errorLimit: Int { 100 }

  private func wires(_ meter: BusMeter) -> [Check] {
    let errors = [
      Check.Figure("reads", "\(meter.readCount)"), Check.Figure("failed", "\(meter.errorCount)"),
      Check.Figure("failed_at_most", "1 in \(errorLimit)"),
    ]
    let isNoisy = meter.errorCount * errorLimit > meter.readCount
    let wiring = Check(
      "wiring", isNoisy ? .wrong : .ok,
      isNoisy
        ? "\(meter.errorCount) of \(meter.readCount) reads failed: look at the wires, shorten them, and see that SDA and SCL "
          + "have pull-ups of 1.8 to 4.7 kΩ to 3.3 V"
        : "\(meter.readCount) reads, \(meter.errorCount == 0 ? "none" : "\(meter.errorCount)") failed",
      figures: errors)
    return [busClock(meter), wiring]
  }

  private func busClock(_ meter: BusMeter) -> Check {
    guard let hertz = meter.hertz else {
      return Check("bus clock", .unchecked, "too few reads succeeded to measure it")
    }
    let text = "\(Int((hertz / 1000).rounded())) kHz measured"
    var figures = [Check.Figure("measured_hz", "\(Int(hertz))")]
    guard let configured else {
      return Check("bus clock", .ok, "\(text); the configured one is not known", figures: figures)
    }
    figures += [
      Check.Figure("configured_hz", "\(configured)"),
      Check.Figure("part_of_configured", "\(slowest) to \(fastest)"),
    ]
    let (part, words) = (hertz / Double(configured), "\(text), \(configured / 1000) kHz configured")
    if part < slowest {
      return Check(
        "bus clock", .advice,
        "\(words): a rate that imulog accepts by the configured one may miss samples",
        figures: figures)
    }
    if part > fastest {
      return Check(
        "bus clock", .advice,
        "\(words): intervals of times by the chip's clock assume a bus that is at most a tenth faster",
        figures: figures)
    }
    return Check("bus clock", .ok, words, figures: figures)
  }
}

/// The configured rate on the bus as it is.
extension ChipChecks {
  private func rate(_ found: SensorIdentity, _ meter: BusMeter) -> Check? {
    let rate = "\(Plain.hertz(configuration.rate)) Hz"
    if let error = refusal(found.model, configured) {
      return Check("rate", .wrong, "\(error)", mends: faster(found.model))
    }
    guard let hertz = meter.hertz else { return nil }
    // What the kernel adds to the longer read counts as the bus's.
    let real = Int(hertz * 1.03)
    guard let error = refusal(found.model, real) else {
      return Check("rate", .ok, "the bus carries \(rate)")
    }
    return Check(
      "rate", .advice,
      "the bus as measured, \(Int(hertz / 1000)) kHz, does not carry \(rate): recordings will miss samples",
      mends: faster(found.model), figures: [Check.Figure("arithmetic", "\(error)")])
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

extension SensorIdentity {
  /// The contents of the identity register, such as `0x68`.
  fileprivate var identityText: String { hexadecimal(identity) }
}
