package import IMUModel
import LogStore
package import Sampling

/// What the threads of a recorder report to its loop.
enum RecorderNews: Sendable {
  /// The sensor is set up, and the sampler of these threads runs.
  case sensorReady(SensorStart, session: UInt64)
  /// These threads could not get the sensor.
  case sensorFailed(CommandFailure, session: UInt64)
  /// These threads' sensor gives no samples any more, though it is polled; or gives them again.
  case sensorSilent(Bool, session: UInt64)
  /// From the writer, about the recording.
  case recording(RecorderEvent)
  /// The recording's file is there.
  case fileMade(number: UInt32, RecordingPlan)
  /// The recording's file could not be made, and the recording is forgotten.
  case fileRefused(CommandFailure, isFull: Bool)
  /// The recording's file has its end.
  case filed(FiledRecording)
  /// The configuration was read again, or cannot be put in force.
  case configurationRead(NextSetup)
}

/// A setup that can be put in force and its store, or what is wrong with it.
typealias NextSetup = Result<(setup: RecorderSetup, store: Catalogue), CommandFailure>

/// A sampler that has begun.
package struct SensorStart: Sendable {
  /// Its grid.
  package let schedule: Schedule
  /// The chip as it is set.
  package let sensor: SensorDescription
  package let boardTitle: String
}

/// What a recording came to.
package struct FiledRecording: Sendable {
  package let number: UInt32
  package let id: RecordingID
  package let fate: RecordingFate
  /// Reason, account and lateness as they were given to the log.
  package var end: RecordingEnd
  /// What went wrong with the storage, if anything did.
  package let failure: FilingFailure?
}

/// What went wrong with a recording's file.
package struct FilingFailure: Sendable {
  package let failure: CommandFailure
  package let isFull: Bool
  /// Whether the file is gone from the store.
  package let isGone: Bool
  /// What is found in the file: its account, and its reason where its end is there; `nil` when it is gone or cannot be
  /// read.
  package let kept: (ledger: TickLedger, reason: StopReason?)?
}

/// What is to become of a recording's file.
package enum RecordingFate: Sendable {
  /// It stays.
  case kept
  /// There is no sample in it: it goes.
  case withoutSamples
  /// The user wants it gone: to the trash, from which it can be restored.
  case discarded
}

extension SensorDescription {
  /// The chip and its address, in words.
  package var place: String {
    address.map { "\(model) at 0x\(String($0, radix: 16))" } ?? model
  }
}
