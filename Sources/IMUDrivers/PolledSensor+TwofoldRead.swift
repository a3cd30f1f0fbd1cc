// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Reading the registers of an ST chip without shadow registers: an LSM9DS1, and an LSM6DS whose FIFO does not keep the
/// newest sample (``PolledSensor/readNewest(_:into:)``).
extension PolledSensor where Bus: ~Copyable {
  /// Reads one sample.
  ///
  ///     LSM6DS, LSM6DSV  S 6A+W 1E Sr 6A+R  status  –  t t  gx gx gy gy gz gz  ax ax ay ay az az  P
  ///                      S 6A+W 22 Sr 6A+R                  gx gx gy gy gz gz  ax ax ay ay az az  P
  ///
  /// Block data update guards each two-byte value alone, so a burst that an update falls into mixes two samples, and the
  /// flags do not show it: the high bytes that follow clear them. So the axes are read twice: as long as at most one update
  /// falls between the first axis of the one burst and the last axis of the other, one of the two is whole, and
  /// ``TwofoldLook`` tells which. Where counts that are equal by chance leave doubt, the axes are read a third time, right
  /// after the update, so that burst is whole.
  ///
  /// The second burst follows even when the first has no new sample, because the chip may sample little faster than it is
  /// read: a sample that arrives in between is returned. It comes too early only when a tick's lateness exceeds the next
  /// one's by some 0.2 ms at 757 Hz, 0.5 ms at 600 Hz.
  ///
  /// Reading an axis clears the flag of its sensor, even when the update came after the status was read. Then only the
  /// counts show a new sample, and at rest in a coarse range they often repeat: the reading is unannounced.
  ///
  /// Axes that are not recorded are read at most once. Temperature has its own rate, 52 or 60 Hz, and may be one of its
  /// samples older than the axes.
  ///
  /// All this assumes that a value which block data update held back is the present sample's once it is released. If it is
  /// refreshed only with the next sample, both bursts may show the same mixture.
  ///
  /// With g for the kernel's time between the bursts, which span 592 µs and g at 400 kHz: up to 757 Hz (``DataRate``) every
  /// sample is whole, a third burst while g is below 150 µs. Above, the chip samples every 600 µs, and g / 600 µs of the
  /// reads may mix two samples; the accelerometer alone is whole while g is below 270 µs, the gyroscope alone while it is
  /// below 140 µs. At 100 kHz all times are four times as long, and the limit is 189 Hz.
  ///
  /// A chip that was reset is in power-down with its flags at 0, so set flags prove the samples before this read. Reserved
  /// bits are 0, and 1 when no chip answers.
  ///
  /// - Throws: The failure, when three transfers were made before a burst is known to be whole.
  /// - Complexity: two transfers, or three (see ``BusTiming/bits(ofTick:)``).
  @inlinable
  mutating func readTwofold(into sample: inout RawSample) throws(BusError) -> Reading {
    lastEvidence.isConfigured = false
    lastEvidence.isLate = false
    var transfers = 0
    var failure: BusError?
    let axes = look.axes
    var burst = try read(layout.register, layout.count, &transfers, &failure)
    guard burst[0] & TwofoldLook.reservedFlags == 0 else { return .doubtful }
    let seen = burst[0] & look.readyMask
    lastEvidence.isConfigured = seen == look.readyMask
    var hasNew = lastEvidence.isConfigured || isNew(burst, seen)
    while true {
      if transfers == 3, let failure { throw failure }
      let again = burst.replacing(
        axes, by: try read(look.register, axes.count, &transfers, &failure))
      let verdict = hasNew ? look.compare(burst, again) : look.compare(stale: burst, again)
      if verdict == .first { break }
      burst = again
      hasNew = true
      // The third burst begins after the update that made the others doubtful.
      if verdict == .second || (transfers == 3 && failure == nil) { break }
      lastEvidence.isLate = true
    }
    let isAnnounced = isNew(burst, seen)
    last = burst
    sample = decode(burst, isBigEndian: false)
    guard isAnnounced else { return .unannounced }
    lastEvidence.outputs = SensorOutputs(burst, from: layout.outputs)
    return .fresh
  }

  /// A burst, repeated at once after a transient failure while fewer than three transfers were made.
  @inlinable
  mutating func read(
    _ register: UInt8, _ count: Int, _ transfers: inout Int, _ failure: inout BusError?
  ) throws(BusError) -> Burst {
    while true {
      transfers += 1
      do throws(BusError) {
        return try bus.readBurst(address, register: register, count: count)
      } catch {
        guard error.isTransient, transfers < 3 else { throw error }
        failure = error
      }
    }
  }

  /// Whether a burst shows a new sample: the flag of each sensor in use is set, or its bytes are not the last sample's.
  ///
  /// Other bytes without a flag are a sample that came during the burst, or whose flag an earlier read cleared. Without any
  /// flag one axis that differs is enough, as both sensors update together. All zeros, as after a reset, do not count.
  @inlinable
  func isNew(_ burst: Burst, _ seen: UInt8) -> Bool {
    if seen == 0 {
      return !burst.matches(last, in: look.axes) && !burst.matches(Burst(), in: look.axes)
    }
    let missing = look.readyMask & ~seen
    if missing & TwofoldLook.gyroscopeFlag != 0, burst.matches(last, in: look.angularRate) {
      return false
    }
    if missing & TwofoldLook.accelerometerFlag != 0, burst.matches(last, in: look.acceleration) {
      return false
    }
    return true
  }
}

/// Which of two consecutive bursts is whole, when the chip may have made a new sample meanwhile.
///
/// Axes are read in the order of their registers, and an update replaces all of them at once. So in the burst that it falls
/// into, axes are old up to some place and new from there on:
///
///     update in the first burst      o o o n n n    n n n n n n    the second is whole
///     between them                   o o o o o o    n n n n n n    both are
///     in the second                  o o o o o o    o o o n n n    the first is whole
///     none                           o o o o o o    o o o o o o    both are
///
/// If the first axes differ, it is not the third line; if the last axes differ, it is not the first. Old and new counts may
/// be equal by chance: at rest those of one axis in 4 (10 Hz) to 30 (500 Hz). So when neither differs but an axis between
/// them does, the bursts leave doubt. An old axis that the rule takes for a new one has the new one's counts.
///
/// Accelerometer and gyroscope are assumed to update together; a lag of up to 45 bit times changes nothing.
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
  /// The first register of further bursts, which have only the recorded axes.
  @usableFromInline let register: UInt8
  /// The status flags of a new sample.
  @usableFromInline let readyMask: UInt8

  /// Status flags of all ST chips here: acceleration, angular rate, and bits that are 0 here and 1 when no chip answers.
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

  /// Which burst to believe; the first when both are whole, which leaves the newer sample to the next tick.
  @inlinable
  func compare(_ first: Burst, _ second: Burst) -> Verdict {
    let end = axes.upperBound
    if !first.matches(second, in: end - 2..<end) { return .first }
    return compare(stale: first, second)
  }

  /// Which burst to believe when the first has nothing new: the second when its first axis shows that an update came before
  /// it, the first when there was none; otherwise the second may be torn.
  @inlinable
  func compare(stale first: Burst, _ second: Burst) -> Verdict {
    let start = axes.lowerBound
    if !first.matches(second, in: start..<start + 2) { return .second }
    return first.matches(second, in: axes) ? .first : .neither
  }
}
