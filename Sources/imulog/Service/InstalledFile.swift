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
      InstalledFile(path: "/etc/udev/rules.d/60-imulog.rules", text: rules),
      InstalledFile(path: "/etc/sysusers.d/imulog.conf", text: users),
      InstalledFile(path: "/etc/modules-load.d/imulog.conf", text: modules),
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
    """
    [Unit]
    Description=imulog motion recorder
    Documentation=man:imulog-daemon(1) man:imulog-service(7) man:imulog.conf(5)
    After=local-fs.target systemd-modules-load.service
    StartLimitIntervalSec=0

    [Service]
    Type=notify
    ExecStart=\(program) daemon
    ExecReload=/bin/kill -HUP $MAINPID
    # Fed while the sampler delivers records, not by a timer; off while nothing is sampled.
    WatchdogSec=10
    # No restart mends a wrong command (64) or configuration (78). A calibration that is missing, not whole or not
    # readable (66, 65, 77) may still come: a recorder that stays down loses more than restarts in vain cost, and they have
    # no limit. A service ended by the button stays ended.
    Restart=on-failure
    RestartSec=2
    RestartPreventExitStatus=64 78
    # The end of a recording waits for a card that stalls, up to 20 s.
    TimeoutStopSec=30

    User=imulog
    Group=imulog
    SupplementaryGroups=i2c gpio
    # Members of the group remove recordings and take numbers, so lock and trash belong to the group, too.
    UMask=0007
    StateDirectory=imulog/recordings
    StateDirectoryMode=2770
    RuntimeDirectory=imulog
    RuntimeDirectoryMode=0750
    Environment=IMULOG_STORE=/var/lib/imulog/recordings

    # Only the sampler thread requests real-time scheduling; the others are ordinary.
    LimitRTPRIO=80
    LimitMEMLOCK=infinity
    OOMScoreAdjust=-500

    # Exactly these devices. PrivateDevices= would hide them.
    DevicePolicy=closed
    DeviceAllow=char-i2c rw
    DeviceAllow=char-gpiochip rw
    DeviceAllow=/dev/cpu_dma_latency w

    # To ask whether a program has a member's recording open, before it is deleted to make room; for its own recordings the
    # service needs no capability. A container without it starts the service anyway (systemd 246 and later), and recordings
    # that may be open are deleted last.
    CapabilityBoundingSet=CAP_LEASE
    AmbientCapabilities=CAP_LEASE
    \(hardening)
    PrivateNetwork=yes
    RestrictAddressFamilies=AF_UNIX
    # adjtimex reads whether the clock is synchronised; ProtectClock= would forbid it. Without CAP_SYS_TIME the service
    # cannot set the clock.
    SystemCallFilter=@system-service adjtimex clock_adjtime
    SystemCallErrorNumber=EPERM

    [Install]
    WantedBy=multi-user.target

    """
  }

  /// Settings of all units: what the program does not need.
  static let hardening = """
    \(Confinement.table.map(\.setting).joined(separator: "\n"))
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    NoNewPrivileges=yes
    ProtectControlGroups=yes
    ProtectHostname=yes
    ProtectKernelLogs=yes
    ProtectKernelModules=yes
    ProtectKernelTunables=yes
    RestrictNamespaces=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native
    """

  private static let rules = """
    # Sensors and buttons for the groups i2c and gpio.
    SUBSYSTEM=="i2c-dev", GROUP="i2c", MODE="0660"
    SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"
    # Limits the processors' sleep during a recording.
    SUBSYSTEM=="misc", KERNEL=="cpu_dma_latency", GROUP="imulog", MODE="0660"

    """

  private static let users = """
    #Type Name   ID  GECOS                     Home
    g     i2c    -
    g     gpio   -
    u     imulog -   "imulog motion recorder"  /var/lib/imulog
    m     imulog i2c
    m     imulog gpio

    """

  private static let modules = """
    i2c-dev

    """
}
