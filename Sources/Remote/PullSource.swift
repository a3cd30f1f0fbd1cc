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

/// What a keeper of many stores decides of each recording that a machine offers, and learns before it is here.
///
///     offered ─► admit ─► fetched and proved ─► willPublish ─► published
///                  └► compare: the digest there ─► compared
///
/// When all of that is done, `learned` receives what the machine reports about itself. All are called on the thread that pulls from the machine.
public struct PullWitness: Sendable {
  /// What becomes of an offer.
  public enum Admission: Sendable {
    /// It is fetched, unless it is here.
    case fetch
    /// It is here, and nothing is to be done.
    case here
    /// It is not wanted; with a sentence, that is a failure.
    case refuse(CommandFailure?)
    /// It is elsewhere: only its digest is asked for.
    case compare
  }

  /// A recording of which every byte is here, proved by its digest.
  public struct Arrival: Sendable {
    /// What was offered.
    public let offer: PullOffer
    /// Its bytes.
    public let byteCount: UInt64
    /// Their digest.
    public let digest: SHA256Digest
  }

  let admit: @Sendable (PullOffer) -> Admission
  let compared: @Sendable (PullOffer, SHA256Digest) throws -> Void
  let willPublish: @Sendable ([Arrival]) throws -> [RecordingID: CommandFailure]
  let connected: @Sendable (_ hostKey: String?) -> Void
  let learned: @Sendable (RemoteMachine?) -> Void
  let labelStore: @Sendable (RecordingID) throws -> Catalogue?

  /// - Parameters:
  ///   - admit: Decides on an offer.
  ///   - compared: Receives the digest of all bytes of a recording there. What it throws is the recording's failure.
  ///   - willPublish: Receives recordings before they appear in the store. Those that it returns, and all if it throws, do
  ///     not appear; their bytes stay for the next pull.
  ///   - connected: Receives the fingerprint of the host's key at each connection, where ssh shows it.
  ///   - learned: Receives what the machine reports about itself; `nil` from an older version.
  ///   - labelStore: The store that gets the labels of a recording that is not wanted here; `nil` for none.
  public init(
    admit: @escaping @Sendable (PullOffer) -> Admission,
    compared: @escaping @Sendable (PullOffer, SHA256Digest) throws -> Void,
    willPublish: @escaping @Sendable ([Arrival]) throws -> [RecordingID: CommandFailure],
    connected: @escaping @Sendable (_ hostKey: String?) -> Void,
    learned: @escaping @Sendable (RemoteMachine?) -> Void,
    labelStore: @escaping @Sendable (RecordingID) throws -> Catalogue?
  ) {
    self.admit = admit
    self.compared = compared
    self.willPublish = willPublish
    self.connected = connected
    self.learned = learned
    self.labelStore = labelStore
  }
}
