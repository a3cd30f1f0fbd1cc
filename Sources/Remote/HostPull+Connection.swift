// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

extension HostPull {
  /// Pending requests at a time.
  private static var window: Int { 64 }
  /// Nanoseconds before recordings in use are tried again, after all others.
  private static var wait: Int64 { 1_000_000_000 }
  /// Useless bytes from which on a new connection is cheaper than reading them.
  private static var bearable: UInt64 { 4 << 20 }

  /// Sends requests and receives answers until nothing is left to do.
  mutating func work(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    (lastPostponed, isLastLook) = (nil, false)
    while true {
      try fill(&farEnd)
      let isFull = batch.count >= settings.openFiles / 2
      if isFull || !batch.isEmpty && (asked.isEmpty || !farEnd.isReady) {
        publish()
      } else if let request = asked.first {
        switch request {
        case .fetch(let copy): try receive(copy, &farEnd)
        case .free(let free): try receive(free, &farEnd)
        }
      } else if todo.isEmpty, frees.isEmpty {
        let count = postponedOffers.count + postponedFrees.count
        guard count > 0 else {
          releaseHeldFrees()
          guard !frees.isEmpty else { return }
          continue
        }
        // Two hosts with the same recordings block each other until each has fetched some.
        isLastLook = count == lastPostponed
        lastPostponed = count
        clock.sleep(until: clock.now() + HostPull.wait)
        resumePostponed()
      }
    }
  }

  mutating func resumePostponed() {
    todo += postponedOffers
    frees += postponedFrees
    (postponedOffers, postponedFrees) = ([], [])
  }

  /// Sends requests until enough are pending.
  private mutating func fill(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    while asked.count < HostPull.window {
      let held = asked.count { request in
        switch request {
        case .fetch(let copy): copy.resumedAt > 0
        case .free: true
        }
      }
      guard held < settings.openFiles / 2 else { return }
      if let request = frees.popFirst() {
        if let line = begin(request) {
          asked.append(.free(request))
          try farEnd.ask(line)
        }
      } else if let offer = todo.popFirst() {
        let step = fetch.prepare(offer)
        carryOut(step)
        guard case .fetch(let copy) = step else { continue }
        let follow = settings.follow && offer.state == .running
        try farEnd.ask(.fetch(offer.id, offset: copy.resumedAt, follow: follow))
      } else {
        return
      }
    }
  }

  /// The request to free a recording; `nil` if it was postponed or reported as impossible.
  private mutating func begin(_ request: FreeRequest) -> PullRequest? {
    do {
      if let failure = labelFailures[request.outcome.offer.id] {
        throw CommandFailure(
          failure.status, "its labels could not be added here: \(failure.sentence)")
      }
      return try request.begin(in: fetch.local.catalogue, by: route)
    } catch {
      let failure = fetch.local.failure(error)
      if failure.status == .tryAgain, !isLastLook {
        postponedFrees.append(request)
      } else {
        request.outcome.stays(failure.status, failure.sentence)
        finish(request.outcome)
      }
      return nil
    }
  }

  mutating func carryOut(_ step: RecordingFetch.Step) {
    switch step {
    case .done(let outcome): finish(outcome)
    case .fetch(let copy): asked.append(.fetch(copy))
    case .free(let request):
      do {
        // A request from an earlier pull waited for them then.
        let take = request.outcome.fate == .asked ? nil : try fetch.take(of: request.entry)
        guard let take else { return frees.append(request) }
        heldFrees[take, default: []].append(request)
      } catch {
        let failure = fetch.local.failure(error)
        request.outcome.stays(failure.status, failure.sentence)
        finish(request.outcome)
      }
    case .busy(let offer):
      if isLastLook {
        finish(PulledRecording(offer: offer, fate: .busy, remark: "another program is at it here"))
      } else {
        postponedOffers.append(offer)
      }
    }
  }

