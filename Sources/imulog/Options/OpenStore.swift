import LogStore

/// Opening the store.
enum OpenStore {
  /// A store that should be there already.
  static func reading(
    _ path: String, followsLinks: Bool = true
  ) throws(CatalogueError) -> Catalogue {
    try Catalogue(path: path, followsLinks: followsLinks)
  }

  /// A store that is made when it is missing and put in order after a kill or a loss of power.
  ///
  /// - Parameter now: Nanoseconds since 1970, by which the trash's age is told.
  static func writing(_ path: String, now: Int64) throws(CatalogueError) -> Catalogue {
    let catalogue = try Catalogue(path: path, create: true)
    _ = try catalogue.adopt()
    try catalogue.emptyTrash(now: now)
    try catalogue.expireLeftovers(now: now)
    return catalogue
  }
}
