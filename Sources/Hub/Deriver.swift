// SPDX-License-Identifier: Apache-2.0

import Export
package import Files
import Glibc
package import IMUModel
import LinuxIO
import LogFormat
import LogStore
import Text

/// A recording to derive. Its empty files are in the hub's work folder: a process whose hub was killed has none to write to.
struct DerivationOrder {
  let hub: HubDirectory
  let host: HubHost
  let entry: CatalogueEntry
  let id: RecordingID
  let proof: HostLedger.Proof
  /// The process that asks; 0 to compare with the files that are there.
  let round: Int32

  /// Raised when a version derives other bytes from the same recording.
  private static let version = 8

  /// The name in the work folder of a table's file.
  func name(of table: HubTable) -> String { "\(host.name).\(table.name)-\(round)" }

  /// A digest of everything the files are derived from, in 16 hexadecimal digits.
  func source(_ labels: LabelList, _ calibration: SensorCalibration?) -> String {
    var text =
      "\(DerivationOrder.version) \(host.name) \(proof.digest) \(SHA256.digest(of: labels.lines))"
    for label in host.labels { text += "\n\(label.name)=\(label.value)" }
    if let calibration { text += "\n\(calibration.text)" }
    return String(SHA256.digest(of: Array(text.utf8)).description.prefix(16))
  }

  var words: [String] {
    ["\(round)", hub.path, host.name, entry.fileName, "\(id)", "\(proof.byteCount)"]
      + ["\(proof.digest)"] + host.labels.map { "\($0.name)=\($0.value)" }
  }
}

/// Derives from one recording in a process of its own. However that ends, the round goes on.
///
///     imulog hub-derivation -- ROUND DIR HOST FILE UUID BYTES SHA256 NAME=VALUE…
///     1b2c3d4e made SOURCE DATE LENGTH… {…}     for ROUND 0, which writes nothing, SOURCE is `-` and the tables that differ
///     1b2c3d4e failed STATUS SENTENCE
package struct Deriver: Sendable {
  package static let verb = "hub-derivation"
  let ask: @Sendable (DerivationOrder) throws -> [UInt8]

  /// The failure without an answer, which may be temporary.
  static func failure(_ trouble: String) -> CommandFailure {
    CommandFailure(
      .tryAgain, "the program that derives from it \(trouble); the next round tries again")
  }

  /// Derives a recording's files; returns its row, and the row in JSON.
  func derive(
    _ order: DerivationOrder, _ mark: HostRows.LogMark
  ) throws -> (row: HostRows.Row, json: String) {
    let text = CheckedLine.text(of: try ask(order).dropLast()) ?? []
    let words = text.split(separator: UInt8(ascii: " "), maxSplits: 3 + HubTable.all.count)
      .map { String(decoding: $0, as: UTF8.self) }
    if words.count > 2, words[0] == "failed", let number = Int32(words[1]),
      let status = ExitStatus(rawValue: number)
    {
      throw (CommandFailure(status, words[2...].joined(separator: " ")))
    }
    let lengths = words.dropFirst(3).dropLast().compactMap { UInt64($0) }
    guard words.count == 4 + HubTable.all.count, lengths.count == HubTable.all.count else {
      throw Deriver.failure("gave no answer")
    }
    let row = HostRows.Row(
      id: order.id, log: mark, source: words[1], date: words[2], byteCounts: lengths, rowSum: 0)
    return (row, words[words.count - 1])
  }

  /// Carries out an order, in the deriving process; returns the answer.
  ///
  /// - Parameter isLimited: Whether to limit this process's memory and files.
  /// - Throws: If the words are not an order, as from a person.
  package static func answer(
    _ words: [String], gate: FaultGate = .open, isLimited: Bool = false
  ) throws(CommandFailure) -> [UInt8] {
    let text: String
    do {
      text = try make(words, gate, isLimited)
    } catch {
      let failure = HubError.failure(error)
      if failure.status == .usage { throw failure }
      text = "failed \(failure.status.rawValue) \(failure.sentence)"
    }
    return CheckedLine.line(Array(text.utf8))
  }

  private static func make(
    _ words: [String], _ gate: FaultGate, _ isLimited: Bool
  ) throws -> String {
    guard words.count > 6, let round = Int32(words[0]), let id = RecordingID(words[4]),
      let byteCount = UInt64(words[5]), let digest = SHA256Digest(words[6])
    else { throw CommandFailure(.usage, "\(verb) is for imulog hub: run imulog hub DIR") }
    let labels = words[7...].map { word in
      let end = word.firstIndex(of: "=") ?? word.endIndex
      return HubHost.Label(name: String(word[..<end]), value: String(word[end...].dropFirst()))
    }
    let hub = try HubDirectory(path: words[1], create: false, gate: gate)
    if isLimited { try limit(in: hub) }
    let catalogue = try hub.store(of: words[2], create: false)
    guard let entry = Catalogue.entries([words[3]], in: catalogue.path).first else {
      throw CommandFailure(.usage, "\(ForeignText.shown(words[3])) is not a recording's file")
    }
    let order = DerivationOrder(
      hub: hub, host: HubHost(unlisted: words[2], labels: labels),
      entry: entry, id: id, proof: HostLedger.Proof(byteCount: byteCount, digest: digest),
      round: round)
    let list = try catalogue.labels(of: id)
    try list.makeSureIsWhole(catalogue.labelsPath(of: id))
    let calibration = try hub.calibration(of: words[2])
    var differing: [Substring] = []
    let made = try DerivedRecording(
      entry, id, of: order.host, in: hub, catalogue, order.proof, list, calibration
    ) { name, place, write in
      if round == 0 {
        return try hub.compare(place, { differing.append($0.prefix { $0 != "/" }) }, write)
      }
      let file = try hub.files.open(
        "\(hub.workPath)/\(name)-\(round)", flags: O_WRONLY | O_TRUNC | O_NOFOLLOW)
      var sink = BufferedSink(file.descriptor, name: file.path)
      try write(&sink)
      try sink.flush()
      return try file.regularFileSize()
    }
    let source =
      round == 0 ? "-" + differing.joined(separator: ",") : order.source(list, calibration)
    let lengths = made.byteCounts.map { "\($0)" }.joined(separator: " ")
    return "made \(source) \(made.date) \(lengths) \(made.row.json)"
  }
}

