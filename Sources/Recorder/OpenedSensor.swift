// SPDX-License-Identifier: Apache-2.0

package import IMUDrivers
package import IMUModel
import Sampling
import Text

/// A sensor that was found, by what keeps its time.
package enum OpenedSensor<Bus: I2CBus & ~Copyable>: ~Copyable {
  case polled(PolledSensor<Bus>)
  case buffered(FIFOSensor<Bus>)
}

extension OpenedSensor: Sendable where Bus: Sendable & ~Copyable {}

extension RecorderConfiguration {
  /// The driver for a chip that was identified, and a remark on the choice.
  package func open<Bus: I2CBus & ~Copyable>(
    _ bus: consuming Bus, _ identity: SensorIdentity, busClock: Int?
  ) throws(SensorError) -> OpenedSensor<Bus> {
    let settings = try sensorConfiguration(for: identity.model, busClock: busClock)
    return settings.readsFIFO
      ? .buffered(try FIFOSensor(bus: bus, identity: identity, configuration: settings))
      : .polled(try PolledSensor(bus: bus, identity: identity, configuration: settings))
  }

  /// What a chip of this model is set up to. Throws when chip or bus cannot do it.
  package func sensorConfiguration(
    for model: SensorModel, busClock: Int?
  ) throws(SensorError) -> SensorConfiguration {
    var settings = sensorConfiguration(busClock: busClock)
    settings.fieldRate = field
    if isChipClock(model) {
      (settings.readsFIFO, settings.stampsSamples) = (true, timeStamps)
    }
    try settings.validate(for: model)
    if settings.readsFIFO, interrupt != .none {
      settings.watermark = watermark(of: model, settings)
    }
    return settings
  }

  /// Why chip or bus cannot do it; `nil` if they can.
  ///
  /// - Parameter command: The board's for a bus that keeps its clock.
  package func refusal(
    of model: SensorModel, on clock: BusClock, keptBy command: String?
  ) -> SensorError? {
    func refusal(_ clock: Int?) -> SensorError? {
      do throws(SensorError) {
        _ = try sensorConfiguration(for: model, busClock: clock)
        return nil
      } catch {
        return error
      }
    }
    guard let error = refusal(clock.planned) else { return nil }
    let isSlowAlone = clock.isSlow && refusal(clock.configured) == nil
    return isSlowAlone ? error.onSlowBus(clock, keptBy: command) : error
  }

  /// What a chip of any model is set up to where the computer keeps the time, without its magnetometer.
  package func sensorConfiguration(busClock: Int?) -> SensorConfiguration {
    var settings = SensorConfiguration(
      rate: rate, accelerometerRange: accelerometerRange, gyroscopeRange: gyroscopeRange,
      channels: channels, busClock: busClock)
    settings.hasNoise = hasNoise
    return settings
  }

  private func isChipClock(_ model: SensorModel) -> Bool {
    switch clock {
    case .chip: true
    case .grid: false
    case .automatic:
      rate.hertz > RecorderConfiguration.gridLimit
        && model.fifoRate(rate, channels: channels) != nil
    }
  }

  /// Hertz up to which the computer keeps the time unless told otherwise: it wakes in time for each sample there.
  private static var gridLimit: Double { 200 }

  /// Whether there may be a use for the line from the chip's interrupt output.
  package func usesInterrupt(_ model: SensorModel) -> Bool {
    interrupt != .none && isChipClock(model) && model.hasWatermark
  }

  /// What the user should know about the choice of clock, line and stamps.
  package func remarks(_ model: SensorModel, usesInterrupt: Bool) -> [String] {
    let isChip = isChipClock(model)
    let hasUnusedLine = interrupt != .none && !usesInterrupt
    let hasNoStamps = timeStamps && !(isChip && model.hasStamps)
    var remarks = [clockRemark(model)].compactMap { $0 }
    if !isChip, interrupt != .none, hasNoStamps, model.hasWatermark, model.hasStamps {
      return remarks + [unused("the chip's interrupt line and time stamps are", model)]
    }
    if hasUnusedLine {
      remarks.append(
        !isChip
          ? unused("the chip's interrupt line is", model, hasUse: model.hasWatermark)
          : model.hasWatermark
            ? "at \(Plain.hertz(rate)) Hz the bus is so busy that its FIFO is never below a watermark: the chip's "
              + "interrupt line is not used"
            : "the FIFO of the \(model.name) has no watermark: its interrupt line is not used")
    }
    if hasNoStamps {
      remarks.append(
        model.hasStamps
          ? unused("the chip's time stamps are", model)
          : "the \(model.name) has no time stamps: none are recorded")
    }
    return remarks
  }

  /// Something is not used where the computer keeps the time, and how to change that if the chip has the rate.
  private func unused(_ what: String, _ model: SensorModel, hasUse: Bool = true) -> String {
    let isPossible = hasUse && model.fifoRate(rate, channels: channels) != nil
    return "the computer keeps the time: \(what) not used"
      + (isPossible ? " without \(SensorError.chipAdvice)" : "")
  }

  /// A remark for the user when the computer keeps the time at a rate at which the chip could do it better.
  private func clockRemark(_ model: SensorModel) -> String? {
    guard clock == .automatic, rate.hertz > RecorderConfiguration.gridLimit,
      !isChipClock(model)
    else { return nil }
    let near = model.fifoNeighbours(
      of: rate, channels: channels, busClock: BusTiming.fastMode)
    guard !near.isEmpty else { return nil }
    let rates = near.map { Plain.hertz($0) }.joined(separator: " or ")
    return
      "the computer keeps the time at \(Plain.hertz(rate)) Hz; the \(model.name) does it at "
      + "\(rates) Hz, and misses nothing"
  }
}
