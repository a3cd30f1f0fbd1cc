// SPDX-License-Identifier: Apache-2.0

import IMUModel
import OldImport
import LogFormat
import Testing

/// Tables as programs and people of the field write them, of which the obvious reading would be a wrong one; one a line.
@Suite("Tables with what a user says of them")
struct TableCaseTests {
  /// Times in ns, values of the last row in g and °/s, and words of a remark, or of one that there must not be.
  private static let readings = Refusal.list(
    #"""
    Time (s),Acc x (g),Acc y (g),Acc z (g),Time (s),Gyr x (deg/s),Gyr y (deg/s),Gyr z (deg/s)\n0.00,0.5,-0.25,1,0.000,1,-2,3\n0.01,0.25,-0.5,1,0.005,-4,5,-6\n ⇒ --columns time=5,gx=Gyr x (deg/s),gy=7,gz=8 ⇒ 0 5000000 | -4 5 -6 |
    2025-11-22 08:26:40.000,0.0,-0.5,1.0,300,260,200\n2025-11-22 08:26:40.010,0.25,-0.25,0.5,301,261,201\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g ⇒ 0 10000000 | 0.25 -0.25 0.5 |
    // General information\n//  MT Manager version: 2022.0\nPacketCounter,SampleTimeFine,Acc_X,Acc_Y,Acc_Z,Gyr_X,Gyr_Y,Gyr_Z\n1,1000,0.5,-0.25,9.5,0.5,-0.25,0.125\n2,1100,4.9,-2.4,9.8,0.25,-0.5,1.5\n ⇒ 100000000 110000000 | 0.4996609443591849 -0.24473189111470278 0.9993218887183698 14.32394487827058 -28.64788975654116 85.94366926962348 | as MT Manager writes it: times in 0.1 ms
    DeviceTag:,foot\nsep=,\nPacketCounter,SampleTimeFine,Acc_X,Acc_Y,Acc_Z,Gyr_X,Gyr_Y,Gyr_Z\n1,1000,0.5,-0.25,9.5,0.5,-0.25,0.125\n2,1100,4.9,-2.4,9.8,0.25,-0.5,1.5\n ⇒ 1000000 1100000 | 0.4996609443591849 -0.24473189111470278 0.9993218887183698 0.25 -0.5 1.5 | as Movella DOT writes it: times in µs
    ms,ax,ay,az\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n ⇒ --units g ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    n,ax,ay,az\n7,10,-20,16384\n8,7,-8000,16000\n ⇒ --rate 100 ⇒ 0 10000000 | 0.000427 -0.488281 0.976563 |
    0,00;0,5;-0,25;1\n0,01;0,25;-0,5;0,75\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    made;by\nt;ax;ay;az\n0,00;0,5;-0,25;1\n0,01;0,25;-0,5;0,75\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    # t (ms),ax (mg),ay (mg),az (mg)\n0,500,-250,1000\n10,250,-500,750\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    made,by,hand,7\nZeit (ms),Stoß x (mg),Stoß y (mg),Stoß z (mg)\n0,500,-250,1000\n10,250,-500,750\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    made by\nt (furlong),ax,ay,az\n0,1,2,3\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 | 1 2 3 |
    made by\nt,ax (lb),ay,az\n0,1,2,3\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s --rate 100 ⇒ 0 | 1 2 3 |
    t_ms ax ay az\n0 0.5 -0.25 1\n10 0.25 -0.5 0.75\n ⇒ --units g ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    0 0.5 -0.25 1\n10 0.25 -0.5 0.75\n ⇒ --columns time=1,ax=4,ay=2,az=3 --units g,ms ⇒ 0 10000000 | 0.75 0.25 -0.5 |
    Time,Rotation Rate (X),Rotation Rate (Y),Rotation Rate (Z)\n0,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n ⇒ --columns time=Time,gx=2,gy=3,gz=4 --units s,deg/s ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    cts,Gyroscope (z) [deg/s],1,2\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n ⇒ --columns time=cts,gz=2,gx=3,gy=4 --units ms ⇒ 0 10000000 | -0.5 0.75 0.25 |
    time_ms,ax,ay,az\n0,0,0,1\n10,0.25,0.5,0.75\n ⇒ --units g ⇒ 0 10000000 | 0.25 0.5 0.75 |
    Time,Acc X,Acc Y,Acc Z,Gyr X,Gyr Y,Gyr Z\n0,0.5,-0.25,1,1.5,-2,3\n0.01,0.25,-0.5,0.75,-4.5,5,-6\n ⇒ --units g,deg/s,s ⇒ 0 10000000 | 0.25 -0.5 0.75 -4.5 5 -6 | !--units says
    Time,Accel-X,Accel-Y,Accel-Z,Gyro-X,Gyro-Y,Gyro-Z\n0,0.5,-0.25,1,1.5,-2,3\n0.01,0.25,-0.5,0.75,-4.5,5,-6\n ⇒ --units g,deg/s,s ⇒ 0 10000000 | 0.25 -0.5 0.75 -4.5 5 -6 | !--units says
    # imulog.schema: 1\nt_ns,ax\n0,1\n10,-8192\n ⇒ 0 10 | -0.5 |
    0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    # rate 100\nn a m e\nt,ax,ay,az\n0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    t;q\n\nt,ax,ay,az\ns,g,g,g\n0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    Serial,7,,\n,,,\nt,ax,ay,az\n0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    a,b,c,d,e\nt,ax,ay,az,\n0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    """#)

  @Test("are read with their times and values", arguments: readings)
  func reading(_ table: Refusal) throws {
    let found = try FieldTable.read(
      table.text, columns: table.columns, units: table.units, rate: table.rate)
    let parts = table.words.split(separator: "|").map { $0.split(separator: " ") }
    #expect(found.times == parts[0].compactMap { Int64($0) })
    #expect(FieldTable.isNear(found.values, parts[1].compactMap { Double($0) }), "\(found.values)")
    guard parts.count == 3 else { return }
    let words = parts[2].joined(separator: " ")
    let isSaid = found.remarks.contains { $0.contains(words.drop { $0 == "!" }) }
    #expect(isSaid != words.hasPrefix("!"), "\(found.remarks)")
  }

  /// Parts of the sentence, between dots.
  private static let refusals = Refusal.list(
    #"""
    Time (s),Acc x (g),Acc y (g),Acc z (g),Time (s),Gyr x (deg/s),Gyr y (deg/s),Gyr z (deg/s)\n0.00,0.5,-0.25,1,0.000,1,-2,3\n0.01,0.25,-0.5,1,0.005,-4,5,-6\n ⇒ --columns time=Time (s),gx=Gyr x (deg/s) ⇒ table.csv, line 1: the header has "Time (s)" of --columns in columns 1 and 5: give the number of the right one
    2025-11-22 08:26:40.000,0.0,-0.5,1.0,300,260,200\n2025-11-22 08:26:40.010,0.25,-0.25,0.5,301,261,201\n ⇒ table.csv
    t,ax,ay,az\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ no samples
    t,ax\n0,1\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ table.csv, line 1: there is no column 4 of --columns: count them from 1, as commas, semicolons, tabs or single blanks separate them
    made by\nt,ax (lb),ay,az\n0,1,2,3\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ table.csv, line 2, column 2 (ax (lb)): the unit
    Time,Rotation Rate (X),Rotation Rate (Y),Rotation Rate (Z)\n0,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n ⇒ such as --columns time=Time,gx=2,gy=3,gz=4
    t,ax (g),ay (m/s^2),az\n0,0.5,1,2\n0.01,1,2,3\n ⇒ is not that of the same sensor's column before it
    t,ax (g),ay (m/s^2),az\n0,0.5,1,2\n0.01,1,2,3\n ⇒ --units g,s ⇒ is not that of the same sensor's column before it
    Time,Acc X,Acc Y,Acc Z,Gyr X,Gyr Y,Gyr Z\n0,0.5,-0.25,1,1.5,-2,3\n0.01,0.25,-0.5,0.75,-4.5,5,-6\n ⇒ --units
    Time,Accel-X,Accel-Y,Accel-Z,Gyro-X,Gyro-Y,Gyro-Z\n0,0.5,-0.25,1,1.5,-2,3\n0.01,0.25,-0.5,0.75,-4.5,5,-6\n ⇒ --units
    time_ms,ax,ay,az\n0,0,0,1\n10,0.25,0.5,0.75\n ⇒ the unit of its accelerations is not named, and those of the first row are whole numbers, so that all are taken as counts; name the unit with --units: g, mg, m/s2 or raw
    time_s,ax,ay,az\n0,1,2,3\n"0,01","0,5","1,5","2"\n ⇒ --units g ⇒ has a decimal comma
    time_s,ax,ay,az\n0,1,2,3\n0.01,"0,5","1,5","2"\n ⇒ --units g ⇒ has a decimal comma
    time,ax,ay,az,gx,gy,gz\n0,1,2,3,,,\n5,,,,1,2,3\n ⇒ each of its 2 rows has a column without a value … line 2 … --columns
    time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2025-11-22T08:26:40.000Z,0.5,-0.25,1\n2025-11-22T08:26:41.000Z,0.5,-0.25,1\n2025-11-22T08:26:42.000,0.5,-0.25,1\n ⇒ table.csv, line 4, column 1 (time) … has no offset from UTC, and those before it have one
    time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2025-11-22T08:26:40.000,0.5,-0.25,1\n2025-11-22T08:26:41.000,0.5,-0.25,1\n2025-11-22T08:26:42.000-03:30,0.5,-0.25,1\n ⇒ table.csv, line 4, column 1 (time) … has an offset from UTC, and those before it have none
    time,ax,ay,az\n03.02.2026 10:00:00,1,2,3\n ⇒ "03.02.2026 10:00:00" is not a date … 2026-11-21T02
    time,ax,ay,az\n02/03/2026 10:00:00,1,2,3\n ⇒ "02/03/2026 10:00:00" is not a date … 2026-11-21T02
    time,ax,ay,az\n2026-02-03 11:59:50 AM,1,2,3\n ⇒ "2026-02-03 11:59:50 AM" is not a date … 2026-11-21T02
    time,ax,ay,az\n23:59:50,1,2,3\n ⇒ "23:59:50" is not a date … 2026-11-21T02
    time,ax,ay,az\n2024-02-30 10:00:00,1,2,3\n ⇒ "2024-02-30 10:00:00" is not a date … 2026-11-21T02
    Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2015-02-03 00:00:00,1,2,3\n0001-01-01T00:00:00Z,1,2,3\n ⇒ table.csv, line 3, column 1 (Time): "0001-01-01T00:00:00Z" … 1678 to 2261
    Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2015-02-03 00:00:00,1,2,3\n2262-01-01 00:00:00,1,2,3\n ⇒ table.csv, line 3, column 1 (Time): "2262-01-01 00:00:00" … 1678 to 2261
    Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2015-02-03 00:00:00,1,2,3\n2016-12-31T23:59:60Z,1,2,3\n ⇒ table.csv, line 3, column 1 (Time): "2016-12-31T23:59:60Z" … leap second
    Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2015-02-03 00:00:00,1,2,3\n2026-02-03T00:00:61Z,1,2,3\n ⇒ table.csv, line 3, column 1 (Time): "2026-02-03T00:00:61Z" … is not a date
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busErr,1\n20,1,,\n ⇒ line 3: "busErr 1
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,\n20,1,,\n ⇒ line 3: "busError
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,0\n20,1,,\n ⇒ line 3: "busError 0
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,-1\n20,1,,\n ⇒ line 3: "busError -1
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,1.5\n20,1,,\n ⇒ line 3: "busError 1.5
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,BusError,1\n20,1,,\n ⇒ line 3: "BusError 1
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,1e30\n20,1,,\n ⇒ line 3: "busError 1e30
    t_ns,ax,gap,gap_ticks\n0,1,,\n,,busError,1\n ⇒ line 3
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError\n ⇒ line 3
    {"units":{"ax":"m/s^2","ay":"g","az":"m/s^2"},"samples":[{"t_ns":0,"ax":1,"ay":2,"az":3},{"t_ns":10000000,"ax":1,"ay":2,"az":3}]} ⇒ ay … "g" … ax … m/s²
    {"units":{"ax":"furlong","ay":"g","az":"g"},"samples":[{"t_ns":0,"ax":1,"ay":2,"az":3},{"t_ns":10000000,"ax":1,"ay":2,"az":3}]} ⇒ ax … "furlong" … m/s2
    {"units":{"ax":"deg/s","ay":"deg/s","az":"deg/s"},"samples":[{"t_ns":0,"ax":1,"ay":2,"az":3},{"t_ns":10000000,"ax":1,"ay":2,"az":3}]} ⇒ ax … "deg/s" … m/s2
    # imulog.units.ax: g\n# imulog.units.ay: m/s^2\nt_ns,ax,ay,az\n0,1,2,3\n10000000,1,2,3\n ⇒ line 2: the unit of ay
    # imulog.units.ax: m/s^2\nt_ns,ax_g,ay_g,az_g\n0,1,2,3\n10000000,1,2,3\n ⇒ line 2: the unit of ax
    # imulog.schema: 9\nt_ns,ax\n0,1\n10,2\n ⇒ schema 9
    {"time":0,"imu1_ax":1,"imu1_ay":2,"imu1_az":3}\n ⇒ --columns time=time,ax=imu1_ax,ay=imu1_ay,az=imu1_az
    {"time":0,"ax":1,"ay":2,"az":3,"b_ax":1,"b_ay":2,"b_az":3}\n ⇒ of another sensor
    GYROFLOW IMU LOG\norientation,XYZ\ntscale,fast\ngscale,1\nascale,1\nt,gx,gy,gz,ax,ay,az\n0,0.5,-1,2,0.1,0.2,1\n10,0.5,-1,2,0.1,0.2,1\n ⇒ tscale must be a number above 0, and "fast" is there
    GYROFLOW IMU LOG\norientation,XYZ\ntscale,0\ngscale,1\nascale,1\nt,gx,gy,gz,ax,ay,az\n0,0.5,-1,2,0.1,0.2,1\n10,0.5,-1,2,0.1,0.2,1\n ⇒ tscale must be a number above 0, and "0" is there
    GYROFLOW IMU LOG\norientation,XYZ\ntscale,0.001\ntscale,0.01\ngscale,1\nascale,1\nt,gx,gy,gz,ax,ay,az\n0,0.5,-1,2,0.1,0.2,1\n10,0.5,-1,2,0.1,0.2,1\n ⇒ tscale must be the same as before, and "0.01" is there
    [{"t_ns":00000000,"ax":1}, 7] ⇒ table.csv, line 1, byte 27, sample 2: a sample must be an object with a time and values, and a number is there: correct it
    [{"t_ns":00000000,"ax":1};{"t_ns":10000000,"ax":1}] ⇒ table.csv, line 1, byte 25, sample 1: this is not valid JSON: correct it, or fetch the file again
    """#)

  @Test("are refused in a sentence with the place", arguments: refusals)
  func refusal(_ table: Refusal) {
    let options = Imports.given(rate: table.rate, columns: table.columns, units: table.units)
    let sentence = Imports.csvError(table.text, options)?.description ?? "taken"
    for part in table.words.split(separator: " … ") {
      #expect(sentence.contains(part), "\(sentence)")
    }
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

  @Test("a table of x, y and z is Sensor Logger's by its seconds_elapsed alone")
  func withoutProgram() throws {
    let text = "time,x,y,z\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n20,0.5,-0.25,1\n"
    var options = Imports.options
    let importer = { try TableImporter(ArraySource(Array(text.utf8), name: "acc_g.csv"), options) }
    let guessed = try importer().remarks
    #expect(guessed.contains { $0.contains("unit of its times is not named") }, "\(guessed)")
    #expect(!guessed.contains { $0.contains("without gravity") }, "\(guessed)")
    options.units = ImportUnits("g,ms")
    #expect(try Imports.records(importer()).map(\.time) == [0, 10_000_000, 20_000_000])
    #expect(try importer().description.channels == .accelerometer)
  }

  @Test("a comma that may be between thousands is taken as a decimal comma, which is said")
  func thousands() throws {
    func remarks(_ values: [String]) throws -> [String] {
      let rows = values.enumerated().map { "\($0 * 10);-68;79;\($1)\n" }.joined()
      return try FieldTable.read("t_ms;ax;ay;az\n" + rows, units: "mg").remarks.filter {
        $0.contains("between thousands")
      }
    }
    #expect(try remarks(["1,160", "998"]).count == 1)
    #expect(try remarks(["1,160", "-1,002"]).count == 1)
    let times = "t_ms;ax;ay;az\n1,000;500;1;2\n1,010;501;1;2\n"
    #expect(
      try FieldTable.read(times, units: "mg").remarks.contains {
        $0.contains("\"1,000\" is taken as")
      })
    for values in [["1,160", "998,5"], ["0,160", "998"], ["1,16", "998"], ["1160", "998"]] {
      #expect(try remarks(values).isEmpty, "\(values)")
    }
  }

  @Test("rows of two sensors that follow each other are refused, and those of one are read")
  func ardupilot() throws {
    let header = "timestamp,TimeUS,I,GyrX,GyrY,GyrZ,AccX,AccY,AccZ,EG,EA,T\n"
    func rows(_ sensors: [Int]) -> String {
      (0..<4).flatMap { row in
        sensors.map { "1600000000.5,\(row * 40000),\($0),0.5,-0.25,\($0).5,1,2,9.5,0,0,35.5\n" }
      }.joined()
    }
    let refusal = Imports.csvError(header + rows([0, 1]))
    #expect(
      refusal?.description
        == "table.csv, line 1, column 3 (I): rows of several sensors follow each other, \"0\", \"1\": take those of one into a table of its own, or name the columns with --columns if they are of one"
    )
    let found = try FieldTable.read(header + rows([1]))
    #expect(found.times == [0, 40_000_000, 80_000_000, 120_000_000])
    let rates = [0.5, -0.25, 1.5].map { $0 / FieldTable.degree }
    #expect(
      FieldTable.isNear(Array(found.values[0..<6]), [1, 2, 9.5].map { $0 / 9.80665 } + rates),
      "\(found.values)")
    #expect(found.remarks.contains { $0.contains("as ArduPilot writes it") })
    let named = try FieldTable.read(
      header + rows([0, 1]), columns: "time=TimeUS,ax=AccX,ay=AccY,az=AccZ", units: "m/s2,us")
    #expect(named.remarks.contains { $0.contains("in column 3 (I) take turns") })
    // Numbers of rows, packets and parts are none of sensors.
    for name in ["Sensor ID", "device_name", "imu"] {
      let rows = (0..<60).map { "\($0 / 20 % 2),\($0 * 10),0.5,1,2\n" }.joined()
      let text = "\(name),time,ax,ay,az\n" + rows
      #expect(Imports.csvError(text)?.description.contains("rows of several sensors") == true)
    }
    for numbers in [[0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 0, 0]] {
      let rows = numbers.enumerated().map { "\($1),\($0 * 10),0.5,1,2\n" }.joined()
      #expect(
        try FieldTable.read("i,time,ax,ay,az\n" + rows, units: "g").times.count == 6, "\(numbers)")
    }
    // Not that of the first column alone, and of JSON too.
    let two = (0..<6).map { "\($0),\($0 % 2 == 0 ? "a" : "b"),\($0 * 10),0.5,1,2\n" }
    let error = Imports.csvError("id,sensor,time,ax,ay,az\n" + two.joined())
    #expect(error?.description.contains("column 2 (sensor): rows of several") == true)
    let lines = (0..<6).map {
      #"{"time":\#($0 * 10),"imu":\#($0 % 2),"ax":1,"ay":2,"az":3}"# + "\n"
    }
    #expect(
      Imports.csvError(lines.joined())?.description.contains("rows of several sensors") == true)
  }

  @Test("a last line without a line feed is named, as that of a file that was cut")
  func cut() throws {
    let text = "t_ms,ax,ay,az\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75"
    let words = "the last line of table.csv, 3, has no line feed: if the file was cut there"
    func isNamed(_ text: String) throws -> Bool {
      try FieldTable.read(text, units: "g").remarks.contains { $0.hasPrefix(words) }
    }
    #expect(try isNamed(text) && !isNamed(text + "\n"))
    #expect(try isNamed(text.replacing("\n", with: "\r\n")))
  }
}

/// Readings of tables for their tests.
enum FieldTable {
  static let degree = Double.pi / 180

  /// The last sample in g and °/s, and the times.
  static func read(
    _ text: String, columns: String? = nil, units: String? = nil, rate: SampleRate? = nil
  ) throws -> (times: [Int64], values: [Double], remarks: [String]) {
    var options = Imports.given(rate: rate)
    options.columns = try columns.map { try #require(ImportColumnNames($0)) }
    options.units = try units.map { try #require(ImportUnits($0)) }
    let importer = try Imports.csv(text, options)
    let (description, remarks) = (importer.description, importer.remarks)
    let records = try Imports.records(importer)
    let last = try #require(records.last?.sample)
    let values = description.channels.indices.map { channel in
      let sensor = description.sensor
      let scale = channel < 3 ? sensor.accelerometerScale : sensor.gyroscopeScale
      return Double(last[channel]) * scale.value
    }
    return (records.map(\.time), values, remarks)
  }

  static func isNear(_ found: [Double], _ wanted: [Double]) -> Bool {
    found.count == wanted.count
      && zip(found, wanted).allSatisfy { abs($0 - $1) < 1e-5 * max(1, abs($1)) }
  }
}
