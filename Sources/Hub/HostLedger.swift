// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore
import Text

/// Where each recording of a host came from, in the order in which it came. Lines are only added; a round takes damaged ones
/// out, and says so:
///
///     fetched UUID BYTES SHA256 STATE TIME DESTINATION KEY   it was proved to be here, and is about to appear
///     found UUID BYTES SHA256 TIME                           it appeared in the store by another way
///     undated UUID                                           it came while a clock was wrong or not set: TIME of it is no time
///     dated UUID TIME                                        it was here by then
///     pruned UUID TIME                                       it was removed here for good: it is not fetched again
///     missing UUID TIME                                      its log is gone: it was in the trash, or it is lost and that was said
///     kept UUID                                              it is here: `pruned` and `missing` before this do not count
///     also UUID BYTES SHA256 OWNER TIME                      offered here, and OWNER has the same bytes
///     differs UUID BYTES SHA256 OWNER TIME                   offered here, and OWNER has other bytes: it is not fetched
///
/// KEY is the fingerprint of the host's key, `-` where ssh does not show it: through a connection that is shared.
///
/// A line whose recording is missing is one of a crash before the recording appeared: the next fetch adds another. Words
/// of later versions are skipped.
struct HostLedger {
  /// The bytes of a recording as they were proved.
  struct Proof: Equatable {
    var byteCount: UInt64
    var digest: SHA256Digest
  }

  /// What was learnt of a recording of another host.
  struct Twin {
    let owner: String
    let proof: Proof
    let isSame: Bool
  }

  /// What came here.
  private(set) var proofs: [RecordingID: Proof] = [:]
  /// When they came, in seconds since 1970; without those that came while a clock was wrong. Earlier versions kept
  /// times near 1970 of a clock that was not set.
  private(set) var arrivals: [RecordingID: Int64] = [:]
  /// What came while a clock was wrong or not set, in order.
  var undated: [RecordingID] {
    proofs.keys.filter { (arrivals[$0] ?? .min) < WallTime.earliestCredible }
      .sorted { $0.description < $1.description }
  }
  /// What was removed here for good.
  private(set) var pruned: Set<RecordingID> = []
  /// What is gone without being pruned, and is not to be said again.
  private(set) var missing: Set<RecordingID> = []
  /// What was offered here and is another host's.
  private(set) var twins: [RecordingID: Twin] = [:]
  private var journal: Journal

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    journal = hub.journal(of: host, .ledger)
    var journal = journal
    try journal.read { take(String(decoding: $0, as: UTF8.self)) }
    self.journal = journal
  }

  /// What is damaged, and what follows from it; `nil` where nothing is.
  var damage: String? {
    guard journal.damagedLineCount > 0 else { return nil }
    return
      "damaged lines in \(journal.path): \(journal.damagedLineCount); what they were about counts as found anew, and as not "
      + "pruned"
  }

  /// Takes the damaged lines out of the file; durable on return.
  ///
  /// - Returns: What is to be said of them; `nil` where there were none.
  mutating func dropDamage() throws(StorageError) -> CommandFailure? {
    guard let damage else { return nil }
    var texts: [[UInt8]] = []
    try journal.read { texts.append(Array($0)) }
    try journal.replace(by: texts)
    return CommandFailure(.damagedData, "\(damage); they are taken out")
  }

  /// Adds lines; durable on return.
  mutating func append(_ lines: [String]) throws(StorageError) {
    try journal.append(lines)
    for line in lines { take(line) }
  }

  private mutating func take(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count > 1, let id = RecordingID(words[1]) else { return }
    func seconds(_ place: Int) -> Int64? {
      place < words.count ? RFC3339.nanoseconds(words[place]).map { $0 / 1_000_000_000 } : nil
    }
    var proof: Proof? {
      guard words.count > 3, let count = UInt64(words[2]), let digest = SHA256Digest(words[3])
      else { return nil }
      return Proof(byteCount: count, digest: digest)
    }
    switch words[0] {
    case "fetched", "found":
      guard let proof else { return }
      proofs[id] = proof
      keep(id)
      if let time = seconds(words[0] == "found" ? 4 : 5) { arrivals[id] = time }
    case "undated": arrivals[id] = nil
    case "dated":
      if let time = seconds(2) { arrivals[id] = time }
    case "pruned": pruned.insert(id)
    case "missing": missing.insert(id)
    case "kept": keep(id)
    case "also", "differs":
      guard words.count > 4, let proof else { return }
      twins[id] = Twin(owner: String(words[4]), proof: proof, isSame: words[0] == "also")
    default: break
    }
  }

  private mutating func keep(_ id: RecordingID) {
    pruned.remove(id)
    missing.remove(id)
  }
}

extension HostLedger {
  static func fetched(
    _ id: RecordingID, _ proof: Proof, _ state: String, _ time: String, from destination: String,
    hostKey: String?
  ) -> String {
    "fetched \(id) \(proof.byteCount) \(proof.digest) \(state) \(time) \(destination) \(hostKey ?? "-")"
  }

  static func found(_ id: RecordingID, _ proof: Proof, _ time: String) -> String {
    "found \(id) \(proof.byteCount) \(proof.digest) \(time)"
  }

  static func undated(_ id: RecordingID) -> String { "undated \(id)" }

  static func dated(_ id: RecordingID, _ time: String) -> String { "dated \(id) \(time)" }

  static func pruned(_ id: RecordingID, _ time: String) -> String { "pruned \(id) \(time)" }

  static func missing(_ id: RecordingID, _ time: String) -> String { "missing \(id) \(time)" }

  static func kept(_ id: RecordingID) -> String { "kept \(id)" }

  static func twin(_ id: RecordingID, _ twin: Twin, _ time: String) -> String {
    "\(twin.isSame ? "also" : "differs") \(id) \(twin.proof.byteCount) \(twin.proof.digest) \(twin.owner) \(time)"
  }
}

extension HostLedger.Proof {
  /// The bytes of a log as they are now; reads all of them.
  init(of entry: CatalogueEntry, in hub: HubDirectory) throws(StorageError) {
    let file = try hub.files.open(entry.path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    var sum = SHA256()
    try file.readPieces { piece in
      piece.withUnsafeBytes { sum.add($0) }
      return true
    }
    self.init(byteCount: sum.byteCount, digest: sum.digest)
  }
}

extension WallTime {
  /// The time as ledgers have it: in UTC, to the second.
  var ledgerText: String {
    RFC3339.text(second: nanoseconds / 1_000_000_000) + "Z"
  }
}
