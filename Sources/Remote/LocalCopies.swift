// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogStore
import Synchronization
import Text

/// The store here, opened once for all hosts of a pull: which recordings are here, which are in transfer, and which
/// numbers new ones should get. It is read when a recording is first looked for.
public final class LocalCopies: Sendable {
  let catalogue: Catalogue
  private let opened = Mutex<StoreIndex?>(nil)
  /// Recordings that a host of this pull is sending.
  private let claimed = Mutex<Set<RecordingID>>([])
  /// Recordings with unanswered requests to free them, with the routes of those requests.
  let unanswered: [RecordingID: [String]]
  /// The failure that reports an error: what mends it depends on where the store is.
  let failure: @Sendable (any Error) -> CommandFailure

  /// A store.
  ///
  /// - Parameters:
  ///   - unanswered: Empty for a pull that frees no recordings.
  ///   - failure: The failure that reports an error, of this store among others.
  public init(
    _ catalogue: Catalogue, unanswered: [RecordingID: [String]],
    failure: @escaping @Sendable (any Error) -> CommandFailure = {
      CommandFailure($0, else: .inputOutput)
    }
  ) {
    self.catalogue = catalogue
    self.unanswered = unanswered
    self.failure = failure
  }

  private func index() throws(CatalogueError) -> StoreIndex {
    try opened.withLock { opened throws(CatalogueError) in
      if let opened { return opened }
      let index = try StoreIndex(catalogue)
      opened = index
      return index
    }
  }

  /// The recording's entry here; `nil` when it is not here.
  func entry(of id: RecordingID) throws(CatalogueError) -> CatalogueEntry? {
    try index().entry(of: id)
  }

  /// Claims a recording until ``release(_:)``; `false` when another host is sending it.
  func claim(_ id: RecordingID) -> Bool { claimed.withLock { $0.insert(id).inserted } }

  func release(_ id: RecordingID) { claimed.withLock { _ = $0.remove(id) } }

  /// Publishes copies as ``StoreIndex/publish(_:)``.
  func publish(_ copies: [WholeCopy]) throws(CatalogueError) { try index().publish(copies) }

  /// The numbers that new recordings should get: their own, where no recording here has them; else the next ones, older
  /// recordings before newer ones.
  func numbers(for offers: [PullOffer]) throws(CatalogueError) -> [RecordingID: UInt32] {
    let (taken, highest) = try index().taken(of: offers.map(\.number))
    var next = max(highest, offers.map(\.number).max() ?? 0)
    var numbers: [RecordingID: UInt32] = [:]
    for offer in offers.reversed() {
      if taken.contains(offer.number) {
        next = next == .max ? next : next + 1
        numbers[offer.id] = next
      } else {
        numbers[offer.id] = offer.number
      }
    }
    return numbers
  }

  /// Checks that so many more bytes leave the reserve free on the store's file system.
  func makeSure(ofRoomFor byteCount: UInt64) throws {
    let (free, reserve) = try catalogue.room()
    let missing = byteCount.addingReportingOverflow(reserve)
    guard missing.overflow || missing.partialValue > free else { return }
    throw CommandFailure(
      .inputOutput,
      "it needs \(Plain.bytes(byteCount)) and \(catalogue.path) has \(Plain.bytes(free)) free, of which "
        + "\(Plain.bytes(reserve)) stay free for others; make room there"
    )
  }

  /// Removes partial copies of recordings that other pulls have completed meanwhile, as ``Catalogue/drop(_:of:)``. Copies
  /// that a pull is using stay.
  ///
  /// - Returns: Why some could not be read or removed.
  public func dropBeginnings() throws(CatalogueError) -> [any Error] {
    var failures: [any Error] = []
    for leftover in try catalogue.leftovers() where [.partial, .unsynced].contains(leftover.state) {
      do {
        guard let entry = try entry(of: leftover.id), try catalogue.standing(of: entry) != nil
        else { continue }
        try catalogue.drop(leftover, of: entry)
      } catch CatalogueError.storage(let error) where error.operation == .lock {
        // The pull that is using it will find the recording here.
      } catch {
        failures.append(error)
      }
    }
    return failures
  }
}
