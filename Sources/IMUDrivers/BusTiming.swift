// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// How long transfers take on the wire, and the rates that this allows.
///
///     S  address+W  register  Sr  address+R  data … data  P
///     1      9         9      1       9        9 · N      1     bits
public enum BusTiming {
  /// The clock of I2C's fast mode in hertz, which every supported chip has.
  public static let fastMode = 400_000

  /// Bit times of a read of `byteCount` registers: 9 · (3 + N) + 3.
  package static func bits(ofBurst byteCount: Int) -> Int { 9 * (3 + byteCount) + 3 }

  /// Bit times in which the kernel selects a multiplexer's channel: start, address, byte and stop.
  static let bitsOfSelection = 20

  /// The least number of bit times in one tick.
  ///
  /// With shadow registers: the burst. From a FIFO of one sample: the words of a slot, without tags between two reads of
  /// their place. Otherwise the burst, and the axes once more, which shows the samples that an update fell into.
  package static func bits(ofTick model: SensorModel) -> Int {
    bursts(model).lengths.map { bits(ofBurst: $0) }.reduce(0, +)
  }

  /// The bytes of each burst of a tick, and of those that follow in one of `ticks` ticks because an update came meanwhile:
  /// at most in every second or third from a FIFO; where the two bursts of the registers leave doubt, in one of twelve at
  /// 100 Hz to one of thirty from 500 Hz on.
  private static func bursts(
    _ model: SensorModel
  ) -> (lengths: [Int], further: [Int], ticks: Int) {
    let layout = model.family.layout
    switch model.newestMethod {
    case .tagged: return ([14], [7], 2)
    case .pattern: return ([2, 12, 3], [6, 3], 3)
    default:
      return layout.method == .shadowed
        ? ([layout.count], [], 1) : ([layout.count, axesByteCount], [axesByteCount], 25)
    }
  }

  /// Nanoseconds, half as many again as on the wire, after which a read of `bits` bit times counts as held up. 100 kHz are
  /// assumed where the clock is not known.
  static func patience(bits: Int, busClock: Int?) -> Int64 {
    Int64(bits) * 1_500_000_000 / Int64(busClock ?? 100_000)
  }

  /// Whether a bus of `busClock` hertz can carry `rate` ticks a second, with a look at a magnetometer between two of them.
  static func carries(
    _ rate: SampleRate, _ model: SensorModel, with field: FieldModel? = nil, busClock: Int
  ) -> Bool {
    rate.hertz <= 1e9 / Double(nanoseconds(ofTick: model, with: field, busClock: busClock))
  }

  /// The highest rate that a bus of `busClock` hertz carries, in ticks a second, rounded down.
  package static func maximumRate(
    _ model: SensorModel, with field: FieldModel? = nil, busClock: Int
  ) -> Int {
    Int(1_000_000_000 / nanoseconds(ofTick: model, with: field, busClock: busClock))
  }

  /// The bytes of each transfer of a look at a magnetometer that finds a value: the status, the axes, the same again where
  /// they are not held still, and the proof.
  private static func bursts(ofLook field: FieldModel) -> [Int] {
    let axes = Array(repeating: field.layout.count, count: field.layout.isShadowed ? 1 : 2)
    return [1] + axes + [1]
  }

  /// Bit times a second of following a magnetometer: two of three looks find nothing.
  static func bits(following field: FieldModel, at rate: SampleRate) -> Int {
    let bits = ([1, 1] + bursts(ofLook: field)).map { self.bits(ofBurst: $0) }.reduce(0, +)
    return (rate.hertz * Double(bits)).roundedUp
  }

  /// The least time of a look that finds a value, in nanoseconds; 0 without a magnetometer.
  private static func nanoseconds(ofLook field: FieldModel?, busClock: Int) -> Int64 {
    let bursts = field.map { self.bursts(ofLook: $0) } ?? []
    let bits = bursts.map { self.bits(ofBurst: $0) }.reduce(0, +)
    return Int64(bits) * 1_000_000_000 / Int64(busClock) + 50_000 * Int64(bursts.count)
  }