  /// Receives the answer to the oldest request.
  private mutating func receive(
    _ copy: IncomingCopy, _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) {
    let offer = copy.offer
    board.begin(offer, host: index, done: copy.resumedAt)
    let matter = PullPatience.Matter.fetch(offer.id, isAnew: copy.isAnew)
    patience.expect(matter, adding: copy.resumedAt, isFollowed: copy.isFollowed)
    var isProved = copy.resumedAt == 0
    var isAnew = false
    while true {
      let reply: PullReply
      do throws(FarEnd.Failure) {
        reply = try farEnd.reply()
      } catch {
        guard case .refused(let failure) = error else { throw error }
        let remark = failure.sentence
        return drop(copy, .done(PulledRecording(offer: offer, fate: .failed, remark: remark)))
      }
      switch reply {
      case .prefix(let digest) where !isProved:
        isProved = true
        guard digest != copy.digest else { continue }
        isAnew = fetch.begunAnew(copy)
      case .bytes(let count) where isProved:
        guard copy.allows(count) else {
          throw farEnd.violation(
            "sends more of recording \(offer.number) than the \(offer.byteCount) bytes that it offered"
          )
        }
        try receive(count, of: copy, &farEnd)
        if copy.failure == nil, !isAnew {
          copy.advance()
          patience.progressed(
            matter, from: copy.resumedAt, to: copy.checkedByteCount, isFollowed: copy.isFollowed,
            now: clock.now())
        }
        if copy.failure != nil || isAnew { try bear(copy, isAnew: isAnew) }
      case .whole(let count, let digest, let state) where isProved:
        if isAnew {
          drop(copy, nil)
          todo = [offer] + todo
        } else if copy.end(byteCount: count, digest: digest, state: state) {
          patience.progressed(now: clock.now())
          asked.removeFirst()
          batch.append(copy)
        } else {
          drop(copy, copy.failure == nil ? .done(copy.outcome) : failed(copy))
        }
        return
      default: throw farEnd.violation("sends an answer that was not requested")
      }
    }
  }

  /// Abandons the connection when the useless rest of an answer is long.
  private mutating func bear(_ copy: IncomingCopy, isAnew: Bool) throws(FarEnd.Failure) {
    let offer = copy.offer
    let rest = offer.byteCount - min(offer.byteCount, copy.byteCount)
    guard rest > HostPull.bearable || offer.state == .running else { return }
    drop(copy, isAnew ? nil : failed(copy))
    if isAnew { todo = [offer] + todo }
    throw .abandoned(isOurs: !isAnew && !copy.isForeign)
  }

  private func failed(_ copy: IncomingCopy) -> RecordingFetch.Step {
    if copy.isBusy { return .busy(copy.offer) }
    guard let failure = copy.failure else {
      return .done(PulledRecording(offer: copy.offer, fate: .failed))
    }
    return .done(PulledRecording(offer: copy.offer, failure: failure))
  }

  /// Drops the oldest request, whose answer is useless.
  private mutating func drop(_ copy: IncomingCopy, _ step: RecordingFetch.Step?) {
    asked.removeFirst()
    fetch.local.release(copy.offer.id)
    if let step { carryOut(step) }
  }

  private mutating func receive(
    _ count: Int, of copy: IncomingCopy, _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) {
    var left = count
    while left > 0 {
      let room = UnsafeMutableRawBufferPointer(
        rebasing: fetch.memory.bytes[..<min(left, fetch.memory.bytes.count)])
      let ready = try farEnd.read(into: room)
      copy.receive(UnsafeRawBufferPointer(rebasing: room[..<ready]))
      result.received += UInt64(ready)
      left -= ready
      board.add(ready, host: index)
    }
  }

  /// Receives the answer to a request to free a recording, the oldest one.
  private mutating func receive(
    _ free: FreeRequest, _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) {
    patience.expect(.free(free.outcome.offer.id), adding: free.byteCount)
    do throws(FarEnd.Failure) {
      guard case .freed = try farEnd.reply() else {
        throw farEnd.violation("sends an answer that was not requested")
      }
      free.outcome.isFreed = true
      patience.progressed(now: clock.now())
    } catch {
      guard case .refused(let failure) = error else { throw error }
      free.outcome.stays(failure.status, failure.sentence)
    }
    asked.removeFirst()
    free.end(in: fetch.local.catalogue, by: route)
    finish(free.outcome)
  }

  mutating func publish() {
    guard !batch.isEmpty else { return }
    let copies = batch
    batch = []
    let steps = fetch.publish(copies)
    for copy in copies { fetch.local.release(copy.offer.id) }
    for step in steps { carryOut(step) }
  }
}
