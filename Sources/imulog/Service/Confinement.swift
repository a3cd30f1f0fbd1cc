// SPDX-License-Identifier: Apache-2.0

import Doctor
import IMUModel
import LinuxIO

/// What the unit keeps from the service: directories that it does not see, and those in which it may not write.
struct Confinement: Sendable {
  enum Reach: Sendable { case hidden, readOnly, writable }

  /// The settings that do so, and the directories that each is about, the inner ones after those around them. The unit's
  /// lines are made of it.
  static let table: [(setting: String, reach: Reach, directories: [String])] = [
    ("ProtectSystem=strict", .readOnly, ["/"]),
    ("PrivateTmp=yes", .hidden, ["/tmp", "/var/tmp"]),
    ("ProtectHome=yes", .hidden, ["/home", "/root", "/run/user"]),
  ]
  static let hiding = table.filter { $0.reach == .hidden }

  /// Directories, without links; of those around a path the last one counts.
  private let places: [(directory: String, reach: Reach)]

  /// What is hidden from a process with these mounts (mountinfo in proc(5)): drop-ins count, and a person's own shell has
  /// none. Where it may not write, the next start may find a stick that is mounted later: opening names that.
  init(mounts: String) {
    places = mounts.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 9 else { return nil }
      // What systemd mounts over a directory that it hides.
      let isHidden = ["/systemd/inaccessible/", "/systemd-private-"].contains {
        words[3].parts(around: $0) != nil
      }
      return (words[4].replacing("\\040", with: " "), isHidden ? .hidden : .writable)
    }
  }

  /// That of the service's unit, and nothing beside drop-ins or for another unit: only systemd knows what they come to.
  /// Where there is none yet, that of one which drop-ins will let write the store.
  init(unit: ServiceUnit?) {
    let rows = unit.map { $0.isOwn ? Confinement.table : [] } ?? Confinement.hiding
    places =
      rows.flatMap { row in row.directories.map { (Confinement.resolved($0), row.reach) } }
      + [(Confinement.resolved(ServiceUnit.store), .writable)]
  }

  /// Why the service cannot use a path of its configuration, and what to do; `nil` where it can.
  func refusal(_ path: String, isStore: Bool) -> String? {
    let path = Confinement.resolved(path)
    let place = places.last {
      path == $0.directory || path.hasPrefix($0.directory == "/" ? "/" : $0.directory + "/")
    }
    switch place?.reach {
    case .hidden:
      let remedy = isStore ? "choose another directory" : "copy the file to /etc/imulog/"
      return "\(ServiceUnit.hides) \(place?.directory ?? path) from it; \(remedy)"
    case .readOnly where isStore: return "the service may not write there; \(Confinement.opening)"
    default: return nil
    }
  }

  /// What lets the service write. Until it is started again, it sees what it saw.
  static let opening =
    "add ReadWritePaths=DIR (`sudo systemctl edit imulog`), and restart it when `imulog status` shows no recording"

  /// A path without links, as far as it is there.
  private static func resolved(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return realPath(path) ?? resolved(String(path[..<slash])) + path[slash...]
  }
}
