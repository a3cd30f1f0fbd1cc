// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogFormat
import Testing

/// Tables as programs and people of the field write them, of which the obvious reading would be a wrong one.
@Suite("Tables of the field")
struct FieldTableTests {
  @Test("RunCam's x, y and z are rates, beside its accelerations")
  func runCam() throws {
    let found = try FieldTable.read(
      "time,x,y,z,ax,ay,az\n0,1,-2,3,10,-20,2048\n2000,-4,5,-6,7,-8,2000\n", units: "raw,us")
    #expect(found.remarks.contains { $0.contains("x, y and z are taken as rates") })
    #expect(found.times == [0, 2_000_000])
    let ratio = found.values.map { $0 / found.values[0] }
    #expect(FieldTable.isNear(Array(ratio[0..<3]), [1, -8.0 / 7, 2000.0 / 7]))
    let rates = found.values[3...].map { $0 / found.values[3] }
    #expect(FieldTable.isNear(rates, [1, -1.25, 1.5]))
  }

  @Test("a file's name says of which sensor x, y and z are by whole words")
  func fileNames() throws {
    let text =
      "time,seconds_elapsed,z,y,x\n1763800000000000000,0,9.5,-1,0.5\n1763800000010000000,0.01,9.75,-1.5,0.25\n"
    func channels(_ name: String) -> ChannelSet? {
      do {
        return try TableImporter(ArraySource(Array(text.utf8), name: name), Imports.options)
          .description.channels
      } catch {
        #expect("\(error)".contains("the file's name does not say of which sensor"), "\(error)")
        return nil
      }
    }
    for name in ["Accelerometer.csv", "TotalAcceleration.csv", "left_acc.csv", "rawAcc2.csv"] {
      #expect(channels("/tmp/accurate/" + name) == .accelerometer, "\(name)")
    }
    for name in ["Gyroscope.csv", "GyroscopeUncalibrated.csv", "2-gyr.csv"] {
      #expect(channels(name) == .gyroscope, "\(name)")
    }
    for name in ["Magnetometer-accurate.csv", "Gravity.csv", "Account.csv", "gyration.csv.txt"] {
      #expect(channels(name) == nil, "\(name)")
    }
  }

  @Test("times in days are not taken for seconds of a sensor that is too fast")
  func days() throws {
    let rows = (0..<20).map { "\(45_000.25 + Double($0) * 0.01 / 86_400),0.5,-0.25,1\n" }
    let error = Imports.csvError("time,ax,ay,az\n" + rows.joined(), Imports.given(units: "g"))
    #expect(
      error?.description.contains("as times in days do, which must be converted") == true,
      "\(String(describing: error))")
  }

  @Test("the largest of values without a common step is no count at the end of the range")
  func unclipped() throws {
    for sign in [1.0, -1] {
      let rows = (1...50).map {
        "\($0 * 10),\(sign * Double($0) * 0.1234567891234),0.1111111117,1\n"
      }
      let importer = try Imports.csv("t_ms,ax,ay,az\n" + rows.joined(), Imports.given(units: "g"))
      let counts = try Imports.records(importer).map { abs(Int($0.sample.ax)) }
      #expect(counts.max() == 32766)
    }
  }
}
