// SPDX-License-Identifier: Apache-2.0

import Export
import Glibc
import IMUModel
import LinuxIO
import LogFormat
package import LogStore

/// A recording that is to be derived, and what is made of it:
///
///     imulog hub-derivation -- DIR HOST FILE UUID BYTES SHA256 ROUND NAME=VALUE…
///     1b2c3d4e made SOURCE DATE SAMPLES FEATURES {…}     the files are in DIR/.work
///     1b2c3d4e failed STATUS SENTENCE
///     1b2c3d4e full STATUS SENTENCE                      nothing else can be written either
///
/// Whoever asks makes the two files, and gives them their places: what derives for a hub that was killed has none to write to.
package struct DerivationOrder {
  let hub: HubDirectory
  let host: HubHost
  let entry: CatalogueEntry
  let id: RecordingID
  /// The log's bytes.
  let proof: HostLedger.Proof
  /// The process that asks.
  let round: Int32

  /// Raised when a later version derives something else from the same recording.
  private static let version = 5

  /// The name in the hub's work folder of what is made for a table.
  func name(of table: HubDirectory.Table) -> String { "\(host.name).\(table.rawValue)-\(round)" }

  /// What the files of a recording are derived from, in 16 hexadecimal digits.
  func source(_ labels: LabelList, _ calibration: SensorCalibration?) -> String {
    var text =
      "\(DerivationOrder.version) \(host.name) \(proof.digest) \(SHA256.digest(of: labels.lines))"
    for label in host.labels { text += "\n\(label.name)=\(label.value)" }
    if let calibration { text += "\n\(calibration.text)" }
    return String(SHA256.digest(of: Array(text.utf8)).description.prefix(16))
  }

  var words: [String] {
    [
      hub.path, host.name, entry.fileName, "\(id)", "\(proof.byteCount)", "\(proof.digest)",
      "\(round)",
    ]
      + host.labels.map { "\($0.name)=\($0.value)" }
  }
}

extension DerivationOrder {
  private init(_ words: [String], _ gate: FaultGate) throws {
    guard words.count > 6, let id = RecordingID(words[3]), let byteCount = UInt64(words[4]),
      let digest = SHA256Digest(words[5]), let round = Int32(words[6])
    else {
      throw CommandFailure(.usage, "\(Deriver.verb) speaks to imulog hub; run imulog hub DIR")
    }
    let labels = words[7...].map { word in
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return HubHost.Label(name: "\(parts[0])", value: parts.dropFirst().joined())
    }
    let hub = try HubDirectory(path: words[0], create: false, gate: gate)
    let host = HubHost(name: words[1], destination: "", labels: labels, line: 0)
    guard
      let entry = CatalogueEntry(named: words[2], in: try hub.store(of: host.name, create: false))
    else {
      throw CommandFailure(.usage, "\(ForeignText.shown(words[2])) is no recording's file")
    }
    self.init(
      hub: hub, host: host, entry: entry, id: id,
      proof: HostLedger.Proof(byteCount: byteCount, digest: digest), round: round)
  }

  /// Makes the files that such words ask for; returns the answer.
  package static func answer(_ words: [String], gate: FaultGate = .open) -> [UInt8] {
    let text: String
    do {
      text = try DerivationOrder(words, gate).make()
    } catch {
      let failure = HubError.failure(error)
      text =
        "\(HubError.isOfDisk(error) ? "full" : "failed") \(failure.status.rawValue) \(failure.sentence)"
    }
    return CheckedLine.line(Array(text.utf8))
  }

  private func make() throws -> String {
    let catalogue = try hub.store(of: host.name, create: false)
    let labels = try catalogue.labels(of: id)
    try labels.makeSureIsWhole(catalogue.labelsPath(of: id))
    let calibration = try hub.calibration(of: host.name)
    let made = try DerivedRecording(
      entry, id, of: host, in: hub, catalogue, proof, labels, calibration
    ) { name, _, write in
      let file = try hub.files.open(
        "\(hub.workPath)/\(name)-\(round)", flags: O_WRONLY | O_TRUNC | O_NOFOLLOW)
      var sink = BufferedSink(file.descriptor, name: file.path)
      try write(&sink)
      try sink.flush()
      return try file.regularFileSize()
    }
    return
      "made \(source(labels, calibration)) \(made.date) \(made.samplesByteCount) \(made.featuresByteCount) \(made.row.json)"
  }
}

