// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// What a recorder of one recording keeps beside what a service does.
package struct SingleRecording {
  /// Finished recordings, in their order: the one, after those that the user discarded.
  package internal(set) var filed: [FiledRecording] = []
  /// When the recording is ended that was asked to end while its sensor was set up.
  private(set) var endAt: MonotonicTime?
  /// Whether its panel asked for that, and not a signal.
  private var endsByPanel = false
  /// Since when the loop waits for the card.
  var cardWaitSince: MonotonicTime?

  /// How long an end waits for the sensor, in nanoseconds: several times a bring-up.
  private static var wakingPatience: Int64 { 1_000_000_000 }

  /// Whether an event of the user asks for the end, which waits for the sensor: the recording was requested, so it begins,
  /// and then ends at once. A second request changes nothing: a terminal that hangs up sends two signals.
  mutating func postponesEnd(_ event: RecorderEvent, at now: MonotonicTime) -> Bool {
    switch event {
    case .stop: endsByPanel = true
    case .terminate: break
    default: return false
    }
    endAt = endAt ?? now + SingleRecording.wakingPatience
    return true
  }

  /// The end that waited, when the sensor is set up or the patience is over.
  mutating func endIfDue(_ now: MonotonicTime, isWaking: Bool) -> RecorderEvent? {
    guard let due = endAt, now >= due || !isWaking else { return nil }
    endAt = nil
    return endsByPanel && !isWaking ? .stop(at: now) : .terminate
  }
}

package struct RecorderEnding {
  /// When it stops waiting for the card.
  var exitBy: MonotonicTime?
  var isAbandoned = false
  /// Whether the threads of a sensor hang in the kernel.
  package internal(set) var isHung = false
  /// Why the recorder ended by itself.
  var fatal: CommandFailure?
  /// The failure of the last recording, if the recorder ended after it.
  package internal(set) var lastWords: CommandFailure?
}
