// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogFormat
public import LogStore

/// A machine to pull from, and the store here for its recordings.
public struct PullSource: Sendable {
  /// Its name in reports.
  let host: String
  /// What `ssh` is told to connect to.
  let destination: String
  let connection: SSHConnection
  let settings: PullSettings
  /// Opens the store here; called on the thread that pulls.
  let open: @Sendable () throws -> LocalCopies
  /// Called on the same thread after the pull, whatever became of it.
  let finish: @Sendable (inout PulledHost, LocalCopies) -> Void

  /// A machine that is pulled from into a store.
  public init(
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

/// A keeper of many stores: it decides on each recording that a machine offers, and learns of it before it is here.
///
///     offered ─► admit ─► fetched and proved ─► willPublish ─► published
///                  └► compare: the digest there ─► compared
///
/// All is called on the thread that pulls from the machine.
public protocol PullWitness: AnyObject, Sendable {
  /// A connection is made; with the fingerprint of the host's key, where ssh shows it.
  func connected(_ hostKey: String?)

  /// Decides on an offer.
  func admit(_ offer: PullOffer) -> PullAdmission

  /// Receives the digest of all bytes of a recording there. What it throws is the recording's failure.
  func compared(_ offer: PullOffer, _ digest: SHA256Digest) throws

  /// Receives recordings before they appear in the store. Those that it returns, and all if it throws, do not appear; their
  /// bytes stay for the next pull.
  func willPublish(_ arrivals: [PullArrival]) throws -> [RecordingID: CommandFailure]

  /// The store that gets the labels of a recording that is not wanted here; `nil` for none.
  func labelStore(of id: RecordingID) throws -> Catalogue?

  /// Receives, when all is done, what the machine reports about itself; `nil` where the connection broke.
  func learned(_ machine: RemoteMachine?)
}

/// What becomes of an offer.
public enum PullAdmission: Sendable {
  /// It is fetched, unless it is here.
  case fetch
  /// It is here, and nothing is to be done.
  case here
  /// It is not wanted; with a sentence, that is a failure.
  case refuse(CommandFailure?)
  /// It is elsewhere: only its digest is asked for.
  case compare
}

/// A recording whose bytes are all here, as its digest proves.
public struct PullArrival: Sendable {
  /// What was offered.
  public let offer: PullOffer
  /// Its bytes.
  public let byteCount: UInt64
  /// Their digest.
  public let digest: SHA256Digest
}
