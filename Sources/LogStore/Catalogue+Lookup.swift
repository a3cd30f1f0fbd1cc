import IMUModel

extension Catalogue {
  /// The recording that a user means by `text`: a number, `latest`, or the beginning of a UUID in
  /// either case, with or without its dashes. Fewer than eight digits alone are a number and
  /// nothing else: `rm 7` must not remove a recording whose UUID begins with 7.
  ///
  /// - Throws: ``CatalogueError/notFound(id:path:existing:)`` or
  ///   ``CatalogueError/ambiguous(id:candidates:)``, both with what there is.
  public func entry(for text: String) throws(CatalogueError) -> CatalogueEntry {
    try choose(
      text, from: try list().entries, place: path, listing: "imulog list",
      nothing: "the store is empty")
  }

  /// The one of `entries`, newest first, that is meant by `text`.
  ///
  /// - Parameters:
  ///   - place: The directory that they are in.
  ///   - listing: The command that shows them.
  ///   - nothing: What to say when there are none.
  func choose(
    _ text: String, from entries: [CatalogueEntry], place: String, listing: String,
    nothing: String
  ) throws(CatalogueError) -> CatalogueEntry {
    if text == "latest", let newest = entries.first { return newest }
    var matches: [CatalogueEntry] = []
    let isDecimal = text.utf8.allSatisfy { $0 &- 48 < 10 }
    if isDecimal, let number = UInt32(text) {
      matches = entries.filter { $0.number == number }
    }
    if matches.isEmpty, !isDecimal || text.utf8.count >= 8,
      let digits = Catalogue.identityDigits(text)
    {
      matches = entries.filter { digits.hasPrefix($0.idPrefix) || $0.idPrefix.hasPrefix(digits) }
      if digits.count > 8 { matches = matches.filter { identity(of: $0, begins: digits) } }
    }
    guard let match = matches.first else {
      throw .notFound(
        id: text, path: place, existing: Catalogue.existing(entries, listing, nothing: nothing))
    }
    guard matches.count == 1 else {
      throw .ambiguous(id: text, candidates: matches.map { "\($0.number) (\($0.idPrefix))" })
    }
    return match
  }

  /// Up to 32 lower-case hexadecimal digits; `nil` when `text` cannot be the beginning of a UUID.
  private static func identityDigits(_ text: String) -> String? {
    var digits = ""
    for (index, character) in text.lowercased().enumerated() {
      if character == "-", [8, 13, 18, 23].contains(index) { continue }
      guard character.isASCII, character.isHexDigit else { return nil }
      digits.append(character)
    }
    return digits.isEmpty || digits.count > 32 ? nil : digits
  }

  /// Whether the UUID in the header begins with `digits`; a file that cannot be read has no
  /// identity.
  private func identity(of entry: CatalogueEntry, begins digits: String) -> Bool {
    do {
      let id = try reader(of: entry).description.id
      return id.description.filter { $0 != "-" }.hasPrefix(digits)
    } catch {
      return false
    }
  }

  private static func existing(
    _ entries: [CatalogueEntry], _ listing: String, nothing: String
  ) -> String {
    guard let newest = entries.first, let oldest = entries.last else {
      return nothing
    }
    if entries.count == 1 { return "the only one is \(newest.number) (\(newest.idPrefix))" }
    return "there are \(entries.count), from \(oldest.number) to \(newest.number) "
      + "(\(newest.idPrefix)); `\(listing)` shows them"
  }
}
