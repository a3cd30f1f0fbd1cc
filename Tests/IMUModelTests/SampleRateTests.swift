// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@Suite("Sample rates and their grid")
struct SampleRateTests {
  @Test(
    "decimal hertz are read exactly",
    arguments: [
      ("10", 10, 1), ("12.5", 25, 2), ("0.1", 1, 10), ("1000", 1000, 1), ("96.9", 969, 10),
      ("0.0001", 1, 10000), ("6667.25", 26669, 4), ("333.33333", 33_333_333, 100_000),
      ("119.047619", 119_047_619, 1_000_000), ("59.94006", 2_997_003, 50_000),
      ("0.0333333", 333_333, 10_000_000), ("12.500000000000", 25, 2),
      ("0.000000001024", 1, 976_562_500),
    ] as [(String, UInt32, UInt32)])
  func reading(text: String, numerator: UInt32, denominator: UInt32) throws {
    let rate = try #require(SampleRate(decimal: text))
    #expect(rate.numerator == numerator)
    #expect(rate.denominator == denominator)
  }

  @Test(
    "anything but a positive decimal number is refused",
    arguments: [
      "", "0", "0.0", "-1", "+1", "1e3", "1.", ".5", "1.2.3", "1,5", "nan", " 1", "10 ",
      "9999999999", "0.0000000000001", "٣",
    ])
  func refusing(text: String) {
    #expect(SampleRate(decimal: text) == nil)
  }

  @Test("a rate whose fraction needs more than 32 bits is refused for its digits, and not as none")
  func tooFine() {
    #expect(SampleRate(decimal: "12.573964497041") == nil)
    let refusal = SampleRate.refusal(of: "12.573964497041")
    #expect(refusal.hasSuffix("give fewer of them after the point"))
    #expect(SampleRate.refusal(of: "0").hasPrefix("give hertz as a decimal number above 0"))
    #expect(SampleRate.refusal(of: "1e3").hasPrefix("give hertz as a decimal number above 0"))
  }

  @Test("a fraction with a zero is not a rate")
  func zero() {
    #expect(SampleRate(0) == nil)
    #expect(SampleRate(1, per: 0) == nil)
  }

  @Test("fractions are kept in lowest terms, so equal rates are equal")
  func lowestTerms() {
    #expect(SampleRate(50, per: 4) == SampleRate(25, per: 2))
  }

  @Test("at 30 Hz, whose period is no whole nanosecond, the grid does not drift in ten years")
  func noDrift() throws {
    let rate = try #require(SampleRate(30))
    #expect(rate.periodNanoseconds == 33_333_333)
    #expect(SampleRate(.max)?.periodNanoseconds == 1)
    let tenYears: UInt64 = 10 * 365 * 86400
    #expect(rate.nanoseconds(atTick: 30 * tenYears) == Int64(tenYears) * 1_000_000_000)
    #expect(
      rate.nanoseconds(atTick: 30 * tenYears + 1) == Int64(tenYears) * 1_000_000_000 + 33_333_333)
  }

  @Test("a tick beyond the range of nanoseconds saturates instead of trapping")
  func saturation() throws {
    let slow = try #require(SampleRate(1, per: 10000))
    #expect(slow.nanoseconds(atTick: .max) == RecordingTime.limit - 1)
    let fast = try #require(SampleRate(.max))
    #expect(fast.tick(atNanoseconds: 4_294_967_297_000_000_000) == .max)
  }

  @Test(
    "the tick at a time is the last one not after it",
    arguments: [(1, 1), (3, 1), (7, 1), (10, 1), (30, 1), (97, 1), (1000, 1), (25, 2), (1, 10)]
      as [(UInt32, UInt32)])
  func inverse(numerator: UInt32, denominator: UInt32) throws {
    let rate = try #require(SampleRate(numerator, per: denominator))
    for tick in Array(0...200 as ClosedRange<UInt64>) + [1 << 20, 1 << 28] {
      let time = rate.nanoseconds(atTick: tick)
      #expect(rate.tick(atNanoseconds: time) == tick)
      #expect(rate.tick(atNanoseconds: time + 1) == tick)
      if tick > 0 { #expect(rate.tick(atNanoseconds: time - 1) == tick - 1) }
    }
    #expect(rate.tick(atNanoseconds: -5) == 0)
    #expect(rate.tick(atNanoseconds: .max) > 1 << 29)
  }

  @Test("a rate is shown with four decimals, or three digits where it is small, and never as 0")
  func shown() throws {
    for (above, below, text) in [
      (100, 1, "100"), (1000, 3, "333.3333"), (1, 30, "0.0333"), (1, 100, "0.01"),
      (1, 3600, "0.000278"), (3, 4_000_000_000, "0.00000000075"),
      (1, .max, "0.000000000233"), (.max, 1, "4294967295"),
    ] as [(UInt32, UInt32, String)] {
      let rate = try #require(SampleRate(above, per: below))
      #expect(Plain.hertz(rate) == text)
    }
    #expect(Plain.hertz(0.0) == "0" && Plain.number(Int64(-1001), per: 1000) == "-1.001")
    #expect(Plain.hertz(0.00012345) == "0.000123")
  }
}
