// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Makes chunks of pending samples, gaps and readings, and pages of chunks.
extension LogEncoder {
  /// Bytes left for the body of one more chunk in this page; negative without room.
  private var room: Int { LogFormat.pageSize - pageOffset - LogFormat.chunkOverhead }

  /// Estimates at how many pending samples the page may be full.
  mutating func planNextTrial() { nextTrial = LogEncoder.trial(room, bytesPerSample256) }

  /// A little fewer samples than are likely to fill the room; those of a new page when there is none.
  static func trial(_ room: Int, _ bytesPerSample256: Int) -> Int {
    let guess = ((room > 0 ? room : LogFormat.bodyLimit) << 8) / max(bytesPerSample256, 1)
    return min(max(guess - guess / 32, 1), SampleBlock.capacity)
  }

  /// Encodes pending samples if they fill the page to within about one sample, or fill the block.
  mutating func fillPageIfEnough() {
    openPage()
    let count = pending.count
    let size = gapBytes(before: count) + encode(count).size
    let free = room - size
    bytesPerSample256 = max((size << 8) / count, 1)
    if free < 0 || (free << 8) < bytesPerSample256 * 5 / 4 || count == SampleBlock.capacity {
      fillPage()
      planNextTrial()
    } else {
      let more = (free << 8) / bytesPerSample256
      nextTrial = min(count + max(more - more / 16, 1), SampleBlock.capacity)
    }
  }

  /// Encodes as many pending samples, with the gaps among them, as fit the page; closes it when some are left.
  mutating func fillPage() {
    openPage()
    let fit = largestFit()
    let gapCount = gapsBefore(fit?.count ?? 0)
    let gapSize = gapBytes(before: fit?.count ?? 0)
    guard fit != nil || (pending.isEmpty && gapSize <= room + LogFormat.chunkOverhead) else {
      closePage()
      return
    }
    if gapCount > 0 { writeGaps(gapCount) }
    if let fit {
      pageState = fit.state
      samplesEncoder.learn(pending, count: fit.count, pageState)
      lastLateness = pending.timeColumn[fit.count - 1]
      page.bytes[(pageOffset + 2)..<(pageOffset + 2 + fit.size)]
        .copyBytes(from: fitting.bytes[0..<fit.size])
      finishChunk(ChunkKind.samples, fit.size)
      bytesPerSample256 = max((fit.size << 8) / fit.count, 1)
      pending.removeFirst(fit.count)
      (searchedCount, lastTrial) = (0, nil)
    }
    if !pending.isEmpty || !gaps.isEmpty { closePage() }
  }

  /// The body of as many pending samples as fit the page, left in `fitting`; `nil` when none does. It is kept because
  /// encoding it again after trials of other lengths, which reuse each other's choices, could make it larger.
  private mutating func largestFit() -> Trial? {
    var (best, bestSize) = (nil as Trial?, 0)
    var (high, highSize) = (pending.count, 0)
    guard high > 0 else { return nil }
    var probe = high
    // Interpolation converges in three or four steps; the bound is for data that change abruptly.
    for _ in 0..<12 {
      let trial = encode(probe)
      let size = gapBytes(before: probe) + trial.size
      if size <= room {
        fitting.bytes.copyBytes(
          from: UnsafeRawBufferPointer(start: self.trial.base, count: trial.size))
        (best, bestSize) = (trial, size)
        if probe == pending.count { break }
      } else {
        (high, highSize) = (probe, size)
      }
      // One more sample would not fit, or the rest is not worth another look.
      let low = best?.count ?? 0
      if high - low <= 1 || (low > 0 && room - bestSize < 4) { break }
      let span = max(highSize - bestSize, 1)
      probe = min(max(low + (room - bestSize) * (high - low) / span, low + 1), high - 1)
    }
    return best
  }

  private mutating func encode(_ count: Int) -> Trial {
    if let lastTrial, lastTrial.count == count { return lastTrial }
    // Predictors chosen for nearly as many of the same samples are good enough.
    let again = count <= searchedCount + searchedCount / 4 && count >= searchedCount / 2
    if !again { searchedCount = count }
    var state = pageState
    let size = samplesEncoder.encode(pending, count: count, &state, to: trial.base, again: again)
    let made = Trial(count: count, size: size, state: state)
    lastTrial = made
    return made
  }

  /// How many pending gaps belong before the samples after the first `count` ones.
  private func gapsBefore(_ count: Int) -> Int {
    guard count < pending.count else { return gaps.count }
    let tick = pending.tickColumn[count]
    return gaps.firstIndex { $0.firstTick >= tick } ?? gaps.count
  }

