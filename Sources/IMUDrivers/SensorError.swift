// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// Why a sensor cannot be used: the operation, the place, the finding, and the remedy.
///
/// Bring-up throws on the sampler thread, so its errors carry values and make their sentence when it is read.
public enum SensorError: Error, Equatable, Sendable, CustomStringConvertible, StatusError {
  /// No address answered with a usable identity; the finding at each.
  case notFound([ProbeResult])
  /// Chip or bus cannot do what is asked: the sentence.
  case refused(String, ExitStatus)
  /// The chip no longer answers with the identity that it had when it was identified.
  case foreignIdentity(SensorModel, address: I2CAddress, expected: UInt8, found: UInt8)
  /// The chip did not come out of its reset.
  case resetUnfinished(SensorModel, address: I2CAddress, Register, read: UInt8)
  /// A register did not keep what was written to it.
  case readBack(SensorModel, address: I2CAddress, Register, written: UInt8, read: UInt8)
  /// Five readings of a register differ from one to the next.
  case unsteady(SensorModel, address: I2CAddress, Register)
  /// The chip is set up but delivers no samples.
  case noSamples(SensorModel, address: I2CAddress, Register)
  /// A transfer failed during bring-up.
  case bus(SensorModel, Register, BusError)
  /// The magnetometer in the chip's package cannot be used.
  case field(FieldModel, I2CAddress, FieldFinding)

  /// One or two sentences: what is wrong, and the remedy.
  public var description: String {
    switch self {
    case .notFound(let findings):
      let places = findings.map { "\($0)" }.joined(separator: "; ")
      return "no usable sensor was found (\(places)): \(SensorError.remedy(findings))"
    case .refused(let sentence, _): return sentence
    case .foreignIdentity(let model, let address, let expected, let found):
      return "the chip at \(address) answers \(hexadecimal(found)) in "
        + "\(model.family.identityRegister), not \(hexadecimal(expected)) as the \(model.name) "
        + "before: check the wiring and that no other chip has this address"
    case .resetUnfinished(let model, let address, let register, let read):
      return "the \(model.name) at \(address) does not come out of its reset: \(register) still "
        + "reads \(hexadecimal(read)); switch its power off and on"
    case .readBack(let model, let address, let register, let written, let read):
      return "the \(model.name) at \(address) does not keep its configuration: "
        + "\(hexadecimal(written)) was written to \(register), \(hexadecimal(read)) was read back; "
        + "check its supply, and whether it is another chip (--sensor MODEL)"
    case .unsteady(let model, let address, let register):
      return "the \(model.name) at \(address) answers differently each time \(register) is read; "
        + "check wires and pull-ups, or lower the bus clock"
    case .noSamples(let model, let address, let register):
      return "the \(model.name) at \(address) is set up and gives no samples: \(register) never "
        + "says that data are ready; switch its power off and on"
    case .bus(let model, let register, let error):
      return "setting up the \(model.name) at \(error.address), \(register): \(error); "
        + SensorError.remedy(error.kind)
    case .field(let model, let address, let finding):
      return "the magnetometer \(model.name) at \(address) " + SensorError.words(finding)
    }
  }

  private static func words(_ finding: FieldFinding) -> String {
    switch finding {
    case .bus(let error):
      "cannot be set up: \(error); \(remedy(error.kind)), or record without it"
    case .differs(let register, let expected, let found):
      "has \(hexadecimal(found)) in register \(hexadecimal(register)), not \(hexadecimal(expected)): check its supply, and "
        + "whether another chip has its address; or record without it"
    case .silent: "is set up and measures nothing; switch its power off and on"
    }
  }

  private static func remedy(_ kind: BusError.Kind) -> String {
    switch kind {
    case .noAcknowledge: return "check the chip's power, SDA, SCL and address pin"
    case .arbitrationLost, .bus:
      return "check for long or loose wires and missing pull-ups, or lower the bus clock"
    case .timeout: return "check that SDA and SCL are not swapped or shorted, then power-cycle"
    case .busy: return "free the chip from the kernel driver or program that uses it"
    case .unsupported: return "use an adapter that can do register burst reads"
    case .gone: return "plug the adapter in again"
    }
  }

