import Glibc

extension Catalogue {
  /// The recording in the trash that a user means by `text`: as ``entry(for:)``, and `latest` is the one that was
  /// removed last.
  ///
  /// A recording that is there twice, because it came again after it was removed, is the one that was removed last.
  public func trashedRecording(for text: String) throws(CatalogueError) -> TrashedRecording {
    let trashed = try trashed()
    if text == "latest", let last = trashed.first { return last }
    var names: Set<String> = []
    let distinct = trashed.filter { names.insert($0.formerName).inserted }
    let entry = try choose(
      text, from: Catalogue.newestFirst(distinct.map(\.entry)),
      place: path(of: Catalogue.trashName), listing: "imulog list --trash", nothing: "it is empty")
    guard let match = distinct.first(where: { $0.entry == entry }) else {
      preconditionFailure("an entry of the list was chosen")
    }
    return match
  }

  /// Brings a recording back from the trash, under its number, or under the next one where another recording has that
  /// meanwhile.
  ///
  /// - Returns: The recording in the store.
  /// - Throws: ``CatalogueError/present(id:number:)`` when the store has the same recording;
  ///   ``CatalogueError/notFound(id:path:existing:)`` when it has left the trash.
  @discardableResult
  public func restore(_ trashed: TrashedRecording) throws(CatalogueError) -> CatalogueEntry {
    let lock = try wrapped { () throws(StorageError) in try numberLock() }
    return try restore(trashed, lock)
  }

  /// - Parameter lock: Held, so that no other program gets the number, or brings the same recording, meanwhile.
  private func restore(
    _ trashed: TrashedRecording, _ lock: borrowing NumberLock
  ) throws(CatalogueError) -> CatalogueEntry {
    if let id = identity(of: trashed.entry), let there = try entry(of: id) {
      throw .present(id: "\(id)", number: there.number)
    }
    let taken = try wrapped { () throws(StorageError) in try numbersHere() }
    var name = trashed.entry.name
    if taken.contains(name.number) {
      name.number = try nextNumber(lock)
      do {
        try lock.write(number: name.number, in: self)
      } catch {
        throw .storage(error)
      }
    }
    let entry = CatalogueEntry(name, in: path)
    do {
      try files.rename(
        trashed.entry.nameInTrash, in: try openTrash(), toFree: entry.fileName, in: try openStore())
    } catch {
      if error.isMissing {
        throw .notFound(
          id: "\(trashed.entry.number)", path: path(of: Catalogue.trashName),
          existing: "it was deleted for good, or brought back already")
      }
      guard error.isForbidden, files.mayChangeNames(in: path) else { throw .storage(error) }
      throw .trashForbidden(path: path)
    }
    // The new name first: between the two the recording has both names, and never none.
    try syncMove(
      to: path, from: path(of: Catalogue.trashName), "back as \(entry.number)", trashed.entry)
    return entry
  }
}
