// SPDX-License-Identifier: Apache-2.0

package import Glibc
package import IMUModel

/// A recorder's controls: a button and a light, or keys and a screen. The loop polls its descriptors, collects its events
/// and shows it the recorder's state, on one thread.
package protocol Panel: AnyObject {
  /// Sentences for the user about it.
  var remarks: [String] { get }
  var descriptors: [pollfd] { get }

  /// When a gesture, a frame or the light's rhythm is due; `nil` while nothing is.
  func deadline(after now: MonotonicTime) -> MonotonicTime?

  /// The user's actions since the last call.
  func events(now: MonotonicTime) -> [RecorderEvent]

  /// Whether a signal is the panel's, such as a change of the terminal's size.
  func handle(signal: Int32) -> Bool

  func show(_ picture: RecorderPicture, now: MonotonicTime)

  /// Releases the kernel's lines.
  ///
  /// - Returns: The events of a press that was under way.
  func close() -> [RecorderEvent]
}

/// A recorder's state, as a panel shows it.
package struct RecorderPicture {
  package var state: RecorderMachine.State
  package var light: Light
  /// `nil` while the recording has no file.
  package var number: UInt32?
  /// Its ticks, once it has a file.
  package var plan: RecordingPlan?
  /// The sampler's grid; `nil` while nothing is sampled.
  package var sampling: SensorStart?
  /// A sentence that stays until the end; empty for none.
  package var notice: String
}
