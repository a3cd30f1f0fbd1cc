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
/// The table. `→` names the state that follows; the words after it are effects, and without them nothing is
/// done. `·` means that nothing happens. 5 is the stamp of the press or request, 4 that of the press that made
/// the state stopping. Small letters refer to the notes below.
///
///     event         | asleep           | waking               | armed
///     begin         | · a              | ·                    | ·
///     press 5       | → waking: wake b | · b                  | → starting: begin 5
///     double 5      | ·                | ·                    | ·
///     settled 5     | ·                | ·                    | ·
///     holding 5     | ·                | ·                    | ·
///     long 5        | refuse           | refuse               | → saving: keep 5
///     veryLong 5    | → ended: exit    | → ended: sleep, exit | → ended: sleep, exit
///     start 5       | → waking: wake b | · b, c               | → starting: begin 5
///     stop 5        | refuse           | refuse d             | refuse
///     mark 5        | refuse           | refuse               | refuse
///     keep 5        | refuse           | refuse               | → saving: keep 5
///     discard 5     | refuse           | refuse               | refuse
///     sensorReady   | ·                | → armed e            | ·
///     sensorFailed  | ·                | retry f              | → waking: retry
///     retry         | ·                | · g                  | ·
///     reload        | reload           | reload               | reload
///     reload sample | → waking: wake   | sleep, wake          | → waking: sleep, wake
///     reload sleep  | ·                | → asleep: sleep h    | → asleep: sleep
///     reload wrong  | ·                | ·                    | ·
///     terminate     | → ended: exit    | → ended: sleep, exit | → ended: sleep, exit
///
///     event         | starting                | recording               | stopping
///     down 5        | hold 5                  | hold 5                  | ·
///     press 5       | → stopping: hold 5      | → stopping: hold 5      | → saving: end 4 button b
///     double 4      | release i               | release i               | → recording: mark 4, release j
///     settled 4     | · i                     | · i                     | → saving: end 4 button
///     holding 5     | ·                       | ·                       | ·
///     long 5        | → saving: discard 5 b   | → saving: discard 5 b   | → saving: end 4 button
///     veryLong 5    | → ending: end now button| → ending: end now button| → ending: end 4 button
///     forgotten 5   | release                 | release                 | → recording: release j
///     start 5       | refuse                  | refuse                  | refuse
///     stop 5        | → saving: end 5 button  | → saving: end 5 button  | → saving: end 4 button
///     mark 5        | mark 5                  | mark 5                  | refuse
///     keep 5        | refuse                  | refuse                  | refuse
///     discard 5     | → saving: discard 5 b   | → saving: discard 5 b   | → saving: discard 5 b
///     sensorFailed  | → saving: end now lost  | → saving: end now lost  | → saving: end now lost
///     firstSample   | → recording             | ·                       | · j
///     fileRefused   | → armed k               | → armed k               | → armed k
///     limitReached  | → saving: end now done  | → saving: end now done  | → saving: end now done
///     storageEnded  | → saving: end now full  | → saving: end now full  | → saving: end now full
///     reload        | · l                     | · l                     | · l
///     terminate     | → ending: end now signal| → ending: end now signal| → ending: end 4 button
///
///     event         | saving    | ending                | ended
///     press 5       | · b       | refuse                | ·
///     long 5        | refuse    | refuse                | ·
///     veryLong 5    | → ending  | ·                     | ·
///     start 5       | · b       | refuse                | refuse
///     stop 5        | · d       | refuse                | refuse
///     mark, keep, … | refuse    | refuse                | refuse
///     fileRefused   | → armed k | → ended: sleep, exit  | ·
///     saved         | → armed k | → ended: sleep, exit  | ·
///     savedNothing  | → armed k | → ended: sleep, exit  | ·
///     reload        | · l       | ·                     | ·
///     terminate     | → ending  | ·                     | ·
///
/// Events that a table does not list do nothing in its states, but sensorFailed, fileRefused, storageEnded and a
/// wrong configuration set ``problem`` wherever a take or the sensor is at hand, and a success clears it.
/// sensorSilent and sensorAnswers change ``presentProblem`` in every state, and nothing else.
///
/// - a: → waking: wake, when the sensor is to be sampled while idle.
/// - b: the press or request waits and begins a take as soon as one can begin, with its own stamp; the first
///   one counts, a second request is refused. A press from before the last take's limit was meant to end that
///   take and is refused.
/// - c: refused while the sensor cannot be found.
/// - d: a start that waits is forgotten instead; the end of the take at hand continues.
/// - e: → starting: begin, when a start waits.
/// - f: a start that waits is forgotten and refused. Without sampling while idle: → asleep, and the next press
///   tries again.
/// - g: wake, when the sensor was not found.
/// - h: with a start that waits: sleep, wake.
/// - i: the press was the one that began this take.
/// - j: back to starting when the first sample is not in yet; firstSample is noted.
/// - k: → starting: begin, when a start waits. Else → waking: wake when the sensor was lost; → asleep: sleep
///   when it is not to be sampled while idle.
/// - l: reload follows when no take is at hand and none waits.
public struct RecorderMachine: Hashable, Sendable {
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
    /// As saving, and the service ends after it.
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
  /// Whether it is sampled in vain.
  var isSensorSilent = false
  /// Whether the button has been held for long and what it means is open.
  var isButtonHeld = false
  /// The last tick of a take that reached its length; a press before it was meant for that take.
  var lastLimit: MonotonicTime?
  /// Whether the configuration is to be read when the take is over.
  var awaitsReload = false
  /// Whether the take at hand met a failure of the storage.
  var hasStorageFailed = false

  /// A service that is not up yet: ``RecorderEvent/begin`` comes first.
  public init(samplesWhileIdle: Bool) {
    self.samplesWhileIdle = samplesWhileIdle
  }

  /// Takes the step of the table's field for this state and event.
  public mutating func handle(_ event: RecorderEvent) -> [RecorderEffect] {
    noteButton(event)
    noteSilence(event)
    switch state {
    case .asleep: return handleAsleep(event)
    case .waking: return handleWaking(event)
    case .armed: return handleArmed(event)
    case .starting, .recording: return handleRecording(event)
    case .stopping: return handleStopping(event)
    case .saving: return handleSaving(event)
    case .ending: return handleEnding(event)
    case .ended: return handleEnded(event)
    }
  }

  /// Ends it with whatever is at hand: the card takes too long.
  mutating func abandon() { state = .ended }

  /// Every gesture that ends a hold is reported, so that the sign given for the hold ends with it.
  private mutating func noteButton(_ event: RecorderEvent) {
    switch event {
    case .gesture(.holding): isButtonHeld = true
    case .gesture: isButtonHeld = false
    default: break
    }
  }

  /// A sensor that is sampled in vain is a problem that is reported, and changes nothing else: it may come back at any
  /// time, and what is missing is logged as gaps.
  private mutating func noteSilence(_ event: RecorderEvent) {
    switch event {
    case .sensorSilent: isSensorSilent = true
    case .sensorAnswers, .sensorReady: isSensorSilent = false
    default: break
    }
  }

  /// What to report: ``problem``, or that the sensor does not answer just now.
  public var presentProblem: Problem? {
    problem ?? (isSensorAwake && isSensorSilent ? .sensor : nil)
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
    return presentProblem.map { .problem($0) } ?? light
  }
}
