// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recorder
import Text

extension DoctorCheck {
  static let store = DoctorCheck([
    "store": "whether recordings can be written",
    "room": "for how many hours there is room at the configured rate",
    "recording N": "the verdicts of the last three recordings",
    "recordings": "why they cannot be listed",
  ]) { subject in
    guard let store = subject.store else {
      return [Check("store", .unchecked("there is no home directory to keep recordings in"))]
    }
    let service = subject.configuration.store ?? ServiceUnit.store
    let checks = StoreChecks(
      store: store, configuration: subject.configuration,
      rates: subject.members.isEmpty
        ? [subject.configuration.rate] : subject.members.map(\.configuration.rate),
      tree: subject.tree,
      unit: store == service ? subject.unit : nil)
    return [Check("store", checks.directory()), Check("room", checks.room())] + checks.verdicts()
  }
}

/// Where recordings go, how much room there is, and what the last recordings say.
struct StoreChecks {
  let store: String
  let configuration: RecorderConfiguration
  /// The rate of each sensor.
  let rates: [SampleRate]
  let tree: SystemTree
  /// The installed service, where the store is its.
  let unit: ServiceUnit?

  /// Bytes of a sample in a log, rounded up (Tests/Benchmarks/Results.md).
  private static let sampleBytes = 8.0
  /// Recordings whose verdicts are looked at, and the bytes above which one takes too long to read.
  private static let (recordings, longest): (Int, UInt64) = (3, 64 << 20)
  /// Seconds of recording for which there should be room.
  private static let leastRoom = 3600.0

  /// Whether the file system has no owners, so that the mount decides whose the files are (mountinfo in proc(5)).
  private var isOwnerless: Bool {
    let lines = (tree.text("/proc/self/mountinfo", limit: 1 << 20) ?? "").split(separator: "\n")
    let path = (realPath(store) ?? store) + "/"
    let mount = lines.map { $0.split(separator: " ").map(String.init) }.last {
      $0.count > 9 && ($0[4] == "/" || path.hasPrefix($0[4].replacing("\\040", with: " ") + "/"))
    }
    return mount?.contains { ["vfat", "msdos", "exfat", "ntfs", "ntfs3"].contains($0) } ?? false
  }

  /// Whether a program is writing one of the newest recordings.
  static func isRecording(into store: String) -> Bool {
    guard access(store, F_OK) == 0 else { return false }
    do {
      let catalogue = try Catalogue(path: store)
      return try catalogue.list().entries.prefix(recordings).contains { try catalogue.isLive($0) }
    } catch {
      // A store that cannot be read is reported by its own check.
      return false
    }
  }

  /// The store, or the directory in which it will be made.
  private var existing: String {
    var path = store
    // One that may not be reached is there.
    while access(path, F_OK) != 0, errno != EACCES {
      guard let slash = path.lastIndex(of: "/") else { return "." }
      guard slash > path.startIndex else { return "/" }
      path = String(path[..<slash])
    }
    return path
  }

