// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Why a sensor cannot be used: the operation, the place, the finding, and the remedy.
public enum SensorError: Error, Equatable, Sendable {
  /// No address answered with a usable identity; the finding at each.
  case notFound([ProbeFinding])
  /// The chip identifies itself as another known model than the one asked for.
  case otherModel(SensorChoice, found: SensorIdentity)
  /// The chip no longer answers with the identity that it had when it was identified.
  case foreignIdentity(SensorModel, address: I2CAddress, expected: UInt8, found: UInt8)
  /// The accelerometer lacks the range in g.
  case accelerometerRange(SensorModel, asked: Int)
  /// The gyroscope lacks the range in °/s.
  case gyroscopeRange(SensorModel, asked: Int)
  /// The chip cannot be polled that fast.
  case rateAboveChip(SensorModel, asked: SampleRate)
  /// The bus cannot carry that rate.
  case rateAboveBus(SensorModel, asked: SampleRate, busClock: Int)
  /// This program does not use the chip's FIFO, or the chip has none.
  case noFIFO(SensorModel)
  /// The chip answers with an identity that is not the model's, so nothing is known of its FIFO.
  case unknownFIFO(SensorModel, identity: UInt8)
  /// The chip does not make that rate in its FIFO.
  case rateNotInFIFO(SensorModel, asked: SampleRate, ChannelSet)
  /// The bus cannot drain the FIFO at that rate.
  case fifoRateAboveBus(
    SensorModel, asked: SampleRate, ChannelSet, isStamped: Bool, busClock: Int, longestBurst: Int)
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
}

extension SensorError: CustomStringConvertible {
  /// One or two sentences: what is wrong, and the remedy.
  public var description: String {
    switch self {
    case .notFound(let findings):
      let places = findings.map { "\($0)" }.joined(separator: "; ")
      return "no usable sensor was found (\(places)): \(SensorError.remedy(findings))"
    case .otherModel(let asked, let found):
      let name = asked.model?.name ?? "sensor"
      let place = asked.address.map { " at \($0)" } ?? ""
      return "no \(name) was found\(place): the chip at \(found.address) identifies itself as an "
        + "\(found.model.name) (\(found.model.family.identityRegister) reads "
        + "\(hexadecimal(found.identity))); give --sensor \(found.model.rawValue) or auto to record it"
    case .foreignIdentity(let model, let address, let expected, let found):
      return "the chip at \(address) answers \(hexadecimal(found)) in "
        + "\(model.family.identityRegister), not \(hexadecimal(expected)) as the \(model.name) "
        + "before: check the wiring and that no other chip has this address"
    case .accelerometerRange(let model, let asked):
      return "the \(model.name)'s accelerometer has no range of \(asked) g; it has "
        + "\(SensorError.list(model.accelerometerRanges, unit: "g"))"
    case .gyroscopeRange(let model, let asked):
      return "the \(model.name)'s gyroscope has no range of \(asked) dps; it has "
        + "\(SensorError.list(model.gyroscopeRanges, unit: "dps"))"
    case .rateAboveChip(let model, let asked):
      return "the \(model.name) can be polled at \(model.maximumPolledRate) Hz at most, "
        + "\(SensorError.hertz(asked)) Hz was requested: \(model.family.rateLimitReason)"
        + SensorError.ownRates(model, near: asked)
    case .rateAboveBus(let model, let asked, let busClock):
      return SensorError.rateAboveBusSentence(model, asked, busClock)
    case .noFIFO(let model):
      return "the \(model.name) cannot keep the time, because imulog does not read its FIFO: give "
        + SensorError.gridAdvice
    case .unknownFIFO(let model, let identity):
      return
        "the chip answers \(hexadecimal(identity)), which no \(model.name) does, so nothing is known of "
        + "its FIFO, and it cannot keep the time: give \(SensorError.gridAdvice)"
    case .rateNotInFIFO(let model, let asked, let channels):
      return SensorError.rateNotInFIFOSentence(model, asked, channels)
    case .fifoRateAboveBus(
      let model, let asked, let channels, let isStamped, let busClock, let longestBurst):
      let plain = model.drainTiming(
        asked, channels, isStamped: false, longestBurst: longestBurst)
      return SensorError.fifoRateAboveBusSentence(
        model,
        model.drainTiming(asked, channels, isStamped: isStamped, longestBurst: longestBurst),
        model.fifoRates(channels: channels), busClock)
        + (isStamped && plain.fits(busClock: busClock) ? ", or ask for no time stamps" : "")
    case .resetUnfinished(let model, let address, let register, let read):
      return "the \(model.name) at \(address) does not come out of its reset: \(register) still "
        + "reads \(hexadecimal(read)); switch its power off and on"
    case .readBack(let model, let address, let register, let written, let read):
      return "the \(model.name) at \(address) does not keep its configuration: "
        + "\(hexadecimal(written)) was written to \(register), \(hexadecimal(read)) was read back; "
        + "check its supply, and whether it is another chip (--sensor MODEL)"
    case .unsteady(let model, let address, let register):
      return
        "the \(model.name) at \(address) answers otherwise each time that \(register) is read; check wires and "
        + "pull-ups, or slow the bus down"
    case .noSamples(let model, let address, let register):
      return "the \(model.name) at \(address) is set up and gives no samples: \(register) never "
        + "says that data are ready; switch its power off and on"
    case .bus(let model, let register, let error):
      return "setting up the \(model.name) at \(error.address), \(register): \(error); "
        + SensorError.remedy(error.kind)
    }
  }

