// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

/// The control socket, and the callers that wait for the result of a request.
final class Callers {
  /// `nil` for none.
  var control: ControlSocket?
  var requests = PendingRequests<ControlPeer>()
  /// The refusal of the last event, for its caller.
  var refusal: CommandFailure?

  /// Callers at once: with the watchers fewer than all peers, so that the service always accepts a request.
  private static var most: Int { ControlSocket.mostPeers / 2 - 1 }

  var count: Int { requests.callers.count }

  /// When something is due.
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

  /// Sends answers to callers that are still there.
  func answer(_ answers: PendingRequests<ControlPeer>.Answers) {
    for (caller, answer) in answers { self.answer(caller, answer) }
  }
}