  func directory() -> Finding {
    let path = existing
    if let ofService = serviceRefusal(path) { return ofService }
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        return .wrong("it is not a directory; move it away, or choose another store")
      }
    } else if errno != EACCES {
      return .wrong("it cannot be looked at: \(Errno.words(errno))")
    }
    guard access(path, W_OK | X_OK) != 0 else {
      return .ok(path == store ? "it can be written" : "it will be made")
    }
    switch errno {
    case EROFS:
      return .wrong(
        "its file system is mounted read-only: the kernel does so after errors of the card, which dmesg shows; mount it "
          + "for writing, or replace the card")
    case EACCES where unit != nil && path == store:
      let right = NodeRight(path, .service, bits: 0o7, tree, at: path)
      return .advice(
        "the service writes it; to list and export from it: \(right.words)", right.mends)
    case EACCES where unit != nil: return .ok("the service will make it")
    default: return .wrong("it cannot be written: \(Errno.words(errno))")
    }
  }

  /// What keeps the service's user from the store, whatever root and the person may do.
  private func serviceRefusal(_ path: String) -> Finding? {
    // Without one, the check of the service's rights says so.
    guard let unit, let user = unit.user else { return nil }
    func refused(_ what: String, _ mend: Mend?) -> Finding {
      let wait = StoreChecks.isRecording(into: store) ? "; wait for its recording's end" : nil
      let reason = isOwnerless ? "; mount it with uid=imulog: its file system has no owners" : wait
      return .wrong(
        "the service's user \(what)\(reason ?? "")",
        reason == nil ? [mend].compactMap { $0 } : [])
    }
    if unit.isShut(above: store) { return .wrong(ServiceUnit.shut) }
    var status = stat()
    guard path == store else {
      // systemd makes the usual one when the service starts.
      let isMade = store == ServiceUnit.store || user.mayUse(path, .live, bits: 0o3)
      return isMade || access(path, F_OK) != 0
        ? nil : refused("may not make it in the directory above", nil)
    }
    guard stat(store, &status) == 0 else { return nil }
    guard user.mayUse(store, .live, bits: 0o7) else {
      let mode = NodeRight.octal(status.st_mode)
      return status.st_uid == user.user
        ? refused("may not write it: its mode is \(mode)", .run("chmod", "2770", store))
        : refused(
          "may not write it: it belongs to \(status.st_uid == 0 ? "root" : "another user"), with the mode \(mode)",
          unit.isUsual ? .giveToService(store) : nil)
    }
    // Lock, numbers and trash, as a recording that root made leaves them.
    let own = SystemTree.live.names(in: store).filter { $0.hasPrefix(".") }.sorted()
    guard let first = own.first(where: { !user.mayUse("\(store)/\($0)", .live) }) else {
      return nil
    }
    return refused(
      "may not write its \(first), which a recording by another user made",
      unit.isUsual ? .giveToService(store) : nil)
  }

  func room() -> Finding {
    guard let free = SystemTree.live.freeBytes(at: existing) else {
      return .unchecked("the file system of the store does not say")
    }
    let left = Double(free > configuration.reserve ? free - configuration.reserve : 0)
    let seconds = left / (StoreChecks.sampleBytes * rates.map(\.hertz).reduce(0, +))
    let figures: Finding.Figures = [
      ("free_bytes", "\(free)"), ("reserve_bytes", "\(configuration.reserve)"),
      ("bytes_a_sample", "\(Int(StoreChecks.sampleBytes))"),
    ]
    let rate = "at \(rates.map { Plain.hertz($0) }.joined(separator: " + ")) Hz"
    guard seconds >= StoreChecks.leastRoom else {
      return .wrong(
        "\(free / 1_000_000) MB are free and \(configuration.reserve / 1_000_000) MB stay reserved: less than an hour "
          + "\(rate); copy recordings away, and remove them", figures: figures)
    }
    let hours = seconds / 3600
    return .ok(
      "for \(hours < 9999 ? "\(Int(hours))" : "more than 9999") hours \(rate), estimated",
      figures: figures)
  }

  func verdicts() -> [Check] {
    let catalogue: Catalogue
    let entries: [CatalogueEntry]
    do {
      guard access(store, F_OK) == 0 else { return [] }
      catalogue = try Catalogue(path: store)
      entries = try catalogue.list().entries
    } catch {
      return [Check("recordings", .unchecked("\(error)"))]
    }
    return entries.prefix(StoreChecks.recordings).map { entry in
      Check("recording \(entry.number)", verdict(entry, catalogue))
    }
  }

  private func verdict(_ entry: CatalogueEntry, _ catalogue: Catalogue) -> Finding {
    do {
      var status = stat()
      guard stat(entry.path, &status) == 0 else {
        return .advice("its file cannot be found: \(Errno.words(errno))")
      }
      guard UInt64(status.st_size) <= StoreChecks.longest else {
        return .unchecked("it is long, and reading it takes a while")
      }
      guard try !catalogue.isLive(entry) else { return .unchecked("it is being written") }
      var reader = try LogReader(try FileStorage(reading: entry.path))
      let account = try reader.account(isLive: false, ofSamples: true)
      // No command: what a recording lacks is lost, and recover makes another one of what is left.
      return Finding(account.verdict == .good ? .ok : .advice, account.sentence)
    } catch {
      return .advice("\(error)")
    }
  }
}
