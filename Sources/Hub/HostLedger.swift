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
  var proofs: [RecordingID: Proof] { lines.proofs }
  /// When they came, in seconds since 1970; without those that came while a clock was wrong. Earlier versions kept
  /// times near 1970 of a clock that was not set.
  var arrivals: [RecordingID: Int64] { lines.arrivals }
  /// What came while a clock was wrong or not set, in order.
  var undated: [RecordingID] {
    lines.proofs.keys.filter { (lines.arrivals[$0] ?? .min) < WallTime.earliestCredible }
      .sorted { $0.description < $1.description }
  }
  /// What was removed here for good.
  var pruned: Set<RecordingID> { lines.pruned }
  /// What is gone without being pruned, and is not to be said again.
  var missing: Set<RecordingID> { lines.missing }
  /// What was offered here and is another host's.
  var twins: [RecordingID: Twin] { lines.twins }
  /// Lines that fail their check.
  private(set) var damagedLineCount: Int
  fileprivate var lines: Lines
  private var file: CheckedFile
  private let temporary: String

  /// What lines say, the last one of a recording.
  fileprivate struct Lines {
    var proofs: [RecordingID: Proof] = [:]
    var arrivals: [RecordingID: Int64] = [:]
    var pruned: Set<RecordingID> = []
    var missing: Set<RecordingID> = []
    var twins: [RecordingID: Twin] = [:]
  }

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    var file = CheckedFile(hub.ledger(of: host), hub.files)
    var found = Lines()
    damagedLineCount = try file.read {
      found.take(String(decoding: $0, as: UTF8.self).split(separator: " "))
    }
    (self.file, temporary) = (file, "\(hub.workPath)/\(host).ledger")
    lines = found
  }

  /// Takes the damaged lines out of the file; durable on return.
  ///
  /// - Returns: What is to be said of them; `nil` where there were none.
  mutating func dropDamage(
    of host: String, in hub: HubDirectory
  ) throws(StorageError) -> CommandFailure? {
    guard damagedLineCount > 0 else { return nil }
    let failure = CommandFailure(
      .damagedData, "\(damage(of: host, in: hub)); they are taken out")
    var texts: [[UInt8]] = []
    _ = try file.read { texts.append(Array($0)) }
    try file.replace(by: texts, temporary: temporary)
    damagedLineCount = 0
    return failure
  }

  /// Adds lines; durable on return.
  mutating func append(_ lines: [String]) throws(StorageError) {
    try file.append(lines.map { Array($0.utf8) })
    for line in lines { self.lines.take(line.split(separator: " ")) }
  }
}

extension HostLedger {
  /// What is damaged, and what follows from it.
  func damage(of host: String, in hub: HubDirectory) -> String {
    "damaged lines in \(hub.ledger(of: host)): \(damagedLineCount); what they were about counts as found anew, and as not "
      + "pruned"
  }
}

extension HostLedger.Lines {
  fileprivate mutating func take(_ words: [Substring]) {
    guard words.count > 1, let id = RecordingID(words[1]) else { return }
    var proof: HostLedger.Proof? {
      guard words.count > 3, let count = UInt64(words[2]), let digest = SHA256Digest(words[3])
      else { return nil }
      return HostLedger.Proof(byteCount: count, digest: digest)
    }
    switch words[0] {
    case "fetched", "found":
      guard let proof else { return }
      proofs[id] = proof
      takeKept(id)
      let place = words[0] == "found" ? 4 : 5
      if place < words.count, let time = RFC3339.nanoseconds(words[place]) {
        arrivals[id] = time / 1_000_000_000
      }
    case "undated": arrivals[id] = nil
    case "dated":
      guard words.count > 2, let time = RFC3339.nanoseconds(words[2]) else { return }
      arrivals[id] = time / 1_000_000_000
    case "pruned":
      pruned.insert(id)
    case "missing":
      missing.insert(id)
    case "kept":
      takeKept(id)
    case "also", "differs":
      guard words.count > 4, let proof else { return }
      twins[id] = HostLedger.Twin(owner: String(words[4]), proof: proof, isSame: words[0] == "also")
    default: break
    }
  }

  private mutating func takeKept(_ id: RecordingID) {
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
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try piece.withMutableBytes { bytes throws(StorageError) in
        try file.read(at: sum.byteCount, into: bytes)
      }
      guard count > 0 else { break }
      piece.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
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
