// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// What one of several sensors needs of the time in which they are read one after the other.
package struct BusNeed {
  package let name: String
  /// The number of the computer's bus; `nil` where it is not known.
  package let bus: Int?
  /// Hertz of its bus, as planned with.
  let busClock: Int
  /// The part of the time that its reads take, of what may be used; above 1 it cannot be read even alone.
  package let share: Double
  /// Nanoseconds of one turn, in which no other sensor is read.
  let turn: Int64
  /// Nanoseconds between two ticks; `nil` by the chip's clock, where its FIFO waits.
  let period: Int64?
  /// The highest rate within a part of the time, in hertz; `nil` when there is none.
  let most: (Double) -> Double?

  /// The need of a valid configuration. Where the clock of the bus is not known, the fastest that the chip takes is assumed.
  ///
  /// - Parameter isOnChannel: Whether the chip is behind a multiplexer, whose channel may be another one at each turn.
  package init(
    _ model: SensorModel, _ configuration: SensorConfiguration, named name: String, bus: Int?,
    isOnChannel: Bool = false
  ) {
    let busClock = configuration.busClock ?? model.maximumBusClock
    (self.name, self.bus, self.busClock) = (name, bus, busClock)
    let field = configuration.fieldRate.flatMap { _ in FieldModel.inside(model) }
    guard configuration.readsFIFO else {
      let tick =
        BusTiming.nanoseconds(ofTick: model, with: field, busClock: busClock)
        + (isOnChannel
          ? Int64(BusTiming.bitsOfSelection) * 1_000_000_000 / Int64(busClock) + 50_000 : 0)
      (turn, period) = (tick, configuration.rate.periodNanoseconds)
      share = configuration.rate.hertz * Double(tick) / 1e9
      most = { part in
        let hertz = (part * 1e9 / Double(tick)).rounded(.down)
        return hertz >= 1 ? hertz : nil
      }
      return
    }
    let exact = configuration.exact(for: model) ?? configuration
    var needed = exact.drainTiming(of: model, longestBurst: 8192)
    if isOnChannel { needed.field += DrainTiming.drainsASecond * BusTiming.bitsOfSelection }
    let timing = needed
    share = timing.share(busClock: busClock)
    turn = timing.nanosecondsOfDrain(busClock: busClock)
    period = nil
    most = { part in
      model.fifoRates(channels: configuration.channels).last { rate in
        timing.at(rate).share(busClock: busClock) <= part
      }?.hertz
    }
  }

  /// Why the sensors of one bus cannot be read one after the other: together they need more than all of the time, or a sensor
  /// that is read at each tick would wait longer than a tick for another's turn. `nil` if they can, as far as the bus's clock
  /// shows it.
  package static func refusal(of needs: [BusNeed]) -> SensorError? {
    needs.lazy.compactMap { need in refusal(onOneBus: needs.filter { $0.bus == need.bus }) }.first
  }

  private static func refusal(onOneBus needs: [BusNeed]) -> SensorError? {
    let total = needs.map(\.share).reduce(0, +)
    if total > 1, let greatest = needs.max(by: { $0.share < $1.share }) {
      let most = greatest.most(1 - (total - greatest.share))
      let shares = needs.map {
        "\($0.name) \(percent($0.share)) % at \(BusTiming.clock($0.busClock))"
      }
      return .configuration(
        "reading the sensors one after the other takes more than all of the bus's time: "
          + "\(SensorError.list(shares)), together \(percent(total)) %; ask for "
          + (most.map { "\($0.briefly) Hz or less of \(greatest.name)" } ?? "less of each"))
    }
    for (index, need) in needs.enumerated() {
      let others = needs.enumerated().filter { $0.offset != index }.map(\.element)
      guard let period = need.period, let longest = others.max(by: { $0.turn < $1.turn }) else {
        continue
      }
      let cycle = need.turn + longest.turn
      guard cycle > period else { continue }
      return .configuration(
        "\(need.name) is read every \(milliseconds(period)) ms, and a turn of \(longest.name) takes "
          + "\(milliseconds(longest.turn)) ms at \(BusTiming.clock(longest.busClock)), in which its ticks would be missed: ask for "
          + "\(Int(1_000_000_000 / cycle)) Hz or less of \(need.name), or give it its chip's clock "
          + "(clock=chip)")
    }
    return nil
  }

  private static func percent(_ share: Double) -> Int { (share * 100).roundedUp }

  private static func milliseconds(_ nanoseconds: Int64) -> String {
    (Double(nanoseconds) / 1e6).briefly
  }
}
