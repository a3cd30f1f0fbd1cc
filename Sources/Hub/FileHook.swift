// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import LogStore

/// A program that is handed each finished file of a hub, so that it copies it elsewhere:
///
///     PROGRAM put /srv/fleet/samples/host=pump-7/…/UUID.parquet samples/host=pump-7/…/UUID.parquet
///     PROGRAM drop samples/host=pump-7/…/UUID.parquet           the file is gone here
///
/// Status 0 means that it is done; any other, that the next round is to try again. What it took is kept in
/// `DIR/handed/HOST`, a line a file, after it has: a hub that is killed between the two hands the same file again. So is what
/// it refused, which is tried after all others in the next round.
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
    let drops = list.versions.keys.filter { !places.contains($0) }.sorted().map { place in
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
    try list.compact(places)
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
///     put PLACE VERSION     it took these bytes
///     drop PLACE            it removed them
///     refused PLACE         it did neither
///
/// The last line of a place counts; `refused` leaves what it had.
private struct HandedList {
  private(set) var versions: [String: String] = [:]
  /// The line at which a place was refused last.
  private var refusals: [String: Int] = [:]
  private var lineCount = 0
  private var file: CheckedFile
  private let temporary: String

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    var file = CheckedFile(hub.handed(of: host), hub.files)
    var lines: [String] = []
    _ = try file.read { lines.append(String(decoding: $0, as: UTF8.self)) }
    (self.file, temporary) = (file, "\(hub.workPath)/\(host).handed")
    for line in lines { take(line) }
  }

  private mutating func take(_ line: String) {
    lineCount += 1
    let words = line.split(separator: " ").map { String($0) }
    guard words.count > 1 else { return }
    refusals[words[1]] = words[0] == "refused" ? lineCount : nil
    if words.count == 3, words[0] == "put" { versions[words[1]] = words[2] }
    if words.count == 2, words[0] == "drop" { versions[words[1]] = nil }
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
  /// - Parameter places: Those of the files that are here.
  mutating func compact(_ places: Set<String>) throws(StorageError) {
    guard lineCount > 2 * (versions.count + places.count) + 64 else { return }
    let puts = versions.sorted { $0.key < $1.key }.map { "put \($0.key) \($0.value)" }
    let refused = refusals.keys.filter { places.contains($0) || versions[$0] != nil }
      .sorted { (refusals[$0] ?? 0) < (refusals[$1] ?? 0) }
      .map { "refused \($0)" }
    try file.replace(by: (puts + refused).map { Array($0.utf8) }, temporary: temporary)
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
