import Export
import IMUModel
import LogStore

/// Incomplete copies in the store, as a table or as JSON.
struct LeftoverListing {
  let store: String
  var json = false

  private static let heading = ["STATE", "SIZE", "CHANGED", "GOES", "FILE"]
  private static let isNumeric = [false, true, false, false, false]

  func print() throws {
    let catalogue = try OpenStore.reading(store)
    let leftovers = try catalogue.leftovers()
    if json {
      let objects = leftovers.map { LeftoverListing.json($0) }
      return try Console.json("[" + objects.joined(separator: ",\n ") + "]")
    }
    guard !leftovers.isEmpty else {
      return Console.talk("no copies that are not recordings")
    }
    let rows = leftovers.map { leftover in
      [
        leftover.state.rawValue, Plain.bytes(leftover.byteCount),
        LocalTime.text(seconds: leftover.changed), LocalTime.text(seconds: leftover.expires),
        leftover.fileName,
      ]
    }
    try Console.data(
      TextTable.text([LeftoverListing.heading] + rows, isNumeric: LeftoverListing.isNumeric))
  }

  private static func json(_ leftover: Leftover) -> String {
    JSONObject()
      .with("file", leftover.fileName)
      .with("id", "\(leftover.id)")
      .with("state", leftover.state.rawValue)
      .with("bytes", leftover.byteCount)
      .with("changed", RFC3339.text(nanoseconds: leftover.changed * 1_000_000_000))
      .with("expires", RFC3339.text(nanoseconds: leftover.expires * 1_000_000_000))
      .text
  }
}