  /// All bytes of the chunk of these gaps; 0 when there are none.
  private func gapBytes(before count: Int) -> Int {
    let gapCount = gapsBefore(count)
    guard gapCount > 0 else { return 0 }
    var bytes = LogFormat.chunkOverhead + ByteWriter.size(varint: UInt64(gapCount))
    var tick = pageFirstTick
    for gap in gaps[0..<gapCount] {
      bytes += gap.entrySize(after: tick)
      tick = gap.firstTick &+ gap.count
    }
    return bytes
  }

  private mutating func writeGaps(_ count: Int) {
    let chunk = ChunkWriter(page.bytes, offset: pageOffset, check: pageCheck)
    var body = chunk.body
    body.write(varint: UInt64(count))
    var tick = pageFirstTick
    for gap in gaps[0..<count] {
      gap.write(&body, after: tick)
      tick = gap.firstTick &+ gap.count
    }
    finishChunk(ChunkKind.gaps, body.count)
    gaps.removeFirst(count)
  }

  /// Writes the pending readings, but not the samples and gaps.
  mutating func writeReadings() {
    writeList(readings, ReadingsChunk.write)
    readings.removeAll(keepingCapacity: true)
  }

  /// The same of the magnetometer's values.
  mutating func writeField() {
    writeList(field, FieldChunk.write)
    field.removeAll(keepingCapacity: true)
  }

  private mutating func writeList<Item>(
    _ items: [Item], _ write: (ArraySlice<Item>, inout ByteWriter, _ room: Int) -> Int
  ) {
    var rest = items[...]
    while !rest.isEmpty {
      openPage()
      // In a full page there is not even room for the chunk's head.
      guard room > 0 else {
        closePage()
        continue
      }
      var body = ChunkWriter(page.bytes, offset: pageOffset, check: pageCheck).body
      let count = write(rest, &body, room)
      if count > 0 { finishChunk(ChunkKind.extended, body.count) } else { closePage() }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes a chunk of its own after everything pending.
  mutating func writeRecord(_ kind: UInt8, _ write: (inout ByteWriter) -> Void) {
    precondition(!isFinished, "the log was finished")
    flush()
    lastTrial = nil
    var body = ByteWriter(
      UnsafeMutableRawBufferPointer(start: trial.base, count: LogFormat.bodyLimit))
    write(&body)
    // Twice at most: page 1 begins with a copy of the header, which may leave no room.
    while body.count > room {
      closePage()
      openPage()
    }
    page.bytes[(pageOffset + 2)..<(pageOffset + 2 + body.count)]
      .copyBytes(from: UnsafeRawBufferPointer(start: trial.base, count: body.count))
    finishChunk(kind, body.count)
    planNextTrial()
  }

  /// Puts head and check around the body at the page's end and passes the chunk to the output.
  private mutating func finishChunk(_ kind: UInt8, _ length: Int) {
    let chunk = ChunkWriter(page.bytes, offset: pageOffset, check: pageCheck)
    let start = pageOffset
    (pageCheck, pageOffset) = chunk.finish(kind: kind, length: length)
    outputBuffer.append(UnsafeRawBufferPointer(rebasing: page.bytes[start..<pageOffset]))
  }

  /// Begins a page unless there is one with room.
  private mutating func openPage() {
    guard pageOffset == LogFormat.pageSize else { return }
    var (tick, lateness) = (nextTick, lastLateness)
    if !pending.isEmpty { (tick, lateness) = (pending.tickColumn[0], pending.timeColumn[0]) }
    var expected = grid
    let time = (lateness &+ expected.units(atTick: tick)) &* description.timeUnit
    for gap in gaps { tick = min(tick, gap.firstTick) }
    pageFirstTick = tick
    var header = PageHeader(
      recording: PageHeader.tag(of: description.id), sequence: pageSequence, firstTick: tick,
      firstTime: time)
    header.encode(into: page.bytes)
    pageCheck = header.check
    pageSequence &+= 1
    pageOffset = PageHeader.size
    let base = floorDivide(time, description.timeUnit) &- expected.units(atTick: tick)
    pageState = PageState(firstTick: tick, firstLateness: base)
    (searchedCount, lastTrial) = (0, nil)
    outputBuffer.append(UnsafeRawBufferPointer(rebasing: page.bytes[0..<PageHeader.size]))
    if header.sequence == 1 { copyHeader() }
  }

  /// Repeats the header, so that a log can be read when its first page cannot.
  private mutating func copyHeader() {
    let start = PageHeader.size + 2
    page.bytes[start..<(start + headerBody.count)].copyBytes(from: headerBody)
    finishChunk(ChunkKind.header, headerBody.count)
  }

  private mutating func closePage() {
    outputBuffer.appendZeros(LogFormat.pageSize - pageOffset)
    pageOffset = LogFormat.pageSize
  }
}
