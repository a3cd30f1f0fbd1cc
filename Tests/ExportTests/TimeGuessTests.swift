// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@Suite("The unit of times that nothing names")
struct TimeGuessTests {
  private static func table(_ first: Int64, _ step: Int64) -> String {
    let rows = (0..<200 as Range<Int64>).map { row -> String in
      let time = first + row * step
      return "\(time),\(row),-2,7\n"
    }
    return "timestamp,ax,ay,az\n" + rows.joined()
  }

  private static func list(_ first: Int64, _ step: Int64) -> String {
    let rows = (0..<200 as Range<Int64>).map { row -> String in
      let time = first + row * step
      return "{\"timestamp\":\(time),\"ax\":\(row),\"ay\":-2,\"az\":7}\n"
    }
    return rows.joined()
  }

  @Test(
    "the step decides between units that the size allows",
    arguments: [
      // A computer that runs for 83 minutes, in nanoseconds: as ms this were the year 2128.
      (5_000_000_000_000, 10_000_000, hertz(100), nil), (0, 10, hertz(100), nil),
      (1_700_000_000, 1, hertz(1), 1_700_000_000_000_000_000),
      (1_700_000_000_000, 10, hertz(100), 1_700_000_000_000_000_000),
    ] as [(Int64, Int64, SampleRate, Int64?)])
  func step(_ first: Int64, _ step: Int64, _ rate: SampleRate, _ started: Int64?) throws {
    for text in [Self.table(first, step), Self.list(first, step)] {
      let importer = try Imports.csv(text)
      #expect(importer.description.rate == rate)
      #expect(importer.clockPairs.map(\.wallAtStart) == [started].compactMap { $0 })
      #expect(importer.remarks.contains { $0.contains("the unit of its times is not named") })
    }
  }

  @Test(
    "where a slow date and a fast short time are as likely, the import asks for the unit",
    arguments: [
      (1_500_000_000_000_000, 10_000_000, "0.1"), (1_700_000_000, 60, "0.0167"),
    ] as [(Int64, Int64, String)])
  func ambiguous(_ first: Int64, _ step: Int64, _ rate: String) throws {
    for text in [Self.table(first, step), Self.list(first, step)] {
      let error = try #require(Imports.csvError(text))
      #expect("\(error)".contains("name it with --units s, ms, us, ns, min or h"), "\(error)")
      #expect("\(error)".contains("since 1970 at \(rate) Hz, or "), "\(error)")
    }
  }

  @Test(
    "decimals 1 to 20 apart may be seconds or milliseconds: the import asks for the unit",
    arguments: [
      (1.0, "s at 1 Hz, or ms at 1000 Hz"), (20, "s at 0.05 Hz, or ms at 50 Hz"),
    ] as [(Double, String)])
  func decimals(_ step: Double, _ choices: String) throws {
    let rows = (0..<50).map { "\(Double($0) * step),\($0),-2,7\n" }.joined()
    let error = try #require(Imports.csvError("time,ax,ay,az\n" + rows))
    #expect("\(error)".contains("they may be \(choices): name it with --units"), "\(error)")
    let named = try Imports.csv("time,ax,ay,az\n" + rows, Imports.given(units: "ms"))
    #expect(abs(named.description.rate.hertz - 1000 / step) < 1e-9)
  }

  @Test("decimals closer together than 1 are seconds, which is said", arguments: [0.01, 0.5])
  func seconds(_ step: Double) throws {
    let rows = (0..<50).map { "\(Double($0) * step),\($0),-2,7\n" }.joined()
    let importer = try Imports.csv("time,ax,ay,az\n" + rows)
    #expect(abs(importer.description.rate.hertz - 1 / step) < 1e-9)
    #expect(importer.remarks.contains { $0.contains("they are taken as s;") })
  }

  @Test("a refusal that a wrong unit may have caused says the guess")
  func refused() throws {
    let error = try #require(Imports.csvError(Self.table(0, 10), Imports.given(rate: hertz(10))))
    #expect(
      "\(error)".hasSuffix(
        "; the unit of its times is not named: they are taken as ms; if they are others, name the unit with --units s, ms, us, ns, min or h"
      ), "\(error)")
    #expect(error.exitStatus == .damagedData)
  }

  private static func gcsv(_ facts: String..., from first: Int64) -> String {
    let rows = (0..<20 as Range<Int64>).map { row -> String in
      let time = first + row * 10
      return "\(time),0.5,-1,2,0.1,0.2,1\n"
    }
    return "GYROFLOW IMU LOG\norientation,XYZ\n" + facts.joined()
      + "gscale,1\nascale,1\nt,gx,gy,gz,ax,ay,az\n" + rows.joined()
  }

  @Test("of a gcsv with two dates one is taken, and both are named")
  func dates() throws {
    let twice = try Imports.csv(
      Self.gcsv("timestamp,1600000000\n", "timestamp,1700000000\n", "tscale,0.001\n", from: 0))
    #expect(twice.clockPairs.map(\.wallAtStart) == [1_600_000_000_000_000_000])
    #expect(
      twice.remarks.contains {
        $0.contains("two dates: 2020-09-13T12:26:40Z is taken, and 2023-11-14T22:13:20Z left out")
      }, "\(twice.remarks)")
    let dated = try Imports.csv(
      Self.gcsv("timestamp,1600000000\n", "tscale,0.001\n", from: 1_700_000_000_000))
    #expect(dated.clockPairs.map(\.wallAtStart) == [1_700_000_000_000_000_000])
    #expect(
      dated.remarks.contains { $0.contains("two dates: its timestamp is 2020-09-13T12:26:40Z") },
      "\(dated.remarks)")
    let near = try Imports.csv(
      Self.gcsv("timestamp,1700000000\n", "tscale,0.001\n", from: 1_700_000_001_500))
    #expect(near.remarks.contains { $0.contains("two dates") })
    let agreed = try Imports.csv(
      Self.gcsv("timestamp,1700000000\n", "tscale,0.001\n", from: 1_700_000_000_000))
    #expect(!agreed.remarks.contains { $0.contains("two dates") })
    let none = try Imports.csv(Self.gcsv("timestamp,soon\n", "tscale,0.001\n", from: 0))
    #expect(none.clockPairs.isEmpty && none.remarks.contains { $0.contains("timestamp \"soon\"") })
  }
}
