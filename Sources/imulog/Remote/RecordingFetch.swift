import Export
import Glibc
import IMUModel
import LogStore
import Remote

/// Brings recordings here, one after the other, and proves that each is what is there.
///
///     nothing here ──► .part-UUID ──► SHA-256 and page checks ──► 000007-….imulog
///     .part-UUID is here ──► its intact beginning ──► is it theirs? yes: go on. no: .aside-UUID-1, begin anew
///     000007-….imulog is here ──► as long and as complete as theirs? yes: done. no: say so, touch nothing
struct RecordingFetch {
  let catalogue: Catalogue
  let settings: PullSettings
  let board: PullBoard
  let host: String
  let index: Int
  /// Bytes that came, over all recordings.
  private(set) var received: UInt64 = 0
  /// Whether an answer was given up that is still coming: the connection is of no use any more.
  private(set) var isAnswerPending = false
  private var local: LocalCopies?
  private var numbers: [RecordingID: UInt32] = [:]
  private let memory: CopyMemory

  init(
    catalogue: Catalogue, settings: PullSettings, board: PullBoard, host: String, index: Int
  ) {
    self.catalogue = catalogue
    self.settings = settings
    self.board = board
    self.host = host
    self.index = index
    memory = CopyMemory()
  }

  /// Looks at what is here of these.
  mutating func plan(_ offers: [PullOffer]) throws(CatalogueError) {
    let local = try LocalCopies(catalogue)
    numbers = local.numbers(for: offers)
    self.local = local
  }

  /// Brings one recording here; `isAgain` when another pull was at it, which may have brought it meanwhile.
  ///
  /// - Throws: when the connection breaks; what came of the recording is kept.
  mutating func run(
    _ offer: PullOffer, _ farEnd: inout FarEnd, isAgain: Bool
  ) throws(FarEnd.Failure) -> PulledRecording {
    do {
      if isAgain { local = try LocalCopies(catalogue) }
      if let entry = local?.entry(of: offer.id) {
        var outcome = try compare(offer, entry)
        try finish(entry, &outcome, proved: nil, &farEnd)
        return outcome
      }
      return try bring(offer, &farEnd)
    } catch let failure as FarEnd.Failure {
      if case .refused(_, let sentence) = failure {
        isAnswerPending = false
        return PulledRecording(offer: offer, fate: .failed, remark: sentence)
      }
      throw failure
    } catch CatalogueError.storage(let error) where error.operation == .lock {
      return PulledRecording(offer: offer, fate: .busy, remark: "another pull is at it")
    } catch CatalogueError.present(_, let number) {
      // Another host had it too, and was faster.
      return PulledRecording(offer: offer, fate: .here, number: number)
    } catch {
      let failure = CommandFailure(error) ?? CommandFailure(.inputOutput, "\(error)")
      return PulledRecording(offer: offer, fate: .failed, remark: failure.sentence)
    }
  }

  /// A new connection: no answer is on its way.
  mutating func connected() { isAnswerPending = false }

  /// What to say of a recording that is here already.
  private func compare(_ offer: PullOffer, _ entry: CatalogueEntry) throws -> PulledRecording {
    let copy = try catalogue.copySource(of: entry)
    var outcome = PulledRecording(offer: offer, fate: .here, number: entry.number)
    let isSame =
      copy.byteCount == offer.byteCount
      && (copy.state == .complete) == (offer.state == .complete) && offer.state != .running
    guard !isSame else { return outcome }
    outcome.fate = .differs
    let sizes = "\(offer.byteCount) bytes there, \(copy.byteCount) here"
    if offer.state == .recovered {
      outcome.remark =
        "was recovered there after a power cut and is no longer what was fetched as \(entry.number) "
        + "(\(sizes)); the copy here stays as it is"
    } else {
      outcome.remark =
        "is not what was fetched as \(entry.number) (\(sizes)): one of them was changed; `imulog rm "
        + "\(entry.number)` here and pull again to have theirs"
    }
    return outcome
  }

