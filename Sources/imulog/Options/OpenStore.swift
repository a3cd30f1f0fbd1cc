import IMUModel
import LinuxIO
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
  /// - Parameter now: The time, by which what is in the trash ages.
  static func writing(_ path: String, now: WallTime) throws(CatalogueError) -> Catalogue {
    let catalogue = try making(path)
    catalogue.tidy(now: now) { Console.talk($0) }
    return catalogue
  }

  /// A store that is made when it is missing. Nothing is looked into: ``Catalogue/tidy(now:while:report:)`` is for another thread,
  /// or another time.
  static func making(_ path: String) throws(CatalogueError) -> Catalogue {
    try Catalogue(path: path, create: true)
  }
}
