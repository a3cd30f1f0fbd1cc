// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Hub
import IMUModel
import LinuxIO
import Recorder
import Terminal
import Text

/// `imulog hub prune`: removes recordings by a rule.
struct HubPruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove the oldest recordings of a hub by a rule, with what is derived from them.",
    discussion: """
      A recording counts from when it came here, whatever its clock said, until the last visit of any host. It goes to the trash of its host's \
      store for 30 days, and is not fetched again; `imulog --store DIR/logs/HOST restore` brings \
      it back.

      Examples:
        imulog hub prune fleet --older 400d --print
        imulog hub prune fleet --most-bytes 2TB --empty-trash
      """)

  @Argument(
    help: ArgumentHelp("The hub's directory.", valueName: "dir"), completion: .directory)
  var directory: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Remove recordings that came here longer ago than this.", valueName: "time"),
    transform: SpanLimits.age.span)
  var older: Span?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Remove the oldest until the logs have no more than this: 500GB, 2TB.", valueName: "bytes"))
  var mostBytes: ByteCount?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Remove recordings of this host alone.", valueName: "name"))
  var host: String?

  @Flag(help: "Only print what would be removed.")
  var print = false

  @Flag(help: "Then delete everything in the trash of the hosts for ever, to make room.")
  var emptyTrash = false

  func validate() throws {
    if older == nil, mostBytes == nil {
      throw ValidationError("say what is to go, with --older or --most-bytes")
    }
  }

  mutating func run() throws {
    let hub = try HubDirectory(path: directory, create: false)
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
        try Console.data(
          "\(victim.host) \(victim.number) \(victim.arrival.map { LocalTime.text(seconds: $0) } ?? "-") \(Plain.bytes(victim.byteCount))"
        )
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
    let result =
      emptyTrash
      ? "\(Plain.count(gone, "recording")) removed, \(Plain.count(trashed, "recording")) in the trash deleted"
      : "\(Plain.count(gone, "recording")) in the trash"
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
