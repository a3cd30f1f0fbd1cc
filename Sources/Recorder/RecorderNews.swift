// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LogStore
package import Sampling

/// A report of a recorder's thread to its loop.
enum RecorderNews: Sendable {
  /// The sensor is set up and sampled.
  case sensorReady(SensorStart, session: UInt64)
  /// The sensor could not be opened or failed.
  case sensorFailed(CommandFailure, session: UInt64)
  /// The sensor is polled and gives no samples any more, or gives them again.
  case sensorSilent(Bool, session: UInt64)
  /// No edge comes from the chip's interrupt line.
  case interruptSilent(session: UInt64)
  /// From the writer: an event in the motion begins or is over. It may be a mark of the recording already.
  case motion(TriggerWatch.Event, isMarked: Bool, session: UInt64)
  /// From the writer: so many marks are in no log, because their recording had its end, or could not be kept.
  case marksLost(Int)
  /// From the writer, about the recording.
  case recording(RecorderEvent)
  /// The recording's file is there.
  case fileMade(number: UInt32, RecordingPlan)
  /// From the writer, which has forgotten the recording: its file could not be made; nothing of it is kept.
  case fileRefused(CommandFailure, isFull: Bool)
  /// The recording's file has its end.
  case filed(FiledRecording)
  /// The configuration was read again.
  case configurationRead(NextSetup)
}

/// A setup with its store, or the error in the configuration.
typealias NextSetup = Result<(setup: RecorderSetup, store: Catalogue), CommandFailure>

/// A sensor that is sampled.
package struct SensorStart: Sendable {
  package let schedule: Schedule
  /// What dates the samples.
  package var clock = ClockSource.grid
  /// Whether a line from the chip's interrupt output is wired, by the configuration.
  package var hasInterrupt = false
  package let sensor: SensorDescription
  /// What its certificate is measured against; `nil` for a sensor that gets none.
  package let expectation: SensorExpectation?
  package let boardTitle: String
}

/// A finished recording.
package struct FiledRecording: Sendable {
  package let number: UInt32
  package let id: RecordingID
  package let fate: RecordingFate
  /// Reason, ledger and lateness as the log has them.
  package var end: RecordingEnd
  package let failure: FilingFailure?
}

/// A failure of a recording's file.
package struct FilingFailure: Sendable {
  package let failure: CommandFailure
  package let isFull: Bool
  /// Whether the file is gone from the store.
  package let isGone: Bool
  /// The content of the file: its ledger, and its reason if its end is there; `nil` when it is gone or cannot be read.
  package let kept: (ledger: TickLedger, reason: StopReason?)?
}

/// What happens to a recording's file at its end.
package enum RecordingFate: Sendable {
  case kept
  /// It has no sample, and is deleted.
  case withoutSamples
  /// The user discarded it: to the trash, from which it can be restored.
  case discarded
}

extension SensorDescription {
  /// The chip and its address.
  package var place: SensorPlace { SensorPlace(model: model, address: address) }
}
