// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogStore

/// How long a pull waits for a host, over all connections to it.
///
///     left ─── time waited ───► 0: the pull gives up on the host
///      ▲            ▲
///      │            └ added from `rest` by each `alive` of a host that has reason to take longer
///      └ reset to the whole timeout, by progress only
///
/// Progress is a recording's bytes that were not received before in this run, a complete recording, or a freed one. So a
/// host cannot hold a pull longer than its recordings justify, and gets at most six connections in a row that bring little.
///
/// Time between two readings of the clock counts up to a sixteenth of the timeout. While it waits, this side reads the
/// clock more often, so longer intervals are its own (a stalled disk, a stop by Ctrl-Z).
package final class PullPatience {
  /// The subject of a request.
  package enum Matter: Hashable, Sendable {
    /// A recording's bytes; `isAnew` after its beginning was found to differ.
    case fetch(RecordingID, isAnew: Bool)
    /// To move a recording to the trash.
    case free(RecordingID)
  }

  private struct Standing {
    /// Most bytes checked so far.
    var byteCount: UInt64 = 0
    /// Whether more time was granted since then.
    var isGranted = false
  }

  /// Nanoseconds without progress after which the pull gives up.
  package let timeout: Int64
  /// Nanoseconds granted to the host since its last progress.
  package private(set) var span: Int64
  private var left: Int64
  /// Nanoseconds that further `alive`s may add.
  private var rest: Int64 = 0
  private var seen: MonotonicTime
  private var standings: [Matter: Standing] = [:]
  /// Bytes checked over this connection.
  private var checked: UInt64 = 0
  /// When this connection was made.
  private var connected: MonotonicTime
  /// Connections in a row that brought little.
  private var failures = 0

  /// Bytes over a connection that make the next pause short again.
  static let enough: UInt64 = 64 * 1024
  /// Bytes a second that any machine can hash, even from a slow, busy card.
  static let slowest: UInt64 = 4 << 20
  /// Most nanoseconds between two `alive`s: three times the interval of a far end.
  static let gap: Int64 = 15_000_000_000

  /// Patience that begins now.
  ///
  /// - Parameter timeout: Nanoseconds, above zero and below a year.
  package init(timeout: Int64, now: MonotonicTime) {
    precondition(timeout > 0, "a timeout is above zero")
    self.timeout = timeout
    span = timeout
    left = timeout
    seen = now
    connected = now
  }

  package var slice: Int64 { max(1_000_000, timeout / 16) }

  /// Counts the time of a wait; returns the nanoseconds left, 0 or fewer to give up.
  package func look(now: MonotonicTime) -> Int64 {
    left -= min(max(0, now - seen), slice)
    seen = now
    return left
  }

  /// The wait for an answer begins.
  ///
  /// - Parameters:
  ///   - bytes: Bytes that the host must hash before it answers.
  ///   - isFollowed: Whether a live recording's bytes come as they are written.
  package func expect(_ matter: Matter, adding bytes: UInt64, isFollowed: Bool = false) {
    guard standings[matter]?.isGranted != true else { return }
    standings[matter, default: Standing()].isGranted = true
    let seconds = Int64(min(bytes / PullPatience.slowest, 1_000_000))
    rest = seconds * 1_000_000_000 + (isFollowed ? silence : 0)
    noteAlive()
  }

  /// A recording's bytes up to `byteCount` are checked.
  ///
  /// - Parameter start: Bytes that were here before and matched.
  package func progressed(
    _ matter: Matter, from start: UInt64 = 0, to byteCount: UInt64, isFollowed: Bool = false,
    now: MonotonicTime
  ) {
    let before = max(start, standings[matter]?.byteCount ?? 0)
    guard byteCount > before else { return }
    standings[matter] = Standing(byteCount: byteCount)
    checked += byteCount - before
    if checked >= PullPatience.enough || now - connected >= timeout {
      checked = 0
      failures = 0
    }
    progressed(now: now, rest: isFollowed ? silence : 0)
  }

  /// Something that happens once is done, such as the list or a complete recording.
  ///
  /// - Parameter rest: Nanoseconds that `alive`s may add.
  func progressed(now: MonotonicTime, rest: Int64 = 0) {
    left = timeout
    span = timeout
    seen = now
    self.rest = rest
    noteAlive()
  }

  /// The host sent `alive`.
  package func noteAlive() {
    let added = max(0, min(max(timeout, PullPatience.gap) - left, rest))
    left += added
    span += added
    rest -= added
  }

  /// Nanoseconds that a live recording may bring nothing, as without a sensor.
  private var silence: Int64 { 10 * timeout }

  /// A connection broke: nanoseconds until the next one, `nil` to give up. Pauses double from a sixtieth of the timeout on.
  package func pause(now: MonotonicTime) -> Int64? {
    let pause = max(1, timeout / 60) << Int64(min(failures, 10))
    guard pause < min(timeout, look(now: now)) else { return nil }
    failures += 1
    checked = 0
    left -= pause
    seen = now + pause
    connected = seen
    return pause
  }
}

/// The settings of a pull, the same for every host.
package struct PullSettings: Sendable {
  /// Recordings on the other machine; all if empty.
  package var ids: [RecordingReference] = []
  /// Whether live recordings are followed to their end.
  package var follow = false
  /// Whether the other machine moves recordings with a proved copy here to its trash.
  package var thenFree = false
  /// Nanoseconds without progress after which the pull gives up on a host.
  package var timeout: Int64
  /// Most files of recordings that a host has open at a time.
  package var openFiles = 2
  /// Derives a file from a recording that is here, such as an export; returns `nil` if the file exists already.
  /// It reports whether parts of the recording cannot be read, and remarks for a person.
  package var derive: (@Sendable (CatalogueEntry, Catalogue) throws -> Derived?)?
  /// Whether recordings that are being written are left for a later pull.
  package var leavesRunning = false
  /// Decides on offers; `nil` to fetch everything missing.
  package var witness: (any PullWitness)?

  package typealias Derived = (isDamaged: Bool, remarks: [String])

  package init(timeout: Int64) { self.timeout = timeout }

  /// The selected offers, newest first; with one of a take all of the take.
  ///
  /// - Throws: When an ID does not identify exactly one recording.
  func choose(_ offers: [PullOffer], of host: String) throws(CommandFailure) -> [PullOffer] {
    guard !ids.isEmpty else { return offers }
    var chosen: Set<RecordingID> = []
    for id in ids {
      let found = id.choose(from: offers, number: \.number) { $0.id.begins(with: $1) }
      guard let first = found.first else {
        let there = offers.first.map { "the newest is \($0.number)" } ?? "there is none"
        throw CommandFailure(.noInput, "there is no recording \(id.text) on \(host): \(there)")
      }
      guard found.count == 1 else {
        throw CommandFailure(
          .usage,
          "\(id.text) could be any of \(found.count) recordings on \(host); give more digits")
      }
      chosen.insert(first.id)
    }
    let takes = Set(offers.lazy.filter { chosen.contains($0.id) }.compactMap(\.take))
    return offers.filter { offer in
      chosen.contains(offer.id) || offer.take.map(takes.contains) == true
    }
  }
}
