// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogFormat
import LogStore

/// This side of a host's recordings: finds what is here, decides what to request, and publishes copies.
///
///     nothing here ──► .part-UUID ──► SHA-256 and page checks ──► 000007-….imulog
///     .part-UUID is here ──► its intact beginning ──► same as theirs? yes: resume. no: .aside-UUID-1, start over
///     000007-….imulog is here ──► as long and as complete as theirs? yes: done. no: report it, change nothing
struct RecordingFetch {
  /// The next step for a recording.
  enum Step {
    case done(PulledRecording)
    case fetch(IncomingCopy)
    /// Ask the other side to free it.
    case free(FreeRequest)
    /// Another program is using it.
    case busy(PullOffer)
  }

  let local: LocalCopies
  let settings: PullSettings
  private var numbers: [RecordingID: UInt32] = [:]
  /// Remarks about recordings that are fetched from the beginning, as the partial copy differed.
  private var earlier: [RecordingID: (remark: String, isDamaged: Bool)] = [:]
  let memory = CopyMemory()

  init(local: LocalCopies, settings: PullSettings) {
    self.local = local
    self.settings = settings
  }

  mutating func plan(_ offers: [PullOffer]) throws(CatalogueError) {
    numbers = try local.numbers(for: offers)
  }

  mutating func prepare(_ offer: PullOffer) -> Step {
    do {
      if let entry = try local.entry(of: offer.id) {
        // A copy from another host is locked until its name is durable.
        guard let copy = try local.catalogue.standing(of: entry) else { return .busy(offer) }
        return try kept(entry, compare(offer, entry, copy), proof: nil)
      }
      guard local.claim(offer.id) else { return .busy(offer) }
      do {
        return .fetch(try incoming(offer))
      } catch {
        local.release(offer.id)
        throw error
      }
    } catch CatalogueError.storage(let error) where error.operation == .lock {
      return .busy(offer)
    } catch {
      return .done(failed(offer, error))
    }
  }

  private func failed(_ offer: PullOffer, _ error: any Error) -> PulledRecording {
    PulledRecording(offer: offer, failure: local.failure(error))
  }

  private func compare(
    _ offer: PullOffer, _ entry: CatalogueEntry, _ copy: CopyStanding
  ) -> PulledRecording {
    var outcome = PulledRecording(offer: offer, fate: .here, number: entry.number)
    let isSame =
      copy.byteCount == offer.byteCount
      && (copy.state == .complete) == (offer.state == .complete) && offer.state != .running
    guard !isSame else { return outcome }
    outcome.fate = .differs
    let sizes = "\(offer.byteCount) bytes there, \(copy.byteCount) here"
    if offer.state == .recovered {
      outcome.note(
        "is no longer what was fetched as \(entry.number) (\(sizes)): it was recovered there after a power loss, or its medium "
          + "fails; the copy here is kept unchanged; remove the recording there"
      )
    } else {
      outcome.note(
        "is not what was fetched as \(entry.number) (\(sizes)): one of them was changed; `imulog --store "
          + "\(local.catalogue.path) rm \(entry.number)\(copy.take == nil ? "" : "/\(copy.sensorName)")` and pull again to have theirs"
      )
    }
    return outcome
  }

  /// Resumes or starts the copy of a recording.
  private mutating func incoming(_ offer: PullOffer) throws -> IncomingCopy {
    let before = earlier[offer.id]
    var outcome = PulledRecording(offer: offer, fate: .fetched, remark: before?.remark)
    outcome.isDamaged = before?.isDamaged ?? false
    let follow = settings.follow && offer.state == .running
    let isAnew = before != nil
    let path = "\(local.catalogue.path)/.part-\(offer.id)"
    guard access(path, F_OK) == 0 else {
      try local.makeSure(ofRoomFor: offer.byteCount)
      return IncomingCopy(
        offer, outcome, in: local, isFollowed: follow, isAnew: isAnew, copy: nil)
    }
    var copy = try local.catalogue.partialCopy(of: offer.id)
    let (sum, intact) = try beginning(of: &copy, offer)
    // A live recording has grown since it was offered.
    if copy.byteCount > offer.byteCount, offer.state != .running {
      guard !isAnew else { throw IncomingCopy.changesAgain }
      let aside = try local.catalogue.setAside(copy)
      note(IncomingCopy.words(offer, aside, "now has only \(offer.byteCount) bytes"), offer)
      return try incoming(offer)
    }
    try local.makeSure(ofRoomFor: offer.byteCount - min(offer.byteCount, copy.byteCount))
    if copy.byteCount > 0 { outcome.fate = .resumed }
    return IncomingCopy(
      offer, outcome, in: local, isFollowed: follow, isAnew: isAnew, copy: copy, intact: intact,
      sum: sum)
  }

  /// Notes why a recording is fetched from the beginning.
  private mutating func note(_ remark: String, _ offer: PullOffer) {
    earlier[offer.id] = (remark, offer.state != .recovered)
  }

