public import IMUModel

/// The life of one take as a pure state machine: state × event → state + effects.
///
///                 begin             sensorReady          samplerFinished
///      idle ───────────► settingUp ───────────► recording ───────────────► ended(completed)
///                           │                      │  ▲                         ▲
///              setUpFailed  │    stop, storage     │  │ (further stops:         │ samplerFinished
///                           ▼    full or failed    ▼  │  the first one counts)  │
///                       abandoned               stopping(reason) ───────────────┘
///
/// It reads no clock and no file and starts no thread: whoever drives it carries the effects out and
/// reports what came of them as further events.
public struct Take: Equatable, Sendable {
  /// Where a take stands.
  public enum State: Equatable, Sendable {
    /// Nothing was begun.
    case idle
    /// The chip is being brought up.
    case settingUp
    /// Ticks are running.
    case recording
    /// The sampler was asked to stop, for this reason.
    case stopping(StopReason)
    /// The log has its end; for this reason.
    case ended(StopReason)
    /// There was never a sample and nothing is kept.
    case abandoned
  }

  /// What may happen to a take.
  public enum Event: Equatable, Sendable {
    /// The user asked for a take.
    case begin
    /// The chip is set up and gives samples.
    case sensorReady
    /// The chip could not be set up.
    case setUpFailed
    /// Someone asked for the end.
    case stopRequested(StopReason)
    /// The storage has room for the log's end and no more.
    case storageFull
    /// The storage failed.
    case storageFailed
    /// The sampler has done its last tick, and the ring is drained.
    case samplerFinished
  }

  /// What is to be done.
  public enum Effect: Equatable, Sendable {
    /// Bring the chip up.
    case setUpSensor
    /// Start the ticks.
    case startSampler
    /// Ask the sampler to stop after the tick at hand.
    case stopSampler
    /// Write the log's end and close it.
    case finishLog(StopReason)
    /// Remove what was begun.
    case discardLog
  }

  /// Where the take stands.
  public private(set) var state: State = .idle

  /// A take that was not begun.
  public init() {}

  /// Moves on; events that mean nothing in the present state change nothing and have no effects.
  public mutating func handle(_ event: Event) -> [Effect] {
    switch (state, event) {
    case (.idle, .begin):
      state = .settingUp
      return [.setUpSensor]
    case (.settingUp, .sensorReady):
      state = .recording
      return [.startSampler]
    case (.settingUp, .setUpFailed), (.settingUp, .stopRequested), (.settingUp, .storageFull),
      (.settingUp, .storageFailed):
      state = .abandoned
      return [.discardLog]
    case (.recording, .stopRequested(let reason)):
      state = .stopping(reason)
      return [.stopSampler]
    case (.recording, .storageFull):
      state = .stopping(.storageFull)
      return [.stopSampler]
    case (.recording, .storageFailed):
      state = .stopping(.storageError)
      return [.stopSampler]
    case (.recording, .samplerFinished):
      state = .ended(.completed)
      return [.finishLog(.completed)]
    case (.stopping(let reason), .samplerFinished):
      state = .ended(reason)
      return [.finishLog(reason)]
    case (.stopping(.signal), .storageFull), (.stopping(.button), .storageFull):
      // The user's wish came first, but it is the storage that ends the log.
      state = .stopping(.storageFull)
      return []
    case (.stopping(.signal), .storageFailed), (.stopping(.button), .storageFailed):
      state = .stopping(.storageError)
      return []
    default:
      return []
    }
  }
}
