// SPDX-License-Identifier: Apache-2.0

import Doctor
import IMUModel
import LinuxIO

/// Directories that the service does not see, and those in which it may not write.
struct Confinement: Sendable {
  enum Reach: Sendable { case hidden, readOnly, writable }

  /// The unit's settings and the directories of each, inner ones after outer ones.
  static let table: [(setting: String, reach: Reach, directories: [String])] = [
    ("ProtectSystem=strict", .readOnly, ["/"]),
    ("PrivateTmp=yes", .hidden, ["/tmp", "/var/tmp"]),
    ("ProtectHome=yes", .hidden, ["/home", "/root", "/run/user"]),
  ]
  static let hiding = table.filter { $0.reach == .hidden }

  /// Directories without links; the last one that contains a path counts.
  private let places: [(directory: String, reach: Reach)]

  /// What is hidden from a process with these mounts (mountinfo in proc(5)). Directories that cannot be written count as
  /// writable: a stick may be mounted there later, and opening a file reports it.
  init(mounts: String) {
    places = mounts.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 9 else { return nil }
      // Mounts of systemd over a directory that it hides.
      let isHidden = ["/systemd/inaccessible/", "/systemd-private-"].contains {
        words[3].parts(around: $0) != nil
      }
      return (words[4].replacing("\\040", with: " "), isHidden ? .hidden : .writable)
    }
  }

  /// What the service's unit hides; with drop-ins or another unit nothing, because only systemd knows their effect.
  /// Without a unit, only what is hidden counts: drop-ins may let it write.
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

  /// How to let the service write, from its next start on.
  static let opening =
    "add ReadWritePaths=DIR (`sudo systemctl edit imulog`), and restart it when `imulog status` shows no recording"

  /// A path without links, as far as it is there.
  private static func resolved(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return realPath(path) ?? resolved(String(path[..<slash])) + path[slash...]
  }
}
