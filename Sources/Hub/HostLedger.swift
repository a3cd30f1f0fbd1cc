// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore
import Text

/// Where each recording of a host came from, in order of arrival. Lines are only added; a round removes and reports damaged ones:
///
///     fetched UUID BYTES SHA256 STATE TIME DESTINATION KEY   proved to be here, and about to appear
///     found UUID BYTES SHA256 TIME                           appeared in the store by another way
///     undated UUID                                           arrived while a clock was wrong: its TIME does not count
///     dated UUID TIME                                        was here by then
///     pruned UUID TIME                                       removed for good: not fetched again
///     missing UUID TIME                                      its log is gone: emptied from the trash, or reported as lost
///     kept UUID                                              here: earlier `pruned` and `missing` do not count
///     also UUID BYTES SHA256 OWNER TIME                      offered here, and OWNER has the same bytes
///     differs UUID BYTES SHA256 OWNER TIME                   offered here, and OWNER has other bytes: not fetched
///
/// KEY is the fingerprint of the host's key, `-` where ssh does not show it, as over a shared connection. A crash may leave
/// a line without its recording; the next fetch adds another. Unknown words are skipped.
struct HostLedger {
  struct Proof: Equatable {
    var byteCount: UInt64
    var digest: SHA256Digest
  }

  /// The comparison with another host's recording of the same UUID.
  struct Twin {
    let owner: String
    let proof: Proof
    let isSame: Bool
  }

  private(set) var proofs: [RecordingID: Proof] = [:]
  /// Their arrivals in seconds since 1970, without undated ones. Earlier versions kept times of an unset clock, near 1970.
  private(set) var arrivals: [RecordingID: Int64] = [:]
  /// Recordings that came while a clock was wrong or not set, in order.
  var undated: [RecordingID] {
    proofs.keys.filter { (arrivals[$0] ?? .min) < WallTime.earliestCredible }
      .sorted { $0.description < $1.description }
  }
  /// Recordings that were removed for good.
  private(set) var pruned: Set<RecordingID> = []
  /// Recordings whose log is gone without a prune, and not to be reported again.
  private(set) var missing: Set<RecordingID> = []
  /// Recordings that were offered here and are another host's.
  private(set) var twins: [RecordingID: Twin] = [:]
  private var journal: Journal

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    journal = hub.journal(of: host, .ledger)
    var journal = journal
    try journal.read { take(String(decoding: $0, as: UTF8.self)) }
    self.journal = journal
  }

  /// A sentence about damaged lines; `nil` without any.
  var damage: String? {
    guard journal.damagedLineCount > 0 else { return nil }
    return
      "damaged lines in \(journal.path): \(journal.damagedLineCount); what they were about counts as found anew, and as not "
      + "pruned"
  }

  /// Removes damaged lines, durable on return; returns the failure that reports them.
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
  /// The time in a ledger: UTC, to the second.
  var ledgerText: String {
    RFC3339.text(second: nanoseconds / 1_000_000_000) + "Z"
  }
}
