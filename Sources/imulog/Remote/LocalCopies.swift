import IMUModel
import LogStore
import Remote

/// Which of the offered recordings are here already, and which numbers the others shall have.
struct LocalCopies {
  private let catalogue: Catalogue
  private var byPrefix: [String: [CatalogueEntry]] = [:]
  private var taken: Set<UInt32> = []

  init(_ catalogue: Catalogue) throws(CatalogueError) {
    self.catalogue = catalogue
    for entry in try catalogue.list().entries {
      byPrefix[entry.idPrefix, default: []].append(entry)
      taken.insert(entry.number)
    }
  }

  /// The recording's entry here; `nil` when it is not here.
  func entry(of id: RecordingID) -> Optional<CatalogueEntry> {
    byPrefix[String(id.description.prefix(8))]?.first { catalogue.identity(of: $0) == id }
  }

  /// The numbers wanted for recordings that are to come: their own, where nobody here has them; else the next ones,
  /// older recordings before newer ones.
  func numbers(for offers: [PullOffer]) -> [RecordingID: UInt32] {
    var next = max(taken.max() ?? 0, offers.map(\.number).max() ?? 0)
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
}
