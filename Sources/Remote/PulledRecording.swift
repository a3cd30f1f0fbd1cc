// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Text

struct PulledRecording {
  enum Fate {
    case here
    /// Here and not offered; an earlier request to free it got no answer.
    case asked
    case fetched
    case resumed
    /// Live: everything so far is here, the next pull fetches the rest.
    case running
    case differs
    /// Another program is fetching it.
    case busy
    case failed
  }

  let offer: PullOffer
  var fate: Fate
  var number: UInt32?
  /// Its bytes here.
  var byteCount: UInt64 = 0
  /// Whether the other machine moved it to its trash.
  var isFreed = false
  /// Why it was not freed as wanted: a program is using it, or it is not allowed.
  private(set) var unfreed: ExitStatus?
  /// Whether parts of it cannot be read, or an earlier partial copy differed.
  var isDamaged = false
  /// Why it was not received, if a permission or a medium here is the cause, which another attempt does not mend.
  private(set) var failure: ExitStatus?
  var conversionFailure: ExitStatus?
  private(set) var remark: String?
}

extension PulledRecording {
  /// A recording that was not received.
  init(offer: PullOffer, failure: CommandFailure) {
    self.init(offer: offer, fate: .failed, remark: failure.sentence)
    if [.noPermission, .cannotCreate].contains(failure.status) { self.failure = failure.status }
  }

  /// Notes that it was not freed. For a request repeated from an earlier pull, this affects the status only if another
  /// attempt may help.
  mutating func stays(_ status: ExitStatus?, _ sentence: String) {
    if fate == .asked {
      if status == .tryAgain { unfreed = .tryAgain }
      return noteUnknown(sentence)
    }
    unfreed = status == .tryAgain ? .tryAgain : .noPermission
    note("it stays there: \(sentence)")
  }

  /// Notes that the pull gave up on the host before its answer to a request to free it.
  mutating func staysUnanswered() {
    if fate != .asked { unfreed = .tryAgain }
    noteUnknown("the host was given up")
  }

  private mutating func noteUnknown(_ reason: String) {
    note("it is not known whether it was freed there: \(reason)")
  }

  mutating func note(_ words: String) { remark = remark.map { "\($0); \(words)" } ?? words }
}

/// What a pull did with the recordings of a host: numbers of recordings.
package struct PulledHost: Sendable {
  package let host: String
  /// Wanted recordings that it offered.
  package internal(set) var offered = 0
  /// Of these, those that were here already.
  package internal(set) var here = 0
  package internal(set) var fetched = 0
  /// Those still being written.
  package internal(set) var running = 0
  /// Those that were not received, or differ.
  package internal(set) var failed = 0
  /// Those that it moved to its trash.
  package internal(set) var freed = 0
  package internal(set) var received: UInt64 = 0
  package internal(set) var nanoseconds: Int64 = 0
  /// The worst failure, the first of its rank.
  package private(set) var failure: CommandFailure?

  package init(host: String) { self.host = host }

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

  /// Keeps a failure that is worse than the one so far.
  package mutating func note(_ problem: CommandFailure) {
    let isWorse = failure.map { PulledHost.rank(problem.status) < PulledHost.rank($0.status) }
    if isWorse ?? true { failure = problem }
  }

  /// The status that most needs a person; `tryAgain` counts least.
  package static func worst(of statuses: [ExitStatus]) -> ExitStatus? {
    statuses.min { rank($0) < rank($1) }
  }

  /// A status's place in the order of failures, 0 for the worst.
  private static func rank(_ status: ExitStatus) -> Int {
    let order: [ExitStatus] = [
      .damagedData, .inputOutput, .noPermission, .unavailable, .configuration,
    ]
    return order.firstIndex(of: status) ?? (status == .tryAgain ? order.count + 1 : order.count)
  }

  /// Megabytes a second; `-` without bytes or time.
  package static func rate(_ bytes: UInt64, _ nanoseconds: Int64) -> String {
    guard bytes > 0, nanoseconds > 0 else { return "-" }
    let tenths = Int64(Double(bytes) * 10_000 / Double(nanoseconds))
    return Plain.number(tenths, per: 10)
  }
}
