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
    var list = CheckedFile(hub.handed(of: host), hub.files)
    var handed: [String: String] = [:]
    // The line at which the program refused a file last.
    var refusals: [String: Int] = [:]
    var lineCount = 0
    _ = try list.read { text in
      lineCount += 1
      let words = String(decoding: text, as: UTF8.self).split(separator: " ").map { String($0) }
      if words.count == 3, words[0] == "put" { handed[words[1]] = words[2] }
      if words.count == 2, words[0] == "drop" { handed[words[1]] = nil }
      if words.count >= 2 { refusals[words[1]] = words[0] == "refused" ? lineCount : nil }
    }
    let places = Set(files.map(\.place))
    let puts = files.filter { handed[$0.place] != $0.version }.map { file in
      (["put", "\(hub.path)/\(file.place)", file.place], "put \(file.place) \(file.version)")
    }
    let drops = handed.keys.filter { !places.contains($0) }.sorted().map { place in
      (["drop", place], "drop \(place)")
    }
    // Those that were refused come last, the one that has waited longest first: they keep no other back.
    func order(_ words: [String]) -> Int { refusals[words[words.count - 1]] ?? 0 }
    var first: CommandFailure?
    // What is gone is dropped whether or not the program takes files.
    for kind in [drops, puts] {
      var failuresInRow = 0
      for (words, line) in kind.enumerated().sorted(by: {
        (order($0.element.0), $0.offset) < (order($1.element.0), $1.offset)
      }).map(\.element) {
        do throws(CommandFailure) {
          try run(words)
        } catch {
          first = first ?? error
          failuresInRow += 1
          try list.append([Array("refused \(words[words.count - 1])".utf8)])
          // One file must not keep the others back; where nothing goes, the next round is soon enough.
          if failuresInRow == FileHook.mostFailures { break }
          continue
        }
        failuresInRow = 0
        try list.append([Array(line.utf8)])
      }
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
