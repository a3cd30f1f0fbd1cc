// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling
import Testing

@Suite("The clock of the bus, measured by drains")
struct BusWatchTests {
  /// Drains 20 ms apart on a bus of so many hertz, each with what the kernel adds to a transfer, in nanoseconds.
  private func readings(
    seconds: Int, hertz: (Int) -> Double, bytes: (Int) -> Int = { 216 + $0 % 4 * 12 },
    kernel: (Int) -> Int64 = { 40_000 + Int64($0 * 7919 % 90_000) }
  ) -> [BusClockReading] {
    var watch = BusWatch()
    return (0..<seconds * 50).compactMap { index in
      func time(_ bytes: Int, _ call: Int) -> Int64 {
        Int64(Double(9 * (3 + bytes) + 3) / hertz(index) * 1e9) + kernel(2 * index + call)
      }
      let bytes = bytes(index)
      return watch.note(
        count: (time(2, 0), 2), burst: (time(bytes, 1), bytes),
        at: MonotonicTime(nanoseconds: 7 + Int64(index) * 20_000_000))
    }
  }

  @Test("is told after a second and then every ten, to 2 %", arguments: [50e3, 250e3, 640e3])
  func steady(_ hertz: Double) {
    let found = readings(seconds: 22) { _ in hertz }
    #expect(found.map(\.time) == [1_000_000_007, 11_000_000_007, 21_000_000_007])
    for reading in found {
      for value in [reading.hertz, reading.least, reading.most] {
        #expect(abs(Double(value) / hertz - 1) < 0.02, "\(reading)")
      }
    }
  }

  @Test("has the slowest and the fastest second where it changes")
  func changing() throws {
    let found = readings(seconds: 12) { $0 < 300 ? 400e3 : 200e3 }
    let last = try #require(found.last)
    #expect(found.count == 2 && abs(Double(last.most) / 400e3 - 1) < 0.02)
    #expect(abs(Double(last.least) / 200e3 - 1) < 0.02)
    // Half of the seconds at each: the mean of the bit times.
    #expect(abs(Double(last.hertz) / 266e3 - 1) < 0.06, "\(last)")
  }

  @Test("is not told by bursts that are short, split, or take no time, or by few of them")
  func unknown() {
    #expect(readings(seconds: 12, hertz: { _ in 400e3 }, bytes: { _ in 11 }).isEmpty)
    #expect(readings(seconds: 12, hertz: { _ in 400e3 }, bytes: { _ in 0 }).isEmpty)
    #expect(readings(seconds: 12, hertz: { _ in 1e12 }, kernel: { _ in 300 }).isEmpty)
    #expect(
      readings(seconds: 12, hertz: { _ in 400e3 }, bytes: { $0 % 25 == 0 ? 240 : 0 }).isEmpty)
    // Counts that take longer than bursts, as of a host that stalls in them.
    #expect(
      readings(seconds: 12, hertz: { _ in 400e3 }, kernel: { $0 % 2 == 0 ? 9_000_000 : 0 }).isEmpty)
  }
}
