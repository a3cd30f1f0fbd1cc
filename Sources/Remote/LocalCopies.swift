public import IMUModel
public import LogStore
import Synchronization

/// The store here, opened once for all hosts of a pull: which recordings are here, which are on their way, and which
/// numbers new ones shall have.
public final class LocalCopies: Sendable {
  let catalogue: Catalogue
  private let index: StoreIndex
  /// Recordings that a host of this pull is bringing.
  private let claimed = Mutex<Set<RecordingID>>([])
  /// Recordings that earlier pulls have asked to be freed without an answer, with the routes by which they asked.
  let unanswered: [RecordingID: [String]]

  /// Looks up what is in the store.
  ///
  /// - Parameter unanswered: Empty for a pull that asks for no recordings to be freed.
  public init(_ catalogue: Catalogue, unanswered: [RecordingID: [String]]) throws(CatalogueError) {
    self.catalogue = catalogue
    index = try StoreIndex(catalogue)
    self.unanswered = unanswered
  }

  /// The recording's entry here; `nil` when it is not here.
  func entry(of id: RecordingID) throws(CatalogueError) -> CatalogueEntry? {
    try index.entry(of: id)
  }

  /// Whether no other host is bringing it; then none will, until ``release(_:)``.
  func claim(_ id: RecordingID) -> Bool { claimed.withLock { $0.insert(id).inserted } }

  func release(_ id: RecordingID) { claimed.withLock { _ = $0.remove(id) } }

  /// Makes copies recordings of the store, as ``StoreIndex/publish(_:)``.
  func publish(_ copies: [WholeCopy]) { index.publish(copies) }

  /// The numbers wanted for recordings that are to come: their own, where no recording here has them; else the next ones,
  /// older recordings before newer ones.
  func numbers(for offers: [PullOffer]) throws(CatalogueError) -> [RecordingID: UInt32] {
    let (taken, highest) = try index.taken(of: offers.map(\.number))
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

  /// Looks whether so many bytes more leave room for others on the store's file system.
  func makeSure(ofRoomFor byteCount: UInt64) throws {
    let (free, reserve) = try catalogue.room()
    let missing = byteCount.addingReportingOverflow(reserve)
    guard missing.overflow || missing.partialValue > free else { return }
    throw CommandFailure(
      .inputOutput,
      "it needs \(Plain.bytes(byteCount)) and \(catalogue.path) has \(Plain.bytes(free)) free, of which "
        + "\(Plain.bytes(reserve)) stay free for others; make room there, or name another store with --store"
    )
  }

  /// Removes copies of recordings that are here and whole, which other pulls have brought meanwhile, as
  /// ``Catalogue/drop(_:of:)``. What a pull is at stays.
  ///
  /// - Returns: What could not be looked at or removed, and why.
  public func dropBeginnings() throws(CatalogueError) -> [any Error] {
    var failures: [any Error] = []
    for leftover in try catalogue.leftovers() where [.partial, .unsynced].contains(leftover.state) {
      do {
        guard let entry = try entry(of: leftover.id), try catalogue.standing(of: entry) != nil
        else { continue }
        try catalogue.drop(leftover, of: entry)
      } catch CatalogueError.storage(let error) where error.operation == .lock {
        // Whoever is at it finds the recording here.
      } catch {
        failures.append(error)
      }
    }
    return failures
  }
}
