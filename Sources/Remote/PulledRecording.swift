public import IMUModel

/// How a pull ended for one recording.
struct PulledRecording {
  enum Fate: String {
    /// It was here.
    case here
    /// It was here and is not offered; an earlier request to free it had no answer.
    case asked
    /// It came, from its beginning or from where an earlier attempt ended.
    case fetched
    case resumed
    /// It is being written; what there was has come, the rest is for the next time.
    case running
    /// What is here or has come is not what is there.
    case differs
    /// Another pull is bringing it.
    case busy
    /// It did not come.
    case failed
  }

  let offer: PullOffer
  var fate: Fate
  /// Its number here.
  var number: UInt32?
  /// Bytes that it has here.
  var byteCount: UInt64 = 0
  /// Whether the other machine moved it to its trash.
  var isFreed = false
  /// Why it was to be freed and was not: a program is at it, or it is not allowed.
  private(set) var unfreed: ExitStatus?
  /// Whether parts of it cannot be read, here as there, or what had come before was not theirs.
  var isDamaged = false
  /// Why it could not be written out in another form, if that was asked for.
  var conversionFailure: ExitStatus?
  /// What a person should know.
  private(set) var remark: String?

  init(offer: PullOffer, fate: Fate, number: UInt32? = nil, remark: String? = nil) {
    self.offer = offer
    self.fate = fate
    self.number = number
    self.remark = remark
  }

  /// It was to be freed and was not. What is not offered is asked for because of an earlier call: for this one's status
  /// it counts only when asking again may help.
  mutating func stays(_ status: ExitStatus?, _ sentence: String) {
    if fate == .asked {
      if status == .tryAgain { unfreed = .tryAgain }
      return noteUnknown(sentence)
    }
    unfreed = status == .tryAgain ? .tryAgain : .noPermission
    note("it stays there: \(sentence)")
  }

  /// It was to be freed, and the host was given up before it answered, or was asked.
  mutating func staysUnanswered() {
    if fate != .asked { unfreed = .tryAgain }
    noteUnknown("the host was given up")
  }

  private mutating func noteUnknown(_ reason: String) {
    note("whether it was freed there is not known: \(reason)")
  }

  /// Adds what a person should know.
  mutating func note(_ words: String) { remark = remark.map { "\($0); \(words)" } ?? words }
}

/// How a pull ended for a host.
public struct PulledHost: Sendable {
  /// Its name.
  public let host: String
  /// Recordings that it offered and that are wanted.
  public internal(set) var offered = 0
  /// Of these, those that were here already.
  public internal(set) var here = 0
  /// Those that came.
  public internal(set) var fetched = 0
  /// Those that are still being written.
  public internal(set) var running = 0
  /// Those that did not come, or differ.
  public internal(set) var failed = 0
  /// Those that it moved to its trash.
  public internal(set) var freed = 0
  /// Bytes that came.
  public internal(set) var received: UInt64 = 0
  /// How long it took.
  public internal(set) var nanoseconds: Int64 = 0
  /// The first thing that went wrong.
  public internal(set) var status: ExitStatus?

  mutating func add(_ recording: PulledRecording) {
    switch recording.fate {
    case .here: here += 1
    case .asked: break
    case .fetched, .resumed: fetched += 1
    case .running: running += 1
    case .differs, .busy, .failed: failed += 1
    }
    if recording.isFreed { freed += 1 }
  }

  /// Notes what the exit status is to be, unless something worse came first.
  mutating func note(_ problem: ExitStatus) {
    if status == nil || status == .tryAgain { status = problem }
  }

  /// Megabytes a second; nothing for what took no time.
  public static func rate(_ bytes: UInt64, _ nanoseconds: Int64) -> String {
    guard bytes > 0, nanoseconds > 0 else { return "-" }
    let tenths = Int64(Double(bytes) * 10_000 / Double(nanoseconds))
    return Plain.number(tenths, per: 10)
  }
}
