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
      return try Console.json(
        JSONWriter.document { json in
          json.member("copies", leftovers, onNewLines: true) { $0.add($1) }
        })
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
}

extension JSONWriter {
  fileprivate mutating func add(_ leftover: Leftover) {
    object { json in
      json.member("file", leftover.fileName)
      json.member("id", "\(leftover.id)")
      json.member("state", leftover.state.rawValue)
      json.member("size_bytes", leftover.byteCount)
      json.member("changed", RFC3339.text(nanoseconds: leftover.changed * 1_000_000_000))
      json.member("expires", RFC3339.text(nanoseconds: leftover.expires * 1_000_000_000))
    }
  }
}
