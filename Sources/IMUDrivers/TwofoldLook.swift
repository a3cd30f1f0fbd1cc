import IMUModel

/// Which of two bursts is whole, that were read one right after the other while the chip may have
/// made a new sample.
///
/// Axes are read in the order of their registers, and an update replaces all of them at once. So in
/// the burst that it falls into, axes are old up to some place and new from there on:
///
///     update in the first burst      o o o n n n    n n n n n n    the second is whole
///     between them                   o o o o o o    n n n n n n    both are
///     in the second                  o o o o o o    o o o n n n    the first is whole
///     none                           o o o o o o    o o o o o o    both are
///
/// First axes that differ exclude the third line, last axes that differ the first. Old and new
/// counts may be equal by chance: at rest those of one axis in 4 (10 Hz) to 30 (500 Hz). So when
/// neither differs but something in between does, nothing can be said. Where the rule decides, it
/// is right whatever counts are equal, provided that there was one update at most: an old axis that
/// it takes for a new one has the new one's counts.
///
/// Accelerometer and gyroscope are taken to update together; a lag of up to 45 bit times of the bus
/// changes nothing.
@usableFromInline
struct TwofoldLook: Sendable {
  @usableFromInline
  enum Verdict: Equatable, Sendable, BitwiseCopyable {
    case first
    case second
    case neither
  }

  /// The bytes of the recorded axes in the first burst.
  @usableFromInline let axes: Range<Int>
  @usableFromInline let angularRate: Range<Int>
  @usableFromInline let acceleration: Range<Int>
  /// The first register of further bursts, which have the recorded axes alone.
  @usableFromInline let register: UInt8
  /// The flags of the status that a new sample sets.
  @usableFromInline let readyMask: UInt8

  /// Flags of the status, in all ST chips here: acceleration, angular rate, and those that are 0 as the chip is set
  /// up, and 1 when no chip answers.
  @inlinable static var accelerometerFlag: UInt8 { 0x01 }
  @inlinable static var gyroscopeFlag: UInt8 { 0x02 }
  @inlinable static var reservedFlags: UInt8 { 0xF8 }

  /// `channels` has the accelerometer, the gyroscope or both. Angular rate precedes acceleration.
  init(_ channels: ChannelSet, _ layout: BurstLayout) {
    let hasAccelerometer = channels.contains(.accelerometer)
    let hasGyroscope = channels.contains(.gyroscope)
    angularRate = layout.angularRate..<layout.angularRate + 6
    acceleration = layout.acceleration..<layout.acceleration + 6
    let start = hasGyroscope ? angularRate.lowerBound : acceleration.lowerBound
    let end = hasAccelerometer ? acceleration.upperBound : angularRate.upperBound
    axes = start..<max(start, end)
    register = hasGyroscope ? layout.axisRegisters.angularRate : layout.axisRegisters.acceleration
    readyMask =
      (hasAccelerometer ? TwofoldLook.accelerometerFlag : 0)
      | (hasGyroscope ? TwofoldLook.gyroscopeFlag : 0)
  }

  /// Which burst to believe; the first when both are whole, which leaves the newer sample to the
  /// next tick.
  @inlinable
  func compare(_ first: Burst, _ second: Burst) -> Verdict {
    let end = axes.upperBound
    if !first.matches(second, in: end - 2..<end) { return .first }
    let start = axes.lowerBound
    if !first.matches(second, in: start..<start + 2) { return .second }
    return first.matches(second, in: axes) ? .first : .neither
  }

  /// Which burst to believe when the first has nothing new: the second when an update came before
  /// it, which its first axis shows, the first when there was none.
  ///
  /// Else the second is torn, or its first axis has by chance the count that it had.
  @inlinable
  func compare(stale first: Burst, _ second: Burst) -> Verdict {
    let start = axes.lowerBound
    if !first.matches(second, in: start..<start + 2) { return .second }
    return first.matches(second, in: axes) ? .first : .neither
  }
}

extension Burst {
  /// This burst with its bytes in `range` replaced by the first bytes of `other`.
  @inlinable
  func replacing(_ range: Range<Int>, by other: Burst) -> Burst {
    var result = self
    for index in range {
      let shift = UInt64(8 * (index & 7))
      let byte = UInt64(other[index - range.lowerBound]) << shift
      let mask = ~(UInt64(0xFF) << shift)
      if index < 8 {
        result.words.0 = (UInt64(littleEndian: result.words.0) & mask | byte).littleEndian
      } else {
        result.words.1 = (UInt64(littleEndian: result.words.1) & mask | byte).littleEndian
      }
    }
    return result
  }
}
