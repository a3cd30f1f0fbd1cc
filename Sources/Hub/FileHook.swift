// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LinuxIO
import Text

/// A program that is handed each finished file of a hub, so that it copies it elsewhere:
///
///     PROGRAM put /srv/fleet/samples/host=pump-7/…/UUID.parquet samples/host=pump-7/…/UUID.parquet
///     PROGRAM drop samples/host=pump-7/…/UUID.parquet           the file is gone here
///
/// Status 0 means that it is done; any other, that the next round is to try again. What it took is kept in
/// `DIR/handed/HOST`, in a line, after it has: a hub that is killed between the two hands the same file again. So is what
/// it refused, which is tried after all others in the next round. Before the program begins a line says that what it has of the file
/// is not known: one that is killed, or refuses, may have it whole, in part, or not at all.
struct FileHook {
  private let program: String
  private let hub: HubDirectory
  /// Nanoseconds that a file may take.
  private static let patience: Int64 = 3_600_000_000_000
  /// Files of a host that may fail in a row before the rest of their kind is left to the next round.
  private static let mostFailures = 3

  init(_ program: String, _ hub: HubDirectory) {
    (self.program, self.hub) = (program, hub)
  }

  /// Hands over the files of a host that the program does not have, and those that are gone.
  ///
  /// - Parameter files: Places in the hub, and what their bytes are known by.
  func hand(_ files: [(place: String, version: String)], of host: String) throws {
    var list = try HandedList(of: host, in: hub)
    let places = Set(files.map(\.place))
    let drops = list.versions.keys.filter { !places.contains($0) }.sorted()
      .map { HandedList.Step(place: $0, version: nil) }
    let puts = files.filter { list.versions[$0.place] != $0.version }
      .map { HandedList.Step(place: $0.place, version: $0.version) }
    var first: CommandFailure?
    // What is gone is dropped whether or not the program takes files.
    for kind in [drops, puts] {
      var failuresInRow = 0
      for step in list.refusedLast(kind) {
        try list.append("asked", step)
        do throws(CommandFailure) {
          try run(
            step.version == nil
              ? ["drop", step.place] : ["put", "\(hub.path)/\(step.place)", step.place])
        } catch {
          first = first ?? error
          failuresInRow += 1
          try list.append("refused", step)
          // One file must not keep the others back; where nothing goes, the next round is soon enough.
          if failuresInRow == FileHook.mostFailures { break }
          continue
        }
        failuresInRow = 0
        try list.append(step.version == nil ? "drop" : "put", step)
      }
    }
    let damaged = list.damagedLineCount
    try list.compact(places)
    if damaged > 0 {
      let before = first.map { $0.sentence + "; " } ?? ""
      first = CommandFailure(
        first?.status ?? .damagedData,
        before
          + "\(Plain.count(damaged, "line")) of \(hub.path(.handed, of: host)) \(damaged == 1 ? "is" : "are") damaged and taken "
          + "out: \(program) may keep a file that is gone here")
    }
    if let first { throw first }
  }

  /// Drops all files of a host that is gone.
  func dropAll(of host: String) throws {
    try hand([], of: host)
    try hub.files.remove(hub.path(.handed, of: host))
  }

  private func run(_ words: [String]) throws(CommandFailure) {
    let ending: OtherProcess.Ending
    do {
      ending = try OtherProcess(program, words).finish(within: FileHook.patience)
    } catch {
      throw CommandFailure(.unavailable, "\(error)")
    }
    if let trouble = ending.trouble {
      throw CommandFailure(
        .inputOutput, "`\(program) \(words[0]) \(words[words.count - 1])` \(trouble)")
    }
  }
}

/// What the program has of a host's files, by their places:
///
///     asked PLACE           it was handed the file, or asked to remove it: what it has is not known from here on
///     put PLACE VERSION     it took these bytes
///     drop PLACE            it removed them
///     refused PLACE         it did neither, and may have done a part
///
/// The last line of a place counts.
private struct HandedList {
  /// A file to put, or to drop where it has no version.
  struct Step {
    let place: String
    let version: String?
  }

  /// What it has of each file that it may have received; `-` where that is not known.
  private(set) var versions: [String: String] = [:]
  /// The line at which a place was refused last.
  private var refusals: [String: Int] = [:]
  /// Damaged lines; none once they are dropped.
  var damagedLineCount: Int { journal.damagedLineCount }
  private var journal: Journal

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    journal = hub.journal(of: host, .handed)
    var (journal, number) = (journal, 0)
    try journal.read { text in
      number += 1
      take(String(decoding: text, as: UTF8.self), number)
    }
    self.journal = journal
  }

  private mutating func take(_ line: String, _ number: Int) {
    let words = line.split(separator: " ").map { String($0) }
    guard words.count > 1 else { return }
    if words[0] != "asked" { refusals[words[1]] = words[0] == "refused" ? number : nil }
    switch (words[0], words.count) {
    case ("asked", 2), ("refused", 2): versions[words[1]] = "-"
    case ("put", 3): versions[words[1]] = words[2]
    case ("drop", 2): versions[words[1]] = nil
    default: break
    }
  }

  /// Adds a line; durable on return.
  mutating func append(_ verb: String, _ step: Step) throws(StorageError) {
    let version = verb == "put" ? step.version.map { " " + $0 } : nil
    let line = "\(verb) \(step.place)\(version ?? "")"
    try journal.append([line])
    take(line, journal.lineCount)
  }

  /// The steps in their order, but those that were refused after all others, the one that has waited longest first: they keep
  /// no other back.
  func refusedLast(_ steps: [Step]) -> [Step] {
    steps.filter { refusals[$0.place] == nil }
      + steps.filter { refusals[$0.place] != nil }
      .sorted { refusals[$0.place, default: 0] < refusals[$1.place, default: 0] }
  }

  /// Drops lines that do not count any more from the file where they are most of it.
  ///
  /// - Parameter files: The places of those that are here.
  mutating func compact(_ files: Set<String>) throws(StorageError) {
    guard journal.isDue(for: files.union(versions.keys).count) else { return }
    let puts = versions.sorted { $0.key < $1.key }.map { place, version in
      version == "-" ? "asked \(place)" : "put \(place) \(version)"
    }
    let refused = refusals.filter { files.contains($0.key) || versions[$0.key] != nil }
      .sorted { $0.value < $1.value }
      .map { "refused \($0.key)" }
    try journal.replace(by: (puts + refused).map { Array($0.utf8) })
  }
}

extension HostRows {
  /// The files of these rows and of their table, and what the bytes of each are known by.
  func files(
    of host: String, in hub: HubDirectory, _ proofs: [RecordingID: HostLedger.Proof]
  ) -> [(place: String, version: String)] {
    let rows = live.values.sorted { $0.id.description < $1.id.description }
    let files = rows.flatMap { row in
      zip(HubTable.all, row.byteCounts).map { table, length in
        let log = proofs[row.id].map { "\($0.digest)".prefix(16) } ?? "-"
        return (
          place: hub.place(table, of: row.id, host: host, date: row.date),
          version: table.isOfLogAlone ? "\(log)-\(length)" : row.source
        )
      }
    }
    return files + (table.map { [(hub.table(of: host), $0.source)] } ?? [])
  }
}
