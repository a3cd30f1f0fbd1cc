import Glibc
import IMUModel
import LogStore

/// A recording on its way here: the file that it grows in, and what is known of it so far.
///
/// Used by one host's thread.
final class IncomingCopy {
  let offer: PullOffer
  /// Bytes that were here when it was asked for.
  let resumedAt: UInt64
  /// Those of them in front of the first page that is not as it was written.
  private let intact: UInt64
  /// Whether it is fetched anew because what was here was not theirs.
  let isAnew: Bool
  var outcome: PulledRecording
  /// Why it cannot be kept; what still comes of it is thrown away.
  private(set) var failure: CommandFailure?
  /// Whether another program brings it.
  private(set) var isBusy = false
  /// Bytes of it that came or were here.
  private(set) var byteCount: UInt64
  private let local: LocalCopies
  /// Whether it comes as it is written, to its end.
  let isFollowed: Bool
  private var copy: PartialCopy?
  private var sum: SHA256
  private var check: PageCheck?
  /// For one that is followed: its pages are full after minutes, its chunks after seconds.
  private var live: PageCheck?
  private var isChecked = false
  /// Bytes from the first one on that were found to be as they were written, or were counted as damaged.
  private(set) var settled: UInt64
  /// Whether what still comes belongs after bytes that are no longer here.
  private var isOver = false
  /// Bytes that there is surely room for.
  private var roomy: UInt64 = 0

  /// Bytes between two looks at the free space.
  private static let stride: UInt64 = 1 << 20

  /// Looks at what is here of it.
  init(
    _ offer: PullOffer, _ outcome: PulledRecording, in local: LocalCopies, isFollowed: Bool,
    isAnew: Bool, copy: consuming PartialCopy?, intact: UInt64 = 0, sum: SHA256 = SHA256()
  ) {
    self.offer = offer
    self.outcome = outcome
    self.local = local
    self.isFollowed = isFollowed
    self.isAnew = isAnew
    self.intact = intact
    self.copy = consume copy
    self.sum = sum
    byteCount = sum.byteCount
    resumedAt = sum.byteCount
    settled = sum.byteCount
  }

  /// The digest of what is here.
  var digest: SHA256Digest { sum.digest }

  /// Whether so many bytes more can be meant: one that no program writes is as long as it was offered.
  func allows(_ count: Int) -> Bool {
    offer.state == .running || byteCount + UInt64(count) <= offer.byteCount
  }

  /// Takes bytes as they come, so that of a connection that breaks nothing is lost.
  func take(_ bytes: UnsafeRawBufferPointer) {
    byteCount += UInt64(bytes.count)
    guard failure == nil, !isOver else { return }
    attempt {
      try open()
      if byteCount > roomy {
        let wanted = min(IncomingCopy.stride, max(offer.byteCount, byteCount) - byteCount)
        try local.makeSure(ofRoomFor: wanted + UInt64(bytes.count))
        roomy = byteCount + wanted
      }
      try copy?.append(bytes)
      sum.add(bytes)
    }
  }

  /// Checks what has come.
  func settle() {
    guard failure == nil else { return }
    attempt {
      if !isChecked {
        // What was here before and is intact is not looked at again.
        check = try pageCheck(from: intact)
        if isFollowed { live = try pageCheck(from: intact) }
        guard isChecked || byteCount < IncomingCopy.pageSize else { throw notThis }
      }
      try checked(&check) { check, copy in
        try check.advance(&copy, to: min(byteCount, offer.byteCount))
        let damaged = check.damagedPageCount
        try check.advance(&copy, to: byteCount)
        // What is offered may be damaged there. What is written just now is not.
        guard offer.state != .running || check.damagedPageCount == damaged else { throw notThis }
      }
      try checked(&live) { follower, copy in try follower.settle(&copy) }
    }
  }

  /// Bytes of a page; the header is in the first one.
  static let pageSize: UInt64 = 4096

  /// Hands the copy to one of its checks, and keeps both, also when it fails.
  private func checked(
    _ check: inout PageCheck?, _ body: (inout PageCheck, inout PartialCopy) throws -> Void
  ) throws {
    guard var taken = check.take() else { return }
    var failure: (any Error)?
    if var file = copy.take() {
      do { try body(&taken, &file) } catch { failure = error }
      copy = consume file
    }
    settled = max(settled, taken.settledByteCount)
    check = consume taken
    if let failure { throw failure }
  }

  /// Nothing of it is this recording, and nothing of it is kept.
  private(set) var isForeign = false

