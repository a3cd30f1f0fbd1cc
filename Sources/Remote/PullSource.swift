// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogFormat
package import LogStore

/// A machine to pull from, and its store here.
package struct PullSource: Sendable {
  /// Its name in reports.
  let host: String
  let destination: String
  let connection: SSHConnection
  let settings: PullSettings
  /// Opens the store here; called on the thread that pulls.
  let open: @Sendable () throws -> LocalCopies
  /// Called on the same thread after the pull, whatever its outcome.
  let finish: @Sendable (inout PulledHost, LocalCopies) -> Void

  package init(
    _ host: String, destination: String, _ connection: SSHConnection, _ settings: PullSettings,
    open: @escaping @Sendable () throws -> LocalCopies,
    finish: @escaping @Sendable (inout PulledHost, LocalCopies) -> Void = { _, _ in }
  ) {
    self.host = host
    self.destination = destination
    self.connection = connection
    self.settings = settings
    self.open = open
    self.finish = finish
  }
}

/// Decides on the recordings that a machine offers, as a hub does; called on the thread that pulls.
///
///     offered ─► admit ─► fetched and proved ─► willPublish ─► published
///                  └► compare: the digest there ─► compared
package protocol PullWitness: AnyObject, Sendable {
  /// Receives the fingerprint of the host's key of a new connection, if ssh shows it.
  func connected(_ hostKey: String?)

  func admit(_ offer: PullOffer) -> PullAdmission

  /// Receives the digest of a whole recording there; an error is the recording's failure.
  func compared(_ offer: PullOffer, _ digest: SHA256Digest) throws

  /// Receives recordings before they appear in the store. Those that it returns, and all if it throws, do not appear; their
  /// bytes stay for the next pull.
  func willPublish(_ arrivals: [PullArrival]) throws -> [RecordingID: CommandFailure]

  /// The store that gets the labels of a recording that is not wanted here.
  func labelStore(of id: RecordingID) throws -> Catalogue?

  /// Receives the machine's facts at the end; `nil` where the connection broke.
  func learned(_ machine: RemoteMachine?)
}

/// What happens to an offer.
package enum PullAdmission: Sendable {
  /// Fetch it, unless it is here.
  case fetch
  /// It is here; nothing to do.
  case here
  /// Leave it out, with a failure if there is one.
  case refuse(CommandFailure?)
  /// Another host's store has it: ask only for its digest.
  case compare
}

/// A recording whose bytes are all here, as their digest proves.
package struct PullArrival: Sendable {
  package let offer: PullOffer
  package let byteCount: UInt64
  package let digest: SHA256Digest
}
