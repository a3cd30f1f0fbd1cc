// SPDX-License-Identifier: Apache-2.0

/// The files that make a machine a hub: a service that runs a round, and the timer that starts it.
enum HubUnits {
  static let directory = "/var/lib/imulog-hub/fleet"

  /// - Parameter program: The program's path in the unit.
  static func all(program: String) -> [InstalledFile] {
    [
      InstalledFile(
        path: "/etc/systemd/system/imulog-hub.service",
        text: InstalledFile.text(
          PackageResources.imulog_hub_service,
          ["DIRECTORY": directory, "HARDENING": InstalledFile.hardening, "PROGRAM": program])),
      InstalledFile(
        path: "/etc/systemd/system/imulog-hub.timer",
        text: InstalledFile.text(PackageResources.imulog_hub_timer)),
      InstalledFile(
        path: "/etc/sysusers.d/imulog-hub.conf",
        text: InstalledFile.text(PackageResources.imulog_hub_sysusers)),
    ]
  }

  /// For the owner, once the files are written.
  static func commands(program: String) -> String {
    let own = "/var/lib/imulog-hub"
    return """
      sudo systemd-sysusers imulog-hub.conf              # the user imulog-hub
      sudo install -d -o imulog-hub -g imulog-hub \(own) \(directory)
      sudo install -d -m 700 -o imulog-hub -g imulog-hub \(own)/.ssh
      sudo -u imulog-hub ssh-keygen -t ed25519 -N '' -f \(own)/.ssh/id_ed25519
      # Copy \(own)/.ssh/id_ed25519.pub to each recorder, and there:
      #   sudo imulog install --hub-key id_ed25519.pub
      sudo -u imulog-hub ssh pi@10.0.0.7                  # once for each, to compare its host key
      sudo -u imulog-hub \(program) hub add \(directory) pump-7 pi@10.0.0.7
      sudo systemctl daemon-reload
      sudo systemctl enable --now imulog-hub.timer
      """
  }
}