  private var notThis: CommandFailure {
    isForeign = true
    return CommandFailure(
      .damagedData, "what comes is not recording \(offer.id); look at what answers there")
  }

  /// The answer has ended. `true` when the copy is whole and can be published.
  func end(byteCount: UInt64, digest: SHA256Digest, state: PullState) -> Bool {
    guard failure == nil else { return false }
    attempt {
      try open()
      guard byteCount == self.byteCount, digest == sum.digest else {
        try copy?.cut(to: 0)
        throw CommandFailure(
          .inputOutput, "what came is not what was sent; it was thrown away, so pull again")
      }
      // What no program writes is what was offered. What is being written loses nothing.
      guard
        offer.state == .running
          ? byteCount >= offer.byteCount : (byteCount, state) == (offer.byteCount, offer.state)
      else {
        throw CommandFailure(
          .tryAgain,
          "it was changed there meanwhile: \(offer.byteCount) bytes, \(offer.state.rawValue), were offered, "
            + "and \(byteCount), \(state.rawValue), came; pull again")
      }
      outcome.byteCount = byteCount
      if state == .running {
        outcome.fate = .running
        try copy?.sync()
        return
      }
      // Nothing came of one that was here to its last byte already.
      if !isChecked { check = try pageCheck(from: intact) }
      guard isChecked else { throw notThis }
      var damaged: UInt64 = 0
      try checked(&check) { check, copy in
        try check.run(&copy, stopsAtDamage: false)
        damaged = check.damagedPageCount
      }
      if damaged > 0 {
        outcome.isDamaged = true
        outcome.note("it is damaged there in \(damaged) pages, and the copy is as it is there")
      }
    }
    return failure == nil && outcome.fate != .running
  }

  /// The copy, to be published. To be asked once.
  func whole(number: UInt32?) -> WholeCopy? {
    guard let copy = copy.take() else { return nil }
    return WholeCopy(copy, number: number ?? offer.number, start: offer.start)
  }

  /// Whether pages of what was here are not as they were written, there or here.
  var hasDamage: Bool { intact < resumedAt }

  /// Cuts what was here, whose damage is not theirs, to what is intact of it; whether that was possible.
  func cutToIntact() -> Bool {
    isOver = true
    attempt {
      try copy?.cut(to: intact)
      copy = nil
    }
    return failure == nil
  }

  /// Keeps what had come and is not theirs; what to say about it.
  func setAside() -> String? {
    isOver = true
    var remark: String?
    attempt {
      guard !isAnew else { throw IncomingCopy.changesAgain }
      guard let copy = copy.take() else { return }
      let path = try local.catalogue.setAside(copy)
      remark = IncomingCopy.words(offer, path, "has another beginning now")
    }
    return remark
  }

  /// Why a recording is set aside once in a run: there would be no end of it.
  static var changesAgain: CommandFailure {
    CommandFailure(
      .inputOutput,
      "it has another beginning there for the second time; look at what answers there, then pull again"
    )
  }

  static func words(_ offer: PullOffer, _ path: String, _ what: String) -> String {
    offer.state == .recovered
      ? "it was recovered there after a power cut and \(what); what had come before the cut is \(path)"
      : "it was changed there and \(what); what had come before is \(path)"
  }

  private func open() throws {
    guard copy == nil else { return }
    copy = try local.catalogue.partialCopy(of: offer.id)
    guard copy?.byteCount == resumedAt else {
      isBusy = true
      throw CommandFailure(.tryAgain, "another pull has brought a part of it; pull again")
    }
  }

  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      if case CatalogueError.storage(let refusal) = error, refusal.operation == .lock {
        isBusy = true
      }
      if isForeign { do { try copy?.cut(to: 0) } catch { failure = CommandFailure(error) } }
      failure = failure ?? CommandFailure(error, else: .inputOutput)
      check = nil
      live = nil
      copy = nil
    }
  }

  /// A check for the pages after `start`, made as soon as the header is there; `nil` when there is none, or it is
  /// another recording's.
  private func pageCheck(from start: UInt64) throws(StorageError) -> PageCheck? {
    guard let path = copy?.name, let description = try IncomingCopy.header(of: path),
      description.id == offer.id
    else { return nil }
    isChecked = true
    return PageCheck(description, from: start)
  }

  /// The header of a log; `nil` when it has none.
  static func header(of path: String) throws(StorageError) -> RecordingDescription? {
    let storage = try FileStorage(reading: path)
    do {
      return try LogReader(storage).description
    } catch {
      // A file that cannot be read now is not for that worth nothing.
      if case .storage(let cause) = error { throw cause }
      return nil
    }
  }
}