  /// Sets aside a copy that differs, or cuts it to its intact part; returns whether the recording can be requested again.
  mutating func begunAnew(_ copy: IncomingCopy) -> Bool {
    if copy.hasDamage { return copy.cutToIntact() }
    guard let remark = copy.setAside() else { return false }
    note(remark, copy.offer)
    return true
  }

  /// Cuts a torn end off a partial copy, and hashes the rest unless it is longer than theirs; returns how much is intact.
  /// The digest shows whether damage in the middle is theirs; a live recording has none.
  private func beginning(
    of copy: inout PartialCopy, _ offer: PullOffer
  ) throws -> (SHA256, intact: UInt64) {
    let isLive = offer.state == .running
    let written = try copy.writtenByteCount()
    if written < copy.byteCount { try copy.cut(to: written) }
    var sum = SHA256()
    guard copy.byteCount > 0 else { return (sum, 0) }
    var intact: UInt64 = 0
    var end: UInt64 = 0
    if let description = try IncomingCopy.header(of: copy.name) {
      var check = PageCheck(description)
      try check.run(&copy, stopsAtDamage: true)
      intact = check.finalByteCount
      let whole = copy.byteCount / IncomingCopy.pageSize * IncomingCopy.pageSize
      end = isLive ? intact : max(intact, whole)
    }
    if end < copy.byteCount { try copy.cut(to: end) }
    guard isLive || copy.byteCount <= offer.byteCount else { return (sum, intact) }
    while sum.byteCount < copy.byteCount {
      let count = try copy.read(at: sum.byteCount, into: memory.bytes)
      sum.add(UnsafeRawBufferPointer(rebasing: memory.bytes[..<count]))
    }
    return (sum, intact)
  }

  mutating func publish(_ batch: [IncomingCopy]) -> [Step] {
    var steps: [Step] = []
    var copies: [(IncomingCopy, SHA256Digest, WholeCopy)] = []
    for copy in batch {
      guard let whole = copy.whole(number: numbers[copy.offer.id]) else { continue }
      copies.append((copy, copy.digest, whole))
    }
    do {
      let refused =
        try settings.witness?.willPublish(
          copies.map {
            PullArrival(offer: $0.0.offer, byteCount: $0.0.byteCount, digest: $0.1)
          }) ?? [:]
      copies.removeAll { copy, _, _ in
        guard let failure = refused[copy.offer.id] else { return false }
        steps.append(
          .done(PulledRecording(offer: copy.offer, fate: .busy, remark: failure.sentence)))
        return true
      }
      try local.publish(copies.map(\.2))
    } catch {
      return steps + copies.map { .done(failed($0.0.offer, error)) }
    }
    for (copy, digest, whole) in copies {
      do {
        do {
          let entry = try whole.result.get()
          steps.append(try kept(entry, copy.outcome, proof: (copy.byteCount, digest)))
        } catch CatalogueError.present {
          steps.append(try meet(copy, digest))
        } catch CatalogueError.storage(let error) where error.operation == .lock {
          let remark =
            "the copy is kept, but cannot get its number: \(local.failure(error).sentence)"
          steps.append(
            .done(PulledRecording(offer: copy.offer, fate: .busy, remark: remark)))
        }
      } catch {
        steps.append(.done(failed(copy.offer, error)))
      }
    }
    return steps
  }

  /// The next step for a copy whose recording another program has published meanwhile.
  private func meet(_ came: IncomingCopy, _ digest: SHA256Digest) throws -> Step {
    let offer = came.offer
    guard let entry = try local.entry(of: offer.id), try local.catalogue.standing(of: entry) != nil
    else { return .busy(offer) }
    var copy = try local.catalogue.partialCopy(of: offer.id)
    var outcome = PulledRecording(offer: offer, fate: .here, number: entry.number)
    let here = try self.digest(of: entry)
    if here == (came.byteCount, digest) {
      try copy.cut(to: 0)
      return try kept(entry, outcome, proof: nil)
    }
    let aside = try local.catalogue.setAside(copy)
    outcome.fate = .differs
    outcome.note(
      "another program fetched it meanwhile as \(entry.number), with other bytes "
        + "(\(came.byteCount) bytes there, \(here.0) here); that copy is kept unchanged, and this one is \(aside)"
    )
    return .done(outcome)
  }

  /// Exports a recording that is here, if requested; returns whether to free it there.
  private func kept(
    _ entry: CatalogueEntry, _ earlier: PulledRecording,
    proof: (byteCount: UInt64, digest: SHA256Digest)?
  ) throws -> Step {
    var outcome = earlier
    outcome.number = entry.number
    // Before a repeated request it was exported already.
    if outcome.fate != .asked { derive(entry, &outcome) }
    guard settings.thenFree, outcome.fate != .differs else { return .done(outcome) }
    // A copy of another pull may not be synced, and must not be read from the cache.
    if proof == nil, try !local.catalogue.secure(entry) {
      outcome.stays(nil, "the copy here is only a link; put the file itself in its place")
      return .done(outcome)
    }
    let (byteCount, digest) = try proof ?? self.digest(of: entry)
    return .free(FreeRequest(outcome, entry, byteCount: byteCount, digest: digest))
  }