  /// The rates of the chip's FIFO around one that it cannot be polled at, or that rate, as far as a usual bus carries them.
  private static func ownRates(_ model: SensorModel, near asked: SampleRate) -> String {
    let usual = BusTiming.fastMode
    if let rate = model.fifoRate(asked, channels: .all),
      model.drainTiming(rate, .all, isStamped: false).fits(busClock: usual)
    {
      return
        "; by its own clock it does: give \(SensorError.chipAdvice)"
    }
    let rates = model.fifoNeighbours(of: asked, channels: .all, busClock: usual).map { hertz($0) }
    guard !rates.isEmpty else { return "" }
    return "; by its own clock it makes \(rates.joined(separator: " or ")) Hz"
  }

  private static func rateAboveBusSentence(
    _ model: SensorModel, _ asked: SampleRate, _ busClock: Int
  ) -> String {
    let sentence =
      BusTiming.sentence(model, busClock: busClock) + ", \(hertz(asked)) Hz was requested; "
    let most = BusTiming.maximumRate(model, busClock: busClock)
    let faster = fasterClock(model, than: busClock) {
      BusTiming.carries(asked, model, busClock: $0)
    }
    return sentence + (faster ?? (most > 0 ? "ask for \(most) Hz or less" : "ask for less"))
  }

  /// How to set the slowest usual clock above `busClock` that the chip takes and that suffices.
  private static func fasterClock(
    _ model: SensorModel, than busClock: Int, where suffices: (Int) -> Bool
  ) -> String? {
    [400_000, 1_000_000].first { $0 > busClock && $0 <= model.maximumBusClock && suffices($0) }
      .map { "set dtparam=i2c_arm_baudrate=\($0)" }
  }

  private static func rateNotInFIFOSentence(
    _ model: SensorModel, _ asked: SampleRate, _ channels: ChannelSet
  ) -> String {
    let neighbours = model.fifoNeighbours(of: asked, channels: channels).map(\.hertz.briefly)
    let isPolled = asked.hertz <= Double(model.maximumPolledRate)
    return "the \(model.name) has no \(hertz(asked)) Hz in its FIFO: ask for "
      + neighbours.joined(separator: " or ") + " Hz" + (isPolled ? ", or give \(gridAdvice)" : "")
  }

  /// How the chip keeps the time, on the command line and in the service.
  package static let chipAdvice =
    "--clock chip, which is clock = chip in the service's configuration"

  /// How the computer keeps the time, on the command line and in the service.
  private static let gridAdvice =
    "--clock grid, which is clock = grid in the service's configuration"

  private static func fifoRateAboveBusSentence(
    _ model: SensorModel, _ asked: DrainTiming, _ rates: [SampleRate], _ busClock: Int
  ) -> String {
    let sentence = asked.sentence(busClock: busClock) + "; "
    if let faster = fasterClock(model, than: busClock, where: asked.fits) {
      return sentence + faster
    }
    let most = rates.last { rate in
      DrainTiming(rate: rate, slotBytes: asked.slotBytes, longestBurst: asked.longestBurst)
        .fits(busClock: busClock)
    }
    return sentence + (most.map { "ask for \($0.hertz.briefly) Hz or less" } ?? "use a faster bus")
  }

  static func list(_ values: [Int], unit: String) -> String {
    let words = values.map { "\($0)" }
    return words.dropLast().joined(separator: ", ") + " and " + words.suffix(1).joined()
      + " \(unit)"
  }

  static func hertz(_ rate: SampleRate) -> String {
    rate.denominator == 1 ? "\(rate.numerator)" : "\(rate.hertz)"
  }

  static func remedy(_ kind: BusError.Kind) -> String {
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
}

extension SensorError: StatusError {
  /// Whether the sensor cannot do what is asked, or is not there.
  public var exitStatus: ExitStatus {
    switch self {
    case .accelerometerRange, .gyroscopeRange, .rateAboveChip, .rateAboveBus, .noFIFO, .unknownFIFO,
      .rateNotInFIFO, .fifoRateAboveBus:
      .configuration
    case .notFound, .otherModel, .foreignIdentity, .resetUnfinished, .readBack, .unsteady,
      .noSamples,
      .bus:
      .unavailable
    }
  }
}

extension SensorError {
  private static func remedy(_ findings: [ProbeFinding]) -> String {
    for finding in findings {
      if case .failure(let error) = finding.result, error.kind != .noAcknowledge {
        return remedy(error.kind)
      }
    }
    return findings.contains { $0.isUnknownChip }
      ? "if the chip is known to work like one of these, force it with --sensor MODEL, one of "
        + SensorModel.allCases.map(\.rawValue).joined(separator: ", ")
      : "check the bus number, the chip's power, SDA, SCL and pull-ups"
  }
}