  private mutating func bring(_ offer: PullOffer, _ farEnd: inout FarEnd) throws -> PulledRecording
  {
    var outcome = PulledRecording(offer: offer, fate: .fetched)
    var copy = try catalogue.partialCopy(of: offer.id)
    var sum = try beginning(of: &copy)
    // One that is written has more by now than when it was offered.
    if copy.byteCount > offer.byteCount, offer.state != .running {
      outcome.remark = try setAside(copy, offer, at: offer.byteCount)
      return try again(offer, outcome, &farEnd)
    }
    let resumedAt = copy.byteCount
    board.begin(offer, host: index, done: resumedAt)
    let follow = settings.follow && offer.state == .running
    isAnswerPending = true
    try farEnd.ask(.fetch(offer.id, offset: resumedAt, follow: follow))
    if resumedAt > 0 {
      guard case .prefix(let theirs) = try farEnd.reply() else { throw unexpected }
      guard theirs == sum.digest else {
        outcome.remark = try setAside(copy, offer, at: nil)
        // The rest of the answer is on its way, and of no use.
        try drain(&farEnd)
        return try again(offer, outcome, &farEnd)
      }
      outcome.fate = .resumed
    }
    // What was here before was found intact just now.
    var check = try pageCheck(of: copy, from: resumedAt)
    while true {
      switch try farEnd.reply() {
      case .bytes(let count):
        try take(count, &farEnd, &copy, &sum)
        if check == nil { check = try pageCheck(of: copy, from: 0) }
        try check?.advance(&copy, to: copy.byteCount)
      case .whole(let count, let digest, let state):
        isAnswerPending = false
        guard count == copy.byteCount, digest == sum.digest else {
          try copy.cut(to: 0)
          throw CommandFailure(
            .inputOutput, "what came is not what was sent; it was thrown away, so pull again")
        }
        outcome.byteCount = copy.byteCount
        if state == .running {
          outcome.fate = .running
          try copy.sync()
          return outcome
        }
        return try publish(copy, check.take(), digest, outcome, &farEnd)
      default: throw unexpected
      }
    }
  }

  private var unexpected: FarEnd.Failure { .broken("an answer came that was not asked for") }

  /// Begins a recording from its first byte, because what was here of it is not theirs.
  private mutating func again(
    _ offer: PullOffer, _ earlier: PulledRecording, _ farEnd: inout FarEnd
  ) throws -> PulledRecording {
    var outcome = try bring(offer, &farEnd)
    outcome.remark = earlier.remark
    if offer.state != .recovered { outcome.isDamaged = true }
    return outcome
  }

  /// Cuts a beginning to what is intact of it, and adds it up.
  private func beginning(of copy: inout PartialCopy) throws -> SHA256 {
    var sum = SHA256()
    guard copy.byteCount > 0 else { return sum }
    if let description = try header(of: copy.name) {
      var check = PageCheck(description)
      try check.run(&copy, stopsAtDamage: true)
      if check.settledByteCount < copy.byteCount { try copy.cut(to: check.settledByteCount) }
    } else {
      try copy.cut(to: 0)
    }
    while sum.byteCount < copy.byteCount {
      let count = try copy.read(at: sum.byteCount, into: memory.bytes)
      sum.add(UnsafeRawBufferPointer(rebasing: memory.bytes[..<count]))
    }
    return sum
  }

  /// The header of a log; `nil` when it cannot be read.
  private func header(of path: String) throws(StorageError) -> RecordingDescription? {
    let storage = try FileStorage(reading: path)
    do {
      return try LogReader(storage).description
    } catch {
      return nil
    }
  }

