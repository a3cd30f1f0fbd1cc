// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

@Suite("The axes of a mounting in exports")
struct AxesTests {
  private func log(_ axes: String?) throws -> TestLog {
    var description = TestLog.description()
    description.axes = try axes.map { try #require(AxisMap($0)) }
    var log = TestLog(description)
    log.sample(
      0, 0, RawSample(ax: 1, ay: 20, az: 300, gx: -4, gy: 50, gz: -600, temperature: 7))
    log.sample(
      1, 100_000_000,
      RawSample(ax: .min, ay: .max, az: .min, gx: .max, gy: 0, gz: .min, temperature: .min))
    log.end(TickLedger(sampled: 2))
    return log
  }

  @Test("values are turned, both sensors alike, and the temperature stays")
  func turned() throws {
    let options = ExportOptions(format: .csv, units: .raw)
    #expect(
      try log("-z,y,x").export(options) == """
        t_ns,ax,ay,az,gx,gy,gz,temp
        0,-300,20,1,600,50,-4,7
        100000000,32767,32767,-32768,32767,0,32767,-32768

        """)
    #expect(
      try log(nil).export(options) == """
        t_ns,ax,ay,az,gx,gy,gz,temp
        0,1,20,300,-4,50,-600,7
        100000000,-32768,32767,-32768,32767,0,-32768,-32768

        """)
  }

  @Test("every format has the turned values, and JSON names the axes")
  func formats() throws {
    let log = try log("y,z,x")
    let document = try log.export(ExportOptions(units: .raw))
    #expect(document.contains(#""axes":"y,z,x""#))
    #expect(
      document.contains(#"{"t_ns":0,"ax":20,"ay":300,"az":1,"gx":50,"gy":-600,"gz":-4,"temp":7}"#))
    let lines = try log.export(ExportOptions(format: .ndjson, units: .raw))
    #expect(lines.contains(#""ax":20,"ay":300,"az":1,"#))
  }
}
