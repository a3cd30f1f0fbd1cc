// SPDX-License-Identifier: Apache-2.0

import IMUModel
import OldImport
import Testing

/// Headers as each program writes them, from its documentation or source, and values in its number format.
@Suite("Tables of other programs")
struct DialectTests {
  /// A table, and what the import must make of it: values in g and °/s of the second row.
  struct Table: CustomTestStringConvertible {
    let testDescription: String
    var file = "table.csv"
    let text: String
    let times: [Int64]
    let values: [Double]
    var started: Int64?
    var remarks: [String] = []
  }

  private static let g = 9.80665
  private static let degree = Double.pi / 180

  static let tables: [Table] = [
    Table(
      testDescription: "x-IMU3, gyroscope first",
      text: """
        Timestamp (us),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s),Accelerometer X (g),Accelerometer Y (g),Accelerometer Z (g)
        1000000,0.000000,-0.061035,0.976562,0.000000,-0.500000,1.000000
        1010000,1.220703,-2.014160,2.990723,0.250000,-0.250000,0.999512

        """,
      times: [1_000_000_000, 1_010_000_000],
      values: [0.25, -0.25, 0.999512, 1.220703, -2.01416, 2.990723]),
    Table(
      testDescription: "AX6 by omconvert, blanks after commas, dates without a zone",
      text: """
        Time,Accel-X (g), Accel-Y (g), Accel-Z (g), Gyro-X (d/s), Gyro-Y (d/s), Gyro-Z (d/s)
        2025-11-22 08:26:40.000,0.000000,-0.500000,1.000000,0.000000,-0.061035,0.976562
        2025-11-22 08:26:40.010,0.250000,-0.250000,0.999512,1.220703,-2.014160,2.990723

        """,
      times: [0, 10_000_000], values: [0.25, -0.25, 0.999512, 1.220703, -2.01416, 2.990723],
      started: 1_763_800_000_000_000_000, remarks: ["no time zone"]),
    Table(
      testDescription: "AX6 by OmGui, with columns that no log has",
      text: """
        Time, Ax(g), Ay(g), Az(g), Gx(d/s), Gy(d/s), Gz(d/s), LightADC, TemperatureADC, BatteryADC
        2025-11-22 08:26:40.000,0.0,-0.5,1.0,0.0,-0.061035,0.976562,12,300,200
        2025-11-22 08:26:40.010,0.25,-0.25,0.999512,1.220703,-2.01416,2.990723,12,300,200

        """,
      times: [0, 10_000_000], values: [0.25, -0.25, 0.999512, 1.220703, -2.01416, 2.990723],
      started: 1_763_800_000_000_000_000,
      remarks: ["columns are left out: \"LightADC\", \"TemperatureADC\", \"BatteryADC\""]),
    Table(
      testDescription: "cwa-convert, which writes no header",
      text: """
        2025-11-22 08:26:40.000,0.000000,-0.500000,1.000000
        2025-11-22 08:26:40.010,0.250000,-0.250000,0.999512

        """,
      times: [0, 10_000_000], values: [0.25, -0.25, 0.999512],
      started: 1_763_800_000_000_000_000, remarks: ["there is no header"]),
    Table(
      testDescription: "phyphox, powers of ten, NaN in short columns",
      text: """
        "Time (s)","Acceleration x (m/s^2)","Acceleration y (m/s^2)","Acceleration z (m/s^2)","Absolute acceleration (m/s^2)"
        9.000000000E-3,0.000000000E0,-4.903325000E0,9.806650000E0,1.096400000E1
        1.900000000E-2,2.451662500E0,-2.451662500E0,9.806650000E0,1.039900000E1
        2.900000000E-2,NaN,NaN,NaN,NaN

        """,
      times: [9_000_000, 19_000_000], values: [0.25, -0.25, 1],
      remarks: ["1 row of table.csv has a column", "\"Absolute acceleration (m/s^2)\""]),
    Table(
      testDescription: "phyphox with semicolons and decimal commas",
      text: """
        "Time (s)";"Gyroscope x (rad/s)";"Gyroscope y (rad/s)";"Gyroscope z (rad/s)";"Absolute (rad/s)"
        0,00;0,5;-0,25;0,125;0,57
        0,01;0,25;-0,25;1,5;1,5

        """,
      times: [0, 10_000_000], values: [0.25 / degree, -0.25 / degree, 1.5 / degree]),
    Table(
      testDescription: "phyphox with tabs, a Bluetooth sensor's names",
      text:
        "Time (s)\tAcc X (m/s²)\tAcc Y (m/s²)\tAcc Z (m/s²)\tGyr X (°/s)\tGyr Y (°/s)\tGyr Z (°/s)\n"
        + "0.0\t0.0\t-1.5\t9.5\t0\t1\t2\n0.01\t0.5\t-1.0\t9.81\t-1\t-3\t250\n",
      times: [0, 10_000_000], values: [0.5 / g, -1 / g, 9.81 / g, -1, -3, 250]),
    Table(
      testDescription: "phyphox, without gravity",
      text: """
        "Time (s)","Linear Acceleration x (m/s^2)","Linear Acceleration y (m/s^2)","Linear Acceleration z (m/s^2)","Absolute acceleration (m/s^2)"
        0.00,0.5,-0.25,0.125,0.5
        0.01,0.25,-0.75,0.1,0.8

        """,
      times: [0, 10_000_000], values: [0.25 / g, -0.75 / g, 0.1 / g],
      remarks: ["without gravity"]),
    Table(
      testDescription: "Sensor Logger, z first", file: "/tmp/walk/TotalAcceleration.csv",
      text: """
        time,seconds_elapsed,z,y,x
        1763800000000000000,0.01,9.75,-1.5,0.5
        1763800000010000000,0.02,9.81,-1.0,0.25

        """,
      times: [0, 10_000_000], values: [0.25 / g, -1 / g, 9.81 / g],
      started: 1_763_800_000_000_000_000, remarks: ["\"seconds_elapsed\""]),
    Table(
      testDescription: "Sensor Logger's accelerations without gravity", file: "Accelerometer.csv",
      text: """
        time,seconds_elapsed,z,y,x
        1763800000000000000,0.01,0.75,-1.5,0.5
        1763800000010000000,0.02,0.81,-1.0,0.25

        """,
      times: [0, 10_000_000], values: [0.25 / g, -1 / g, 0.81 / g],
      started: 1_763_800_000_000_000_000,
      remarks: ["are without gravity, which the app's TotalAcceleration has"]),
    Table(
      testDescription: "Sensor Logger's gyroscope", file: "Gyroscope.csv",
      text: """
        time,seconds_elapsed,z,y,x
        1763800000000000000,-0.01,0.5,-1.5,0.5
        1763800000010000000,0.0,1.5,-0.25,0.25

        """,
      times: [0, 10_000_000], values: [0.25 / degree, -0.25 / degree, 1.5 / degree],
      started: 1_763_800_000_000_000_000),
    Table(
      testDescription: "another Sensor Logger, for iOS",
      text: """
        SamplingTime, AccelerationX, AccelerationY, AccelerationZ, GyroX, GyroY, GyroZ
        1763800000.00, 0.5, -1.5, 9.5, 0.5, -0.5, 0.5
        1763800000.01, 0.25, -1.0, 9.81, 0.25, -0.25, 1.5

        """,
      times: [0, 10_000_000],
      values: [0.25 / g, -1 / g, 9.81 / g, 0.25 / degree, -0.25 / degree, 1.5 / degree],
      started: 1_763_800_000_000_000_000),
    Table(
      testDescription: "OpenLog Artemis with microseconds",
      text: """
        rtcDate,rtcTime,micros,aX,aY,aZ,gX,gY,gZ,mX,mY,mZ,output_Hz,
        03/21/2021,23:59:59.99,5000000,-12.70,4.80,999.00,0.50,-1.25,2.00,1.20,3.00,-4.35,0.000,
        03/22/2021,00:00:00.00,5010000,250.00,-250.00,1000.40,-0.98,-250.13,0.25,1.20,3.00,-4.35,99.990,
        """,
      times: [5_000_000_000, 5_010_000_000], values: [0.25, -0.25, 1.0004, -0.98, -250.13, 0.25],
      remarks: ["as OpenLog Artemis writes it", "\"rtcDate\", \"rtcTime\", \"mX\""]),
    Table(
      testDescription: "OpenLog Artemis with times of day, over midnight",
      text: """
        rtcDate,rtcTime,aX,aY,aZ,output_Hz,
        03/21/2021,23:59:59.90,-12.70,4.80,999.00,0.000,
        03/22/2021,00:00:00.00,250.00,-250.00,1000.40,10.001,
        """,
      times: [86_399_900_000_000, 86_400_000_000_000], values: [0.25, -0.25, 1.0004],
      remarks: ["\"rtcDate\""]),
    Table(
      testDescription: "blackbox_decode, whole degrees, counts of 2048 a g by guess",
      text: """
        loopIteration, time (us), axisP[0], gyroADC[0], gyroADC[1], gyroADC[2], accSmooth[0], accSmooth[1], accSmooth[2], motor[0]
        0, 5000000, 3, 1, -2, 3, 512, -512, 2047, 1000
        1, 5001000, 3, -1, -250, 100, 256, -1024, 2048, 1000

        """,
      times: [5_000_000_000, 5_001_000_000], values: [0.125, -0.5, 1, -1, -250, 100],
      remarks: ["2048 counts a g are assumed"]),
    Table(
      testDescription: "Blackbox Explorer, whose keys name the counts of a g",
      text: """
        "Product","Blackbox flight data recorder by Nicholas Sherlock"
        "acc_1G","4096"
        "gyro_scale","0x3f800000"
        "loopIteration","time","gyroADC[0]","gyroADC[1]","gyroADC[2]","accSmooth[0]","accSmooth[1]","accSmooth[2]"
        0,5000000,1,-2,3,512,-512,4095
        1,5001000,-1,-250,100,256,-1024,4096

        """,
      times: [5_000_000_000, 5_001_000_000], values: [0.0625, -0.25, 1, -1, -250, 100]),
    Table(
      testDescription: "EuRoC, a comment sign before the header, gyroscope first",
      text: """
        #timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]
        1403636579758555392,0.5,-0.5,0.5,0.5,-1.5,9.5
        1403636579763555392,0.25,-0.25,1.5,0.25,-1.0,9.81

        """,
      times: [0, 5_000_000],
      values: [0.25 / g, -1 / g, 9.81 / g, 0.25 / degree, -0.25 / degree, 1.5 / degree],
      started: 1_403_636_579_758_555_392),
    Table(
      testDescription: "Kalibr",
      text: """
        timestamp,omega_x,omega_y,omega_z,alpha_x,alpha_y,alpha_z
        1763800000000000000,0.5,-0.5,0.5,0.5,-1.5,9.5
        1763800000005000000,0.25,-0.25,1.5,0.25,-1.0,9.81

        """,
      times: [0, 5_000_000],
      values: [0.25 / g, -1 / g, 9.81 / g, 0.25 / degree, -0.25 / degree, 1.5 / degree],
      started: 1_763_800_000_000_000_000),
    Table(
      testDescription: "gcsv with decimals, another orientation, milliseconds",
      text: """
        GYROFLOW IMU LOG
        version,1.3
        id,some_camera
        orientation,Yxz
        tscale,0.001
        gscale,1
        ascale,1
        t,gx,gy,gz,ax,ay,az
        0,0.5,-0.5,0.5,0.5,-1.5,0.9
        10,0.25,-0.5,1.5,0.25,-0.125,1

        """,
      times: [0, 10_000_000],
      values: [-0.125, -0.25, -1, -0.5 / degree, -0.25 / degree, -1.5 / degree]),
    Table(
      testDescription: "gcsv with counts and scales, ticks of 25 µs",
      text: """
        CAMERA IMU LOG
        tscale,0.000025
        gscale,0.0010641
        ascale,0.00048828125
        orientation,XYZ
        t,gx,gy,gz,ax,ay,az
        0,100,-100,1,0,0,2048
        40,-200,2,1,-32768,32767,2

        """,
      times: [0, 1_000_000],
      values: [
        -16, 32767.0 / 2048, 2.0 / 2048, -200 * 0.0010641 / degree, 2 * 0.0010641 / degree,
        0.0010641 / degree,
      ]),
    Table(
      testDescription: "Physics Toolbox",
      text: """
        time,gFx,gFy,gFz,wx,wy,wz
        0.00,0.5,-0.5,0.5,0.5,-0.5,0.5
        0.01,0.25,-0.125,0.99,0.25,-0.25,1.5

        """,
      times: [0, 10_000_000],
      values: [0.25, -0.125, 0.99, 0.25 / degree, -0.25 / degree, 1.5 / degree]),
    Table(
      testDescription: "MetaBase",
      text: """
        epoc (ms),timestamp (-0700),elapsed (s),x-axis (deg/s),y-axis (deg/s),z-axis (deg/s)
        1763800000000,2025-11-22T01:26:40.000,0.000,0.5,-0.5,0.5
        1763800000010,2025-11-22T01:26:40.010,0.010,0.25,-0.25,1.5

        """,
      times: [0, 10_000_000], values: [0.25, -0.25, 1.5], started: 1_763_800_000_000_000_000),
    Table(
      testDescription:
        "an Arduino's table in g and °/s, told by the length of accelerations and the user",
      text: """
        t_ms,accX,accY,accZ
        100,0.5,-0.5,0.707
        110,0.25,-0.25,0.95

        """,
      times: [100_000_000, 110_000_000], values: [0.25, -0.25, 0.95], remarks: ["g is assumed"]),
  ]

