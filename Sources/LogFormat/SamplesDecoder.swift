// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Decodes the bodies of samples chunks into blocks.
struct SamplesDecoder: ~Copyable {
  private let unit: Int64
  private let channels: [Int]
  private let absentChannels: [Int]
  private var grid: TickGrid
  /// Whether each sample of the chunk repeats the one before. Safe: it has an element for each sample of a chunk.
  private let repeats = OwnedMemory<Bool>(SampleBlock.capacity, repeating: false)

  init(_ description: RecordingDescription) {
    unit = description.timeUnit
    channels = description.channels.indices
    absentChannels = (0..<7).filter { !description.channels.indices.contains($0) }
    grid = TickGrid(rate: description.rate, unit: description.timeUnit)
  }

  mutating func pageState(firstTick: UInt64, firstTime: Int64) -> PageState {
    let lateness = floorDivide(firstTime, unit) &- grid.units(atTick: firstTick)
    return PageState(firstTick: firstTick, firstLateness: lateness)
  }

  /// Decodes the body in `range` of `base` to `block`, which is empty after an error. Safe when `base` has
  /// ``BitReader/margin`` readable bytes after `range`.
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
    try restoreTimes(block.timeColumn, block.tickColumn, count: count)
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
  ) throws(MalformedChunk) {
    var grid = self.grid
    let limit = UInt64((RecordingTime.limit - 1) / unit)
    var farthest: UInt64 = 0
    for index in 0..<count {
      // The grid is below 2⁶², so a sum that wraps round is beyond the limit, too.
      let units = times[index] &+ grid.units(atTick: ticks[index])
      farthest = max(farthest, units.magnitude)
      times[index] = units &* unit
    }
    self.grid = grid
    guard farthest <= limit else { throw .timeOutOfRange }
  }
}

/// Decodes one stream of a samples body: the times, or the counts of one channel.
enum StreamDecoder {
  /// Reads `count` values (1...1024) to `values`, which has room for them. Total: any bits give values or an error, after
  /// which `values` and `state` are unusable.
  static func decode<Value: StreamValue>(
    _ reader: inout BitReader, _ state: inout StreamState, into values: UnsafeMutablePointer<Value>,
    count: Int
  ) throws(MalformedChunk) {
    try state.predictor.read(&reader, for: Value.self)
    if state.predictor.method == .constant {
      try decodeConstant(&reader, &state, into: values, count: count)
    } else {
      var first = 0
      if state.known == 0 {
        values[0] = Value(truncatingIfNeeded: reader.readWide(Value.bitWidth))
        state.remember(Int64(values[0]))
        first = 1
      }
      if first < count {
        let rest = count - first
        try readResiduals(&reader, &state, into: values + first, count: rest)
        restore(values + first, count: rest, &state)
      }
    }
    if reader.isExhausted { throw .exhausted }
  }

  private static func decodeConstant<Value: StreamValue>(
    _ reader: inout BitReader, _ state: inout StreamState, into values: UnsafeMutablePointer<Value>,
    count: Int
  ) throws(MalformedChunk) {
    let value: Value
    if reader.readFlag() {
      value = Value(truncatingIfNeeded: reader.readWide(Value.bitWidth))
    } else {
      guard state.known > 0 else { throw .noHistory }
      value = Value(truncatingIfNeeded: state.latest)
    }
    values.update(repeating: value, count: count)
    state.remember(UnsafePointer(values), count: count)
  }

  private static func readResiduals<Value: StreamValue>(
    _ reader: inout BitReader, _ state: inout StreamState, into values: UnsafeMutablePointer<Value>,
    count: Int
  ) throws(MalformedChunk) {
    var length = count
    if count > RiceCode.partitionUnit {
      let code = Int(reader.read(3))
      guard code < 7 else { throw .unknownPartition }
      length = RiceCode.partitionUnit << code
    }
    var start = 0
    while start < count {
      let index = readParameterIndex(&reader, after: state.parameterIndex)
      guard index >= 0 && index <= Value.bitWidth else { throw .badParameter }
      state.parameterIndex = index
      let end = min(start + length, count)
      if index == 0 {
        (values + start).update(repeating: 0, count: end - start)
      } else {
        var local = reader
        for position in start..<end { values[position] = local.readRice(index &- 1) }
        reader = local
      }
      start = end
    }
  }

  private static func readParameterIndex(_ reader: inout BitReader, after previous: Int) -> Int {
    let zeros = reader.peek().leadingZeroBitCount
    guard zeros < RiceCode.parameterEscapeLength else {
      reader.skip(RiceCode.parameterEscapeLength)
      return Int(reader.read(7))
    }
    reader.skip(zeros + 1)
    return previous + ((zeros >> 1) ^ -(zeros & 1))
  }

  private static func restore<Value: StreamValue>(
    _ values: UnsafeMutablePointer<Value>, count: Int, _ state: inout StreamState
  ) {
    let predictor = state.predictor
    var past = state.history
    if predictor.spacing != .dense {
      for tap in 0..<StreamMethod.maximumOrder {
        past[tap] = Int64(predictor.spacing.number(of: Value(truncatingIfNeeded: past[tap])))
      }
    }
    if predictor.offset != 0 {
      let offset = Value(truncatingIfNeeded: predictor.offset)
      for index in 0..<count { values[index] &+= offset }
    }
    if predictor.method.isLinear {
      // Safe: linear streams are of Int16 (checked with the head), so this is the same type.
      let counts = UnsafeMutableRawPointer(values).assumingMemoryBound(to: Int16.self)
      LinearPredictor.restore(counts, count: count, predictor, known: state.known, past)
    } else {
      FixedPredictor.restore(
        values, count: count, order: predictor.method.order, known: state.known, past)
    }
    predictor.spacing.restore(values, count: count)
    state.remember(UnsafePointer(values), count: count)
  }
}
