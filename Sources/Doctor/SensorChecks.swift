// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import Text

extension DoctorCheck {
  static let sensors = DoctorCheck(
    [
      "sensors": "of several: whether each has a chip of its own",
      "other address": "whether a chip answers at the other of its two addresses",
      "bus time": "whether there is time to read all of them",
      "pull-ups": "where reads fail: the pull-ups of several breakouts",
    ],
    reporting: { subject, found in
      if !subject.members.isEmpty { try SensorChecks(buses: subject.buses).run(found) }
    })
}

/// What was found of one of several sensors.
struct FoundSensor: Sendable {
  let sensor: DoctorSensor
  let bus: BusPath
  /// `nil` where there is no chip for it.
  var identity: SensorIdentity?
  var clock = BusClock(configured: nil, measured: nil)
  var checks: [Check] = []

  var name: String { sensor.name }

  /// Where its chip is, or should be; `nil` where any address would do.
  var address: I2CAddress? { identity?.address ?? sensor.configuration.sensor.address }
}

/// The sensors of a take: each chip as of one sensor, and what they share.
struct SensorChecks: Sendable {
  /// The buses, each with its sensors.
  let buses: [BusChecks]

  /// Reports each check as soon as it is made.
  func run(_ found: DoctorCheck.Report) throws {
    guard try buses[0].begin(found) else { return }
    let named = buses.flatMap { bus in bus.sensors.map { FoundSensor(sensor: $0, bus: bus.path) } }
    var sensors: [FoundSensor] = []
    for bus in buses {
      // The module is the same for all buses.
      let own: DoctorCheck.Report = { check in
        if check.name != "module" || bus.path == buses[0].path { try found(check) }
      }
      let outcome = try bus.look(own) { (open: consuming BusLook, free, progress) in
        SensorChecks.look(open, at: bus, free: free, beside: named, progress)
      }
      // Where the bus cannot be read, the settings alone tell of two names of one chip.
      sensors += outcome.sensors.isEmpty ? named.filter { $0.bus == bus.path } : outcome.sensors
    }
    try SensorChecks.together(sensors).forEach(found)
  }

  private static func look(
    _ open: consuming BusLook, at bus: BusChecks, free: [I2CAddress], beside named: [FoundSensor],
    _ progress: () -> Void
  ) -> BusChecks.Outcome {
    var look = open
    let ending = look.ending
    let chips = bus.sensors.map { sensor in
      var chips = bus.chips(bus.number, for: sensor)
      chips.isLoading = !bus.isServed && sensor.name == bus.sensors[0].name
      return (sensor, chips)
    }
    let sensors = sensors(&look, of: chips, on: bus.path, free: free, beside: named, progress)
    guard !ending.isCut else {
      // Reads failed from some moment on.
      let checks = sensors.map { Check("chip", BusChecks.cut, of: $0.name) }
      return BusChecks.Outcome(checks: checks, hasChip: true)
    }
    return BusChecks.Outcome(
      checks: sensors.flatMap(\.checks), hasChip: true, sensors: sensors)
  }

  /// Looks for the chip of each sensor of a bus.
  static func sensors<Bus: I2CBus & ~Copyable, Clock: MonotonicClock>(
    _ bus: inout Bus, of sensors: [(sensor: DoctorSensor, chips: ChipChecks<Clock>)],
    on path: BusPath, free: [I2CAddress], beside named: [FoundSensor] = [], _ progress: () -> Void
  ) -> [FoundSensor] {
    var all: [FoundSensor] = []
    for (sensor, chips) in sensors {
      let (identity, clock, checks) = chips.run(&bus, free: free, progress)
      var own = checks.map { Check($0.name, $0.finding, of: sensor.name) }
      if identity != nil, sensor.configuration.interrupt != .none {
        let words = "it is tried with one sensor only; a recording's certificate tells its edges"
        own.append(Check(BusChecks.lineName, .unchecked(words), of: sensor.name))
      }
      all.append(
        FoundSensor(
          sensor: sensor, bus: path, identity: identity, clock: clock, checks: own))
    }
    for index in all.indices {
      let pair = AddressPair(all[index], among: all + named)
      guard let pair, free.contains(pair.own), free.contains(pair.other),
        let finding = pair.finding(pair.read(&bus, progress))
      else { continue }
      all[index].checks.append(Check("other address", finding, of: all[index].name))
    }
    return all
  }

  /// What the sensors share: a chip, the time of the bus, the pull-ups.
  static func together(_ sensors: [FoundSensor]) -> [Check] {
    let shared = [("bus time", busTime(sensors)), ("pull-ups", pullUps(sensors))]
    return [Check("sensors", twins(sensors))]
      + shared.compactMap { name, finding in finding.map { Check(name, $0) } }
  }

  /// Two names of one chip: each would take the other's samples.
  private static func twins(_ sensors: [FoundSensor]) -> Finding {
    for (index, sensor) in sensors.enumerated() {
      guard let address = sensor.address,
        let twin = sensors[..<index].first(where: {
          $0.address == address && $0.bus.isReached(from: sensor.bus)
        })
      else { continue }
      let chip = sensor.identity.map { "the \($0.model.name) at \(address)" } ?? "at \(address)"
      return .wrong(
        "\(twin.name) and \(sensor.name) are the same chip, \(chip) of \(sensor.bus): "
          + (twin.bus == sensor.bus
            ? "give each sensor its own address behind an @"
            : "one on the bus before a multiplexer answers on each channel; give them different addresses")
      )
    }
    return .ok("each of \(sensors.count) has an address of its own")
  }

