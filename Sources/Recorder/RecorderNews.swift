// SPDX-License-Identifier: Apache-2.0

package import IMUDrivers
package import IMUModel
import LogStore
package import Sampling

/// A report of a recorder's thread to its loop.
enum RecorderNews: Sendable {
  /// From the sampler or the writer of the waking of this number.
  case sensor(SensorNews, session: UInt64)
  /// From the writer: marks that are in no log, because their recording had its end or was not kept.
  case marksLost(Int)
  /// From the writer, about the recording.
  case recording(RecorderInput)
  case fileMade(number: UInt32, RecordingPlan)
  /// From the writer: the file could not be made; nothing of the recording is kept.
  case fileRefused(CommandFailure, isFull: Bool)
  /// The recording's file has its end.
  case filed(FiledRecording)
  case configurationRead(NextSetup)
}

enum SensorNews: Sendable {
  /// The sensor is set up and sampled.
  case ready(SensorStart)
  /// The sensor could not be opened or failed.
  case failed(CommandFailure)
  /// A sensor gives no samples any more, or gives them again; and whether one of all is silent.
  case silent(Bool, place: String, isAnySilent: Bool)
  /// No edge comes from the chip's interrupt line.
  case interruptSilent
  /// An event in the motion begins or ends. It may be a mark of the recording already.
  case motion(TriggerWatch.Event, isMarked: Bool)
}

/// A setup with its store, or why it cannot be used.
typealias NextSetup = Result<(setup: RecorderSetup, store: Catalogue), CommandFailure>

/// A sensor that is sampled.
package struct SensorStart: Sendable {
  package let schedule: Schedule
  package var clock = ClockSource.grid
  /// As configured and measured when the sensor was opened.
  package var busClock = BusClock(configured: nil, measured: nil)
  /// Whether the configuration names a line from the chip's interrupt output.
  package var hasInterrupt = false
  package let sensor: SensorDescription
  /// What the certificate is measured against; `nil` for a sensor without one.
  package let expectation: SensorExpectation?
  package let boardTitle: String
  /// The other sensors of a take.
  package var companions: [SensorStart] = []

  /// Each sensor, this one first.
  package var members: [SensorStart] { [self] + companions }
}

/// A recording whose file is closed.
package struct FiledRecording: Sendable {
  package let number: UInt32
  package let id: RecordingID
  package let fate: RecordingFate
  package var end: RecordingEnd
  package let failure: FilingFailure?
  /// Those of the other sensors of a take.
  package var companions: [FiledRecording] = []

  /// The recording of each sensor, this one first.
  package var members: [FiledRecording] { [self] + companions }
}

/// Why a recording's file lacks samples, and what it has.
package struct FilingFailure: Sendable {
  package let failure: CommandFailure
  package let isFull: Bool
  package let isGone: Bool
  /// The file's contents, with the reason if its end is there; `nil` when it is gone or cannot be read.
  package let kept: (tally: TickTally, reason: StopReason?)?
}

/// What happens to a recording's file at its end.
package enum RecordingFate: Sendable {
  case kept
  /// It has no sample and is deleted.
  case withoutSamples
  /// The user discarded it; it goes to the trash.
  case discarded
}

extension SensorDescription {
  package var place: SensorPlace { SensorPlace(model: model, address: address) }
}