  private static func remedy(_ findings: [ProbeResult]) -> String {
    for finding in findings {
      // A bus error is a missing acknowledgement, too, on a Raspberry Pi 0 to 4 with the kernel of its own system.
      if case .failure(let error) = finding.result,
        error.kind != .noAcknowledge, error.kind != .bus
      {
        return remedy(error.kind)
      }
    }
    return findings.contains { $0.isUnknownChip }
      ? "if the chip is known to work like one of these, force it with --sensor MODEL, one of "
        + SensorModel.allCases.map(\.rawValue).joined(separator: ", ")
      : "check the bus number, the chip's power, SDA, SCL and pull-ups"
  }

  /// Whether the sensor cannot do what is asked, or is not there.
  public var exitStatus: ExitStatus {
    if case .refused(_, let status) = self { status } else { .unavailable }
  }
}

/// The refusals of a configuration.
extension SensorError {
  /// How the chip keeps the time, on the command line and in the service.
  package static let chipAdvice =
    "--clock chip, which is clock = chip in the service's configuration"

  /// How the computer keeps the time, on the command line and in the service.
  private static let gridAdvice =
    "--clock grid, which is clock = grid in the service's configuration"

  static func configuration(_ sentence: String) -> SensorError {
    .refused(sentence, .configuration)
  }

  /// A sensor lacks a range.
  static func noRange(
    _ model: SensorModel, _ sensor: String, _ asked: Int, of ranges: [Int], unit: String
  ) -> SensorError {
    configuration(
      "the \(model.name)'s \(sensor) has no range of \(asked) \(unit); it has \(list(ranges)) \(unit)"
    )
  }

  /// The chip has no magnetometer, or that has no such rate.
  static func noFieldRate(
    _ model: SensorModel, _ field: FieldModel?, asked: SampleRate
  ) -> SensorError {
    guard let field else {
      let hosts = FieldModel.all.map { "the \($0.host.name)" }.joined(separator: " and ")
      return configuration("the \(model.name) has no magnetometer: \(hosts) have one")
    }
    let rates = field.rates.map { Plain.hertz($0) }.joined(separator: ", ")
    return configuration(
      "the \(model.name)'s magnetometer has no rate of \(Plain.hertz(asked)) Hz: ask for \(rates) Hz"
    )
  }

  /// The magnetometer would have more values than there are samples.
  static func fieldAboveRate(_ field: SampleRate, _ rate: SampleRate) -> SensorError {
    configuration(
      "the magnetometer's \(Plain.hertz(field)) Hz are more than the samples' \(Plain.hertz(rate)) Hz: "
        + "ask for fewer, or for more samples")
  }

  /// Two chips of a model are on one bus, and nothing shows which magnetometer is whose.
  static func twoFields(
    _ model: SensorModel, at address: I2CAddress, and other: I2CAddress
  ) -> SensorError {
    configuration(
      "the \(model.name)s at \(address) and \(other) each have a magnetometer, and nothing shows "
        + "which of them answers: put one on a bus of its own, or record without it")
  }

  /// The chip cannot be polled that fast.
  static func rateAboveChip(_ model: SensorModel, asked: SampleRate) -> SensorError {
    configuration(
      "the \(model.name) can be polled at \(model.maximumPolledRate) Hz at most, "
        + "\(hertz(asked)) Hz was requested: \(model.family.rateLimitReason)"
        + ownRates(model, near: asked))
  }

  /// The FIFO's rates around one that the chip cannot be polled at, or that rate, as far as a usual bus carries them.
  private static func ownRates(_ model: SensorModel, near asked: SampleRate) -> String {
    let usual = BusTiming.fastMode
    if let rate = model.fifoRate(asked, channels: .all),
      model.drainTiming(rate, .all, isStamped: false).fits(busClock: usual)
    {
      return "; by its own clock it does: give \(chipAdvice)"
    }
    let rates = model.fifoNeighbours(of: asked, channels: .all, busClock: usual).map { hertz($0) }
    guard !rates.isEmpty else { return "" }
    return "; by its own clock it makes \(rates.joined(separator: " or ")) Hz"
  }