  @Test("are known by their header", arguments: tables)
  func known(_ table: Table) throws {
    let source = ArraySource(Array(table.text.utf8), name: table.file)
    let importer = try TableImporter(source, Imports.options)
    #expect(importer.clockPairs.first?.wallAtStart == table.started)
    for words in table.remarks {
      #expect(importer.remarks.contains { $0.contains(words) }, "\(importer.remarks)")
    }
    let sensor = importer.description.sensor
    let channels = importer.description.channels.indices
    #expect(channels.count == table.values.count)
    let records = try Imports.records(importer)
    #expect(records.map(\.time) == table.times)
    for (channel, value) in zip(channels, table.values) {
      let scale = channel < 3 ? sensor.accelerometerScale : sensor.gyroscopeScale
      let found = Double(try #require(records.last).sample[channel]) * scale.value
      #expect(abs(found - value) < 1e-6 * max(1, abs(value)), "\(ChannelSet.names[channel])")
    }
  }

  @Test("of no known header are read by the columns that the user names, or by their numbers")
  func namedColumns() throws {
    var options = Imports.options
    options.columns = ImportColumnNames("time=Zeit,ax=Beschl. X,gz=4")
    options.units = ImportUnits("mg,deg/s,us")
    let named = try Imports.csv("Nr;Zeit;Beschl. X;Dreh\n1;0;500,5;1\n2;10000;-250;-2\n", options)
    #expect(named.description.rate == hertz(100))
    let scale = named.description.sensor.accelerometerScale.value
    let records = try Imports.records(named)
    #expect(records.map { (Double($0.sample.ax) * scale * 1e6).rounded() } == [500_500, -250_000])
    #expect(records.map(\.sample.gz) == [1, -2])

    options.columns = ImportColumnNames("time=1,ax=3")
    options.units = ImportUnits("raw,s")
    let bare = try Imports.csv("0.00 \t7\t-5\n0.01\t7\t32767\n", options)
    #expect(try Imports.records(bare).map(\.sample.ax) == [-5, 32767])
  }

  @Test("of a gyroscope without a unit are refused until it is named")
  func gyroscope() {
    let error = Imports.csvError("time,gx,gy,gz\n0,0.5,0.25,0.3\n10,0.5,0.1,0.7\n")
    #expect(error?.description.contains("unit its rates are: name it with --units: deg/s") == true)
  }

  @Test(
    "that are wrong are refused with the line",
    arguments: [
      (
        "Time (s),Acceleration x (m/s^2),Acceleration y (g),Acceleration z (m/s^2)\n0,1,2,3\n",
        "table.csv, line 1, column 3 (Acceleration y (g)): the unit of the column is not that of the same sensor's column before it"
      ),
      (
        "Time (s),Acceleration x (furlong),Acceleration y (g),Acceleration z (g)\n0,1,2,3\n",
        "table.csv, line 1, column 2 (Acceleration x (furlong)): the unit of the column is unknown: units are g, mg, m/s2 or raw"
      ),
      (
        "Time (s),Acceleration x (g),Acceleration y (g),Acceleration z (g)\n0,00,1,5,0,2,0,1\n",
        "table.csv, line 2: 8 values where the header names 4 columns, as decimal commas between commas make: write the table with decimal points, or with semicolons between values"
      ),
      (
        "Timestamp (us),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s)\n0,1,2,3\n5,1,2,1e12\n",
        "table.csv, line 3, column 4 (Gyroscope Z (deg/s)): \"1e12\" is beyond any sensor: correct it or take the row out"
      ),
      (
        "Timestamp (us),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s)\n0,1,2,3\n5,1,Infinity,3\n",
        "table.csv, line 3, column 3 (Gyroscope Y (deg/s)): \"Infinity\" is beyond any sensor: correct it or take the row out"
      ),
      (
        "Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2025-11-22 08:26:40,0,0,1\n2025-11-31 08:26:40,0,0,1\n",
        "table.csv, line 3, column 1 (Time): \"2025-11-31 08:26:40\" is not a date and a time of day such as 2026-11-21 02:38:07.123 or 2026-11-21T02:38:07+01:00, in 24 hours: write times so, or as seconds"
      ),
      (
        "time,seconds_elapsed,z,y,x\n1763800000000000000,0,1,2,3\n",
        "table.csv, line 1: the header names x, y and z, and the file's name does not say of which sensor: name the columns, such as --columns time=time,ax=x,ay=y,az=z"
      ),
      (
        "GYROFLOW IMU LOG\norientation,XXZ\nt,gx,gy,gz\n0,1,2,3\n",
        "table.csv, line 3: the orientation \"XXZ\" is not three of the letters x, y and z, each once"
      ),
      (
        "Timestamp (us),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s)\n",
        "the recording in table.csv has no samples: there is nothing to import"
      ),
      (
        "\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\"\nNaN,NaN,NaN,NaN\n",
        "the recording in table.csv has no samples: its row has a column without a value, the first is line 2; if sensors have rows of their own, import those of one with --columns"
      ),
    ] as [(String, String)])
  func wrong(_ text: String, _ sentence: String) {
    #expect(Imports.csvError(text)?.description == sentence)
  }

  @Test(
    "with stamps of their own are joined by the nearest times, the faster one gives the rows, and what is left out is counted"
  )
  func joined() throws {
    let accelerations =
      "time,seconds_elapsed,z,y,x\n"
      + (0..<20).map { "\(1_763_800_000_000_000_000 + $0 * 10_000_000),0,1,2,\($0)\n" }.joined()
    // Twice as fast, 2 ms late, and away from 0.1 s on.
    let rates =
      "time,seconds_elapsed,z,y,x\n"
      + (0..<20).map { "\(1_763_800_000_002_000_000 + $0 * 5_000_000),0,3,4,\($0)\n" }.joined()
    let importer = try TableImporter(
      ArraySource(Array(accelerations.utf8), name: "TotalAcceleration.csv"),
      with: ArraySource(Array(rates.utf8), name: "Gyroscope.csv"), Imports.options)
    #expect(importer.description.channels == [.accelerometer, .gyroscope])
    #expect(
      importer.remarks.contains {
        $0.contains("each row of the rates has the accelerations that are nearest")
          && $0.contains("in time, at most 3 ms away")
      }, "\(importer.remarks)")
    #expect(
      importer.remarks.contains(
        "9 rows of the accelerations are nearest to no row of the rates, and are left out"),
      "\(importer.remarks)")
    let scale = importer.description.sensor.gyroscopeScale.value * .pi / 180
    let records = try Imports.records(importer)
    #expect(records.map(\.time) == (0..<20).map { Int64($0) * 5_000_000 + 2_000_000 })
    #expect(records.map { (Double($0.sample.gx) * scale).rounded() } == (0..<20).map(Double.init))
    // At 2 ms the acceleration of 0, at 7 and 12 ms that of 10 ms, at 97 ms that of 100 ms.
    #expect(records.prefix(4).map(\.sample.ax) == [0, 1, 1, 2].map { $0 * records[1].sample.ax })
    #expect(records.last?.sample.ax == 10 * records[1].sample.ax)
    #expect(throws: ImportError.self) {
      _ = try TableImporter(
        ArraySource(Array(rates.utf8), name: "Gyroscope.csv"),
        with: ArraySource(Array(rates.utf8), name: "Gyroscope.csv"), Imports.options)
    }
  }
}