extension Deriver {
  /// Lets this process fail before other programs do.
  private static func limit(in hub: HubDirectory) throws {
    let room = try Catalogue(path: hub.path).freeByteCount()
    let memory = UInt64(clamping: sysconf(Int32(_SC_PHYS_PAGES))) * UInt64(getpagesize())
    // RLIMIT_FSIZE: a short log may have many samples. RLIMIT_DATA: more than a log needs, which is read in pieces.
    for (number, most) in [(1, room / 2), (2, min(memory / 2, 4 << 30))] {
      var limit = rlimit()
      let isKnown = getrlimit(__rlimit_resource_t(UInt32(number)), &limit) == 0
      limit.rlim_cur = min(limit.rlim_cur, rlim_t(clamping: most))
      guard isKnown, setrlimit(__rlimit_resource_t(UInt32(number)), &limit) == 0 else {
        throw CommandFailure(.unavailable, "limit \(number) cannot be set (errno \(errno))")
      }
    }
    // Listed as imulog, not as `exe`, and killed first by a kernel without memory; not without /proc.
    for (name, value) in [("comm", "imulog"), ("oom_score_adj", "1000")] {
      let file = open("/proc/self/\(name)", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { continue }
      defer { close(file) }
      guard write(file, value, value.utf8.count) == value.utf8.count else {
        throw CommandFailure(.unavailable, "/proc/self/\(name) cannot be set (errno \(errno))")
      }
    }
  }

  /// Signals by which a program ends itself, mostly at the same recording again. SIGBUS comes from a card, or a shortened file.
  private static let traps = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV]

  /// Runs `PROGRAM hub-derivation`.
  ///
  /// - Parameters:
  ///   - program: `/proc/self/exe` for this one, whatever has its name by now.
  ///   - patience: Nanoseconds for a recording, beside 10 µs a byte; an hour at most.
  package init(program: String, patience: Int64 = 600_000_000_000) {
    ask = { order in
      let ending: OtherProcess.Ending
      do {
        let bytes = Int64(min(order.proof.byteCount, 1 << 40))
        ending = try OtherProcess(program, [Deriver.verb, "--"] + order.words)
          .finish(within: min(patience + bytes * 10_000, 3600 * 1_000_000_000))
      } catch {
        throw CommandFailure(.unavailable, "\(error)")
      }
      if ending.isLate { throw DerivationTrap(signal: 0) }
      if Deriver.traps.contains(ending.status - 128) {
        throw DerivationTrap(signal: ending.status - 128)
      }
      if let trouble = ending.trouble { throw Deriver.failure(trouble) }
      return ending.output
    }
  }
}