  /// The arithmetic in words, such as `an 18-byte burst takes 192 bit times, 1.92 ms at 100 kHz, and 0.05 ms in the
  /// kernel: 507 Hz at most`.
  static func sentence(
    _ model: SensorModel, with field: FieldModel? = nil, busClock: Int
  ) -> String {
    let bits = averageBits(model)
    let look = Double(nanoseconds(ofLook: field, busClock: busClock)) / 1e6
    let (lengths, further, ticks) = bursts(model)
    let what =
      further.isEmpty
      ? "\(lengths == [18] ? "an" : "a") \(SensorError.list(lengths))-byte burst takes"
      : "\(lengths.count == 1 ? "a burst" : "bursts") of \(SensorError.list(lengths)) bytes, "
        + "and in one tick of \(ticks) of \(SensorError.list(further)) more, take"
    return "\(what) \(bits) bit times, \(milliseconds(bits: bits, busClock: busClock)) ms "
      + "at \(clock(busClock)), and \(Double(kernelTime(model)) / 1e6) ms in the kernel"
      + (look > 0 ? ", and a look at the magnetometer \(look.briefly) ms" : "")
      + ": \(maximumRate(model, with: field, busClock: busClock)) Hz at most"
  }

  /// The least average time of a tick in nanoseconds: on the wire, with further bursts, in the kernel, and for a look.
  static func nanoseconds(
    ofTick model: SensorModel, with field: FieldModel?, busClock: Int
  ) -> Int64 {
    Int64(averageBits(model)) * 1_000_000_000 / Int64(busClock) + kernelTime(model)
      + nanoseconds(ofLook: field, busClock: busClock)
  }

  /// Bit times of a tick, with its share of further bursts, rounded up.
  static func averageBits(_ model: SensorModel) -> Int {
    let (_, further, ticks) = bursts(model)
    let more = further.map { bits(ofBurst: $0) }.reduce(0, +)
    return bits(ofTick: model) + (more + ticks - 1) / ticks
  }

  /// The least time that the kernel adds to a tick's transfers, in nanoseconds: on a Raspberry Pi some 50 to 150 µs to
  /// each. So no rate is refused that a bus might carry; the log shows which ticks were missed.
  private static func kernelTime(_ model: SensorModel) -> Int64 {
    let (lengths, further, ticks) = bursts(model)
    return 50_000 * Int64(lengths.count + further.count / ticks)
  }

  /// The registers of the six axes.
  private static let axesByteCount = 12

  /// Bit times of the bursts of a tick that reads the registers twice.
  static func bitsOfRegisters(_ family: SensorFamily) -> Int {
    bits(ofBurst: family.layout.count) + bits(ofBurst: axesByteCount)
  }

  /// A time on the wire in milliseconds with two digits after the point.
  static func milliseconds(bits: Int, busClock: Int) -> String {
    let hundredths = (bits * 100_000 + busClock / 2) / busClock
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  /// A bus clock in words, such as `400 kHz`.
  static func clock(_ hertz: Int) -> String {
    hertz % 1000 == 0 ? "\(hertz / 1000) kHz" : "\(hertz) Hz"
  }
}

extension Double {
  /// Rounded up. For numbers that an `Int` can hold.
  var roundedUp: Int { Int(rounded(.up)) }

  /// With at most two decimals: `23.11`, `62.4`, `50`.
  var briefly: String { Plain.number(self, per: 100) }
}

/// An output data rate of a chip without shadow registers.
struct DataRate: Sendable, Equatable {
  /// Its code in the rate registers.
  let code: UInt8
  /// Nominal, in hertz.
  let hertz: Double

  /// Nominal period in nanoseconds.
  var periodNanoseconds: Int64 { Int64(1e9 / hertz) }

