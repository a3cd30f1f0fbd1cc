// SPDX-License-Identifier: Apache-2.0

/// The files that make a machine a hub: a service that runs a round, and the timer that starts it.
enum HubUnits {
  static let directory = "/var/lib/imulog-hub/fleet"

  /// - Parameter program: The program's path in the unit.
  static func all(program: String) -> [InstalledFile] {
    [
      InstalledFile(path: "/etc/systemd/system/imulog-hub.service", text: unit(program)),
      InstalledFile(path: "/etc/systemd/system/imulog-hub.timer", text: timer),
      InstalledFile(path: "/etc/sysusers.d/imulog-hub.conf", text: users),
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

  private static func unit(_ program: String) -> String {
    """
    [Unit]
    Description=imulog hub: a visit of every recorder
    Documentation=man:imulog-hub(1)
    Wants=network-online.target
    After=network-online.target

    [Service]
    Type=oneshot
    ExecStart=\(program) hub \(directory)
    # 75: a recorder is slow or used; the next round goes on.
    SuccessExitStatus=75

    User=imulog-hub
    Group=imulog-hub
    # Its home too: the key and the known hosts of ssh are in .ssh there.
    StateDirectory=imulog-hub
    StateDirectoryMode=0750
    UMask=0027
    Nice=10
    # What derives from one recording is killed first, alone.
    OOMPolicy=continue

    CapabilityBoundingSet=
    \(InstalledFile.hardening)
    PrivateDevices=yes
    ProtectClock=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
    RestrictRealtime=yes
    SystemCallFilter=@system-service
    SystemCallErrorNumber=EPERM

    """
  }

  private static let timer = """
    [Unit]
    Description=Visits of imulog's recorders

    [Timer]
    OnBootSec=1min
    # After the end of a round, however long that took.
    OnUnitInactiveSec=1min
    AccuracySec=1s

    [Install]
    WantedBy=timers.target

    """

  private static let users = """
    #Type Name       ID  GECOS         Home                Shell
    u     imulog-hub -   "imulog hub"  /var/lib/imulog-hub

    """
}
