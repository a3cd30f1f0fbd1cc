import Boards
import Glibc
import I2C
import IMUDrivers
import IMUModel
import LinuxIO
import SimulatedIMU

/// Chooses the concrete bus, clock and chip for a take: the one place where they meet.
struct TakeRunner {
  let request: TakeRequest
  let store: String

  func run() throws(CommandFailure) -> TakeOutcome {
    request.isSimulated ? try onSimulator() : try onHardware()
  }

  // MARK: A simulated chip

  private func onSimulator() throws(CommandFailure) -> TakeOutcome {
    let (chip, address) = try simulatedChip()
    let motion = try simulatedMotion()
    if request.isTimeVirtual {
      let clock = VirtualClock(start: SystemClock().now())
      let bus = SimulatedBus(
        clock: clock, chip: chip, address: address, motion: motion,
        busHertz: SimulatedBus<VirtualClock>.fastMode)
      return try onBus(bus, clock: clock, boardTitle: "simulator", busClock: nil)
    }
    let clock = SystemClock()
    let bus = SimulatedBus(
      clock: clock, chip: chip, address: address, motion: motion, busHertz: nil)
    return try onBus(bus, clock: clock, boardTitle: "simulator", busClock: nil)
  }

  private func simulatedChip() throws(CommandFailure) -> (SimulatedChip, I2CAddress) {
    switch request.model ?? .mpu6050 {
    case .mpu6050: return (.mpu6050, I2CAddress(known: 0x68))
    case .lsm6dso: return (.lsm6dso, I2CAddress(known: 0x6A))
    default:
      throw CommandFailure(
        .configuration, "the simulator has no \(request.model?.name ?? ""); it has mpu6050 and lsm6dso")
    }
  }

  private func simulatedMotion() throws(CommandFailure) -> Motion {
    switch request.motion ?? "tumble" {
    case "still": return .still
    case "tumble": return .tumble
    case let path:
      let bytes: [UInt8]
      do throws(FileError) {
        bytes = try WholeFile.read(path)
      } catch {
        throw CommandFailure(error.status, "--motion \(error)")
      }
      do throws(MotionFileError) {
        return try Motion(csv: bytes, named: path)
      } catch {
        throw CommandFailure(.damagedData, "--motion \(error)")
      }
    }
  }

  // MARK: A real chip

  private func onHardware() throws(CommandFailure) -> TakeOutcome {
    let tree = SystemTree.live
    let board =
      request.board
      ?? Board.detect(model: tree.boardModel(), compatible: tree.boardCompatibles())
    let number = try busNumber(board)
    let clock = SystemClock()
    do throws(LinuxIOError) {
      var bus = try LinuxI2CBus(number: number)
      for family in SensorFamily.allCases
      where request.model.map({ $0.family == family }) ?? true {
        for address in family.addresses { try bus.claim(address) }
      }
      return try onBus(
        bus, clock: clock, boardTitle: board?.title ?? "bus \(number)",
        busClock: tree.i2cClock(bus: number))
    } catch {
      throw CommandFailure(error.isPermission ? .noPermission : .unavailable, "\(error)")
    }
  }

  private func busNumber(_ board: Board?) throws(CommandFailure) -> Int {
    if let bus = request.bus { return bus }
    if let board, case .number(let number) = board.bus { return number }
    throw CommandFailure(
      .configuration,
      "which bus the sensor is on is not known here; give --bus N for /dev/i2c-N, "
        + "or --board as `imulog boards` lists them, or --board simulator")
  }

  // MARK: Both

  private func onBus<Bus: I2CBus & ~Copyable, Clock: MonotonicClock>(
    _ bus: consuming Bus, clock: Clock, boardTitle: String, busClock: Int?
  ) throws(CommandFailure) -> TakeOutcome {
    let configuration = SensorConfiguration(
      rate: request.rate, accelerometerRange: request.accelerometerRange,
      gyroscopeRange: request.gyroscopeRange, channels: request.channels, busClock: busClock)
    let session = TakeSession(
      request: request, store: store, boardTitle: boardTitle, clock: clock)
    do throws(SensorError) {
      let found = try SensorIdentity.identify(on: &bus, forced: request.model)
      if !found.alternatives.isEmpty, request.model == nil {
        let names = found.alternatives.map(\.rawValue).joined(separator: ", ")
        Console.talk(
          "found \(found.model.name) at \(found.address); \(names) answer the same, "
            + "give --sensor if it is one of them")
      }
      switch found.model.family {
      case .mpu6050:
        let sensor = try MPU6050Sensor(bus: bus, chip: found, configuration: configuration)
        return try session.run(sensor)
      case .lsm6ds:
        let sensor = try LSM6DSSensor(bus: bus, chip: found, configuration: configuration)
        return try session.run(sensor)
      }
    } catch {
      throw CommandFailure(error)
    }
  }
}
