import Boards
import Glibc
import I2C
import IMUDrivers
import IMUModel
import LinuxIO
import SimulatedIMU

/// What wants a sensor: a take, or a service. It is given one of whatever type on whatever clock, identified and
/// not yet brought up.
protocol SensorUser {
  associatedtype Outcome
  func use<Sensor: IMUSensor & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending Sensor, clock: Clock, boardTitle: String
  ) throws -> Outcome
}

/// Chooses the concrete bus, clock and chip for a request: the one place where they meet.
struct SensorOpening<User: SensorUser> {
  let request: SensorRequest
  let user: User

  /// Hertz: fast mode, as `Wiring.md` advises. In real time the simulator's transfers take no time at all.
  private var simulatedBusClock: Int { 400_000 }

  func run() throws -> User.Outcome {
    request.isSimulated ? try onSimulator() : try onHardware()
  }

  // MARK: A simulated chip

  private func onSimulator() throws -> User.Outcome {
    let (chip, address) = try simulatedChip()
    let motion = try simulatedMotion()
    if request.isTimeVirtual {
      let clock = VirtualClock(start: SystemClock().now())
      let bus = SimulatedBus(
        clock: clock, chip: chip, address: address, motion: motion,
        busHertz: simulatedBusClock)
      return try onBus(
        bus, clock: clock, boardTitle: "simulator", busClock: simulatedBusClock)
    }
    let clock = SystemClock()
    let bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: nil)
    return try onBus(
      bus, clock: clock, boardTitle: "simulator", busClock: simulatedBusClock)
  }

  private func simulatedChip() throws -> (SimulatedChip, I2CAddress) {
    switch request.model ?? .mpu6050 {
    case .mpu6050: return (.mpu6050, I2CAddress(known: 0x68))
    case .lsm6dso: return (.lsm6dso, I2CAddress(known: 0x6A))
    default:
      throw CommandFailure(
        .configuration,
        "the simulator has no \(request.model?.name ?? ""); it has mpu6050 and lsm6dso")
    }
  }

  private func simulatedMotion() throws -> Motion {
    switch request.motion ?? "still" {
    case "still": return .still
    case "tumble": return .tumble
    case let path:
      let bytes = try WholeFile.read(path)
      return try Motion(csv: bytes, named: path)
    }
  }

  // MARK: A real chip

  private func onHardware() throws -> User.Outcome {
    let tree = SystemTree.live
    let board =
      request.board
      ?? Board.detect(model: tree.boardModel(), compatible: tree.boardCompatibles())
    let number = try busNumber(board)
    let clock = SystemClock()
    return try onBus(
      try LinuxI2CBus(number: number), clock: clock, boardTitle: board?.title ?? "bus \(number)",
      busClock: tree.i2cClock(bus: number) ?? board?.busHertz, claim: claim,
      reserve: { bus, address throws(LinuxIOError) in try bus.reserve(address) })
  }

  /// Leaves out the addresses at which a kernel driver holds the chip; if nobody is found at the others, the
  /// driver is what to tell about.
  private func claim(
    _ bus: inout LinuxI2CBus, _ addresses: [I2CAddress]
  ) -> (free: [I2CAddress], refusal: (any Error)?) {
    var free: [I2CAddress] = []
    var refusal: (any Error)?
    for address in addresses {
      do {
        try bus.claim(address)
        free.append(address)
      } catch {
        refusal = refusal ?? error
      }
    }
    return (free, refusal)
  }

  private func busNumber(_ board: Board?) throws -> Int {
    if let bus = request.bus { return bus }
    // Stock kernels number buses as they find them; the device tree's node is the surer sign.
    if let node = board?.busNode,
      let adapter = SystemTree.live.i2cAdapters().first(where: { $0.name.contains(node) })
    {
      return adapter.number
    }
    if let board, case .device(let number) = board.bus { return number }
    throw CommandFailure(
      .configuration,
      "which bus the sensor is on is not known here; give --bus N for /dev/i2c-N, "
        + "or --board as `imulog boards` lists them, or --board simulator")
  }

  // MARK: Both

  private func onBus<Bus: I2CBus & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ bus: consuming Bus, clock: Clock, boardTitle: String, busClock: Int?,
    claim: (inout Bus, [I2CAddress]) -> (free: [I2CAddress], refusal: (any Error)?) = {
      ($1, nil)
    },
    reserve: (inout Bus, I2CAddress) throws(LinuxIOError) -> Void = { _, _ in }
  ) throws -> User.Outcome {
    let configuration = SensorConfiguration(
      rate: request.rate, accelerometerRange: request.accelerometerRange,
      gyroscopeRange: request.gyroscopeRange, channels: request.channels, busClock: busClock)
    let families = SensorFamily.allCases.filter { $0 == request.model?.family ?? $0 }
    let (free, refusal) = claim(&bus, families.flatMap(\.addresses))
    let found: SensorIdentity
    do {
      found = try SensorIdentity.identify(on: &bus, addresses: free, forced: request.model)
    } catch {
      if case .notFound = error, let refusal { throw refusal }
      throw error
    }
    // Before the first register is written.
    try reserve(&bus, found.address)
    if !found.alternatives.isEmpty, request.model == nil, !request.isSimulated {
      let names = found.alternatives.map(\.rawValue).joined(separator: ", ")
      Console.talk(
        "found \(found.model.name) at \(found.address); \(names) answer the same, "
          + "give --sensor if it is one of them")
    }
    switch found.model.family {
    case .mpu6050:
      let sensor = try MPU6050Sensor(bus: bus, identity: found, configuration: configuration)
      return try user.use(sensor, clock: clock, boardTitle: boardTitle)
    case .lsm6ds:
      let sensor = try LSM6DSSensor(bus: bus, identity: found, configuration: configuration)
      return try user.use(sensor, clock: clock, boardTitle: boardTitle)
    }
  }
}
