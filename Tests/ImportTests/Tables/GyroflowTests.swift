// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Import

@Suite("A gcsv's keys say what its numbers are")
struct GyroflowTests {
  private func gcsv(_ facts: String, _ rows: [String]) -> String {
    "GYROFLOW IMU LOG\norientation,XYZ\n\(facts)t,gx,gy,gz,ax,ay,az\n" + rows.joined()
  }

  @Test(
    "a scale of times may have any digits, up to 17",
    arguments: [
      ("3.3333333333333335e-05", 300, 10_000_000),
      ("0.00001111111111111111", -900, -10_000_000), ("1e-9", 10_000_000, 10_000_000),
      ("0.002", 5, 10_000_000),
    ] as [(String, Int64, Int64)])
  func timeScales(_ scale: String, _ step: Int64, _ period: Int64) throws {
    let rows = (0..<200 as Range<Int64>).map { row -> String in
      let place = step < 0 ? row - 199 : row
      return "\(place * abs(step)),1,2,3,4,5,\(row)\n"
    }
    let times = try Tables.samples(
      Tables.importer(gcsv("tscale,\(scale)\ngscale,0.001\nascale,0.001\n", rows))
    ).times
    let first: Int64 = step < 0 ? 199 * period : 0
    #expect(times == (0..<200).map { first + Int64($0) * abs(period) })
  }

  @Test(
    "numbers other than counts of 16 bits are multiplied by its scales",
    arguments: [
      (["0,12.5,-3.25,1,0.5,-1,2.5\n", "10,1,2,3,4,5,6\n"], 12.5),
      (["0,1,2,3,4,5,6\n", "10,12.5,-3.25,1,0.5,-1,2.5\n"], 1),
      (["0,70000,-3,1,5,-1,2\n", "10,1,2,3,4,5,6\n"], 70_000),
    ] as [([String], Double)])
  func valueScales(_ rows: [String], _ first: Double) throws {
    let importer = try Tables.importer(gcsv("tscale,0.001\ngscale,0.000266\nascale,0.25\n", rows))
    let scale = importer.description.sensor.gyroscopeScale.value
    let values = try Tables.samples(importer).values[0]
    #expect(abs(values[3] - first * 0.000266 * 180 / .pi) < 0.6 * scale)
    let written = Double(rows[0].split(separator: ",")[4]) ?? .nan
    #expect(abs(values[0] - written * 0.25) < 1e-9)
  }

  @Test("what does not fit is refused with its place and a way")
  func refusals() throws {
    let large = gcsv("tscale,0.001\ngscale,1e6\nascale,1\n", ["0,5000.5,2,3,4,5,6\n"])
    #expect(try Tables.refusal(large)?.contains("line 7") == true)
    let noScale = try Tables.refusal(
      gcsv("gscale,1\nascale,1\n", ["0,1,2,3,4,5,6\n", "10,1,2,3,4,5,6\n"]))
    #expect(noScale?.contains("in which unit t ") == true)
  }
}
