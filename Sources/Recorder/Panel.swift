package import Glibc
package import IMUModel

/// What a person touches and sees of a recorder: a button and a light, or keys and a screen. The loop polls its
/// descriptors, asks for events and shows it where the recorder stands, on one thread.
package protocol Panel: AnyObject {
  /// What the user should know about it, in sentences.
  var remarks: [String] { get }
  /// What to poll for.
  var descriptors: [pollfd] { get }

  /// When a gesture, a frame or the light's rhythm is due; `nil` while nothing is.
  func deadline(after now: MonotonicTime) -> MonotonicTime?

  /// What the person did since the last call.
  func events(now: MonotonicTime) -> [RecorderEvent]

  /// Whether a signal is the panel's, as a change of the terminal's size is.
  func handle(signal: Int32) -> Bool

  /// Shows where the recorder stands.
  func show(_ picture: RecorderPicture, now: MonotonicTime)

  /// Releases the kernel's lines; the events that what was begun on them comes to.
  func close() -> [RecorderEvent]
}

/// Where a recorder stands, as a panel shows it.
package struct RecorderPicture {
  /// The machine's state.
  package var state: RecorderMachine.State
  /// What the light says.
  package var light: Light
  /// The recording at hand; `nil` while its file is not made.
  package var number: UInt32?
  /// Its ticks, once it has its first record.
  package var plan: RecordingPlan?
  /// The sampler's grid; `nil` while nothing is sampled.
  package var sampling: SensorStart?
  /// A sentence that stands until the end; empty for none.
  package var notice: String
}
