// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore

/// A recording in transfer. Used by one host's thread.
final class IncomingCopy {
  let offer: PullOffer
  /// Bytes that were here at the request.
  let resumedAt: UInt64
  /// Those before the first damaged page.
  private let intact: UInt64
  /// Whether it is fetched from the beginning because the partial copy differed.
  let isAnew: Bool
  var outcome: PulledRecording
  /// Why it cannot be kept; the rest is discarded.
  private(set) var failure: CommandFailure?
  private(set) var isBusy = false
  /// Bytes of it that were here or were received.
  private(set) var byteCount: UInt64
  private let local: LocalCopies
  let isFollowed: Bool
  private var copy: PartialCopy?
  private var sum: SHA256
  private var check: PageCheck?
  /// Of a followed one, by chunks, which are complete after seconds, not minutes as pages.
  private var live: PageCheck?
  private var isChecked = false
  /// Leading bytes that were checked, intact or damaged.
  private(set) var checkedByteCount: UInt64
  /// Whether the rest follows bytes that are not here any more.
  private var isOver = false
  /// Bytes for which there is room.
  private var roomy: UInt64 = 0

  /// Bytes between two checks of the free space.
  private static let stride: UInt64 = 1 << 20

  /// Resumes `copy`, whose bytes `sum` has hashed, or starts without one.
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
    checkedByteCount = sum.byteCount
  }

  var digest: SHA256Digest { sum.digest }

  /// Whether so many more bytes may come: only a live recording exceeds its offer.
  func allows(_ count: Int) -> Bool {
    offer.state == .running || byteCount + UInt64(count) <= offer.byteCount
  }

  /// Appends bytes as they arrive, so that nothing is lost when the connection breaks.
  func receive(_ bytes: UnsafeRawBufferPointer) {
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

  func advance() {
    guard failure == nil else { return }
    attempt {
      if !isChecked {
        check = try pageCheck(from: intact)
        if isFollowed { live = try pageCheck(from: intact) }
        guard isChecked || byteCount < IncomingCopy.pageSize else { throw notThis }
      }
      try checked(&check) { check, copy in
        try check.advance(&copy, to: min(byteCount, offer.byteCount))
        let damaged = check.damagedPageCount
        try check.advance(&copy, to: byteCount)
        // The offered bytes may be damaged there, later ones not.
        guard offer.state != .running || check.damagedPageCount == damaged else { throw notThis }
      }
      try checked(&live) { follower, copy in try follower.advance(&copy) }
    }
  }

  /// Bytes of a page; the first page holds the header.
  static let pageSize: UInt64 = 4096

  /// Runs a check over the copy; keeps both even if it fails.
  private func checked(
    _ check: inout PageCheck?, _ body: (inout PageCheck, inout PartialCopy) throws -> Void
  ) throws {
    guard var taken = check.take() else { return }
    var failure: (any Error)?
    if var file = copy.take() {
      do { try body(&taken, &file) } catch { failure = error }
      copy = consume file
    }
    checkedByteCount = max(checkedByteCount, taken.finalByteCount)
    check = consume taken
    if let failure { throw failure }
  }

  /// Whether it is another recording, so that nothing is kept.
  private(set) var isForeign = false

  private var notThis: CommandFailure {
    isForeign = true
    return CommandFailure(
      .damagedData, "the data received is not recording \(offer.id); check what answers there")
  }

  /// Ends the answer; returns whether the copy is complete and can be published.
  func end(byteCount: UInt64, digest: SHA256Digest, state: PullState) -> Bool {
    guard failure == nil else { return false }
    attempt {
      try open()
      guard byteCount == self.byteCount, digest == sum.digest else {
        try copy?.cut(to: 0)
        throw CommandFailure(
          .inputOutput, "the copy differs from what was sent; it was discarded, so pull again")
      }
      // A live recording must not shrink; others must be as offered.
      guard
        offer.state == .running
          ? byteCount >= offer.byteCount : (byteCount, state) == (offer.byteCount, offer.state)
      else {
        throw CommandFailure(
          .tryAgain,
          "it changed there meanwhile: \(offer.byteCount) bytes, \(offer.state.rawValue), were offered, "
            + "and \(byteCount), \(state.rawValue), came; pull again")
      }
      outcome.byteCount = byteCount
      if state == .running {
        outcome.fate = .running
        try copy?.sync()
        return
      }
      // A copy that had every byte received none.
      if !isChecked { check = try pageCheck(from: intact) }
      guard isChecked else { throw notThis }
      var damaged: UInt64 = 0
      try checked(&check) { check, copy in
        try check.run(&copy, stopsAtDamage: false)
        damaged = check.damagedPageCount
      }
      if damaged > 0 {
        outcome.isDamaged = true
        let pages = damaged == 1 ? "page" : "pages"
        outcome.note("it is damaged there in \(damaged) \(pages), and so is the copy")
      }
    }
    return failure == nil && outcome.fate != .running
  }

  func whole(number: UInt32?) -> WholeCopy? {
    guard let copy = copy.take() else { return nil }
    return WholeCopy(copy, number: number ?? offer.number, start: offer.start)
  }

  /// Whether the resumed part has damaged pages, here or there.
  var hasDamage: Bool { intact < resumedAt }

  /// Cuts a copy that was damaged here to its intact part; returns whether that was possible.
  func cutToIntact() -> Bool {
    isOver = true
    attempt {
      try copy?.cut(to: intact)
      copy = nil
    }
    return failure == nil
  }

  /// Sets aside a copy that differs; returns the remark about it.
  func setAside() -> String? {
    isOver = true
    var remark: String?
    attempt {
      guard !isAnew else { throw IncomingCopy.changesAgain }
      guard let copy = copy.take() else { return }
      let path = try local.catalogue.setAside(copy)
      remark = IncomingCopy.words(offer, path, "now begins differently")
    }
    return remark
  }

  /// Only once in a run is a copy set aside: a far end could repeat it for ever.
  static var changesAgain: CommandFailure {
    CommandFailure(
      .inputOutput,
      "its beginning changed there for the second time; check what answers there, then pull again"
    )
  }

  static func words(_ offer: PullOffer, _ path: String, _ what: String) -> String {
    let cause = offer.state == .recovered ? "recovered there after a power loss" : "changed there"
    return "it was \(cause) and \(what); the earlier copy is kept as \(path)"
  }

  private func open() throws {
    guard copy == nil else { return }
    copy = try local.catalogue.partialCopy(of: offer.id)
    guard copy?.byteCount == resumedAt else {
      isBusy = true
      throw CommandFailure(.tryAgain, "another pull has received part of it; pull again")
    }
  }

  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      if case CatalogueError.storage(let refusal) = error, refusal.operation == .lock {
        isBusy = true
      }
      if isForeign { do { try copy?.cut(to: 0) } catch { failure = local.failure(error) } }
      failure = failure ?? local.failure(error)
      check = nil
      live = nil
      copy = nil
    }
  }

  /// A check for the pages after `start`; `nil` without this recording's header.
  private func pageCheck(from start: UInt64) throws(StorageError) -> PageCheck? {
    guard let path = copy?.name, let description = try IncomingCopy.header(of: path),
      description.id == offer.id
    else { return nil }
    isChecked = true
    return PageCheck(description, from: start)
  }

  static func header(of path: String) throws(StorageError) -> RecordingDescription? {
    let storage = try FileStorage(reading: path)
    do {
      return try LogReader(storage).description
    } catch {
      // A file that cannot be read now may be good.
      if case .storage(let cause) = error { throw cause }
      return nil
    }
  }
}
