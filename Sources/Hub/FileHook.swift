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
    let drops = list.places.subtracting(places).sorted().map { place in
      (place: place, words: ["drop", place], line: "drop \(place)")
    }
    let puts = files.filter { list.versions[$0.place] != $0.version }.map { place, version in
      (
        place: place, words: ["put", "\(hub.path)/\(place)", place],
        line: "put \(place) \(version)"
      )
    }
    var first: CommandFailure?
    // What is gone is dropped whether or not the program takes files.
    for kind in [drops, puts] {
      var failuresInRow = 0
      for step in list.refusedLast(kind, \.place) {
        try list.append("asked \(step.place)")
        do throws(CommandFailure) {
          try run(step.words)
        } catch {
          first = first ?? error
          failuresInRow += 1
          try list.append("refused \(step.place)")
          // One file must not keep the others back; where nothing goes, the next round is soon enough.
          if failuresInRow == FileHook.mostFailures { break }
          continue
        }
        failuresInRow = 0
        try list.append(step.line)
      }
    }
    let damaged = list.damagedLineCount
    try list.compact(places)
    if damaged > 0 {
      let before = first.map { $0.sentence + "; " } ?? ""
      first = CommandFailure(
        first?.status ?? .damagedData,
        before
          + "\(Plain.count(damaged, "line")) of \(hub.handed(of: host)) \(damaged == 1 ? "is" : "are") damaged and taken out: "
          + "\(program) may keep a file that is gone here")
    }
    if let first { throw first }
  }

  /// Drops all files of a host that is gone.
  func dropAll(of host: String) throws {
    try hand([], of: host)
    try hub.files.remove(hub.handed(of: host))
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
  private(set) var versions: [String: String] = [:]
  /// Those of files of which it may have something; with a version, those that it has.
  private(set) var places: Set<String> = []
  /// The line at which a place was refused last.
  private var refusals: [String: Int] = [:]
  private var lineCount = 0
  /// Lines that cannot be read; none once they are dropped.
  private(set) var damagedLineCount: Int
  private var file: CheckedFile
  private let temporary: String

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    var file = CheckedFile(hub.handed(of: host), hub.files)
    var lines: [String] = []
    damagedLineCount = try file.read { lines.append(String(decoding: $0, as: UTF8.self)) }
    (self.file, temporary) = (file, "\(hub.workPath)/\(host).handed")
    for line in lines { take(line) }
  }

  private mutating func take(_ line: String) {
    lineCount += 1
    let words = line.split(separator: " ").map { String($0) }
    guard words.count > 1 else { return }
    if words[0] != "asked" { refusals[words[1]] = words[0] == "refused" ? lineCount : nil }
    switch (words[0], words.count) {
    case ("asked", 2), ("refused", 2):
      versions[words[1]] = nil
      places.insert(words[1])
    case ("put", 3):
      versions[words[1]] = words[2]
      places.insert(words[1])
    case ("drop", 2):
      versions[words[1]] = nil
      places.remove(words[1])
    default: break
    }
  }

  /// Adds a line; durable on return.
  mutating func append(_ line: String) throws(StorageError) {
    try file.append([Array(line.utf8)])
    take(line)
  }

  /// The steps in their order, but those that were refused after all others, the one that has waited longest first: they keep
  /// no other back.
  func refusedLast<Step>(_ steps: [Step], _ place: KeyPath<Step, String>) -> [Step] {
    func refusal(_ step: Step) -> Int? { refusals[step[keyPath: place]] }
    return steps.filter { refusal($0) == nil }
      + steps.filter { refusal($0) != nil }
      .sorted { (refusal($0) ?? 0) < (refusal($1) ?? 0) }
  }

  /// Drops lines that do not count any more from the file where they are most of it.
  ///
  /// - Parameter files: The places of those that are here.
  mutating func compact(_ files: Set<String>) throws(StorageError) {
    guard lineCount > 2 * places.union(files).count + 64 || damagedLineCount > 0 else { return }
    let puts = places.sorted().map { place in
      versions[place].map { "put \(place) \($0)" } ?? "asked \(place)"
    }
    let refused = refusals.keys.filter { files.contains($0) || places.contains($0) }
      .sorted { (refusals[$0] ?? 0) < (refusals[$1] ?? 0) }
      .map { "refused \($0)" }
    try file.replace(by: (puts + refused).map { Array($0.utf8) }, temporary: temporary)
    damagedLineCount = 0
  }
}

extension HostRows {
  /// The files of these rows and of their table, and what the bytes of each are known by.
  func files(
    of host: String, in hub: HubDirectory, _ proofs: [RecordingID: HostLedger.Proof]
  ) -> [(place: String, version: String)] {
    var files: [(place: String, version: String)] = []
    for row in live.values.sorted(by: { $0.id.description < $1.id.description }) {
      // Labels do not change samples.
      let log = proofs[row.id].map { "\($0.digest)".prefix(16) } ?? "-"
      files.append(
        (
          hub.place(.samples, of: row.id, host: host, date: row.date),
          "\(log)-\(row.samplesByteCount)"
        ))
      files.append((hub.place(.features, of: row.id, host: host, date: row.date), row.source))
    }
    if let table { files.append((hub.table(of: host), table.source)) }
    return files
  }
}
