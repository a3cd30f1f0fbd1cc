// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// The outcome of a pull for one recording.
struct PulledRecording {
  enum Fate: String {
    /// It was here already.
    case here
    /// It was here and is not offered; an earlier request to free it got no answer.
    case asked
    /// It was received from its beginning, or from where an earlier attempt ended.
    case fetched
    case resumed
    /// It is live; everything so far is here, the rest is for the next pull.
    case running
    /// The local copy differs from the remote recording.
    case differs
    /// Another pull is fetching it.
    case busy
    /// It was not received.
    case failed
  }

  let offer: PullOffer
  var fate: Fate
  /// Its number here.
  var number: UInt32?
  /// Its bytes here.
  var byteCount: UInt64 = 0
  /// Whether the other machine moved it to its trash.
  var isFreed = false
  /// Why it should have been freed and was not: a program is using it, or it is not allowed.
  private(set) var unfreed: ExitStatus?
  /// Whether parts of it cannot be read, here and there, or an earlier partial copy differed.
  var isDamaged = false
  /// Why it was not received, where that is a right or a medium here, which another attempt does not mend.
  private(set) var failure: ExitStatus?
  /// Why a requested export failed.
  var conversionFailure: ExitStatus?
  /// Remarks for a person.
  private(set) var remark: String?

  init(offer: PullOffer, fate: Fate, number: UInt32? = nil, remark: String? = nil) {
    self.offer = offer
    self.fate = fate
    self.number = number
    self.remark = remark
  }

  /// It was not received.
  init(offer: PullOffer, failure: CommandFailure) {
    self.init(offer: offer, fate: .failed, remark: failure.sentence)
    if [.noPermission, .cannotCreate].contains(failure.status) { self.failure = failure.status }
  }

  /// It should have been freed and was not. For a recording that is not offered, whose request is repeated from an earlier
  /// pull, this affects the status only when another attempt may help.
  mutating func stays(_ status: ExitStatus?, _ sentence: String) {
    if fate == .asked {
      if status == .tryAgain { unfreed = .tryAgain }
      return noteUnknown(sentence)
    }
    unfreed = status == .tryAgain ? .tryAgain : .noPermission
    note("it stays there: \(sentence)")
  }

  /// It should have been freed, and the pull gave up on the host before its answer.
  mutating func staysUnanswered() {
    if fate != .asked { unfreed = .tryAgain }
    noteUnknown("the host was given up")
  }

  private mutating func noteUnknown(_ reason: String) {
    note("it is not known whether it was freed there: \(reason)")
  }

  /// Adds a remark for a person.
  mutating func note(_ words: String) { remark = remark.map { "\($0); \(words)" } ?? words }
}

/// The outcome of a pull from a host.
public struct PulledHost: Sendable {
  /// Its name.
  public let host: String
  /// Wanted recordings that it offered.
  public internal(set) var offered = 0
  /// Of these, those that were here already.
  public internal(set) var here = 0
  /// Those that were received.
  public internal(set) var fetched = 0
  /// Those that are still being written.
  public internal(set) var running = 0
  /// Those that were not received, or differ.
  public internal(set) var failed = 0
  /// Those that it moved to its trash.
  public internal(set) var freed = 0
  /// Bytes received.
  public internal(set) var received: UInt64 = 0
  /// How long it took.
  public internal(set) var nanoseconds: Int64 = 0
  /// The worst failure, of several of one rank the first.
  public private(set) var failure: CommandFailure?

  /// A host from which nothing was pulled yet.
  public init(host: String) { self.host = host }

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

  /// Keeps a failure, unless one that is as bad came first.
  public mutating func note(_ problem: CommandFailure) {
    let isWorse = failure.map { PulledHost.rank(problem.status) < PulledHost.rank($0.status) }
    if isWorse ?? true { failure = problem }
  }

  /// Of several statuses the one that most needs a person; one that another attempt may mend only where all are.
  public static func worst(of statuses: [ExitStatus]) -> ExitStatus? {
    statuses.min { rank($0) < rank($1) }
  }

  /// The place of a status in the order in which failures count, 0 for the worst.
  private static func rank(_ status: ExitStatus) -> Int {
    let order: [ExitStatus] = [
      .damagedData, .inputOutput, .noPermission, .unavailable, .configuration,
    ]
    return order.firstIndex(of: status) ?? (status == .tryAgain ? order.count + 1 : order.count)
  }

  /// Megabytes a second; `-` without bytes or time.
  public static func rate(_ bytes: UInt64, _ nanoseconds: Int64) -> String {
    guard bytes > 0, nanoseconds > 0 else { return "-" }
    let tenths = Int64(Double(bytes) * 10_000 / Double(nanoseconds))
    return Plain.number(tenths, per: 10)
  }
}