  /// The time of all reads of a bus, one after the other on one thread.
  private static func busTime(_ sensors: [FoundSensor]) -> Finding? {
    var needs: [BusNeed] = []
    for sensor in sensors {
      guard let model = sensor.identity?.model else { continue }
      do throws(SensorError) {
        let settings = try sensor.sensor.configuration.sensorConfiguration(
          for: model, busClock: sensor.clock.planned)
        needs.append(
          BusNeed(
            model, settings, named: sensor.name, bus: sensor.bus.root,
            isOnChannel: sensor.bus.channel != nil))
      } catch {
        // The rate's check reports it.
        continue
      }
    }
    if let refusal = BusNeed.refusal(of: needs) { return .wrong("\(refusal)") }
    guard needs.count == sensors.count else { return nil }
    func percent(_ share: Double) -> String { "\(Int((share * 100).rounded(.up))) %" }
    let buses = Set(sensors.map(\.bus.root)).sorted().map { root in
      let needs = needs.filter { $0.bus == root }
      let shares = needs.map { "\($0.name) \(percent($0.share))" }.joined(separator: ", ")
      return "\(shares), together \(percent(needs.map(\.share).reduce(0, +)))"
    }
    return .ok(
      "reading takes \(buses.joined(separator: "; ")) of the time that there is for it"
        + (buses.count > 1 ? " on each bus" : ""))
  }

  /// What many breakouts may be the cause of, where reads fail; nobody can see the resistors from here.
  private static func pullUps(_ sensors: [FoundSensor]) -> Finding? {
    let failing = sensors.first { sensor in
      sensor.checks.contains { $0.name == "wiring" && $0.state == .wrong }
    }
    let count = sensors.count { $0.bus == failing?.bus && $0.identity != nil }
    guard count > 1 else { return nil }
    return .advice(
      "pull-ups of \(count) breakouts are in parallel, and I2C allows 0.97 kΩ together at least (three of 2.2 kΩ are "
        + "0.73): leave those of one breakout")
  }
}

/// The two addresses that a chip can have, by the level of a pin: an open pin changes between them.
struct AddressPair {
  /// Of the sensor, and the other one.
  let (own, other): (I2CAddress, I2CAddress)
  let model: SensorModel
  /// What its identity register reads.
  private let identity: UInt8
  /// The sensor that is to be at the other one.
  let neighbour: String?

  /// How often only the one answered, only the other one, and both, read in turns.
  typealias Answers = (own: Int, other: Int, both: Int)

  /// `nil` where a chip of that kind, or its address, is not known.
  init?(_ sensor: FoundSensor, among all: [FoundSensor]) {
    guard let own = sensor.address,
      let model = sensor.identity?.model ?? sensor.sensor.configuration.sensor.model,
      let other = model.addresses.first(where: { $0 != own })
    else { return nil }
    (self.own, self.other, self.model) = (own, other, model)
    identity = sensor.identity?.identity ?? model.identity
    neighbour =
      all.first {
        $0.address == other && $0.name != sensor.name && $0.bus.isReached(from: sensor.bus)
      }?.name
  }

  /// Reads the identity at both addresses, in turns.
  func read<Bus: I2CBus & ~Copyable>(_ bus: inout Bus, _ progress: () -> Void) -> Answers {
    var answers: Answers = (0, 0, 0)
    for _ in 0..<20 {
      let (isOwn, isOther) = (isThere(own, &bus), isThere(other, &bus))
      progress()
      if isOwn, isOther { answers.both += 1 } else if isOwn { answers.own += 1 }
      if isOther, !isOwn { answers.other += 1 }
    }
    return answers
  }

  private func isThere<Bus: I2CBus & ~Copyable>(_ address: I2CAddress, _ bus: inout Bus) -> Bool {
    do throws(BusError) {
      let register = model.family.identityRegister.address
      return try bus.read(address, register: register) == identity
    } catch {
      return false
    }
  }

  private var pin: String { SensorModel.mpu6050.addresses.contains(own) ? "AD0" : "SDO (SA0)" }

  private func level(_ address: I2CAddress) -> String {
    address == model.addresses.min(by: { $0.rawValue < $1.rawValue }) ? "ground" : "3.3 V"
  }

  /// What the answers say; `nil` for nothing.
  func finding(_ answers: Answers) -> Finding? {
    if answers.own > 0, answers.other > 0 {
      return .wrong(
        "the chip answers now at \(own), now at \(other): its \(pin) is open. Connect it to \(level(own)) for "
          + "\(own), to \(level(other)) for \(other)")
    }
    if answers.own == 0, answers.both == 0, answers.other > 0 {
      let place = neighbour.map { "that of \($0), perhaps with it" } ?? "with no name"
      return .wrong(
        "no chip is at \(own), and an \(model.name) is at \(other), \(place): connect the \(pin) to \(level(own))"
          + (neighbour == nil ? ", or give @\(other)" : ""))
    }
    guard neighbour == nil, answers.both > 0 else { return nil }
    return .advice(
      "an \(model.name) answers at \(other), too, and no sensor of the configuration is there: a second chip without "
        + "a name, or an open \(pin)")
  }
}
