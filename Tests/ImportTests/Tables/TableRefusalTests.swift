// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Import

@Suite("Tables that cannot be imported")
struct TableRefusalTests {
  private static let wrongTables = TableCase.list(
    #"""
     ⇒ table.csv: is empty: there is nothing to import
    t_us\n0\n ⇒ table.csv, line 1: no column of "t_us" is known as an axis by its name: name the columns with --columns, such as --columns time=1,ax=2
    t_us,ax\n ⇒ --units raw ⇒ table.csv: has no samples: there is nothing to import
    t_us,ax,ay\n0,1,2\n10,1\n ⇒ --units raw ⇒ table.csv, line 3: 2 values where the header names 3 columns: complete the line or take it out
    t_us,ax,ay\n0,1,2\n10,1,2,3\n ⇒ --units raw ⇒ table.csv, line 3: 4 values where the header names 3 columns: complete the line or take it out
    t_us,ax,ay\n0,1,2\n10,0x1F,2\n ⇒ --units raw ⇒ table.csv, line 3, column 2 (ax): "0x1F" is not a number: correct it or take the row out
    t_us,ax,ay\n0,1,2\n10,1,9.81\n ⇒ --units raw ⇒ table.csv, line 3, column 3 (ay): "9.81" is not a whole number: samples are the sensor's counts (--units raw)
    t_us,ax\n0,-\n ⇒ --units raw ⇒ table.csv, line 2, column 2 (ax): "-" is not a number: correct it or take the row out
    t_us,ax\n0,32768\n ⇒ --units raw ⇒ table.csv, line 2, column 2 (ax): "32768" is not within -32768 to 32767: counts have 16 bits; if values are in units, name them with --units
    t_us,ax\n1.5x,1\n ⇒ --units raw ⇒ table.csv, line 2, column 1 (t_us): "1.5x" is not a time: write times as numbers, as 2026-11-21 02:38:07.123 (1678 to 2261), or as 14:05:59.25
    t_ns,ax\n9223372036854775808,1\n ⇒ --units raw ⇒ table.csv, line 2, column 1 (t_ns): "9223372036854775808" is beyond the times that a log can hold: correct it or take the row out
    t_us,ax\n0,\#u{1B}[31m\n ⇒ --units raw ⇒ table.csv, line 2, column 2 (ax): "?[31m" is not a number: correct it or take the row out
    t_us,ax\r0,1\r10,2\r ⇒ table.csv: has lines that end with CR alone: save it with LF or CR LF and import that
    # imulog.schema: 9\nt_us,ax\n0,1\n ⇒ table.csv, line 1: it is of schema 9, which a later version of imulog writes: import it with that version
    ax,ay,az\n1,2,3\n1,,3\n1,2,3\n ⇒ --units g --rate 10 ⇒ table.csv, line 3: a value is missing, and the rows after it would be placed a tick too early: fill it in; rows without times follow each other
    time (days),ax,ay,az\n0,1,2,3\n ⇒ --units g ⇒ table.csv, line 1, column 1 (time (days)): the unit "days" is unknown here: if it is another word for s, ms, us, ns, min or h, state that with --units and --anyway
    """#)

  @Test("a wrong line is named, with its column and its contents", arguments: wrongTables)
  func wrong(_ table: TableCase) throws {
    #expect(try Tables.refusal(table.text, table.said) == table.words)
  }

  @Test("names that two programs write in other units are asked about without the lines of one")
  func sharedNames() throws {
    let rows =
      "PacketCounter,SampleTimeFine,Acc_X,Acc_Y,Acc_Z,Gyr_X,Gyr_Y,Gyr_Z\n1,1000,0.5,-0.25,9.5,0.5,0,0\n2,1100,1,2,9,1,0,0\n"
    #expect(try Tables.refusal(rows)?.contains("does not say") == true)
    for lines in ["//  MT Manager version: 2022.0\n", "sep=,\n"] {
      #expect(try Tables.refusal(lines + rows) == nil)
    }
  }

  @Test(
    "what may be one thing or another is asked for, with a command that is read",
    arguments: TableCase.list(
      #"""
      7,1,2\n3,4,5\n6,7,8\n ⇒ --columns ax=1,ay=2,az=3
      t_us,ax,ay,ax\n0,1,2,3\n10,1,2,3\n ⇒ --columns time=t_us,ax=2,ay=ay
      t_us,ax,t_ns\n0,1,2\n10,1,20000\n ⇒ --columns time=t_us,ax=ax
      t,x,y,z\n0,1,2,3\n10,1,2,3\n ⇒ --columns time=t,ax=x,ay=y,az=z
      t,x,y,z\n0,1,2,3\n10,2,1,3\n20,1,2,4\n30,2,1,3\n ⇒ --columns time=t,ax=x,ay=y,az=z
      time;left_ax;left_ay;left_az;right_gx;right_gy;right_gz\n0;1;2;3;4;5;6\n10;1;2;3;4;5;6\n ⇒ --columns time=time,ax=left_ax,ay=left_ay,az=left_az,gx=right_gx,gy=right_gy,gz=right_gz
      time,ax,ay,az,Turn rate of X,Turn rate of Y,Turn rate of Z\n0,1,2,3,4,5,6\n10,1,2,3,4,5,6\n ⇒ --columns time=time,ax=ax,ay=ay,az=az,gx=5,gy=6,gz=7
      time,gx,gy,gz,Foo ax (m/s^2),Foo ay (m/s^2),Foo az (m/s^2)\n0,1,2,3,4,5,6\n10,1,2,3,4,5,6\n ⇒ --columns time=time,ax=5,ay=6,az=7,gx=gx,gy=gy,gz=gz
      time,ax,ay,az,left Wz,left Wy,left Wx\n0,1,2,3,4,5,6\n10,1,2,3,4,5,6\n ⇒ --columns time=time,ax=ax,ay=ay,az=az,gx=7,gy=6,gz=5
      time,ax,ay,az,gx,gy,gz,imu1_ax,imu1_ay,imu1_az,imu1_gx,imu1_gy,imu1_gz\n0,1,2,3,4,5,6,1,2,3,4,5,6\n10,1,2,3,4,5,6,1,2,3,4,5,6\n ⇒ --columns time=time,ax=ax,ay=ay,az=az,gx=gx,gy=gy,gz=gz
      time,imu1_wx,imu1_wy,imu1_wz,imu2_wx,imu2_wy,imu2_wz\n0,1,2,3,4,5,6\n10,1,2,3,4,5,6\n ⇒ --columns time=time,gx=imu1_wx,gy=imu1_wy,gz=imu1_wz
      t_us,ax,ay,az,ax1,ay1,az1\n0,1,2,3,4,5,6\n10,1,2,3,4,5,6\n ⇒ --columns time=t_us,ax=ax,ay=ay,az=az
      sampling time,ax,ay,az\n0,1,2,3\n10,1,2,3\n ⇒ --columns time=1,ax=ax,ay=ay,az=az
      """#))
  func asked(_ table: TableCase) throws {
    let refusal = try #require(try Tables.refusal(table.text, table.said))
    #expect(refusal.contains(" " + table.words + " "), "\(refusal)")
    let line = try #require(
      refusal.split(separator: "\n").first { $0.hasPrefix("If that is right: ") })
    let command = try #require(line.split(separator: "table.csv", maxSplits: 1).last)
    let again = try Tables.refusal(table.text, String(command.dropFirst()))
    #expect(again == nil, "\(again ?? "")")
  }

  @Test("a long wrong value is shortened, and a line without an end is not read to it")
  func longValue() throws {
    #expect(
      try Tables.refusal("t_us,ax\n0,\(String(repeating: "x", count: 70_000))\n", "--units raw")
        == "table.csv, line 2: the line is longer than 65536 bytes: import a table with a line for each sample"
    )
    let refusal = try Tables.refusal(
      "t_us,ax\n0,\(String(repeating: "x", count: 1000))\n", "--units raw")
    #expect(refusal?.contains("\"\(String(repeating: "x", count: 40))…\" is not a number") == true)
  }

  @Test("a unit that the option contradicts is objected to, until the user insists")
  func contradictions() throws {
    let text = "t_ms,ax (mg),ay (mg),az (mg)\n0,1,2,1000\n10,1,2,1000\n"
    #expect(
      try Tables.refusal(text, "--units g")
        == "table.csv: its accelerations are in mg by the header, and g by --units: correct the option or the table, or import it as it is with --anyway"
    )
    #expect(
      try Tables.refusal(text, "--units s")?.contains(
        "its times are in ms by the header, and s by --units") == true)
    #expect(try Tables.refusal(text, "--units mg,ms") == nil)
    #expect(try Tables.samples(Tables.importer(text, "--units g --anyway")).values[0][2] == 1000)
    // The program's unit is one, too.
    let klipper = "#time,accel_x,accel_y,accel_z\n0,1,2,9800\n0.1,1,2,9800\n"
    #expect(try Tables.refusal(klipper, "--units m/s2")?.contains("in mm/s² by Klipper") == true)
  }

  @Test("two units of a column are refused")
  func twice() throws {
    for (header, words) in [
      ("t_ms,acc_x_g (mg),acc_y_g,acc_z_g", "its unit is mg by the header, and g by the header"),
      ("t_ms (s),ax,ay,az", "its unit is s by the header, and ms by the header"),
      ("t_ms,acc_x_g,acc_y_g,acc_z_mg", "differs from the same sensor's column before it"),
      ("t_ms,ax (deg/s),ay (deg/s),az (deg/s)", "the unit \"deg/s\" is unknown here"),
      (
        "Units,mg\nt_ms,ax_g,ay_g,az_g",
        "its unit is g by the header, and mg by the units in the file"
      ),
      (
        "# units: s, m/s^2\nt_ms,ax,ay,az",
        "its unit is ms by the header, and s by the units in the file"
      ),
      ("# accel units: m/s^2\nt_ms,ax (g),ay (g),az (g)", "g by the header, and m/s² by the units"),
      (
        "t_ms,ax (mg),ay (mg),az (mg)\nms,g,g,g",
        "its unit is mg by the header, and g by the row of units"
      ),
    ] {
      let refusal = try Tables.refusal(header + "\n0,1,2,3\n10,1,2,3\n")
      #expect(refusal?.contains(words) == true, "\(refusal ?? "")")
    }
  }

  @Test(
    "columns of no sensor, or computed from imported ones, are left out with a remark",
    arguments: [
      "mx,my,mz", "Gravity X,Gravity Y,Gravity Z", "linear acc x,linear acc y,linear acc z",
      "gyro_bias_x,gyro_bias_y,gyro_bias_z", "q w,q x,q y,q z", "roll,pitch,yaw",
    ])
  func leftOut(_ names: String) throws {
    let rows = (0..<4).map {
      "\($0),0.5,0.5,1,1,2,3" + names.filter { $0 == "," }.map { _ in ",7" }.joined() + ",7\n"
    }
    let importer = try Tables.importer(
      "time,ax,ay,az,gx,gy,gz,\(names)\n" + rows.joined(), "--units g,deg/s,s")
    #expect(importer.description.channels == [.accelerometer, .gyroscope])
    #expect(importer.remarks.contains { $0.contains("columns are left out: ") })
  }

  @Test("computed values that may be all that there is of a sensor are asked about")
  func computedAlone() throws {
    let rows = (0..<4).map { "\($0),1,2,3,0.5,0.5,1\n" }.joined()
    for names in [
      "linear acc x,linear acc y,linear acc z", "acc_x_filtered,acc_y_filtered,acc_z_filtered",
    ] {
      let text = "time,gx,gy,gz,\(names)\n" + rows
      let refusal = try Tables.refusal(text, "--units deg/s,s")
      #expect(refusal?.contains("computed from a sensor's values") == true, "\(refusal ?? "")")
      #expect(
        try Tables.refusal(text, "--units deg/s,s --columns time=time,gx=gx,gy=gy,gz=gz") == nil)
    }
  }

  @Test("statements that a hostile reader found unchecked are compared with what they state")
  func compared() throws {
    func rows(_ count: Int, _ row: (Int) -> String) -> String {
      (0..<count).map { row($0) + "\n" }.joined()
    }
    let kalibr = "timestamp,omega_x,omega_y,omega_z,alpha_x,alpha_y,alpha_z\n"
    for (text, options, words) in [
      ("t_s,ax_g,ay_g,az_g\n" + rows(2) { "\($0),1,2,1000" }, "", "would reach"),
      ("t_ms,ax_g,ay_g,az_g\n" + rows(60) { "0.\($0 / 10)\($0 % 10),0,0,1" }, "", "would come at"),
      (kalibr + rows(20) { "\(1_700_000_000_000 + $0 * 10),0,0,0,0,0,9.8" }, "", "Hz"),
      (
        kalibr + rows(20) { "\(1_700_000_000_000_000_000 + $0 * 10_000_000),0,0,0,0,0,1" }, "",
        "mean"
      ),
      (
        "# units: s, g, g, g\nt,ax,ay,az\n" + rows(9) { "0.\($0),0,0,1" }
          + "# units: s, m/s2\n1,0,0,9.8\n",
        "", "a comment between the rows"
      ),
    ] {
      let refusal = try Tables.refusal(text, options)
      #expect(refusal?.contains(words) == true, "\(words): \(refusal ?? "taken")")
    }
    let gaps =
      "t_s,ax_g,ay_g,az_g,gap,gap_ticks\n"
      + rows(20) { "\(Double($0 < 10 ? $0 : $0 + 39) / 100),0,0,1,," }
    let remarks = try Tables.importer(gaps).remarks
    #expect(remarks.contains { $0.contains("rows may be missing") }, "\(remarks)")
  }

  @Test("one number with a mark between thousands outweighs any number of decimal commas in quotes")
  func thousands() throws {
    let rows = (0..<60).map { row in
      #"\#(row * 10),"\#(row == 7 ? "1,100" : "0")",0,"3,5","1,25","7,5""#
    }
    let text = "t_ms,gx_dps,gy_dps,gz_dps,sats,speed\n" + rows.joined(separator: "\n") + "\n"
    #expect(try Tables.refusal(text)?.contains("has a comma in a table of decimal points") == true)
  }

  @Test("each session of a file is compared with what is stated, and has a rate of its own")
  func sessions() throws {
    func rows(_ count: Int, _ step: Double, _ z: String) -> String {
      (0..<count).map { "\(Double($0) * step),0,0,\(z)\n" }.joined()
    }
    let header = "t_s,ax_g,ay_g,az_g\n"
    let mixed = header + rows(1000, 0.01, "1") + "\n" + rows(60, 0.01, "9.8")
    #expect(try Tables.refusal(mixed, "--each")?.contains("mean length") == true)
    let slower = header + rows(200, 0.01, "1") + "\n" + rows(60, 0.02, "1")
    #expect(try Tables.refusal(slower, "--each --rate 100")?.contains("50 Hz") == true)
    let first = try Tables.importer(slower, "--each")
    let second = try first.another(session: 1, id: RecordingID(high: 1, low: 2))
    #expect(second.description.rate == SampleRate(50))
    #expect(second.end.tally.lost == 0)
    // The second one begins in the last tenth of the first.
    let overlapping =
      header + rows(1000, 0.01, "1")
      + (0..<1000).map { "\(9 + Double($0) * 0.01),0,0,1\n" }.joined()
    #expect(try Tables.refusal(overlapping, "--sort") != nil)
  }
}