/// What derives from one recording: a process of its own. However that ends, the round goes on.
public struct Deriver: Sendable {
  package static let verb = "hub-derivation"
  /// Bytes; far more than is needed, as a log is read in pieces.
  package static let mostMemory: UInt64 = 4 << 30
  /// The program, in a word: another one may derive where it cannot.
  let build: String
  /// Returns the answer to an order.
  let ask: @Sendable (DerivationOrder) throws -> [UInt8]

  /// What was made.
  struct Answer {
    /// What it was made from.
    let source: String
    let date: String
    let samplesByteCount: UInt64
    let featuresByteCount: UInt64
    /// The table's row.
    let json: String
  }

  /// Nanoseconds that a recording may take, and more for each byte: a slow machine reads some MB a second.
  private static let patience: Int64 = 600_000_000_000
  private static let patienceOfByte: Int64 = 10_000

  /// How a program ends by what it does itself, and the next one like it: not by a kernel without memory, or a person.
  private static let traps: [Int32: String] = [
    SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
    SIGSEGV: "SIGSEGV",
  ]

  /// A program with the verb `hub-derivation`.
  ///
  /// - Parameter program: `/proc/self/exe` is the one that asks, whatever has its name by now.
  public init(program: String) throws(HubError) {
    try self.init(program: program, patience: Deriver.patience)
  }

  init(program: String, patience: Int64) throws(HubError) {
    do throws(StorageError) {
      let status = try FileSystem(gate: .open).status(program)
      build = "\(Software.version)-\(status.st_size)-\(status.st_mtim.tv_sec)"
    } catch {
      throw HubError(error)
    }
    ask = { order in
      let ending: OtherProcess.Ending
      do {
        let child = try OtherProcess(program, [Deriver.verb, "--"] + order.words)
        let bytes = Int64(min(order.proof.byteCount, 1 << 40))
        ending = child.finish(within: patience + bytes * Deriver.patienceOfByte)
      } catch {
        throw CommandFailure(.unavailable, "\(error)")
      }
      if !ending.isLate, let signal = Deriver.traps[ending.status - 128] {
        throw HubError.trapped(signal: signal)
      }
      if let trouble = ending.trouble { throw Deriver.failure(trouble) }
      return ending.output
    }
  }

  init(build: String, ask: @escaping @Sendable (DerivationOrder) throws -> [UInt8]) {
    (self.build, self.ask) = (build, ask)
  }

  /// Why there is no answer, for now.
  static func failure(_ trouble: String) -> CommandFailure {
    CommandFailure(
      .tryAgain, "the program that derives from it \(trouble); the next round tries again")
  }

  /// Makes the files of a recording.
  func derive(_ order: DerivationOrder) throws -> Answer {
    let words = (CheckedLine.text(of: try ask(order).dropLast()) ?? [])
      .split(separator: UInt8(ascii: " "), maxSplits: 2)
      .map { String(decoding: $0, as: UTF8.self) }
    if words.count == 3, words[0] == "made" {
      let parts = words[2].split(separator: " ", maxSplits: 3)
      if parts.count == 4, let samples = UInt64(parts[1]), let features = UInt64(parts[2]) {
        return Answer(
          source: words[1], date: String(parts[0]), samplesByteCount: samples,
          featuresByteCount: features, json: String(parts[3]))
      }
    } else if words.count == 3, let status = Int32(words[1]).flatMap({ ExitStatus(rawValue: $0) }) {
      let failure = CommandFailure(status, words[2])
      if words[0] == "full" { throw HubError.full(failure) }
      throw failure
    }
    throw Deriver.failure("gave no answer")
  }
}