  /// Takes bytes as they come, so that of a connection that breaks nothing is lost.
  private mutating func take(
    _ count: Int, _ farEnd: inout FarEnd, _ copy: inout PartialCopy, _ sum: inout SHA256
  ) throws {
    var left = count
    while left > 0 {
      let room = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<left])
      let ready = try farEnd.read(into: room)
      let bytes = UnsafeRawBufferPointer(rebasing: room[..<ready])
      try copy.append(bytes)
      sum.add(bytes)
      received += UInt64(ready)
      left -= ready
      board.add(ready, host: index)
    }
  }

  /// Reads an answer to its end.
  private mutating func drain(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    while case .bytes(let count) = try farEnd.reply() {
      var left = count
      while left > 0 {
        left -= try farEnd.read(
          into: UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<left]))
      }
    }
    isAnswerPending = false
  }

  /// Keeps what had come and is not theirs; what to say about it.
  private func setAside(
    _ copy: consuming PartialCopy, _ offer: PullOffer, at length: UInt64?
  ) throws -> String {
    let path = try catalogue.setAside(copy)
    let what = length.map { "has only \($0) bytes now" } ?? "has another beginning now"
    return offer.state == .recovered
      ? "it was recovered there after a power cut and \(what); what had come before the cut is \(path)"
      : "it was changed there and \(what); what had come before is \(path)"
  }

  /// A check for the pages behind `start`, made as soon as the header is there; `nil` when there is none, or it is
  /// another recording's.
  private func pageCheck(of copy: borrowing PartialCopy, from start: UInt64) throws -> Optional<
    PageCheck
  > {
    guard copy.byteCount > 0,
      let description = try header(of: copy.name), description.id == copy.id
    else { return nil }
    return PageCheck(description, from: start)
  }

  private mutating func publish(
    _ copy: consuming PartialCopy, _ check: consuming Optional<PageCheck>, _ digest: SHA256Digest,
    _ outcome: PulledRecording, _ farEnd: inout FarEnd
  ) throws -> PulledRecording {
    var copy = copy
    var outcome = outcome
    guard var check = check else {
      throw CommandFailure(
        .damagedData, "what came is no recording \(outcome.offer.id); it stays in \(copy.name)")
    }
    try check.run(&copy, stopsAtDamage: false)
    if check.damagedPageCount > 0 {
      outcome.isDamaged = true
      outcome.remark =
        (outcome.remark.map { $0 + "; " } ?? "")
        + "it is damaged there in \(check.damagedPageCount) pages, and the copy is as it is there"
    }
    let length = copy.byteCount
    let entry = try catalogue.publish(
      copy, number: numbers[outcome.offer.id] ?? outcome.offer.number, start: outcome.offer.start)
    outcome.number = entry.number
    try finish(entry, &outcome, proved: (length, digest), &farEnd)
    return outcome
  }

  /// Writes a recording that is here out, and lets the other side free it.
  private func finish(
    _ entry: CatalogueEntry, _ outcome: inout PulledRecording,
    proved: (byteCount: UInt64, digest: SHA256Digest)?, _ farEnd: inout FarEnd
  ) throws {
    outcome.number = entry.number
    if let format = settings.format { convert(entry, to: format, &outcome) }
    guard settings.thenFree, outcome.fate != .differs,
      proved != nil || outcome.offer.state != .running
    else { return }
    // What this pull did not bring may never have been synced, and what is read of it must not come from the cache.
    if proved == nil { try catalogue.secure(entry) }
    let proof = try proved ?? digest(of: entry)
    // Where both ends have the same store, its owner would lose the only copy: a recording that is held is not moved.
    let hold = try catalogue.hold(entry)
    try farEnd.ask(.free(outcome.offer.id, byteCount: proof.byteCount, digest: proof.digest))
    do throws(FarEnd.Failure) {
      if case .freed = try farEnd.reply() { outcome.isFreed = true }
    } catch {
      guard case .refused(_, let sentence) = error else { throw error }
      outcome.isUnfreed = true
      outcome.remark = "it stays there: \(sentence)"
    }
    hold.release()
  }

  /// Writes a recording out. It is here and whole, also when that fails.
  private func convert(
    _ entry: CatalogueEntry, to format: ExportFormat, _ outcome: inout PulledRecording
  ) {
    do {
      let conversion = Conversion(format: format, directory: settings.directory)
      if try conversion.run(entry, in: catalogue) > 0 { outcome.isDamaged = true }
    } catch {
      let failure = CommandFailure(error) ?? CommandFailure(.inputOutput, "\(error)")
      outcome.conversionFailure = failure.status
      outcome.remark = failure.sentence
    }
  }

  private func digest(of entry: CatalogueEntry) throws -> (UInt64, SHA256Digest) {
    var source = try catalogue.copySource(of: entry)
    var sum = SHA256()
    while sum.byteCount < source.byteCount {
      let count = Int(min(UInt64(memory.bytes.count), source.byteCount - sum.byteCount))
      let bytes = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<count])
      try source.read(at: sum.byteCount, into: bytes)
      sum.add(UnsafeRawBufferPointer(bytes))
    }
    return (sum.byteCount, sum.digest)
  }
}

/// Memory for the bytes of one reply.
final class CopyMemory {
  let bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Int(PullLine.largestChunk), alignment: 4096)

  deinit { bytes.deallocate() }
}
