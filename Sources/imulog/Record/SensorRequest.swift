// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Boards
import Files
import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import SimulatedIMU

/// A sensor and its settings, checked as far as possible without hardware.
struct SensorRequest: Sendable, SensorSource {
  /// May leave board, bus and sensor to detection.
  var configuration: RecorderConfiguration
  let board: Board?
  /// The simulated motion: one of ``motions``, or a file's path.
  let motion: String?
  /// The clock of a simulation as fast as the computer can, the same for all sensors; `nil` in real time.
  let virtualClock: VirtualClock?

  var isTimeVirtual: Bool { virtualClock != nil }

  var choice: SensorChoice { configuration.sensor }

  var isSimulated: Bool { board?.id == "simulator" }

  /// Whether the simulated chip has the counts of a file.
  var hasGivenCounts: Bool { motion.map { SensorRequest.motions[$0] == nil } ?? false }

  /// The simulator's motions by name.
  static let motions: [String: Motion] = ["still": .still, "turn": .turn, "tumble": .tumble]

  init(
    _ configuration: RecorderConfiguration, motion: String? = nil,
    virtualClock: VirtualClock? = nil
  ) {
    self.configuration = configuration
    board = configuration.board.map { name in
      guard let board = Board.named(name) else { preconditionFailure("\(name) is a board") }
      return board
    }
    (self.motion, self.virtualClock) = (motion, virtualClock)
    self.configuration.hasNoise = !hasGivenCounts
  }

  /// The given board, else that of this machine.
  func presentBoard(_ tree: SystemTree = .live) -> Board? {
    board ?? Board.detect(model: tree.boardModel(), compatible: tree.boardCompatibles())
  }

  func open<User: SensorUser>(for user: User) throws -> User.Outcome {
    try SensorOpening(request: self, user: user).run()
  }
}

/// Chooses the concrete bus, clock and chip for a request: the one place where they meet.
private struct SensorOpening<User: SensorUser> {
  let request: SensorRequest
  let user: User

  func run() throws -> User.Outcome {
    request.isSimulated ? try onSimulator() : try onHardware()
  }

  // MARK: A simulated chip

  private func onSimulator() throws -> User.Outcome {
    if let clock = request.virtualClock {
      return try onSimulator(try request.simulatedBus(clock), clock: clock)
    }
    let clock = SystemClock()
    return try onSimulator(try request.simulatedBus(clock), clock: clock)
  }

  private func onSimulator<Clock: MonotonicClock>(
    _ simulated: consuming SimulatedBus<Clock>, clock: Clock
  ) throws -> User.Outcome {
    var bus = simulated
    if request.configuration.interrupt != .none { bus.wireInterrupt() }
    let found = try SensorIdentity.identify(on: &bus, choice: request.choice)
    let busClock = BusClock(configured: SensorRequest.simulatedBusClock, measured: nil)
    let sensor = try request.configuration.open(bus, found, busClock: busClock.planned)
    func talk(usesInterrupt: Bool) {
      request.configuration.remarks(found.model, usesInterrupt: usesInterrupt).forEach {
        Console.talk($0)
      }
    }
    switch consume sensor {
    case .polled(let sensor):
      talk(usesInterrupt: false)
      return try user.use(sensor, busClock: busClock, clock: clock, boardTitle: "simulator")
    case .buffered(let sensor):
      talk(usesInterrupt: sensor.hasInterrupt)
      return try user.use(
        sensor, busClock: busClock, clock: clock, boardTitle: "simulator")
    }
  }

  // MARK: A real chip

  private func onHardware() throws -> User.Outcome {
    let board = request.presentBoard()
    let search = try SensorSearch(request, on: board, interrupt: try interrupt(board))
    let found = try BusErrand(bus: search.bus).run { search.run(progress: $0) }.get()
    for remark in found.remarks { Console.talk(remark) }
    let title = board?.title ?? "bus \(search.path)"
    let clock = found.busClock
    switch consume found.sensor {
    case .polled(let sensor):
      return try user.use(sensor, busClock: clock, clock: SystemClock(), boardTitle: title)
    case .buffered(let sensor):
      return try user.use(
        sensor, busClock: clock, clock: SystemClock(), boardTitle: title)
    }
  }

  private func interrupt(_ board: Board?) throws(CommandFailure) -> GPIOLineSpec? {
    let choice = request.configuration.interrupt
    guard choice != .automatic || board?.dataReady != nil else {
      throw CommandFailure(
        .configuration,
        "the line of the sensor's interrupt is not known here; give its name, such as GPIO22, instead of auto"
      )
    }
    return choice.spec(board?.dataReady?.name)
  }
}

/// What a request means on this machine.
extension SensorRequest {
  /// Hertz of the simulated bus: fast mode, as `Wiring.md` advises. In real time, simulated transfers take no time.
  static var simulatedBusClock: Int { BusTiming.fastMode }

  /// A bus with the simulated chip, in real time or in virtual time.
  func simulatedBus<Clock: MonotonicClock>(_ clock: Clock) throws -> SimulatedBus<Clock> {
    let (chip, address) = try simulatedChip()
    return SimulatedBus(
      clock: clock, chip: chip, address: address, motion: try simulatedMotion(),
      busHertz: isTimeVirtual ? SensorRequest.simulatedBusClock : nil)
  }

  /// The given bus, else the board's.
  func bus(_ board: Board?, _ tree: SystemTree = .live) throws -> BusPath {
    if let bus = configuration.bus {
      return bus.channel == nil ? tree.busPath(ofAdapter: bus.root) : bus
    }
    if let bus = board?.busNumber(tree) { return BusPath(root: bus) }
    throw CommandFailure(
      .configuration,
      "the sensor's bus is not known here; give --bus N for /dev/i2c-N, "
        + "or --board as `imulog boards` lists them, or --board simulator")
  }

