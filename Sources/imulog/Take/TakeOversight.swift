import IMUModel
import LinuxIO
import LogStore
import Recorder
import Sampling

/// What the main thread of `record` looks after: who ends the take, and that what hangs in the kernel, where nothing can
/// interrupt it, keeps no one waiting who wants the end.
///
///     order to end ── 5 s ──► the sampler is left behind
///     Ctrl-C, SIGTERM ── 20 s from then or from the sampler's end ──► the card is left behind
final class TakeOversight {
  private(set) var take = Take()
  let queue = FlushQueue()
  let stop = StopFlag()
  let samplerEnded = StopFlag()
  /// When the sampler was asked to end.
  private(set) var stoppedAt: MonotonicTime?
  private let screen: TakeScreen?
  private let clock = SystemClock()
  /// When the sampler has its last tick; `nil` when it is to be stopped.
  private var dueAt: MonotonicTime?
  /// When the user asked for the end, for the first time.
  private var askedAt: MonotonicTime?
  /// Since when the card is waited for, and whether that was said.
  private var wait: (since: MonotonicTime, isSaid: Bool)?

  /// How long a sampler may take to end that usually takes 0.1 s, in nanoseconds.
  private static var samplerPatience: Int64 { 5_000_000_000 }
  /// After how long a wait for the card is reported, in nanoseconds.
  private static var silence: Int64 { 4_000_000_000 }

  init(screen: TakeScreen?) {
    self.screen = screen
    _ = take.handle(.begin)
  }

  /// The sampler begins, and ends at once when the user did not want to wait for the card until then.
  ///
  /// - Parameter end: When it has its last tick; `nil` when it is to be stopped.
  func begin(until end: MonotonicTime?) {
    wait = nil
    dueAt = end
    handle(.sensorReady)
    if askedAt != nil { handle(.stopRequested(.signal)) }
  }

  /// Whether the sampler runs, and is not overdue.
  var isSampling: Bool {
    guard !samplerEnded.isRequested else { return false }
    return stoppedAt.map { clock.now() - $0 < TakeOversight.samplerPatience } ?? true
  }

  /// Takes note of an event, and stops the sampler if that is what follows; what else follows.
  @discardableResult
  func handle(_ event: Take.Event) -> [Take.Effect] {
    if case .stopRequested = event { askedAt = askedAt ?? clock.now() }
    let effects = take.handle(event)
    if effects.contains(.stopSampler) {
      stop.request()
      stoppedAt = clock.now()
    }
    return effects
  }

  /// Ends the take when its storage has failed, or its sampler should have ended long ago.
  func look() {
    if let failure = queue.failure { handle(failure.isFull ? .storageFull : .storageFailed) }
    if let dueAt, !samplerEnded.isRequested, clock.now() - dueAt >= TakeOversight.samplerPatience {
      handle(.stopRequested(.sensorLost))
    }
  }

  /// Lets some time pass for the card.
  ///
  /// - Returns: Whether it is to be waited for any longer.
  func waitForCard(_ signals: borrowing SignalWatch, nanoseconds: Int64) -> Bool {
    let now = clock.now()
    var wait = self.wait ?? (since: now, isSaid: false)
    if !wait.isSaid, now - wait.since >= TakeOversight.silence {
      wait.isSaid = true
      report()
    }
    self.wait = wait
    let isAsked =
      screen?.isEndAsked(signals, until: now + nanoseconds)
      ?? (signals.wait(timeoutNanoseconds: nanoseconds) != nil)
    if isAsked { askedAt = askedAt ?? clock.now() }
    return askedAt.map { clock.now() - max($0, wait.since) < KeptTake.patience } ?? true
  }

  private func report() {
    let limit = "\(KeptTake.patience / 1_000_000_000) s"
    let sentence =
      "waits for the card" + (askedAt == nil ? "; Ctrl-C gives it \(limit)" : ", up to \(limit)")
    if let screen { screen.notice(sentence) } else { Console.talk(sentence) }
  }
}
