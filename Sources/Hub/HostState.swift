// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import Remote
import Text

/// What the last visits of a host showed. The file's modification time is when the host was seen last. Small changes of
/// its clock and its free space do not rewrite the file.
package struct HostState: Equatable, Sendable {
  package struct Machine: Equatable, Sendable {
    package var software: String
    /// Least nanoseconds by which its clock is ahead of the hub's; see ``RemoteMachine/clockOffset(now:)``.
    package var clockOffset: Int64
    /// Whether its kernel considers the clock synchronised.
    package var isSynchronised: Bool
    package var freeBytes: UInt64?
    /// The state of its service; `nil` where none answers.
    package var recorder: String?
    /// Why its service cannot record.
    package var problem: String?

    /// Nanoseconds of difference that a clock may have: one that is not set is off by days or years.
    static let wrongClock: UInt64 = 86400 * 1_000_000_000
    /// Whether its clock, or the hub's, must be wrong.
    var isClockWrong: Bool { clockOffset.magnitude > Machine.wrongClock }
  }

  /// `nil` before it was asked, and from an older imulog.
  package var machine: Machine?
  /// Recordings that it has and the hub lacks, running ones included; `nil` before its first list.
  package var backlog: Int?
  /// Why the last visit failed.
  package var problem: String?
  /// The labels of its line at the last visit.
  package var labels: [HubHost.Label] = []
  /// When it was seen last, in seconds since 1970; `nil` if it never was.
  package var seen: Int64?

  /// Nanoseconds of change of a clock's offset that are not kept.
  private static let sameOffset: UInt64 = 1_000_000_000

  /// A host before its first visit.
  init() {}

  /// Reads the state that a hub keeps; without one, it is that before the first visit.
  init(of host: String, in hub: HubDirectory) throws(CommandFailure) {
    do throws(StorageError) {
      let file = try hub.files.open(
        hub.path(.state, of: host), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      // The next visit replaces one that cannot be read.
      if let state = HostState(json: try file.beginning(HostState.longest)) { self = state }
      let changed = Int64(try file.status().st_mtim.tv_sec)
      seen = changed > 0 ? changed : nil
    } catch {
      if !error.isMissing { throw HubError.failure(error) }
    }
  }

  /// More bytes than any state has.
  private static let longest = 1 << 16

  private init?(json bytes: [UInt8]) {
    var reader = JSONReader(bytes)
    do throws(JSONReader.Failure) {
      guard try reader.enterObject() else { return nil }
      while let key = try reader.nextKey() {
        switch key {
        case "backlog": backlog = try reader.integer()
        case "problem": problem = try reader.string()
        case "machine": machine = try Machine(&reader)
        case "labels":
          guard try reader.enterObject() else { return nil }
          while let key = try reader.nextKey() {
            labels.append(HubHost.Label(name: key.text, value: try reader.string() ?? ""))
          }
        default: try reader.skip()
        }
      }
      try reader.end()
    } catch {
      return nil
    }
  }

  var json: String {
    JSONWriter.document { json in
      json.member("backlog", backlog)
      json.member("problem", problem)
      json.machine(machine)
      json.key("labels")
      json.object(of: labels)
    }
  }

  /// Keeps what a visit showed; `time` is when the host answered, in seconds since 1970.
  func keep(of host: String, in hub: HubDirectory, seen time: Int64?) throws {
    let old = try HostState(of: host, in: hub)
    var new = self
    if let here = new.machine, let there = old.machine, here.isLike(there) { new.machine = there }
    new.seen = time ?? old.seen
    guard new != old else { return }
    if new.json != old.json || old.seen == nil {
      let file = try DerivedFile("\(host).state", in: hub)
      try Array((new.json + "\n").utf8).withBytes { bytes throws(StorageError) in
        try file.write(bytes)
      }
      // Before it appears: killed in between, the host would have been seen now.
      try file.date(seconds: new.seen ?? 0)
      _ = try file.publish(as: "state/\(host)")
    }
    let file = try hub.files.open(
      hub.path(.state, of: host), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try file.date(seconds: new.seen ?? 0)
  }
}

extension HostState.Machine {
  init(_ machine: RemoteMachine, now: WallTime) {
    software = machine.software
    clockOffset = machine.clockOffset(now: now)
    isSynchronised = machine.wall.isSynchronised
    freeBytes = machine.freeBytes
    recorder = machine.recorder
    problem = machine.problem
  }

  fileprivate init?(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    guard try reader.enterObject() else { return nil }
    self.init(software: "", clockOffset: 0, isSynchronised: false)
    while let key = try reader.nextKey() {
      switch key {
      case "software": software = try reader.string() ?? ""
      case "clockOffset_ns": clockOffset = try reader.integer() ?? 0
      case "clock_synchronised": isSynchronised = try reader.bool() ?? false
      case "free_bytes": freeBytes = try reader.integer()
      case "recorder": recorder = try reader.string()
      case "problem": problem = try reader.string()
      default: try reader.skip()
      }
    }
  }

  /// Whether nothing but the last digits of the clock and of the free space differs: a second, and a twentieth.
  fileprivate func isLike(_ other: Self) -> Bool {
    var same = self
    let change = clockOffset.subtractingReportingOverflow(other.clockOffset)
    if !change.overflow, change.partialValue.magnitude <= HostState.sameOffset {
      same.clockOffset = other.clockOffset
    }
    if let here = freeBytes, let there = other.freeBytes,
      max(here, there) - min(here, there) <= max(here, there) / 20
    {
      same.freeBytes = there
    }
    return same == other
  }
}

extension [HostState.Machine] {
  /// Whether most of their clocks differ from the hub's, which is then the wrong one.
  var disagree: Bool { 2 * count(where: \.isClockWrong) > count }
}

extension JSONWriter {
  mutating func object(of labels: [HubHost.Label]) {
    object { json in for label in labels { json.member(label.name, label.value) } }
  }

  mutating func machine(_ machine: HostState.Machine?) {
    key("machine")
    guard let machine else { return null() }
    object { json in
      json.member("software", machine.software)
      json.member("clockOffset_ns", machine.clockOffset)
      json.member("clock_synchronised", machine.isSynchronised)
      json.member("free_bytes", machine.freeBytes)
      json.member("recorder", machine.recorder)
      json.member("problem", machine.problem)
    }
  }
}