  /// The bus, for a log's header.
  func busPath(_ tree: SystemTree = .live) throws -> String {
    isSimulated ? "" : "\(try bus(presentBoard(tree), tree))"
  }

  private func simulatedChip() throws -> (SimulatedChip, I2CAddress) {
    let model = choice.model ?? choice.addresses[0].simulatedModel
    guard let chip = SimulatedChip.all.first(where: { "\($0.model)" == model.rawValue }) else {
      let names = SimulatedChip.all.map { "\($0.model)" }
      throw CommandFailure(
        .configuration,
        "the simulator has no \(model.name); it has "
          + "\(names.dropLast().joined(separator: ", ")) and \(names.suffix(1).joined())")
    }
    return (chip, choice.address ?? model.addresses[0])
  }

  private func simulatedMotion() throws -> Motion {
    guard let path = motion else { return .still }
    if let motion = SensorRequest.motions[path] { return motion }
    let bytes = try WholeFile.read(path)
    do {
      return try Motion(csv: bytes, named: path)
    } catch {
      throw CommandFailure(error.exitStatus, "--motion \(error)")
    }
  }
}

extension Board {
  /// The command that keeps the clock of a bus, if it is that of the pins and the device tree takes parameters.
  func steadyBusCommand(onBus bus: Int, _ tree: SystemTree) -> String? {
    guard bus == busNumber(tree), tree.hasTreeParameters else { return nil }
    return steadyBusCommand.map { BootConfiguration.command($0, tree) }
  }

  /// The bus of its pins. Stock kernels number buses in the order of discovery; the device tree's node identifies one.
  func busNumber(_ tree: SystemTree) -> Int? {
    let adapter = busNode.flatMap { node in
      tree.i2cAdapters().first { $0.name.parts(around: node) != nil }
    }
    if let adapter { return adapter.number }
    guard case .device(let number) = bus else { return nil }
    return number
  }
}

extension I2CAddress {
  /// The simulator's chip at this address.
  fileprivate var simulatedModel: SensorModel {
    SensorModel.mpu6050.addresses.contains(self) ? .mpu6050 : .lsm6dso
  }
}

struct BusOptions: ParsableArguments {
  @Option(help: "The board, one of `imulog boards`; detected by default.", completion: .boards)
  var board: String?

  // A value may begin with a sign, so that the refusal names it.
  @Option(
    parsing: .unconditional,
    help: .value(
      "n",
      "The number N of /dev/i2c-N, or N/mux@70/3 for a multiplexer's channel; by default the board's."
    ))
  var bus: String?

  /// The values that are given, by the options' names.
  var given: [String: String] { ["board": board, "bus": bus].compactMapValues { $0 } }
}

struct SensorOptions: ParsableArguments {
  @OptionGroup var place: BusOptions

  @Option(
    name: .customLong("sensor"),
    help: .value(
      "auto|model",
      "The chip: auto or a model; @0x69 behind it chooses the address, @i2c-4/0x69 the bus, too, @i2c-1/mux@70/3/0x69 a multiplexer's channel."
    ),
    completion: .sensors)
  var sensors: [String] = []

  @Option(
    help: .value(
      "still|turn|tumble|file",
      "The simulator's motion: still (the default), turn, tumble, or a CSV file of counts."),
    completion: .motions)
  var motion: String?

  var given: OptionRule.Options {
    [
      "--board": place.board != nil, "--bus": place.bus != nil, "--sensor": !sensors.isEmpty,
      "--motion": motion != nil,
    ]
  }

  /// The chosen sensor with settings, checked as far as possible without hardware.
  ///
  /// - Parameter settings: The values of other options, by their names.
  func request(
    _ settings: [String: String] = [:], isTimeVirtual: Bool = false
  ) throws -> SensorRequest {
    guard sensors.count < 2 else {
      throw CommandFailure.usage("this looks at one sensor; give --sensor once")
    }
    return try requests(settings, isTimeVirtual: isTimeVirtual)[0].request
  }

  /// The chosen sensors of a take, or the one, each with its name and the settings, or its own ones.
  func requests(
    _ settings: [String: String], isTimeVirtual: Bool
  ) throws -> [(name: String, request: SensorRequest)] {
    let clock = VirtualClock(start: SystemClock().now())
    let sensors = try NamedSensor.list(sensors)
    guard sensors.count < 2 || settings["calibration"] == nil else {
      throw CommandFailure.usage(
        "a calibration is of one chip; give each sensor its own, as --sensor \"\(sensors[0].name)=… calibration=FILE\""
      )
    }
    return try sensors.map { sensor in
      var options = settings.merging(place.given) { $1 }.merging(sensor.options) { $1 }
      let motion = options.removeValue(forKey: "motion") ?? motion
      let calibration = options.removeValue(forKey: "calibration")
      let configuration: RecorderConfiguration
      do throws(ConfigurationError) {
        configuration = try ConfigurationFile.read([], file: "", options: options)
      } catch {
        let key = String(error.file.drop { $0 == "-" })
        guard sensor.settings[key] != nil, let clause = error.ofOwnSetting else { throw error }
        throw CommandFailure.usage("--sensor \(sensor.name): \(clause)")
      }
      var request = SensorRequest(
        configuration, motion: motion, virtualClock: isTimeVirtual ? clock : nil)
      request.configuration.calibration = calibration
      guard request.isSimulated || motion == nil else {
        throw CommandFailure.usage("--motion needs --board simulator; give that, too")
      }
      return (sensor.name, request)
    }
  }
}
