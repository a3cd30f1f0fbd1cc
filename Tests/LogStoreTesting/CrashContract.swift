// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import TestSupport

/// The promise for a store after a power loss, and its check.
public struct CrashContract: Sendable {
  private let recorded: WrittenRecording
  private let acknowledged: ExampleRecording.Acknowledgement?
  private let directory = TemporaryDirectory(inMemory: true)

  /// The sentence that says how the promise is broken; `nil` when it is kept.
  public static func breach(of crash: CrashCase, in recorded: WrittenRecording) -> String? {
    breach(of: recorded.image(crash), after: crash, in: recorded)
  }

  /// The same, of other files than the loss of power left.
  public static func breach(
    of image: SimulatedDisk.Image, after crash: CrashCase, in recorded: WrittenRecording
  ) -> String? {
    let contract = CrashContract(recorded, recorded.acknowledgement(at: crash.point))
    for (name, bytes) in image { contract.directory.write(bytes, to: name) }
    do {
      return try ProgramStart.excluded { try contract.breach() }
    } catch {
      // The same in every directory, for a case that is replayed.
      return "\(error)".split(separator: contract.directory.path).joined(separator: "…")
    }
  }

  private init(_ recorded: WrittenRecording, _ acknowledged: ExampleRecording.Acknowledgement?) {
    self.recorded = recorded
    self.acknowledged = acknowledged
  }

  private func breach() throws -> String? {
    let catalogue = try Catalogue(path: directory.path)
    _ = try catalogue.adopt()
    let again = try catalogue.adopt()
    guard again.isEmpty else { return "what was put in order is put in order again: \(again)" }
    let strays = directory.names().filter {
      ![".lock", ".known"].contains($0) && !$0.hasSuffix(".imulog")
    }
    guard strays.isEmpty else { return "\(strays) is left over" }
    let entries = try catalogue.list().entries
    guard entries.count <= 1 else { return "there are \(entries.count) recordings" }
    guard let entry = entries.first else {
      return acknowledged == nil ? nil : "the recording is gone"
    }
    // One whose creation failed may be there, and is empty.
    if let created = recorded.recording.entry, entry.fileName != created.fileName {
      return "it is called \(entry.fileName)"
    }
    if let sentence = try breach(of: try catalogue.reader(of: entry)) { return sentence }
    let summary = try catalogue.summary(of: entry)
    let state: LogSummary.State
    switch (summary.end, summary.damageCount ?? 0) {
    case (nil, _): state = .recovered
    case (_, 0): state = .complete
    default: state = .damaged
    }
    guard summary.state == state else { return "its state is \(summary.state)" }
    var next = recorded.recording.description
    next.id = ExampleLog.description(99).id
    let live = try catalogue.create(next, wall: ExampleRecording.wall)
    guard live.entry.number == entry.number + 1 else {
      return "the next recording has number \(live.entry.number)"
    }
    return nil
  }

  private func breach(of reader: consuming LogReader<FileStorage>) throws -> String? {
    var reader = reader
    let events = try reader.readAll()
    let tickCount = reader.nextTick
    let report = try reader.account()
    if recorded.recording.entry != nil, reader.description != recorded.recording.description {
      return "its header is another one"
    }
    let written = recorded.recording.events
    let synced = acknowledged?.eventCount ?? 0
    for kind in ReadEvent.Kind.allCases {
      let sentence = ReadEvent.difference(
        of: events.filter { $0.kind == kind }, from: written.filter { $0.kind == kind },
        synced: written.prefix(synced).filter { $0.kind == kind }.count)
      if let sentence { return "\(kind) events: \(sentence)" }
    }
    let found = events.reduce(0) { $0 + $1.tickCount }
    let scheduled = report.end?.tally.scheduled ?? tickCount
    // How much is missing at the end of a log without an end cannot be known.
    guard found + report.damagedTickCount == scheduled || !report.isLossKnown else {
      return "\(scheduled) ticks are \(found) found and \(report.damagedTickCount) lost"
    }
    guard report.unexplainedTickCount == 0 else {
      return "nothing accounts for \(report.unexplainedTickCount) ticks"
    }
    if report.damageCount == 0, report.isBalanced == false { return "the tally does not balance" }
    return nil
  }
}

extension ReadEvent {
  /// The kinds: a log keeps each in order, but not one relative to another.
  enum Kind: CaseIterable {
    case sample, gap, other
  }

  /// The kind; `nil` of damage.
  var kind: Kind? {
    switch self {
    case .sample: return .sample
    case .other(.gap): return .gap
    case .other(.damage): return nil
    case .other: return .other
    }
  }

  /// How events that were read differ from some of those written, in their order, each once, the
  /// `synced` first ones among them; `nil` when they do not.
  static func difference(of read: [ReadEvent], from written: [ReadEvent], synced: Int) -> String? {
    let first = zip(read, written).prefix(synced).prefix { $0 == $1 }.count
    guard first == synced else { return "\(synced) were synced, and number \(first) is not there" }
    var rest = written.dropFirst(synced)
    for event in read.dropFirst(synced) {
      guard let index = rest.firstIndex(of: event) else { return "invented or repeated: \(event)" }
      rest = rest[(index + 1)...]
    }
    return nil
  }
}
