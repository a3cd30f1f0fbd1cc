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
    tidy(catalogue, now: now) { Console.talk($0) }
    return catalogue
  }

  /// A store that is made when it is missing. Nothing is looked into: ``tidy(_:now:while:say:)`` is for another thread,
  /// or another time.
  static func making(_ path: String) throws(CatalogueError) -> Catalogue {
    try Catalogue(path: path, create: true)
  }

  /// Puts a store in order: adopts what was cut off, and deletes what has been in the trash for 30 days. What fails
  /// is said, and stops nothing: a recording can be made all the same.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - isWanted: Asked before each recording that is looked into.
  static func tidy(
    _ catalogue: Catalogue, now: WallTime, while isWanted: () -> Bool = { true },
    say: (String) -> Void
  ) {
    adopt(catalogue, while: isWanted, say: say)
    sweep(catalogue, now: now, say: say)
  }

  /// The part of ``tidy(_:now:while:say:)`` that looks into recordings, of which there may be many.
  static func adopt(
    _ catalogue: Catalogue, while isWanted: () -> Bool, say: (String) -> Void
  ) {
    do {
      _ = try catalogue.adopt(while: isWanted)
    } catch {
      say("recordings that were cut off could not be looked for: \(error)")
    }
  }

  /// The part that frees space.
  static func sweep(_ catalogue: Catalogue, now: WallTime, say: (String) -> Void) {
    do {
      _ = try catalogue.expireLeftovers(now: now)
    } catch {
      say("copies that were not continued for 30 days could not be looked for: \(error)")
    }
    let failures = catalogue.emptyTrash(now: now).failures
    guard let first = failures.first else { return }
    let more = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
    say("not all could be deleted of what has been in the trash for 30 days: \(first)\(more)")
  }
}

extension SystemClock {
  /// What the wall clock shows now.
  var wallTime: WallTime {
    let reading = readWallClock()
    return WallTime(nanoseconds: reading.wall, isSynchronised: reading.isSynchronised)
  }
}
