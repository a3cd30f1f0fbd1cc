// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing

@testable import Doctor
@testable import imulog

/// The service sees less than a person's shell.
@Suite("What the unit hides from the service", .waitsForPrograms)
struct ConfinementTests {
  /// As the kernel shows them to the service, which a drop-in lets write to a stick.
  private static let mounts = """
    598 500 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
    599 598 8:3 / /home/pi/card rw,relatime - ext4 /dev/sdc1 rw
    600 598 254:0 / / ro,relatime shared:200 - ext4 /dev/vda rw
    601 600 0:25 /systemd/inaccessible/dir /home ro,nosuid shared:5 - tmpfs tmpfs rw,mode=755
    602 600 254:0 /tmp/systemd-private-1a-imulog.service-2b/tmp /tmp rw,relatime - ext4 /dev/vda rw
    603 600 254:0 /var/lib/imulog/recordings /var/lib/imulog/recordings rw - ext4 /dev/vda rw
    604 600 8:1 / /mnt/my\\040stick rw,relatime - vfat /dev/sda1 rw
    605 600 8:2 / /mnt/broken ro,relatime - ext4 /dev/sdb1 ro
    """

  @Test(
    "the last mount around a path decides; a shell without those of systemd decides nothing",
    arguments: [
      ("/home/pi/left.cal", false, "hides /home from it; copy the file to /etc/imulog/"),
      ("/etc/../home/pi/left.cal", false, "hides /home"), ("/tmp/left.cal", false, "hides /tmp"),
      ("/tmp/imu", true, "hides /tmp from it; choose another directory"),
      // Mounted over.
      ("/home/pi/card/imu", true, "hides /home"),
      // A stick's may be mounted later.
      ("/srv/imu", true, nil), ("/srv/left.cal", false, nil),
      ("/homes/left.cal", false, nil), ("/etc/imulog/left.cal", false, nil),
      ("/var/lib/imulog/recordings", true, nil), ("/mnt/my stick/imu", true, nil),
      // The card's own fault, which opening names.
      ("/mnt/broken/imu", true, nil),
    ] as [(String, Bool, String?)])
  func refusal(_ path: String, _ isStore: Bool, _ words: String?) {
    let reason = Confinement(mounts: Self.mounts).refusal(path, isStore: isStore)
    #expect(words.map { reason?.contains($0) == true } ?? (reason == nil), "\(reason ?? "")")
    let shell = Self.mounts.replacing("systemd", with: "other")
    #expect(Confinement(mounts: shell).refusal(path, isStore: isStore) == nil)
  }

  @Test(
    "the service ends for good with file, line, reason and remedy; a person's own only misses the file",
    .enabled(if: SmallDisk.isPossible, "\(SmallDisk.reason)"))
  func service() {
    let bench = Bench()
    let path = bench.file("imulog.conf", "board = simulator\ncalibration = /home/pi/left.cal\n")
    let outcome = bench.shell(
      "mkdir -p systemd/inaccessible/dir && exec unshare -m sh -c 'mount --bind systemd/inaccessible/dir /home "
        + "&& exec \(Child.program) daemon --config \(path)'")
    expectSentence(
      outcome, 78, ["\(path):2: calibration = /home/pi/left.cal: the service's unit hides /home"])
    expectSentence(bench.run("daemon", "--config", path), 66, ["opening /home/pi/left.cal"])
    // It may not write, which may change: systemd starts it again.
    let store = bench.file(
      "store.conf", "board = simulator\nstore = \(bench.directory.path)/card/imu\n")
    expectSentence(
      bench.shell(
        "mkdir card && exec unshare -m sh -c 'mount --bind systemd/inaccessible/dir /home && mount --bind card card "
          + "&& mount -o remount,ro,bind card && exec \(Child.program) daemon --config \(store) --socket $PWD/control'"
      ),
      73, ["card/imu", "read-only (EROFS)", "ReadWritePaths=DIR"])
  }

  @Test("doctor and install judge by the unit; beside drop-ins the service itself does")
  func unit() throws {
    let machine = FakeMachine()
    func configuration(_ line: String) throws -> JSON {
      machine.write(line + "\n", to: "etc/imulog/imulog.conf")
      return try #require(try machine.doctor().checks["configuration"])
    }
    let file = "calibration = /home/pi/left.cal"
    // Nothing is confined before there is a unit, but it will be by the one that install writes.
    #expect(try configuration(file)["words"].text?.contains("unit") == false)
    machine.bench.refuses(
      "install --root \(machine.root)", 78,
      "imulog.conf:1: \(file): the service's unit hides /home from it; copy the file")
    #expect(machine.bench.directory.names(in: "machine/etc") == ["imulog"])
    #expect(try configuration("store = /srv/imu").says("ok"))
    machine.bench.run("install", "--root", machine.root).expect(0)
    for (line, words) in [(file, "hides /home"), ("store = /srv/imu", "ReadWritePaths=DIR")] {
      #expect(try configuration(line).says("wrong", words), "\(line)")
    }
    #expect(try configuration("store = /var/lib/imulog/recordings").says("ok"))
  }

  @Test(
    "beside any drop-in the paths are left to the service",
    arguments: [
      "imulog.service.d/override.conf:ReadWritePaths=/srv/imu",
      "imulog.service.d/override.conf:ReadWritePaths = \"/srv/imu\"",
      "imulog.service.d/override.conf:ProtectSystem=full",
      "imulog.service.d/override.conf:BindPaths=/srv/imu",
      "service.d/all.conf:ProtectSystem=no", "imulog.service:ProtectSystem=no",
    ])
  func dropIns(_ row: String) throws {
    let machine = FakeMachine()
    machine.bench.run("install", "--root", machine.root).expect(0)
    let line = try #require(row.parts(around: ":"))
    machine.write("[Service]\n\(line.after)\n", to: "etc/systemd/system/\(line.before)")
    machine.write("store = /srv/imu\ncalendar = daily\n", to: "etc/imulog/imulog.conf")
    #expect(try machine.doctor().checks["configuration"]?.says("ok") == true)
    machine.bench.run("install", "--root", machine.root).expect(0)
  }
}
