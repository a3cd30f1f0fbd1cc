import IMUModel
import LogStore
import Recorder
import Sampling

/// What the threads of a service report to its main thread.
enum ServiceNews: Sendable {
  /// The sensor is set up, and the sampler of these threads runs.
  case sensorReady(SensorStart, session: UInt64)
  /// The sensor could not be had by these threads.
  case sensorFailed(CommandFailure, session: UInt64)
  /// These threads' sensor gives no samples any more, though it is asked; or gives them again.
  case sensorSilent(Bool, session: UInt64)
  /// The writer's.
  case take(TakeNews)
  /// The take's file is there.
  case fileMade(number: UInt32)
  /// The take's file could not be made, and the take is forgotten.
  case fileRefused(CommandFailure, isFull: Bool)
  /// The take's file has its end.
  case filed(FiledTake)
  /// The configuration was read again, or cannot be put in force.
  case configurationRead(NextSetup)
}

/// A configuration that can be put in force and its store, or what is wrong with it.
typealias NextSetup = Result<(setup: ServiceSetup, store: Catalogue), CommandFailure>

/// A sampler that has begun.
struct SensorStart: Sendable {
  /// Its grid.
  let schedule: Schedule
  /// The chip as it is set.
  let sensor: SensorDescription
  let boardTitle: String
}

/// What happened to a take's file.
struct FiledTake: Sendable {
  let number: UInt32
  let fate: TakeFate
  /// What went wrong with the storage, if anything did.
  let failure: FilingFailure?
}

/// What went wrong with a take's file.
struct FilingFailure: Sendable {
  let failure: CommandFailure
  let isFull: Bool
  /// What is found in the file; `nil` when it is gone or cannot be read.
  let ledger: TickLedger?
}

/// What is to become of a take's file.
enum TakeFate: Sendable {
  /// It stays.
  case kept
  /// There is no sample in it: it goes.
  case withoutSamples
  /// The user wants it gone: to the trash, whence it can be had back.
  case discarded
}

/// What the main thread and the flusher send to the writer.
enum WriterOrder: Sendable {
  case begin(TakeOrder)
  case hold(at: MonotonicTime)
  case release
  case mark(at: MonotonicTime, label: String)
  case end(at: MonotonicTime?, reason: StopReason)
  /// From the flusher: the file is there.
  case attach(RecordingDescription, FlushQueue)
  /// From the flusher: there will be no file.
  case abandon
  /// No take follows the last one at once.
  case forgetRest
  /// What is sampled is watched: look at the ring now.
  case look
  /// Return when no take is at hand.
  case quit
}

extension SensorDescription {
  /// The chip and where it answers, in words.
  var place: String {
    address.map { "\(model) at 0x\(String($0, radix: 16))" } ?? model
  }
}
