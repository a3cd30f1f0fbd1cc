// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The FIFOs of a family.
struct FIFOProfile: Sendable {
  /// The rates of a model with these channels, rising.
  let rates: @Sendable (SensorModel, ChannelSet) -> [SampleRate]
  /// How a model's samples are told apart.
  let method: @Sendable (SensorModel) -> FIFOLayout.Method
}

/// The rates at which a chip fills its FIFO.
extension SensorModel {
  /// The chip's nominal FIFO rates with the sensors of `channels`, rising; none when this program does not use its FIFO.
  public func fifoRates(channels: ChannelSet) -> [SampleRate] {
    family.fifo?.rates(self, channels) ?? []
  }

  /// The method of the FIFO of one sample from which a model is polled; `nil` where it is polled by its registers.
  var newestMethod: FIFOLayout.Method? {
    guard let method = family.fifo?.method(self), !method.isOfPackets else { return nil }
    return method
  }

  /// The cost of draining these channels at `rate` on a bus whose bursts have at most `longestBurst` bytes.
  func drainTiming(
    _ rate: SampleRate, _ channels: ChannelSet, isStamped: Bool, longestBurst: Int = 8192
  ) -> DrainTiming {
    let method = family.fifo?.method(self) ?? .packets
    let unit = method.unitBytes
    return DrainTiming(
      rate: rate, slotBytes: method.slotBytes(channels, isStamped: isStamped),
      longestBurst: longestBurst / unit * unit)
  }

  /// The slots that the FIFO of a valid configuration holds, and the share of the bus's time that its drains take (of
  /// 400 kHz, where its clock is not known). `nil` for a configuration that does not read a FIFO.
  public func drains(of configuration: SensorConfiguration) -> (capacity: Int, busShare: Double)? {
    guard let layout = family.settings(configuration, self).fifo else { return nil }
    let timing = drainTiming(
      configuration.rate, configuration.channels, isStamped: layout.counter != nil)
    let share = Double(timing.bits) / Double(configuration.busClock ?? BusTiming.fastMode)
    return (layout.capacity, share)
  }

  /// Whether the FIFO has a watermark that the chip's second interrupt output shows: the MPU-6050 family's has none.
  public var hasWatermark: Bool { newestMethod != nil }

  /// Whether the chip has a counter whose stamps go into the FIFO: those with a watermark do.
  public var hasStamps: Bool { hasWatermark }

  /// The chip's rate that `asked` means: the same one, or the one that it is rounded from, such as 1000/3 Hz for
  /// 333.33; `nil` when there is none.
  public func fifoRate(_ asked: SampleRate, channels: ChannelSet) -> SampleRate? {
    let rates = fifoRates(channels: channels)
    return rates.first { $0 == asked } ?? rates.first { abs($0.hertz - asked.hertz) < 0.005_000_1 }
  }

  /// The next rate below `asked` and the next above it, among those that a bus of `busClock` hertz carries, if given.
  public func fifoNeighbours(
    of asked: SampleRate, channels: ChannelSet, busClock: Int? = nil
  ) -> [SampleRate] {
    var rates = fifoRates(channels: channels)
    if let busClock {
      rates = rates.filter {
        drainTiming($0, channels, isStamped: false).fits(busClock: busClock)
      }
    }
    let below = rates.last { $0.hertz < asked.hertz }
    let above = rates.first { $0.hertz > asked.hertz }
    return [below, above].compactMap { $0 }
  }
}

/// A FIFO's drains on a bus.
struct DrainTiming {
  let rate: SampleRate
  let slotBytes: Int
  /// The most bytes of a burst.
  let longestBurst: Int
  /// Bit times a second of following a magnetometer, and of selecting a channel.
  var field = 0

  /// How often the FIFO is drained, and how much of the bus's time that may take.
  static let drainsASecond = 50
  private static let fullestPercent = 90

  /// Bit times a second: the data, the beginnings of the bursts, and the counts.
  var bits: Int {
    let bytes = rate.hertz * Double(slotBytes)
    let bursts = max(Double(DrainTiming.drainsASecond), bytes / Double(longestBurst))
    return (bytes * 9 + bursts * Double(BusTiming.bits(ofBurst: 0))).roundedUp
      + DrainTiming.drainsASecond * BusTiming.bits(ofBurst: 2) + field
  }

  /// Whether a bus of `busClock` hertz carries the drains.
  func fits(busClock: Int) -> Bool { share(busClock: busClock) <= 1 }

  /// The part that the drains take of the time of a bus of `busClock` hertz that can be used.
  func share(busClock: Int) -> Double {
    Double(bits * 100) / Double(DrainTiming.fullestPercent * busClock)
  }

  /// How long a drain takes on the wire, in nanoseconds: 20 ms of samples, 16 of them at least (``DrainPace``).
  func nanosecondsOfDrain(busClock: Int) -> Int64 {
    let bytes = max(16, rate.hertz / Double(DrainTiming.drainsASecond)) * Double(slotBytes)
    let bits = (bytes * 9).roundedUp + BusTiming.bits(ofBurst: 0) + BusTiming.bits(ofBurst: 2)
    return Int64(bits) * 1_000_000_000 / Int64(busClock)
  }

  /// The same at another rate.
  func at(_ rate: SampleRate) -> DrainTiming {
    DrainTiming(rate: rate, slotBytes: slotBytes, longestBurst: longestBurst, field: field)
  }

  /// The arithmetic in words, such as `3332 samples of 14 bytes a second and 50 drains take 423732 bit times, 106 % of a
  /// bus of 400 kHz, and at most 90 % can be used`.
  func sentence(busClock: Int) -> String {
    let bursts = longestBurst < 252 ? " in bursts of \(longestBurst) bytes" : ""
    let (comma, magnetometer) = field > 0 ? (",", " and the magnetometer") : (" and", "")
    return "\(rate.hertz.briefly) samples of \(slotBytes) bytes a second\(comma) "
      + "\(DrainTiming.drainsASecond) drains\(bursts)\(magnetometer) take \(bits) bit times, "
      + "\((Double(bits) * 100 / Double(busClock)).roundedUp) % of a bus of "
      + "\(BusTiming.clock(busClock)), and at most \(DrainTiming.fullestPercent) % can be used"
  }
}
