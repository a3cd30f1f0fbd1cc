// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

/// The control socket, and the callers that wait for the result of a request.
final class Callers {
  var control: ControlSocket?
  var requests = PendingRequests<ControlPeer>()
  /// The refusal of the last event, for its caller.
  var refusal: CommandFailure?

  /// Callers at once: with the watchers fewer than all peers, so that the service always accepts a request.
  private static var most: Int { ControlSocket.mostPeers / 2 - 1 }

  var count: Int { requests.callers.count }

  var deadline: MonotonicTime? {
    [control?.deadline, requests.deadline].compactMap { $0 }.min()
  }

  /// Whether one more may wait, after those that have left.
  func haveRoom() -> Bool {
    for caller in requests.callers where !isThere(caller) { requests.forget(caller) }
    return count < Callers.most
  }

  func isThere(_ peer: ControlPeer) -> Bool { control?.send(peer, []) != nil }

  func refuseAll(_ failure: CommandFailure) {
    answer(requests.refuseAll((failure.status.rawValue, failure.sentence)))
  }

  func refuse(_ peer: ControlPeer, _ status: ExitStatus, _ message: String) {
    answer(peer, .refused(status: status.rawValue, message: message))
  }

  func answer(_ peer: ControlPeer, _ answer: ControlAnswer) {
    control?.answer(peer, answer.line)
  }

  func answer(_ answers: PendingRequests<ControlPeer>.Answers) {
    for (caller, answer) in answers { self.answer(caller, answer) }
  }
}

/// Callers that get the new records 25 times a second; a slow one loses some, which are counted.
struct Watchers {
  private struct Watcher {
    let peer: ControlPeer
    /// Lines that were left out since the last report of them.
    var lost: UInt64 = 0
  }

  private var watchers: [Watcher] = []
  let feed: LiveFeed
  /// When they get the next frame; `nil` while nobody looks.
  private(set) var dueAt: MonotonicTime?
  private var statusAt = MonotonicTime(nanoseconds: 0)

  init(feed: LiveFeed) { self.feed = feed }

  /// Watchers at once: half of all peers, so that the service always accepts a request.
  private static var most: Int { ControlSocket.mostPeers / 2 }
  /// Nanoseconds between two statuses.
  private static var statusPeriod: Int64 { 500_000_000 }

  var count: Int { watchers.count }
  var haveRoom: Bool { count < Watchers.most }

  mutating func add(_ peer: ControlPeer) { watchers.append(Watcher(peer: peer)) }

  /// Begins frames, if there are none.
  mutating func look(at now: MonotonicTime) {
    feed.isWatched = true
    dueAt = min(dueAt ?? now, now)
  }

  /// The records of a frame that is due, and how many were lost after them.
  func frame(at now: MonotonicTime) -> (records: [TickRecord], lost: UInt64)? {
    guard let dueAt, now >= dueAt else { return nil }
    return feed.drain()
  }

  /// Whether a status is due, which is then sent.
  mutating func isStatusDue(_ now: MonotonicTime) -> Bool {
    guard now >= statusAt else { return false }
    statusAt = now + Watchers.statusPeriod
    return true
  }

  /// Forgets who has left, and plans the next frame.
  mutating func endFrame(at now: MonotonicTime, isGuided: Bool, _ callers: Callers) {
    watchers.removeAll { !callers.isThere($0.peer) }
    guard watchers.isEmpty, !isGuided else { return dueAt = now + LiveFeed.framePeriod }
    feed.isWatched = false
    dueAt = nil
  }

  func send(_ bytes: [UInt8], to peer: ControlPeer, _ callers: Callers) {
    _ = callers.control?.send(peer, bytes)
  }

  /// Sends bytes to all, after a report of `lost` lines; a watcher that is too slow for the bytes loses `lines` of them.
  mutating func send(
    _ bytes: [UInt8], lines: UInt64 = 0, after lost: UInt64 = 0, _ callers: Callers
  ) {
    for index in watchers.indices {
      let peer = watchers[index].peer
      watchers[index].lost += lost
      if watchers[index].lost > 0 {
        let report = Array((WatchLine.lost(watchers[index].lost).line + "\n").utf8)
        if callers.control?.send(peer, report) == true { watchers[index].lost = 0 }
      }
      if !bytes.isEmpty, callers.control?.send(peer, bytes) != true {
        watchers[index].lost += lines
      }
    }
  }
}
