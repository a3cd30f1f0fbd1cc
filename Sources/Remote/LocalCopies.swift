// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogStore
import Synchronization
import Text

/// The store here, shared by all hosts of a pull. It is read when a recording is first looked for.
package final class LocalCopies: Sendable {
  let catalogue: Catalogue
  private let opened = Mutex<StoreIndex?>(nil)
  /// Recordings that a host is sending.
  private let claimed = Mutex<Set<RecordingID>>([])
  /// Recordings with unanswered requests to free them, with the requests' routes.
  let unanswered: [RecordingID: [String]]
  /// The failure that reports an error: its remedy depends on where the store is.
  let failure: @Sendable (any Error) -> CommandFailure

  /// - Parameter unanswered: Empty for a pull that frees no recordings.
  package init(
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

  func entry(of id: RecordingID) throws(CatalogueError) -> CatalogueEntry? {
    try index().entry(of: id)
  }

  /// Claims a recording until ``release(_:)``; `false` if another host is sending it.
  func claim(_ id: RecordingID) -> Bool { claimed.withLock { $0.insert(id).inserted } }

  func release(_ id: RecordingID) { claimed.withLock { _ = $0.remove(id) } }

  func publish(_ copies: [WholeCopy]) throws(CatalogueError) { try index().publish(copies) }

  /// The numbers of new recordings: their own if free here, else the next ones, older recordings first.
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

  /// Throws unless so many more bytes leave the reserve free on the store's file system.
  func makeSure(ofRoomFor byteCount: UInt64) throws {
    let (free, reserve) = try catalogue.room()
    let missing = byteCount.addingReportingOverflow(reserve)
    guard missing.overflow || missing.partialValue > free else { return }
    throw CommandFailure(
      .inputOutput,
      "it needs \(Plain.bytes(byteCount)); \(catalogue.path) has \(Plain.bytes(free)) free, and \(Plain.bytes(reserve)) of these "
        + "stay free for others; make room there")
  }

  /// Removes partial copies, not in use, of recordings that other pulls have completed; returns why some could not be removed.
  package func dropBeginnings() throws(CatalogueError) -> [any Error] {
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