  /// The bus cannot carry that rate.
  static func rateAboveBus(
    _ model: SensorModel, with field: FieldModel?, asked: SampleRate, busClock: Int
  ) -> SensorError {
    // Where it could without a magnetometer.
    let field = BusTiming.carries(asked, model, busClock: busClock) ? field : nil
    let sentence = BusTiming.sentence(model, with: field, busClock: busClock)
    let most = BusTiming.maximumRate(model, with: field, busClock: busClock)
    let faster = fasterClock(model, than: busClock) {
      BusTiming.carries(asked, model, with: field, busClock: $0)
    }
    return configuration(
      "\(sentence), \(hertz(asked)) Hz was requested; "
        + (faster ?? (most > 0 ? "ask for \(most) Hz or less" : "ask for less"))
        + (field == nil ? "" : ", or record without the magnetometer"))
  }

  /// A refusal by a bus that is slower than configured, and what keeps its clock, if the board has a command for it.
  package func onSlowBus(_ clock: BusClock, keptBy command: String?) -> SensorError {
    guard case .refused(let sentence, let status) = self, let configured = clock.configured,
      let measured = clock.measured
    else { return self }
    // A faster clock would be as slow.
    let arithmetic = sentence.parts(around: "; set the bus's").map { String($0.before) } ?? sentence
    let words =
      "the bus runs at \(BusTiming.clock(Int(measured / 1000) * 1000)) as measured, though "
      + "\(BusTiming.clock(configured)) are configured: \(arithmetic)"
    return .refused(words + (command.map { "; keep its clock: \($0)" } ?? ""), status)
  }

  /// How to set the slowest usual clock above `busClock` that the chip takes and that suffices.
  private static func fasterClock(
    _ model: SensorModel, than busClock: Int, where suffices: (Int) -> Bool
  ) -> String? {
    [400_000, 1_000_000].first { $0 > busClock && $0 <= model.maximumBusClock && suffices($0) }
      .map { "set the bus's clock to \(BusTiming.clock($0)): `imulog boards ID` shows how" }
  }

  /// This program does not use the chip's FIFO, or the chip has none.
  static func noFIFO(_ model: SensorModel) -> SensorError {
    configuration(
      "the \(model.name) cannot keep the time, because imulog does not read its FIFO: give "
        + gridAdvice)
  }

  /// The chip answers with an identity that is not the model's: its FIFO is not trusted.
  static func unknownFIFO(_ model: SensorModel, identity: UInt8) -> SensorError {
    configuration(
      "the chip answers \(hexadecimal(identity)), which no \(model.name) does, so its FIFO is not "
        + "trusted, and it cannot keep the time: give \(gridAdvice)")
  }

  /// The chip does not make that rate in its FIFO.
  static func rateNotInFIFO(
    _ model: SensorModel, asked: SampleRate, _ channels: ChannelSet
  ) -> SensorError {
    let neighbours = model.fifoNeighbours(of: asked, channels: channels).map(\.hertz.briefly)
    let isPolled = asked.hertz <= Double(model.maximumPolledRate)
    return configuration(
      "the \(model.name) has no \(hertz(asked)) Hz in its FIFO: ask for "
        + neighbours.joined(separator: " or ") + " Hz" + (isPolled ? ", or give \(gridAdvice)" : "")
    )
  }

  /// The bus cannot drain the FIFO at that rate.
  static func fifoRateAboveBus(
    _ model: SensorModel, _ asked: DrainTiming, _ channels: ChannelSet, plain: DrainTiming,
    busClock: Int
  ) -> SensorError {
    let sentence = asked.sentence(busClock: busClock) + "; "
    let most = model.fifoRates(channels: channels).last {
      asked.at($0).fits(busClock: busClock)
    }
    let remedy =
      fasterClock(model, than: busClock, where: asked.fits)
      ?? most.map { "ask for \($0.hertz.briefly) Hz or less" } ?? "use a faster bus"
    return configuration(
      sentence + remedy
        + (plain.fits(busClock: busClock) ? ", or ask for no time stamps" : ""))
  }

  /// Such as `2, 12 and 3`.
  static func list(_ numbers: [Int]) -> String { list(numbers.map { "\($0)" }) }

  static func list(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + (words.count > 1 ? " and " : "")
      + words.suffix(1).joined()
  }

  private static func hertz(_ rate: SampleRate) -> String {
    rate.denominator == 1 ? "\(rate.numerator)" : "\(rate.hertz)"
  }
}
