// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Encodes the first samples of a block as the body of a samples chunk. The block's time column holds lateness in units: see
/// ``LogEncoder``.
struct SamplesEncoder: ~Copyable {
  private let channels: [Int]
  private var times = StreamEncoder<Int64>()
  private var counts = StreamEncoder<Int16>()
  private let lattices = LatticeSearch()
  private var trainer = LinearTrainer()
  // Safe: both have an element for each sample of a block.
  private let repeats = OwnedMemory<Bool>(SampleBlock.capacity, repeating: false)
  private let coded = OwnedMemory<Int16>(SampleBlock.capacity, repeating: 0)
  /// The predictors that the streams used last.
  private var choices: [Predictor?] = Array(repeating: nil, count: 8)

  init(channels: ChannelSet) { self.channels = channels.indices }

  /// Writes `count` samples (1...1024, at most the block's) to `target`, which has ``BitWriter/capacity`` bytes, and carries
  /// `state` over; returns the bytes of the body.
  ///
  /// With `again`, the last call was for more or fewer of the same samples: predictors, most of the work, are used again.
  mutating func encode(
    _ block: borrowing SampleBlock, count: Int, _ state: inout PageState,
    to target: UnsafeMutableRawPointer, again: Bool
  ) -> Int {
    precondition(count > 0 && count <= block.count, "a samples chunk has 1 to 1024 samples")
    var writer = BitWriter(target)
    let repeated = findRepeats(block, count, state)
    // A mask costs a bit a sample; a repeat saves at least two bits in each channel.
    let hasRepeats = repeated * 2 * channels.count > count && repeated < count
    writeTicks(&writer, block.tickColumn, count, &state, hasRepeats: hasRepeats)
    if hasRepeats { for index in 0..<count { writer.write(repeats[index]) } }
    if !again { for stream in choices.indices { choices[stream] = nil } }
    let timeColumn = UnsafePointer(block.timeColumn)
    choices[0] = times.encode(
      &writer, &state[0], timeColumn, count: count,
      spacing: .wasting(timeColumn, count, after: state[0].predictor.spacing), choice: choices[0])
    for (position, channel) in channels.enumerated() {
      let column = UnsafePointer(block.column(channel))
      if hasRepeats {
        var kept = 0
        for index in 0..<count where !repeats[index] {
          coded[kept] = column[index]
          kept += 1
        }
        encode(&writer, &state, position, channel, UnsafePointer(coded.base), kept)
      } else {
        encode(&writer, &state, position, channel, column, count)
      }
    }
    writer.finish()
    return writer.count
  }

  /// Writes a channel's counts; `position` is its place among the channels of the recording.
  private mutating func encode(
    _ writer: inout BitWriter, _ state: inout PageState, _ position: Int, _ channel: Int,
    _ column: UnsafePointer<Int16>, _ count: Int
  ) {
    let choice = choices[position + 1]
    let spacing = lattices.spacing(
      column, count, after: state[position + 1].predictor.spacing, choice: choice?.spacing,
      hint: trainer.spacing[channel])
    choices[position + 1] = counts.encode(
      &writer, &state[position + 1], column, count: count, spacing: spacing, choice: choice,
      advice: trainer.advice[channel])
  }

  /// Learns from `count` samples that went into the log, with the state after them.
  mutating func learn(_ block: borrowing SampleBlock, count: Int, _ state: PageState) {
    for (position, channel) in channels.enumerated() {
      trainer.learn(
        channel, UnsafePointer(block.column(channel)), count: count,
        after: state[position + 1].predictor, lattices)
    }
  }

  /// Notes which samples equal the one before; returns how many do.
  private func findRepeats(_ block: borrowing SampleBlock, _ count: Int, _ state: PageState) -> Int
  {
    for index in 0..<count { repeats[index] = true }
    for (position, channel) in channels.enumerated() {
      let column = block.column(channel)
      let stream = state[position + 1]
      if stream.known == 0 || Int64(column[0]) != stream.latest { repeats[0] = false }
      for index in 1..<max(count, 1) {
        repeats[index] = repeats[index] && column[index] == column[index - 1]
      }
    }
    var repeated = 0
    for index in 0..<count where repeats[index] { repeated += 1 }
    return repeated
  }

  private func writeTicks(
    _ writer: inout BitWriter, _ ticks: UnsafeMutablePointer<UInt64>, _ count: Int,
    _ state: inout PageState, hasRepeats: Bool
  ) {
    let offset = ticks[0] &- state.expectedTick
    let hasSteps = ticks[count - 1] &- ticks[0] != UInt64(count - 1)
    let isAsBefore = count == state.lastCount && offset == 0 && !hasSteps && !hasRepeats
    writer.write(isAsBefore)
    if !isAsBefore {
      writer.write(UInt64(count - 1), 10)
      writer.write(offset != 0)
      writer.write(hasSteps)
      writer.write(hasRepeats)
      writer.write(0, 2)
    }
    state.lastCount = count
    if offset != 0 {
      let width = UInt64.bitWidth - offset.leadingZeroBitCount
      writer.write(UInt64(width - 1), 6)
      writer.writeWide(offset, width)
    }
    if hasSteps {
      let parameter = bestStepParameter(ticks, count)
      writer.write(UInt64(parameter), 6)
      for index in 1..<count {
        writer.writeRice(ticks[index] &- ticks[index - 1] &- 1, parameter)
      }
    }
    state.expectedTick = ticks[count - 1] &+ 1
  }

  /// The parameter with which the tick steps take the fewest bits.
  private func bestStepParameter(_ ticks: UnsafeMutablePointer<UInt64>, _ count: Int) -> Int {
    var best = 0
    var bestBits = Int.max
    for parameter in 0..<UInt64.bitWidth {
      var bits = 0
      for index in 1..<count {
        bits += RiceCode.bits(ticks[index] &- ticks[index - 1] &- 1, parameter)
      }
      if bits < bestBits { (best, bestBits) = (parameter, bits) }
      // Once all quotients are zero a larger parameter only adds bits.
      if bits == (count - 1) * (parameter + 1) { break }
    }
    return best
  }
}
