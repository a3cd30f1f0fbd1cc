// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogFormat
import Testing

/// Tables as programs and people of the field write them, of which the obvious reading would be a wrong one.
@Suite("Tables of the field")
struct FieldTableTests {
  @Test("a name that the header has twice is refused, and its number is taken")
  func twice() throws {
    let text = """
      Time (s),Acc x (g),Acc y (g),Acc z (g),Time (s),Gyr x (deg/s),Gyr y (deg/s),Gyr z (deg/s)
      0.00,0.5,-0.25,1,0.000,1,-2,3
      0.01,0.25,-0.5,1,0.005,-4,5,-6

      """
    let error = Imports.csvError(
      text, Imports.given(columns: "time=Time (s),gx=Gyr x (deg/s)"))
    #expect(
      error?.description
        == "table.csv, line 1: the header has \"Time (s)\" of --columns in columns 1 and 5: give the number of the right one"
    )
    let found = try FieldTable.read(text, columns: "time=5,gx=Gyr x (deg/s),gy=7,gz=8")
    #expect(found.times == [0, 5_000_000] && FieldTable.isNear(found.values, [-4, 5, -6]))
  }

  @Test("light, temperature and battery of cwa-convert are no rates")
  func axivityExtras() throws {
    let text =
      "2025-11-22 08:26:40.000,0.0,-0.5,1.0,300,260,200\n2025-11-22 08:26:40.010,0.25,-0.25,0.5,301,261,201\n"
    #expect(Imports.csvError(text) != nil)
    let found = try FieldTable.read(text, columns: "time=1,ax=2,ay=3,az=4", units: "g")
    #expect(found.times == [0, 10_000_000] && FieldTable.isNear(found.values, [0.25, -0.25, 0.5]))
  }

  @Test(
    "MT Manager's counter has steps of 0.1 ms and its rates are in rad/s, where Movella DOT's have µs and °/s"
  )
  func xsens() throws {
    let rows = """
      PacketCounter,SampleTimeFine,Acc_X,Acc_Y,Acc_Z,Gyr_X,Gyr_Y,Gyr_Z
      1,\(1000),0.5,-0.25,9.5,0.5,-0.25,0.125
      2,\(1100),4.9,-2.4,9.8,0.25,-0.5,1.5

      """
    let manager = try FieldTable.read(
      "// General information\n//  MT Manager version: 2022.0\n" + rows)
    #expect(manager.times == [100_000_000, 110_000_000])
    let accelerations = [4.9, -2.4, 9.8].map { $0 / 9.80665 }
    let rates = [0.25, -0.5, 1.5].map { $0 / FieldTable.degree }
    #expect(FieldTable.isNear(manager.values, accelerations + rates), "\(manager.values)")
    #expect(manager.remarks.contains { $0.contains("as MT Manager writes it: times in 0.1 ms") })
    let dot = try FieldTable.read("DeviceTag:,foot\nsep=,\n" + rows)
    #expect(dot.times == [1_000_000, 1_100_000])
    #expect(FieldTable.isNear(dot.values, accelerations + [0.25, -0.5, 1.5]), "\(dot.values)")
    #expect(dot.remarks.contains { $0.contains("as Movella DOT writes it: times in µs") })
  }

  @Test("a column that is a unit of time is one of times")
  func namedByUnit() throws {
    let found = try FieldTable.read("ms,ax,ay,az\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n", units: "g")
    #expect(found.times == [0, 10_000_000] && FieldTable.isNear(found.values, [0.25, -0.5, 0.75]))
    // A name that is not known is left out of a table without times.
    let counter = try Imports.csv(
      "n,ax,ay,az\n7,10,-20,16384\n8,7,-8,16000\n", Imports.given(rate: hertz(100)))
    #expect(try Imports.records(counter).map(\.time) == [0, 10_000_000])
  }

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

  @Test(
    "columns by numbers begin at the first row with a time, after facts, comments and a header",
    arguments: [
      "", "# rate 100\nn a m e\nt,ax,ay,az\n", "t;q\n\nt,ax,ay,az\ns,g,g,g\n",
      "Serial,7,,\n,,,\nt,ax,ay,az\n", "a,b,c,d,e\nt,ax,ay,az,\n",
    ])
  func numbered(_ before: String) throws {
    let rows = "0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n"
    let found = try FieldTable.read(before + rows, columns: "time=1,ax=2,ay=3,az=4", units: "g,s")
    #expect(found.times == [0, 10_000_000, 20_000_000], "\(before)")
    #expect(FieldTable.isNear(found.values, [-1, 0.5, 0.25]))
  }

  @Test(
    "columns by numbers have the separator of the header, or one that decimal commas are not taken for"
  )
  func numberedCommas() throws {
    for header in ["", "t;ax;ay;az\n", "made;by\nt;ax;ay;az\n"] {
      let found = try FieldTable.read(
        header + "0,00;0,5;-0,25;1\n0,01;0,25;-0,5;0,75\n", columns: "time=1,ax=2,ay=3,az=4",
        units: "g,s")
      #expect(found.times == [0, 10_000_000], "\(header)")
      #expect(FieldTable.isNear(found.values, [0.25, -0.5, 0.75]))
    }
    let commented = try FieldTable.read(
      "# t (ms),ax (mg),ay (mg),az (mg)\n0,500,-250,1000\n10,250,-500,750\n",
      columns: "time=1,ax=2,ay=3,az=4")
    #expect(
      commented.times == [0, 10_000_000] && FieldTable.isNear(commented.values, [0.25, -0.5, 0.75]))
  }

  @Test("two units in the columns of a sensor are refused, whatever unit is given")
  func mixed() {
    for units in [nil, "g,s"] {
      let error = Imports.csvError(
        "t,ax (g),ay (m/s^2),az\n0,0.5,1,2\n0.01,1,2,3\n", Imports.given(units: units))
      #expect(
        error?.description.contains("is not that of the same sensor's column before it") == true)
    }
  }

  @Test(
    "columns by numbers take the units of the header, and a table without rows is one without samples"
  )
  func numberedUnits() throws {
    let header = "made,by,hand,7\nZeit (ms),Stoß x (mg),Stoß y (mg),Stoß z (mg)\n"
    let found = try FieldTable.read(
      header + "0,500,-250,1000\n10,250,-500,750\n", columns: "time=1,ax=2,ay=3,az=4")
    #expect(found.times == [0, 10_000_000] && FieldTable.isNear(found.values, [0.25, -0.5, 0.75]))
    let options = Imports.given(columns: "time=1,ax=2,ay=3,az=4", units: "g,s")
    #expect(Imports.csvError("t,ax,ay,az\n", options)?.description.contains("no samples") == true)
    let short = Imports.csvError("t,ax\n0,1\n", options)
    #expect(
      short?.description
        == "table.csv, line 1: there is no column 4 of --columns: count them from 1, as commas, semicolons, tabs or single blanks separate them"
    )
    let unit = Imports.csvError("made by\nt (furlong),ax,ay,az\n0,1,2,3\n", options)
    #expect(unit == nil)
    let text = "made by\nt,ax (lb),ay,az\n0,1,2,3\n"
    #expect(
      try Imports.csv(
        text, Imports.given(rate: hertz(100), columns: "time=1,ax=2,ay=3,az=4", units: "g,s")
      ).end.ledger.sampled == 1)
    let wrong = Imports.csvError(text, Imports.given(columns: "time=1,ax=2,ay=3,az=4"))
    #expect(wrong?.description.hasPrefix("table.csv, line 2, column 2 (ax (lb)): the unit") == true)
  }

  @Test("single blanks between columns separate them")
  func blanks() throws {
    let text = "t_ms ax ay az\n0 0.5 -0.25 1\n10 0.25 -0.5 0.75\n"
    let found = try FieldTable.read(text, units: "g")
    #expect(found.times == [0, 10_000_000] && FieldTable.isNear(found.values, [0.25, -0.5, 0.75]))
    let bare = try FieldTable.read(
      "0 0.5 -0.25 1\n10 0.25 -0.5 0.75\n", columns: "time=1,ax=4,ay=2,az=3", units: "g,ms")
    #expect(bare.times == [0, 10_000_000] && FieldTable.isNear(bare.values, [0.75, 0.25, -0.5]))
  }

  @Test("an axis in brackets is part of the name, and a unit of one column that of its sensor")
  func brackets() throws {
    let text =
      "Time,Rotation Rate (X),Rotation Rate (Y),Rotation Rate (Z)\n0,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n"
    #expect(
      Imports.csvError(text)?.description.hasSuffix("such as --columns time=Time,gx=2,gy=3,gz=4")
        == true)
    let found = try FieldTable.read(text, columns: "time=Time,gx=2,gy=3,gz=4", units: "s,deg/s")
    #expect(FieldTable.isNear(found.values, [0.25, -0.5, 0.75]))
    let one = try FieldTable.read(
      "cts,Gyroscope (z) [deg/s],1,2\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n",
      columns: "time=cts,gz=2,gx=3,gy=4", units: "ms")
    #expect(FieldTable.isNear(one.values, [-0.5, 0.75, 0.25]))
  }

  @Test(
    "dates with an offset from UTC among dates without one are refused, in either order",
    arguments: [false, true], ["Z", "+02:00", "-03:30"])
  func zones(_ hasFirst: Bool, _ zone: String) throws {
    func row(_ second: Int, _ hasZone: Bool) -> String {
      "2025-11-22T08:26:4\(second).000\(hasZone ? zone : ""),0.5,-0.25,1\n"
    }
    let header = "time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n"
    guard try FieldTable.read(header + row(0, true) + row(1, true)).times.count == 2 else { return }
    let error = Imports.csvError(
      header + row(0, hasFirst) + row(1, hasFirst) + row(2, !hasFirst))
    let words =
      hasFirst
      ? "has no offset from UTC, and those before it have one"
      : "has an offset from UTC, and those before it have none"
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    #expect(error?.description.hasPrefix("table.csv, line 4, column 1 (time)") == true)
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
