public import IMUModel

/// What the service does about everything that can happen to it: one table of states and events, pure and total.
///
///                     start            sample in           press
///         ┌► armed ──────────► starting ────────► recording ─────► stopping
///         │    ▲ ▲                │  ▲                │  ▲             │ │
///         │    │ │ sensor runs    │  └─── settled ────┼──┼─── double ──┘ │ settled, limit, …
///         │    │ └────── waking   │ refused           │ limit, stop,     │
///         │    │           ▲      │                   │ storage, sensor  │
///         │    │           │ press│                   ▼                  ▼
///         │    └───────────┼──────┴────────────────  saving ◄────────────┘
///         └── keep ──►     │                           │ nothing sampled while idle
///                        asleep ◄──────────────────────┘          terminate ─► ending ─► ended
///
/// The table (see "The service's states" in the documentation for the drawing): rows are events, `·` means that
/// nothing happens.
public struct ServiceMachine: Equatable, Sendable {
  /// Where the service is.
  public enum State: String, CaseIterable, Sendable {
    /// Idle; the sensor sleeps.
    case asleep
    /// The sensor is being brought up, or was not found and is tried again.
    case waking
    /// Idle; the sensor is sampled into the history.
    case armed
    /// A take was begun; its file is being made and its first sample awaited.
    case starting
    /// A take is running.
    case recording
    /// The button was pressed in a take: the end, unless a second press makes it a mark.
    case stopping
    /// The end of a take is being made durable, or it is being thrown away.
    case saving
    /// As saving, and the service ends behind it.
    case ending
    /// The service has ended.
    case ended
  }

  /// Where the service is.
  public internal(set) var state = State.asleep
  /// What went wrong last; `nil` once the same thing was done without it.
  public internal(set) var problem: Problem?
  /// Whether the sensor is sampled while no take is running.
  public internal(set) var samplesWhileIdle: Bool
  /// The press or request that begins a take as soon as one can begin.
  public internal(set) var waitingStart: MonotonicTime?

  /// The press that may be the take's end; only while stopping.
  var stopPress: MonotonicTime?
  /// Whether the take's first sample is in.
  var hasFirstSample = false
  /// Whether the sensor is up or being brought up.
  var isSensorAwake = false
  /// Whether the button has been held for long and what it means is open.
  var isButtonHeld = false
  /// The last tick of a take that reached its length; a press before it was meant for that take.
  var lastLimit: MonotonicTime?
  /// Whether the configuration is to be read when the take is over.
  var awaitsReload = false
  /// Whether the take at hand met a failure of the storage.
  var hasStorageFailed = false

  /// A service that is not up yet: ``ServiceEvent/begin`` comes first.
  public init(samplesWhileIdle: Bool) {
    self.samplesWhileIdle = samplesWhileIdle
  }

  /// Takes the step of the table's field for this state and event.
  public mutating func handle(_ event: ServiceEvent) -> [ServiceEffect] {
    noteButton(event)
    switch state {
    case .asleep: return handleAsleep(event)
    case .waking: return handleWaking(event)
    case .armed: return handleArmed(event)
    case .starting, .recording: return handleTake(event)
    case .stopping: return handleStopping(event)
    case .saving: return handleSaving(event)
    case .ending: return handleEnding(event)
    case .ended: return handleEnded(event)
    }
  }

  /// Every gesture that ends a hold is told, so that the sign given for the hold ends with it.
  private mutating func noteButton(_ event: ServiceEvent) {
    switch event {
    case .gesture(.holding): isButtonHeld = true
    case .gesture: isButtonHeld = false
    default: break
    }
  }

  /// What the light is to say. Problems are shown while no take is at hand, never in place of recording.
  public var light: Light {
    switch state {
    case .asleep: return idleLight(.off)
    case .waking: return idleLight(.waking)
    case .armed: return idleLight(.armed)
    case .starting, .saving, .ending: return .saving
    case .recording: return isButtonHeld ? .acknowledged(isLit: false) : .recording
    case .stopping: return .acknowledged(isLit: false)
    case .ended: return .off
    }
  }

  private func idleLight(_ light: Light) -> Light {
    guard !isButtonHeld else { return .acknowledged(isLit: true) }
    return problem.map { .problem($0) } ?? light
  }
}
