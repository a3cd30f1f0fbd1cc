// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Hub
import IMUModel
import LinuxIO
import Recorder
import Terminal
import Text

struct HubPruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove the oldest recordings of a hub, with what is derived from them.",
    discussion: """
      Age counts from when a recording came here until the last visit of any host. It goes to the trash of its \
      host's store for 30 days, and is not fetched again; `imulog --store DIR/logs/HOST restore` brings it back.
      """,
    examples: "imulog hub prune fleet --older 400d --print",
    "imulog hub prune fleet --most-bytes 2TB --empty-trash")

  @OptionGroup var hub: HubArgument

  @Option(
    parsing: .unconditional,
    help: .value("time", "Remove recordings that came here longer ago than this."),
    transform: SpanLimits.age.span)
  var older: Span?

  @Option(
    parsing: .unconditional,
    help: .value("bytes", "Remove the oldest until the logs have at most this: 500GB, 2TB."))
  var mostBytes: ByteCount?

  @Option(parsing: .unconditional, help: .value("name", "Remove recordings of this host alone."))
  var host: String?

  @Flag(help: "Only print what would be removed.")
  var print = false

  @Flag(help: "Then delete everything in the trash of the hosts for ever, to make room.")
  var emptyTrash = false

  func validate() throws {
    if older == nil, mostBytes == nil { throw ValidationError("give --older or --most-bytes") }
  }

  mutating func run() throws {
    let hub = try HubDirectory(path: self.hub.directory, create: false)
    let now = SystemClock().wallTime
    let lock = print ? try hub.lockForReading() : try hub.lock()
    let prune = HubPrune(hub, now: now)
    var rule = HubPrune.Rule()
    rule.before = older.map { now.nanoseconds / 1_000_000_000 - $0.nanoseconds / 1_000_000_000 }
    (rule.mostBytes, rule.host) = (mostBytes?.bytes, host)
    let (victims, remark) = try prune.victims(rule)
    let bytes = victims.reduce(UInt64(0)) { $0 + $1.byteCount }
    defer { if let remark { Console.talk(remark) } }
    if print {
      for victim in victims {
        let arrival = victim.arrival.map { LocalTime.text(seconds: $0) } ?? "-"
        let size = Plain.bytes(victim.byteCount)
        try Console.data("\(victim.host) \(victim.number) \(arrival) \(size)")
      }
      let found = Plain.count(victims.count, "recording")
      return Console.talk("\(found) would go, \(Plain.bytes(bytes))")
    }
    var failures: [CommandFailure] = []
    let (gone, trashed) = try prune.remove(victims, by: rule, isFinal: emptyTrash, lock) {
      failure in
      failures.append(failure)
      Console.talk(failure.sentence)
    }
    _ = consume lock
    let removed = Plain.count(gone, "recording")
    let result =
      emptyTrash
      ? "\(removed) removed, \(Plain.count(trashed, "recording")) in the trash deleted"
      : "\(removed) in the trash"
    guard let worst = failures.first else {
      return Console.talk(gone + trashed == 0 ? "nothing to remove" : result)
    }
    throw CommandFailure(
      worst.status, "\(result); not all could be removed, the lines above say why")
  }
}

/// An amount of bytes on the command line, as ``ByteText`` reads it.
struct ByteCount: ExpressibleByArgument {
  let bytes: UInt64

  init?(argument: String) {
    guard let bytes = ByteText.bytes(argument) else { return nil }
    self.bytes = bytes
  }
}