  /// As a rate of samples: each rate has one decimal at most.
  var rate: SampleRate? { SampleRate(UInt32(hertz * 10 + 0.5), per: 10) }

  /// Rates with codes that rise by one from `code` on.
  static func ladder(_ hertz: [Double], from code: Int) -> [DataRate] {
    hertz.enumerated().map { DataRate(code: UInt8(code + $0.offset), hertz: $0.element) }
  }

  /// The data rate for a configuration: in a FIFO the one that was asked for, else the one for polling.
  static func choose(
    _ ladder: [DataRate], fifo: [DataRate], _ configuration: SensorConfiguration,
    _ family: SensorFamily
  ) -> DataRate {
    guard configuration.readsFIFO else {
      return choose(
        among: ladder, family, rate: configuration.rate.hertz, busClock: configuration.busClock)
    }
    guard let dataRate = fifo.first(where: { $0.rate == configuration.rate }) else {
      preconditionFailure("the configuration was validated")
    }
    return dataRate
  }

  /// The data rate for polling at `rate` hertz on a bus of `busClock` hertz, or of unknown clock.
  ///
  /// A high rate keeps samples young. But one of two bursts is whole only when at most one update falls into them and the
  /// time between them, which is several times as long on slow or busy computers. So 2 ms are left between updates where
  /// the polling rate allows: at 400 kHz the data rate is 416 Hz up to 378 Hz and 833 Hz above, at 100 kHz 208 Hz up to
  /// 189 Hz. It is always a tenth above the polling rate, for chips that run some per cent slow and for ticks of unequal
  /// lateness: 1666 Hz above 757 Hz. A chip with a FIFO of one sample has the same rates, because bring-up may find that
  /// its registers must be read.
  ///
  /// - Parameter ladder: The chip's rates, rising.
  static func choose(
    among ladder: [DataRate], _ family: SensorFamily, rate: Double, busClock: Int?
  ) -> DataRate {
    let fastest = ladder[ladder.count - 1]
    let bits = BusTiming.bitsOfRegisters(family) - beforeFirstAxis(family)
    let span = Double(bits) / assume(busClock, rate, family) + betweenBursts
    let lowest = ladder.first { $0.hertz >= 1.1 * rate } ?? fastest
    let whole = ladder.last { $0.hertz * max(span, roomy) <= 1 } ?? lowest
    return whole.hertz < lowest.hertz ? lowest : whole
  }

  /// How long a read of both bursts may take, in nanoseconds, so that at most one update falls between the first axis of
  /// the one and the last axis of the other, with a chip's clock that is 5 % fast. Where the bus alone needs longer, half
  /// as long again as the bus.
  func readLimit(_ family: SensorFamily, rate: Double, busClock: Int?) -> Int64 {
    let clock = DataRate.assume(busClock, rate, family)
    let whole = Int64(1e9 / (1.05 * hertz))
    let bits = BusTiming.bitsOfRegisters(family)
    return max(whole, BusTiming.patience(bits: bits, busClock: Int(clock)))
  }

  /// Seconds that the kernel adds between two bursts.
  private static let betweenBursts = 0.000_3
  /// Seconds between two updates that leave room for a slow processor or adapter.
  private static let roomy = 0.002

  /// Bit times from the beginning of the first burst until the chip fetches the first axis.
  private static func beforeFirstAxis(_ family: SensorFamily) -> Int {
    BusTiming.bits(ofBurst: family.layout.angularRate) + 9
  }

  /// The bus clock in hertz; when not known, the slowest usual one that carries the rate.
  private static func assume(_ busClock: Int?, _ rate: Double, _ family: SensorFamily) -> Double {
    let bits = Double(BusTiming.bitsOfRegisters(family))
    return Double(busClock ?? (rate * bits <= 100_000 ? 100_000 : 400_000))
  }
}
