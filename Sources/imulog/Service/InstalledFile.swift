// SPDX-License-Identifier: Apache-2.0

import Doctor
import Files
import Recorder

/// A file that makes the program a service of the machine.
struct InstalledFile {
  let path: String
  let text: String
  /// Whether an existing file is the user's and is kept.
  var isKept = false

  /// The purpose and path of each file that `imulog install` and `doctor` may write, for the scripts of packages.
  static var list: String {
    let files =
      all(program: "").map { ($0.isKept ? "configuration" : "service", $0) }
      + CalendarTimer(calendar: "").files(program: "").map { ("calendar", $0) }
      + HubUnits.all(program: "").map { ("hub", $0) }
    return (files.map { "\($0) \($1.path)" } + Mend.files.map { "doctor \($0)" })
      .joined(separator: "\n")
  }

  /// The service's files, without its calendar's.
  ///
  /// - Parameter program: The program's path in the unit.
  static func all(program: String) -> [InstalledFile] {
    [
      InstalledFile(path: "/etc/systemd/system/imulog.service", text: unit(program)),
      InstalledFile(
        path: "/etc/udev/rules.d/60-imulog.rules", text: text(PackageResources.imulog_rules)),
      InstalledFile(
        path: "/etc/sysusers.d/imulog.conf", text: text(PackageResources.imulog_sysusers)),
      InstalledFile(path: "/etc/modules-load.d/imulog.conf", text: "i2c-dev\n"),
      InstalledFile(
        path: ConfigurationFile.usualPath, text: RecorderConfiguration.example, isKept: true),
    ]
  }

  /// For the owner, once the files are written.
  static let commands = """
    sudo systemd-sysusers imulog.conf                  # the user imulog, and the groups i2c and gpio
    sudo modprobe i2c-dev
    sudo udevadm control --reload && sudo udevadm trigger
    sudo usermod -aG imulog "$USER"                    # to read recordings and to command; then log in again
    sudo systemctl daemon-reload
    sudo systemctl enable --now imulog
    """

  static func unit(_ program: String) -> String {
    text(PackageResources.imulog_service, ["HARDENING": hardening, "PROGRAM": program])
  }

  /// Settings of all units: what the program does not need.
  static let hardening = String(
    text(
      PackageResources.hardening_txt,
      ["CONFINEMENT": Confinement.table.map(\.setting).joined(separator: "\n")]
    ).dropLast())

  /// The text of a file in `Units`, with values of the words that stand between two @ there. A user's value comes last, so
  /// that none of its words is replaced.
  static func text(_ unit: [UInt8], _ values: KeyValuePairs<String, String> = [:]) -> String {
    values.reduce(String(decoding: unit, as: UTF8.self)) { text, value in
      text.replacing("@\(value.key)@", with: value.value)
    }
  }
}
