// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat

/// What is left of hosts without a store. Their ledgers and states stay: what was pruned is not fetched again, and a store
/// that comes back with its disk gets the same tables.
extension HubDirectory {
  /// The hosts without a store that have rows or files in tables, in order.
  func goneHosts() throws -> [String] {
    var hosts = Set(try names(in: path(.rows, of: "")))
    for table in HubDirectory.tables {
      for name in try names(in: "\(path)/\(table)") where name.hasPrefix("host=") {
        hosts.insert(String(name.dropFirst("host=".count)))
      }
    }
    return try hosts.filter { HostFile.isName($0) }.filter {
      try files.isDirectory(logs(of: $0)) == nil
    }
    .sorted()
  }

  /// Removes a host's files in the tables, and its rows; returns the number of files. Files that no hub makes stay.
  func dropTables(of host: String) throws -> Int {
    var places = try filesInTables(of: host).map(\.place)
    if try files.isDirectory("\(path)/\(table(of: host))") != nil { places.append(table(of: host)) }
    for place in places.sorted() { try files.remove("\(path)/\(place)") }
    // Last: killed before, the next round finds the rest.
    try files.remove(path(.rows, of: host))
    return places.count
  }

  func filesInTables(
    of host: String
  ) throws -> [(place: String, id: RecordingID, date: String)] {
    let places = try HubTable.all.flatMap { try contents(of: "\($0.name)/host=\(host)") }
    return places.compactMap { place in
      let parts = place.split(separator: "/")
      guard parts.count == 4, parts[2].hasPrefix("date="), parts[3].hasSuffix(".parquet"),
        let id = RecordingID(parts[3].dropLast(".parquet".count))
      else { return nil }
      return (place, id, String(parts[2].dropFirst("date=".count)))
    }
  }

  /// Places of all files below a directory of the hub, in order.
  func contents(of place: String) throws -> [String] {
    guard try files.isDirectory("\(path)/\(place)") == true else { return [] }
    return try files.names(in: "\(path)/\(place)").sorted().flatMap { name in
      let inner = "\(place)/\(name)"
      let status = try files.status("\(path)/\(inner)", followsLink: false)
      return try status.st_mode & S_IFMT == S_IFDIR ? contents(of: inner) : [inner]
    }
  }

  static let tables = HubTable.all.map(\.name) + ["recordings"]

  /// Places where a recording may have files, by the dates of its folders.
  func places(of id: RecordingID, host: String, dates: Set<String>) -> [String] {
    dates.sorted().flatMap { date in
      HubTable.all.map { place($0, of: id, host: host, date: date) }
    }
  }

  /// Names in a directory; none where there is no directory.
  private func names(in folder: String) throws -> [String] {
    guard try files.isDirectory(folder) == true else { return [] }
    return try files.names(in: folder)
  }
}
