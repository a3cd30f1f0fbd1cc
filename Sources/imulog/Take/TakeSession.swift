import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import LogFormat
import LogStore
import Recorder
import RingBuffer
import Sampling

/// One take from the chip's first register to the log's last byte, on whatever clock.
struct TakeSession<Clock: MonotonicClock> {
  let request: TakeRequest
  let store: String
  let boardTitle: String
  let clock: Clock

  /// Sample times are kept to a microsecond: a read takes hundreds of them, and a nanosecond's digits would
  /// be noise that costs the log more than a byte a sample.
  static var timeUnit: Int64 { 1000 }

  /// From the end of set-up to tick 0: time for the threads to be at their places.
  static var lead: Int64 { 2_000_000 }

  func run<Sensor: IMUSensor & Sendable & ~Copyable>(
    _ sensor: consuming sending Sensor
  ) throws -> TakeOutcome {
    request.sensor.isTimeVirtual
      ? try runVirtually(sensor) : try runLive(sensor)
  }

  /// Sets the chip up, waiting on the clock as the data sheet demands.
  func bringUp<Sensor: IMUSensor & Sendable & ~Copyable>(_ sensor: inout Sensor) throws {
    while case .wait(let nanoseconds) = try sensor.bringUp() {
      clock.sleep(until: clock.now() + nanoseconds)
    }
  }

  /// What the log's header says.
  func description(
    of sensor: SensorDescription, realTime: String, cpuLatency: String
  ) -> RecordingDescription {
    var generator = SystemRandomNumberGenerator()
    return RecordingDescription(
      id: .random(using: &generator), number: 0, rate: request.sensor.rate,
      channels: request.sensor.channels,
      plannedTicks: request.plannedTicks, timeUnit: TakeSession.timeUnit, sensor: sensor,
      board: boardTitle, host: SystemTree.live.hostName() ?? "", software: Software.name,
      note: request.note, syncInterval: request.syncInterval, realTime: realTime,
      cpuLatency: cpuLatency)
  }

  /// A reading of the wall clock as the log keeps it.
  func clockReading(start: MonotonicTime) -> (time: Int64, wall: Int64, isSynchronised: Bool) {
    let reading = SystemClock().readWallClock()
    return (reading.monotonic - start, reading.wall, reading.isSynchronised)
  }

  /// The recording's file, with its header in it. Where no screen shows the take, says what begins.
  func createRecording(
    _ description: RecordingDescription
  ) throws -> LiveRecording {
    let now = SystemClock().wallTime
    let catalogue = try OpenStore.making(store)
    // What others left in the store is looked into after the take, which waits for none of it.
    OpenStore.sweep(catalogue, now: now) { Console.talk($0) }
    let live = try catalogue.create(description, wall: now.nanoseconds)
    if !request.isOnTerminal { Console.talk(request.beginning(description.sensor)) }
    return live
  }

  /// What a take came to. Of one that its storage ended, what is found in its file counts: the card may have taken less
  /// than the recorder gave.
  ///
  /// - Parameter hang: What to say of a sampler that did not end.
  func outcome(
    of entry: CatalogueEntry, id: RecordingID, reason: StopReason, ledger: TickLedger,
    lateness: LatenessSummary, failure: StorageError?, hang: CommandFailure? = nil
  ) -> TakeOutcome {
    guard let failure else {
      return TakeOutcome(
        number: entry.number, id: id, reason: reason, ledger: ledger, lateness: lateness,
        failure: hang, isGone: false)
    }
    let kept = failure.isGone ? nil : KeptTake(entry, in: store)
    return TakeOutcome(
      number: entry.number, id: id,
      reason: reason == .completed ? kept?.reason ?? .storageError : reason,
      ledger: kept?.ledger, lateness: lateness,
      failure: KeptTake.failure(failure, number: entry.number), isGone: failure.isGone)
  }
}
