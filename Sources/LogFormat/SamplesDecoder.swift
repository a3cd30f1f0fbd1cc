import IMUModel

/// Decodes the bodies of samples chunks into blocks.
struct SamplesDecoder: ~Copyable {
  private let unit: Int64
  private let channels: [Int]
  private let absentChannels: [Int]
  private var grid: TickGrid
  /// Whether each sample of the chunk at hand repeats the one before.
  private let repeats: UnsafeMutablePointer<Bool>

  // Safe: `repeats` is owned by this value alone and has an element for each sample a chunk can have.

  init(_ description: RecordingDescription) {
    unit = description.timeUnit
    channels = description.channels.indices
    absentChannels = (0..<7).filter { !description.channels.indices.contains($0) }
    grid = TickGrid(rate: description.rate, unit: description.timeUnit)
    repeats = .allocate(capacity: SampleBlock.capacity)
    repeats.initialize(repeating: false, count: SampleBlock.capacity)
  }

  deinit {
    repeats.deallocate()
  }

  /// The state with which a page begins.
  mutating func pageState(firstTick: UInt64, firstTime: Int64) -> PageState {
    let lateness = floorDivide(firstTime, unit) &- grid.units(atTick: firstTick)
    return PageState(firstTick: firstTick, firstLateness: lateness)
  }

  /// Decodes the body in `range` of `base` to `block`; the block is empty after an error.
  ///
  /// Safe when `base` has ``BitReader/margin`` readable bytes after `range`.
  mutating func decode(
    _ base: UnsafeRawPointer, _ range: Range<Int>, _ state: inout PageState,
    into block: inout SampleBlock
  ) throws(MalformedChunk) {
    block.removeAll()
    var reader = BitReader(base, range)
    let isAsBefore = reader.readFlag()
    var count = state.lastCount
    var (hasOffset, hasSteps, hasRepeats) = (false, false, false)
    if isAsBefore {
      guard count > 0 else { throw .noHistory }
    } else {
      count = Int(reader.read(10)) + 1
      hasOffset = reader.readFlag()
      hasSteps = reader.readFlag()
      hasRepeats = reader.readFlag()
      guard reader.read(2) == 0 else { throw .reservedBits }
    }
    state.lastCount = count
    try decodeTicks(
      &reader, &state, block.tickColumn, count: count, hasOffset: hasOffset, hasSteps: hasSteps)
    var coded = count
    if hasRepeats {
      for index in 0..<count {
        repeats[index] = reader.readFlag()
        if repeats[index] { coded -= 1 }
      }
      if reader.isExhausted { throw .exhausted }
      if repeats[0] && !state.hasSample { throw .noHistory }
    }
    try StreamDecoder.decode(&reader, &state[0], into: block.timeColumn, count: count)
    for (position, channel) in channels.enumerated() {
      let column = block.column(channel)
      let before = Int16(truncatingIfNeeded: state[position + 1].latest)
      if coded > 0 {
        try StreamDecoder.decode(&reader, &state[position + 1], into: column, count: coded)
      }
      if hasRepeats { spread(column, count: count, coded: coded, before: before) }
    }
    restoreTimes(block.timeColumn, block.tickColumn, count: count)
    for channel in absentChannels { block.column(channel).update(repeating: 0, count: count) }
    block.count = count
  }

  private func decodeTicks(
    _ reader: inout BitReader, _ state: inout PageState, _ ticks: UnsafeMutablePointer<UInt64>,
    count: Int, hasOffset: Bool, hasSteps: Bool
  ) throws(MalformedChunk) {
    var tick = state.expectedTick
    var overflow = false
    if hasOffset {
      let width = Int(reader.read(6)) + 1
      (tick, overflow) = tick.addingReportingOverflow(reader.readWide(width))
    }
    ticks[0] = tick
    if hasSteps {
      let parameter = Int(reader.read(6))
      for index in 1..<max(count, 1) {
        let skipped = RiceCode.fold(reader.readRice(parameter) as Int64)
        let (next, wrapped) = (tick &+ 1).addingReportingOverflow(UInt64(skipped))
        overflow = overflow || wrapped || next == 0
        tick = next
        ticks[index] = tick
      }
    } else {
      for index in 1..<max(count, 1) {
        tick &+= 1
        ticks[index] = tick
      }
    }
    if reader.isExhausted { throw .exhausted }
    // The last tick is the largest one unless a sum overflowed.
    guard !overflow, tick < LogFormat.tickLimit, ticks[0] < LogFormat.tickLimit else {
      throw .tickOutOfRange
    }
    state.expectedTick = tick + 1
  }

  /// Puts repeated samples between the `coded` ones at the front of a column, from the end on.
  private func spread(
    _ column: UnsafeMutablePointer<Int16>, count: Int, coded: Int, before: Int16
  ) {
    var source = coded - 1
    var index = count - 1
    while index >= 0 {
      // `source` never passes `index`, so that nothing is overwritten before it is read.
      column[index] = source >= 0 ? column[source] : before
      if !repeats[index] { source -= 1 }
      index -= 1
    }
  }

  private mutating func restoreTimes(
    _ times: UnsafeMutablePointer<Int64>, _ ticks: UnsafeMutablePointer<UInt64>, count: Int
  ) {
    var grid = self.grid
    for index in 0..<count {
      times[index] = (times[index] &+ grid.units(atTick: ticks[index])) &* unit
    }
    self.grid = grid
  }
}

/// `dividend` / `divisor` rounded towards minus infinity; `divisor` must be positive.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
  let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}
