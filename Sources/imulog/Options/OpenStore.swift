import LogStore

/// Opening the store, and finding recordings in it, with the errors that a command line wants.
enum OpenStore {
  /// A store that should be there already.
  static func reading(_ path: String) throws(CommandFailure) -> Catalogue {
    do throws(CatalogueError) {
      return try Catalogue(path: path)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// A store that is made when it is missing and put in order after a kill or a loss of power.
  static func writing(_ path: String, now: Int64) throws(CommandFailure) -> Catalogue {
    do throws(CatalogueError) {
      let catalogue = try Catalogue(path: path, create: true)
      _ = try catalogue.adopt()
      try catalogue.emptyTrash(now: now)
      return catalogue
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension Catalogue {
  /// The recording that the user means, and its reader.
  func open(_ id: String) throws(CommandFailure) -> OpenRecording {
    let entry = try find(id)
    do throws(LogError) {
      return OpenRecording(entry: entry, reader: try reader(of: entry))
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The recording that the user means.
  func find(_ id: String) throws(CommandFailure) -> CatalogueEntry {
    do throws(CatalogueError) {
      return try entry(for: id)
    } catch {
      throw CommandFailure(error)
    }
  }
}

/// A recording of the store, open for reading.
struct OpenRecording: ~Copyable {
  let entry: CatalogueEntry
  var reader: LogReader<FileStorage>
}
