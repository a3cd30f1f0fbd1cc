import IMUModel
import LogStore
import Remote
import Synchronization

/// The store here, opened once for all hosts of a pull: which recordings are here, which are on their way, and which
/// numbers new ones shall have.
final class LocalCopies: Sendable {
  let catalogue: Catalogue
  private let index: StoreIndex
  /// Recordings that a host of this pull is bringing.
  private let claimed = Mutex<Set<RecordingID>>([])
  /// Recordings that earlier pulls have asked to be freed without an answer, with the routes by which they asked.
  let unanswered: [RecordingID: [String]]

  /// - Parameter unanswered: Empty for a pull that asks for no recordings to be freed.
  init(_ catalogue: Catalogue, unanswered: [RecordingID: [String]]) throws(CatalogueError) {
    self.catalogue = catalogue
    index = try StoreIndex(catalogue)
    self.unanswered = unanswered
  }

  /// The recording's entry here; `nil` when it is not here.
  func entry(of id: RecordingID) throws(CatalogueError) -> Optional<CatalogueEntry> {
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

  /// Removes copies of recordings that are here and whole, which other pulls have brought meanwhile: no machine offers
  /// them again, and none would be continued. What has other bytes than the recording stays, and what a pull is at.
  ///
  /// - Returns: What could not be looked at or removed, and why.
  func dropBeginnings() throws(CatalogueError) -> [any Error] {
    var failures: [any Error] = []
    for leftover in try catalogue.leftovers() where [.partial, .unsynced].contains(leftover.state) {
      do {
        guard let entry = try entry(of: leftover.id), try catalogue.standing(of: entry) != nil
        else { continue }
        var copy = try catalogue.partialCopy(of: leftover.id)
        if try isBeginning(&copy, of: entry) { try copy.cut(to: 0) }
      } catch CatalogueError.storage(let error) where error.operation == .lock {
        // Whoever is at it finds the recording here.
      } catch {
        failures.append(error)
      }
    }
    return failures
  }

  private func isBeginning(
    _ copy: inout PartialCopy, of entry: CatalogueEntry
  ) throws -> Bool {
    var source = try catalogue.copySource(of: entry)
    guard copy.byteCount <= source.byteCount else { return false }
    var (theirs, ours) = ([UInt8](repeating: 0, count: 1 << 16), [UInt8]())
    var offset: UInt64 = 0
    while offset < copy.byteCount {
      let wanted = Int(min(UInt64(theirs.count), copy.byteCount - offset))
      theirs.removeLast(theirs.count - wanted)
      ours = theirs
      let count = try theirs.withUnsafeMutableBytes { try copy.read(at: offset, into: $0) }
      try ours.withUnsafeMutableBytes { try source.read(at: offset, into: $0) }
      guard count == wanted, theirs == ours else { return false }
      offset += UInt64(count)
    }
    return true
  }
}
