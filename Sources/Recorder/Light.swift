/// What the light says. Each is told from the others by its rhythm:
///
///      off             ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
///      armed           ▔▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▔▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   a flash of 50 ms each 2 s
///      waking          ▔▔▔▔▔▁▁▁▁▁▔▔▔▔▔▁▁▁▁▁▔▔▔▔▔▁▁▁▁▁▔▔▔▔▔▁▁▁▁▁   0.5 s on, 0.5 s off
///      recording       ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
///      saving          ▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁▔▁   0.1 s on, 0.1 s off
///      problem(2)      ▔▔▁▁▔▔▁▁▁▁▁▁▁▁▁▁▁▁▔▔▁▁▔▔▁▁▁▁▁▁▁▁▁▁▁▁▔▔▁▁   2 blinks of 0.2 s, then 1.2 s dark
public enum Light: Equatable, Sendable {
  /// The sensor sleeps, or the service has ended.
  case off
  /// Sampling; a take can begin.
  case armed
  /// The sensor is being brought up.
  case waking
  /// A take is running.
  case recording
  /// A take is being begun or made durable.
  case saving
  /// No take is running, and something is wrong: as many blinks as the problem's raw value.
  case problem(Problem)
  /// The button was noticed and what it means is still open: the opposite of what was shown.
  case acknowledged(isLit: Bool)
}
