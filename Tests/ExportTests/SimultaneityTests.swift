// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import Foundation
import IMUModel
import LogStoreTesting
import TestSupport
import Testing

@testable import Export

@Suite("How far a value is from its instant")
struct SimultaneityTests {
  /// A turn that takes 50 ms, so that the values of a row say when the sensor moved so: 4 counts for a microsecond.
  private static func motion(_ time: Double) -> RawSample {
    let angle = time * 2 * .pi / 50e6
    return RawSample(
      ax: Int16((32_000 * cos(angle)).rounded()), ay: Int16((32_000 * sin(angle)).rounded()))
  }

  private struct Row {
    let time: Int64
    let within: Int64?
    /// From the row's instant to the motion's with these values.
    let error: Double
  }

  private static func cells(_ bytes: [UInt8], isGrid: Bool) throws -> [[Substring]] {
    var options = ExportOptions(format: .csv, units: .gDps)
    (options.hasUncertainty, options.isResampled) = (true, isGrid)
    return try TestLog.export(bytes, options).text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
  }

  private static func rows(_ bytes: [UInt8]) throws -> [Row] {
    let table = try cells(bytes, isGrid: true)
    #expect(table[0].prefix(5) == ["t_grid_ns", "t_lo_ns", "t_hi_ns", "ax", "ay"])
    return try table.dropFirst().map { cells in
      let time = try #require(Int64(cells[0]))
      let (x, y) = (try #require(Double(cells[3])), try #require(Double(cells[4])))
      let error = atan2(y, x) / (2 * .pi) * 50e6 - Double(time % 50_000_000)
      let within = Int64(cells[2]).map { $0 - time }
      #expect(within.map { "\(time - $0)" } ?? "" == cells[1])
      return Row(time: time, within: within, error: remainder(error, 50e6))
    }
  }

  /// Chips from 7 % too slow to 7 % too fast, their clocks as uneven as is assumed at most.
  private static func log(_ number: UInt64, hertz: Double, seconds: Double) throws -> ChipLog {
    var simulation = Simulation(
      hertz: hertz, error: Double(number) * 0.014 - 0.07, drift: Double(number) * 4 - 20,
      seconds: seconds, seed: 100 + number)
    (simulation.isBusy, simulation.jitter) = (number % 2 == 1, 5)
    return try ChipLog(simulation, motion: motion)
  }

  /// Of chips 0 to 10, odd ones with busy hosts, there are 1.2 million pairs at 1 kHz, none outside, and half of the bounds are 0.36 ms or less.
  @Test("of two chips a row says how far they may be apart", arguments: [1000.0, 416])
  func pairs(hertz: Double) throws {
    let tables = try [0, 1, 3, 6, 8, 10].map { number in
      var rows: [Int64: Row] = [:]
      for row in try Self.rows(Self.log(UInt64(number), hertz: hertz, seconds: 22).bytes) {
        rows[row.time] = row
      }
      return rows
    }
    var (pairs, outside, unproved) = (0, 0, 0)
    var bounds: [Int64] = []
    var greatest = 0.0
    for (index, one) in tables.enumerated() {
      for other in tables.dropFirst(index + 1) {
        for (time, row) in one {
          guard let second = other[time] else { continue }
          guard let a = row.within, let b = second.within else {
            unproved += 1
            continue
          }
          pairs += 1
          let apart = abs(row.error - second.error)
          if apart > Double(a + b) { outside += 1 }
          greatest = max(greatest, apart)
          bounds.append(a + b)
        }
      }
    }
    bounds.sort()
    let (half, most) = (bounds[bounds.count / 2], bounds[bounds.count * 99 / 100])
    print(
      "\(hertz) Hz: \(pairs) pairs, \(outside) outside, \(unproved) unproved, apart \(greatest) ns at most, "
        + "bound \(half) ns, p99 \(most) ns")
    #expect(outside == 0)
    #expect(pairs > (hertz == 1000 ? 300_000 : 120_000))
    #expect(unproved < pairs / 100)
    #expect(half < 450_000)
  }

  @Test("is the greater of the farthest ends of its two neighbours' intervals")
  func rule() throws {
    let log = try Self.log(7, hertz: 1000, seconds: 6)
    let samples = try Self.cells(log.bytes, isGrid: false).dropFirst().map { cells in
      try cells.prefix(3).map { try #require(Int64($0)) }
    }
    let rows = try Self.rows(log.bytes)
    #expect(rows.count > 5000)
    var next = 1
    for row in rows {
      while next < samples.count - 1, samples[next][0] <= row.time { next += 1 }
      let widths = samples[(next - 1)...next].map { max($0[0] - $0[1], $0[2] - $0[0]) }
      #expect(row.within == nil || row.within == widths.max(), "\(row.time)")
    }
  }

  @Test("has an empty cell where no readings prove a time")
  func unproved() throws {
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 1)))
    log.description.clock = .chip(busClock: nil)
    for tick in 0..<5 as Range<UInt64> { log.sample(tick, Int64(tick) * 100_000_000, RawSample()) }
    let table = try Self.cells(log.bytes(), isGrid: true)
    #expect(table.count > 3 && table[0] == ["t_grid_ns", "t_lo_ns", "t_hi_ns", "ax"])
    #expect(table.dropFirst().allSatisfy { $0[1].isEmpty && $0[2].isEmpty && !$0[3].isEmpty })
  }
}
