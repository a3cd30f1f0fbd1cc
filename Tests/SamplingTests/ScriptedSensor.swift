// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers

/// A fault of the chip.
enum Ailment: CaseIterable, Sendable {
  /// Nothing.
  case none
  /// Delivers plausible samples, with another configuration.
  case configurationLost
  /// Reset: gives zeros as new samples, configuration gone.
  case zeros
  /// Gives zeros as new samples, though the configuration reads back right.
  case zerosIntact
  /// The same sample again and again, as new.
  case frozen
  /// Reset: no new samples, configuration gone.
  case asleep
  /// No new samples, though the configuration reads back right.
  case noData
  /// The same sample again and again, which nothing announces.
  case unannounced
  /// No chip acknowledges.
  case dead
  /// Another chip answers.
  case foreign

  /// Whether a read would show the configuration.
  var isConfigured: Bool {
    switch self {
    case .configurationLost, .zeros, .asleep, .dead: return false
    default: return true
    }
  }

  /// The fault that the sampler should report.
  var fault: SensorEvent.Fault {
    switch self {
    case .none: return .none
    case .configurationLost, .zeros, .asleep: return .configurationLost
    case .zerosIntact: return .zeros
    case .frozen: return .frozen
    case .noData, .unannounced: return .noData
    case .dead: return .bus
    case .foreign: return .identity
    }
  }
}

/// A chip that follows a test's script, on a clock moved by hand.
///
/// Bring-up cures every ailment but ``Ailment/dead``, in three steps with waits of 100 and 30 ms.
struct ScriptedSensor: IMUSensor, ~Copyable {
  /// The test's access to the chip.
  final class Script {
    var ailment = Ailment.none
    /// The fault of read number `n` alone; `nil` for nothing in particular.
    var ailmentAtRead: (Int) -> Ailment? = { _ in nil }
    /// The fault at an instant; asked before each call.
    var ailmentAtTime: ((Int64) -> Ailment?)?
    var errno: Int32 = 121
    var reads = 0
    var checks = 0
    var bringUps = 0
    /// When the sampler first gave the chip up.
    var givenUpAt: Int64?
    /// How long each call keeps the bus, in nanoseconds.
    var readCost: Int64 = 0
    /// How much longer read number `n` keeps it.
    var holdUpOfRead: (Int) -> Int64 = { _ in 0 }
    /// How long a read may take.
    var readLimit = Int64.max
    /// When equal outputs prove that the chip is stuck.
    var lifeLimit: LifeLimit? = LifeLimit(looks: 5, time: 250_000_000)
    /// Whether reads show the configuration, or only checks.
    var showsConfiguration = true
    /// The chip's own samples a second; 0 for a new one at every read.
    var outputDataRate = 0.0
    var checkCost: Int64 = 0
    var bringUpCost: Int64 = 0
    /// Fails bring-up for another reason than the bus.
    var refusesBringUp = false

    /// The error that a dead bus throws.
    var busError: BusError {
      BusError(.noAcknowledge, .read, address: ScriptedSensor.address, register: 0x3A, errno: errno)
    }

    /// The fault at an instant.
    func ailment(at instant: Int64) -> Ailment {
      if let change = ailmentAtTime?(instant) { ailment = change }
      return ailment
    }
  }

  let script: Script
  let clock: HandClock
  private(set) var evidence = ReadEvidence()
  private var steps = 3
  private var count: Int16 = 0
  /// Number of the chip's sample that was read last, when it has a rate of its own.
  private var consumed = Int64.min

  init(_ script: Script, clock: HandClock) {
    self.script = script
    self.clock = clock
  }

  static let address = I2CAddress(known: 0x68)
  static let register = Register(0x6B, "PWR_MGMT_1")

  var readLimit: Int64 {
    // A copy of the reference, because Swift 6.0 stops at the property of a property here.
    let script = script
    return script.readLimit
  }

  var lifeLimit: LifeLimit? {
    let script = script
    return script.lifeLimit
  }

  let expectation: SensorExpectation? = nil

  var description: SensorDescription {
    let script = script
    return SensorDescription(
      model: "scripted", identity: nil, address: nil, accelerometerRange: 0, gyroscopeRange: 0,
      accelerometerScale: Fraction(1, 1), gyroscopeScale: Fraction(1, 1),
      temperatureScale: Fraction(1, 1), temperatureOffset: Fraction(0, 1),
      outputDataRate: script.outputDataRate,
      filter: "")
  }

  mutating func bringUp() throws(SensorError) -> BringUpStep {
    script.bringUps += 1
    clock.advance(by: script.bringUpCost)
    guard script.ailment(at: clock.now().nanoseconds) != .dead else {
      throw .bus(.mpu6050, Self.register, script.busError)
    }
    if script.refusesBringUp {
      throw .resetUnfinished(.mpu6050, address: Self.address, Self.register, read: 0x80)
    }
    steps += 1
    switch steps {
    case 1: return .wait(nanoseconds: 100_000_000)
    case 2: return .wait(nanoseconds: 30_000_000)
    default:
      script.ailment = .none
      return .ready
    }
  }

  mutating func restart() {
    script.givenUpAt = script.givenUpAt ?? clock.now().nanoseconds
    steps = 0
  }

  mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
    defer { script.reads += 1 }
    let ailment = script.ailmentAtRead(script.reads) ?? script.ailment(at: clock.now().nanoseconds)
    evidence.isConfigured = script.showsConfiguration && ailment.isConfigured
    clock.advance(by: script.readCost + script.holdUpOfRead(script.reads))
    switch ailment {
    case .none, .configurationLost, .foreign:
      if script.outputDataRate > 0 {
        let newest = Int64(Double(clock.now().nanoseconds) * script.outputDataRate / 1e9)
        if newest == consumed { return .stale }
        consumed = newest
      }
      count &+= 1
      sample = RawSample(ax: count, ay: 1, temperature: 2)
    case .zeros, .zerosIntact: sample = RawSample()
    case .frozen: sample = RawSample(ax: count, ay: 1, temperature: 2)
    case .noData, .asleep: return .stale
    case .unannounced:
      sample = RawSample(ax: count, ay: 1, temperature: 2)
      return .unannounced
    case .dead: throw script.busError
    }
    evidence.outputs = SensorOutputs(
      low: UInt64(UInt16(bitPattern: sample.ax)), high: UInt64(UInt16(bitPattern: sample.ay)))
    return .fresh
  }

  mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck {
    script.checks += 1
    clock.advance(by: script.checkCost)
    switch script.ailment(at: clock.now().nanoseconds) {
    case .dead: throw script.busError
    case .configurationLost, .zeros, .asleep:
      return .lost(register: 0x6B, expected: 0x01, found: 0x40)
    case .foreign: return .foreign(identity: 0x70)
    case .none, .zerosIntact, .frozen, .noData, .unannounced: return .intact
    }
  }
}
