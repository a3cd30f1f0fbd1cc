// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogFormat
package import LogStore
import Text

/// The far end of `imulog pull`: answers requests on stdin until it is closed. Answers are buffered while requests wait.
package struct PullServer {
  let catalogue: Catalogue
  let mayFree: Bool
  /// The record of a restricted key's requests.
  let journal: ServeJournal?
  private let describe: () -> RemoteMachine

  var input = STDIN_FILENO
  var output = ReplyBuffer(STDOUT_FILENO)
  private let clock = SystemClock()
  private let memory = CopyMemory()
  /// The entries of listed recordings.
  private var listed: [RecordingID: CatalogueEntry] = [:]

  /// - Parameters:
  ///   - mayFree: Whether recordings with a proved copy may be moved to the trash.
  ///   - describe: Reports this machine's facts.
  package init(
    _ catalogue: Catalogue, mayFree: Bool, journal: ServeJournal? = nil,
    describe: @escaping () -> RemoteMachine
  ) {
    (self.catalogue, self.mayFree) = (catalogue, mayFree)
    (self.journal, self.describe) = (journal, describe)
  }

  /// Nanoseconds between two `alive`s.
  private static var silence: Int64 { 5_000_000_000 }
  /// Nanoseconds between two checks of a live recording.
  private static var period: Int64 { 200_000_000 }

  /// Answers until the other side closes the connection.
  package mutating func run() throws {
    var requests = ByteStream(input)
    do {
      try say(.hello(version: PullLine.version, mayFree: mayFree))
      while true {
        if !requests.isReady { try output.flush() }
        let line = try requests.line(limit: PullLine.longest)
        guard let request = PullRequest(line: line) else {
          journal?.refused(Array(line.utf8), "is not a request of a pull")
          throw ByteStream.Break.nonsense(line)
        }
        try answer(request)
      }
    } catch ByteStream.Break.closed {
      return
    } catch let error as ByteStream.Break {
      if case .nonsense(let line) = error {
        throw CommandFailure(
          .usage, "\(Plain.text(line)) is not a request of a pull; use the same version of imulog")
      }
      throw CommandFailure(.inputOutput, "the connection failed: \(error)")
    }
  }

  private func say(_ reply: PullReply) throws(ByteStream.Break) {
    try output.append(Array((reply.line + "\n").utf8))
  }

  private mutating func answer(_ request: PullRequest) throws {
    do {
      switch request {
      case .list: try list()
      case .fetch(let id, let offset, let follow): try send(id, from: offset, follow: follow)
      case .free(let id, let count, let digest): try free(id, count, digest)
      case .labelled: try sayLabelled()
      case .labels(let id): try sayLabels(id)
      case .machine:
        for fact in describe().facts { try say(.fact(fact.name, fact.value)) }
        try say(.end)
      }
    } catch let error as ByteStream.Break {
      throw error
    } catch {
      guard let failure = CommandFailure(error) else { throw error }
      journal?.refused(Array(request.line.utf8), failure.sentence)
      try say(.refused(status: failure.status.rawValue, failure.sentence))
    }
  }

  /// Offers all readable recordings, and names the others. Of two files with one UUID only the newer one is offered.
  private mutating func list() throws {
    listed = [:]
    for entry in try catalogue.list().entries {
      var reply = offer(entry)
      if case .recording(let offer) = reply {
        if let twin = listed[offer.id] {
          reply = .unreadable(
            number: entry.number, "it has the UUID of recording \(twin.number), a copy made by hand"
          )
        } else {
          listed[offer.id] = entry
        }
      }
      try say(reply)
    }
    try say(.end)
  }

  private func offer(_ entry: CatalogueEntry) -> PullReply {
    do {
      func offer(
        _ id: RecordingID, _ byteCount: UInt64, _ state: LogSummary.State, _ take: TakePlace?
      ) -> PullReply {
        .recording(
          PullOffer(
            number: entry.number, id: id, byteCount: byteCount, state: PullServer.state(state),
            start: entry.startSeconds, take: take?.id))
      }
      if let standing = try catalogue.standing(of: entry) {
        return offer(standing.id, standing.byteCount, standing.state, standing.take)
      }
      let source = try catalogue.copySource(of: entry)
      let log = source.description
      return offer(log.id, source.byteCount, source.state, log.take)
    } catch {
      let why = CommandFailure(error)?.sentence ?? "\(error)"
      return .unreadable(number: entry.number, why)
    }
  }

  private static func state(_ state: LogSummary.State) -> PullState {
    switch state {
    case .live: return .running
    case .complete, .damaged: return .complete
    case .recovered: return .recovered
    }
  }

  /// Names all recordings with labels, also those in the trash, which may have been freed before their labels were fetched.
  private func sayLabelled() throws {
    var replies: [PullReply] = []
    for id in try catalogue.labelled().sorted(by: { "\($0)" < "\($1)" }) {
      let lines: [UInt8]
      do throws(CatalogueError) {
        let list = try catalogue.labels(of: id)
        lines = list.isDamaged ? Array("\(id) \(list.damageSentence ?? "")".utf8) : list.lines
      } catch {
        // A digest that differs from any: the answer to the question for the labels is the error.
        lines = Array("\(id) \(error)".utf8)
      }
      replies.append(.labelled(id, SHA256.digest(of: lines)))
    }
    for reply in replies { try say(reply) }
    try say(.end)
  }

  private func sayLabels(_ id: RecordingID) throws {
    let list = try catalogue.labels(of: id)
    guard !list.isDamaged else {
      throw CommandFailure(
        .damagedData,
        "\(catalogue.labelsPath(of: id)) is damaged there (\(list.damageSentence ?? "")): restore a copy, or delete it and give its "
          + "labels again")
    }
    for label in list.labels + list.removed.sorted() {
      try say(.label(LabelChange(label, revision: list.revision(of: label))))
    }
    try say(.end)
  }

  private func entry(_ id: RecordingID) throws -> CatalogueEntry? {
    // The store is searched only if the file is not where it was.
    if let entry = listed[id], catalogue.identity(of: entry) == id { return entry }
    return try catalogue.entry(of: id)
  }

  private static func gone(_ id: RecordingID) -> CommandFailure {
    CommandFailure(.noInput, "there is no recording \(id) any more")
  }

  private func send(_ id: RecordingID, from start: UInt64, follow: Bool) throws {
    guard let entry = try entry(id) else { throw PullServer.gone(id) }
    var source = try catalogue.copySource(of: entry)
    guard start <= source.byteCount else {
      throw CommandFailure(
        .damagedData,
        "recording \(id) has \(source.byteCount) bytes, and byte \(start) was asked for")
    }
    var sum = SHA256()
    try add(&source, upTo: start, to: &sum)
    if start > 0 { try say(.prefix(sum.digest)) }
    journal?.noted("sends recording \(id) from byte \(start)")
    var spoken = clock.now()
    while true {
      try source.add(upTo: source.byteCount, to: &sum, memory.bytes) { bytes in
        try say(.bytes(bytes.count))
        try output.append(bytes)
        spoken = clock.now()
      }
      if source.state != .live || !follow { break }
      if clock.now() - spoken > PullServer.silence {
        try say(.alive)
        spoken = clock.now()
      }
      try output.flush()
      clock.sleep(until: clock.now() + PullServer.period)
      try source.update()
    }
    try say(
      .whole(
        byteCount: sum.byteCount, digest: sum.digest, state: PullServer.state(source.state)))
  }

  /// Hashes the recording's bytes up to `end`, and sends `alive` meanwhile.
  private func add(
    _ source: inout CopySource, upTo end: UInt64, to sum: inout SHA256
  ) throws {
    var spoken = clock.now()
    try source.add(upTo: end, to: &sum, memory.bytes) { _ in
      guard clock.now() - spoken > PullServer.silence else { return }
      try say(.alive)
      try output.flush()
      spoken = clock.now()
    }
  }

  /// Moves a recording to the trash if the other side has its bytes.
  private func free(_ id: RecordingID, _ count: UInt64, _ digest: SHA256Digest) throws {
    guard mayFree else {
      throw CommandFailure(
        .noPermission,
        "this key may not free recordings; add --allow-delete to its line in authorized_keys")
    }
    // Both ends may have the same store, and the pull may have ended by now.
    try catalogue.makeSure(noPullReliesOn: id)
    guard let entry = try entry(id) else {
      // The first answer may have been lost.
      let trashed = try catalogue.trashed().map(\.entry)
      guard let entry = catalogue.entry(of: id, among: trashed) else { throw PullServer.gone(id) }
      try prove(entry, count, digest)
      return try say(.freed)
    }
    try prove(entry, count, digest)
    try catalogue.free(entry, id, now: clock.wallTime)
    journal?.noted("moved recording \(entry.number), \(id), to the trash")
    try say(.freed)
  }

  /// Throws unless a recording has the digest of the other side's copy.
  private func prove(
    _ entry: CatalogueEntry, _ count: UInt64, _ digest: SHA256Digest
  ) throws {
    var source = try catalogue.copySource(of: entry)
    guard source.state != .live else {
      throw CommandFailure(
        .tryAgain, "recording \(entry.number) is being written, or locked by another program")
    }
    var sum = SHA256()
    try add(&source, upTo: source.byteCount, to: &sum)
    guard sum.byteCount == count, sum.digest == digest else {
      throw CommandFailure(
        .damagedData, "recording \(entry.number) differs from the copy; it is kept")
    }
  }
}

/// Buffered replies to the other side.
final class ReplyBuffer {
  private let descriptor: Int32
  private var waiting: [UInt8] = []

  /// Most buffered bytes.
  private static let capacity = 64 * 1024

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    waiting.reserveCapacity(ReplyBuffer.capacity)
  }

  func append(_ bytes: [UInt8]) throws(ByteStream.Break) {
    waiting += bytes
    if waiting.count >= ReplyBuffer.capacity { try flush() }
  }

  /// Large buffers are not copied.
  func append(_ bytes: UnsafeRawBufferPointer) throws(ByteStream.Break) {
    guard bytes.count < ReplyBuffer.capacity / 4 else {
      try flush()
      return try send(bytes, to: descriptor)
    }
    waiting += bytes
    if waiting.count >= ReplyBuffer.capacity { try flush() }
  }

  func flush() throws(ByteStream.Break) {
    try send(waiting, to: descriptor)
    waiting.removeAll(keepingCapacity: true)
  }
}
