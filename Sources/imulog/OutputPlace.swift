// SPDX-License-Identifier: Apache-2.0

import Export
import Glibc
import IMUModel
import LogStore

/// Where an export must not be written.
enum OutputPlace {
  /// Refuses an empty name, a recording, and what the store keeps beside recordings, through any link or name.
  ///
  /// The store's own files and directories begin with a point: labels, calibrations, the trash, locks.
  static func refuse(_ output: String, in catalogue: Catalogue) throws {
    guard !output.isEmpty else {
      throw CommandFailure(.usage, "-o has an empty name; give a file, or - for stdout")
    }
    if let file = FileIdentity(path: output) {
      for entry in try catalogue.list().entries where FileIdentity(path: entry.path) == file {
        throw CommandFailure(
          .usage, "-o \(output) is recording \(entry.number) itself; choose another -o FILE")
      }
    }
    guard let store = real(catalogue.path),
      let place = real(PendingFile.target(of: output) ?? output),
      place.hasPrefix(store + "/")
    else { return }
    let own = place.dropFirst(store.utf8.count + 1).split(separator: "/").contains {
      $0.hasPrefix(".")
    }
    guard !own else {
      throw CommandFailure(
        .usage,
        "-o \(output) is among the store's own files, those that begin with a point; choose another -o FILE"
      )
    }
  }

  /// The path without links and points; of a file that is not there, by its directory. `nil` where that is not there.
  private static func real(_ path: String) -> String? {
    if let found = resolved(path) { return found }
    var name = path[...]
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    let slash = name.lastIndex(of: "/")
    let directory = slash.map { $0 == name.startIndex ? "/" : String(name[..<$0]) } ?? "."
    let last = slash.map { name[name.index(after: $0)...] } ?? name
    return resolved(directory).map { ($0 == "/" ? "" : $0) + "/" + last }
  }

  private static func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