  /// The take of a recording here, by its own header; `nil` for one of its own.
  func take(of entry: CatalogueEntry) throws(LogError) -> RecordingID? {
    try local.catalogue.standing(of: entry)?.take?.id
  }

  /// Why recordings of a take are not to be freed: one is not here, or was changed after its proof; `nil` when all are.
  func whyKept(_ requests: [FreeRequest]) throws -> String? {
    guard let first = requests.first else { return nil }
    let take = try local.catalogue.take(of: first.entry)
    if take.missing > 0 { return take.remarks[0] }
    for request in requests
    where try digest(of: request.entry) != (request.byteCount, request.digest) {
      return "recording \(request.entry.number) of its take was changed here meanwhile"
    }
    return nil
  }

  /// Repeats a request to free a recording that is not offered any more; `nil` if it is not here.
  func askAgain(_ id: RecordingID) -> Step? {
    let offer = PullOffer(number: 0, id: id, byteCount: 0, state: .complete, start: 0)
    var outcome = PulledRecording(offer: offer, fate: .asked)
    do {
      guard let entry = try local.entry(of: id) else { return nil }
      outcome.number = entry.number
      return try kept(entry, outcome, proof: nil)
    } catch {
      let failure = local.failure(error)
      outcome.stays(failure.status, failure.sentence)
      return .done(outcome)
    }
  }

  /// Exports a recording; it counts as complete even if that fails.
  private func derive(_ entry: CatalogueEntry, _ outcome: inout PulledRecording) {
    do {
      guard let derived = try settings.derive?(entry, local.catalogue) else { return }
      if derived.isDamaged { outcome.isDamaged = true }
      for remark in derived.remarks { outcome.note(remark) }
    } catch {
      let failure = CommandFailure(error, else: .inputOutput)
      outcome.conversionFailure = failure.status
      outcome.note(failure.sentence)
    }
  }

  private func digest(of entry: CatalogueEntry) throws -> (UInt64, SHA256Digest) {
    var source = try local.catalogue.copySource(of: entry)
    var sum = SHA256()
    try source.add(upTo: source.byteCount, to: &sum, memory.bytes)
    return (sum.byteCount, sum.digest)
  }
}

/// A recording that is safe here, and is to be freed there.
final class FreeRequest {
  var outcome: PulledRecording
  let entry: CatalogueEntry
  let byteCount: UInt64
  let digest: SHA256Digest
  private var hold: RecordingHold?
  private var isRepeated = false

  init(
    _ outcome: PulledRecording, _ entry: CatalogueEntry, byteCount: UInt64, digest: SHA256Digest
  ) {
    (self.outcome, self.entry) = (outcome, entry)
    (self.byteCount, self.digest) = (byteCount, digest)
  }

  /// The request; the recording here cannot be moved until ``withdraw()`` or ``end(in:by:)``.
  func begin(in catalogue: Catalogue, by route: String) throws(CatalogueError) -> PullRequest {
    let hold = try catalogue.rely(on: entry, outcome.offer.id, by: route)
    isRepeated = hold.isRepeated
    self.hold = consume hold
    return .free(outcome.offer.id, byteCount: byteCount, digest: digest)
  }

  /// Leaves the mark of a request whose connection is lost, as it may still be carried out.
  func withdraw() { hold = nil }

  /// Removes the mark after an answer. It stays after a refusal of a repeated request: the earlier one may still be carried
  /// out, as the route may lead to another store by now.
  func end(in catalogue: Catalogue, by route: String) {
    defer { hold = nil }
    guard !isRepeated || outcome.isFreed else { return }
    // Before the lock, so that it is not the next pull's mark.
    do {
      try catalogue.relyNoMore(on: outcome.offer.id, by: route)
    } catch {
      outcome.note("\(error)")
    }
  }
}

extension CopySource {
  /// Hashes its bytes up to `end`, and calls `each` after each piece.
  mutating func add(
    upTo end: UInt64, to sum: inout SHA256, _ buffer: UnsafeMutableRawBufferPointer,
    each: (UnsafeRawBufferPointer) throws -> Void = { _ in }
  ) throws {
    while sum.byteCount < end {
      let count = Int(min(UInt64(buffer.count), end - sum.byteCount))
      let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      try read(at: sum.byteCount, into: bytes)
      sum.add(UnsafeRawBufferPointer(bytes))
      try each(UnsafeRawBufferPointer(bytes))
    }
  }
}

/// Memory for pieces of recordings.
final class CopyMemory {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)

  deinit { bytes.deallocate() }
}
