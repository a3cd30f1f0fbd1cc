// SPDX-License-Identifier: Apache-2.0

import Doctor
import Glibc
import IMUModel
import LinuxIO
import Recorder

/// The timer of the configuration's `calendar`: systemd asks the service for a recording at its times.
struct CalendarTimer {
  private static let folder = "/etc/systemd/system/"

  /// Days and times, as systemd.time(7) has them.
  let calendar: String

  init(calendar: String) { self.calendar = calendar }

  /// The calendar of the configuration below `root`; `nil` without one.
  ///
  /// - Throws: what the configuration's reader throws; a refusal when systemd is here and does not understand the calendar,
  ///   finds no time to come, or does not answer.
  init?(root: String) throws {
    let path = root + ConfigurationFile.usualPath
    guard access(path, F_OK) == 0 else { return nil }
    let configuration = try ConfigurationFile.read(
      try WholeFile.read(path), file: path,
      within: Confinement(unit: ServiceUnit(SystemTree(root: root), usual: InstalledFile.unit(""))))
    guard let calendar = configuration.calendar else { return nil }
    if let fault = try CalendarTimer.fault(of: calendar, path) {
      throw CommandFailure(
        .configuration,
        "\(path): calendar = \(calendar): \(fault); try it with `systemd-analyze calendar \"\(calendar)\"`"
      )
    }
    self.calendar = calendar
  }

  /// A calendar's fault by systemd; `nil` without one, or without systemd.
  private static func fault(of calendar: String, _ path: String) throws -> String? {
    let ending: OtherProcess.Ending
    do throws(LinuxIOError) {
      ending = try OtherProcess("systemd-analyze", ["calendar", "--", calendar])
        .finish(within: patience)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
    guard !ending.isLate else {
      throw CommandFailure(
        .tryAgain,
        "\(path): calendar = \(calendar): `systemd-analyze calendar` did not end within 5 s; try it by hand, and install again"
      )
    }
    guard ending.status == 0 else { return "systemd does not understand it" }
    // The day is over, or in no year.
    let isNever = ending.output.split(separator: UInt8(ascii: "\n")).contains {
      $0.drop { $0 == UInt8(ascii: " ") }.elementsEqual("Next elapse: never".utf8)
    }
    return isNever ? "it has no time that is still to come" : nil
  }

  /// Nanoseconds that systemd may take to check a calendar; it takes some milliseconds.
  private static var patience: Int64 { 5_000_000_000 }

  /// The timer, and the service that it starts.
  ///
  /// - Parameter program: The program's path.
  func files(program: String) -> [InstalledFile] {
    [
      InstalledFile(
        path: CalendarTimer.folder + "imulog-calendar.timer",
        text: InstalledFile.text(
          PackageResources.imulog_calendar_timer, ["CALENDAR": calendar])),
      InstalledFile(
        path: CalendarTimer.folder + "imulog-calendar.service",
        text: InstalledFile.text(
          PackageResources.imulog_calendar_service,
          ["HARDENING": InstalledFile.hardening, "PROGRAM": program])),
    ]
  }

  /// For the owner, once the files are written.
  static let command =
    "sudo systemctl daemon-reload && sudo systemctl enable --now imulog-calendar.timer"

  /// For the owner, after ``remove(root:)``.
  static let stopCommand =
    "sudo systemctl stop imulog-calendar.timer && sudo systemctl daemon-reload"

  /// Removes the files of a calendar that the configuration no longer has.
  ///
  /// - Returns: The removed ones.
  static func remove(root: String) throws(CommandFailure) -> [String] {
    var removed: [String] = []
    let files = CalendarTimer(calendar: "").files(program: "").map(\.path)
    for path in [folder + "timers.target.wants/imulog-calendar.timer"] + files {
      if unlink(root + path) == 0 {
        removed.append(root + path)
      } else if errno != ENOENT, errno != ENOTDIR {
        let code = errno
        let status: ExitStatus = code == EACCES || code == EPERM ? .noPermission : .cannotCreate
        throw CommandFailure(
          status, "cannot remove \(root)\(path): \(Errno.words(code)); run it with sudo")
      }
    }
    return removed
  }
}
