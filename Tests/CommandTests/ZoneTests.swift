// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Local dates of exports", .waitsForPrograms)
struct ZoneTests {
  @Test("where the zone is off UTC by seconds, a local date and its offset give the instant")
  func zoneOfSeconds() throws {
    var bench = Bench()
    let rows = (0..<20).map { "1960-02-29T23:59:\(40 + $0 / 10).\($0 % 10)Z,\($0),2,3" }
    let table = bench.file("old.csv", "time_utc,ax,ay,az\n" + rows.joined(separator: "\n") + "\n")
    #expect(bench.run("import", table, "--accel-lsb-per-g", "1000", "--units", "raw").status == 0)
    bench.environment["TZ"] = "XYZ0:44:30"
    let local = bench.run("export", "1", "--format", "csv", "--time", "local")
    #expect(local.lines.last?.hasPrefix("1960-02-29T23:15:41.900000000-00:44,") == true)
    #expect(local.lines.count == 21)
    let line = try #require(local.lines.dropFirst().first)
    #expect(line.hasPrefix("1960-02-29T23:15:40.000000000-00:44,"), "\(line)")
  }
}
