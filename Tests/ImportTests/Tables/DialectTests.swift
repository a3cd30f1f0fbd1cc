// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Import

/// Headers as each program writes them, from its documentation or source, and values in its number format.
@Suite("Tables of other programs")
struct DialectTests {
  /// A table, and what the import must make of it: values in g and °/s of the second row.
  struct Table: CustomTestStringConvertible {
    let testDescription: String
    var file = "table.csv"
    var options = ""
    let text: String
    let times: [Int64]
    let values: [Double]
    var started: Int64?
    var remarks: [String] = []
    /// How far a value may be off, where it has more digits than a count.
    var within = 1e-6
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
      testDescription: "phyphox, powers of ten, NaN in short columns",
      text: """
        "Time (s)","Acceleration x (m/s^2)","Acceleration y (m/s^2)","Acceleration z (m/s^2)","Absolute acceleration (m/s^2)"
        9.000000000E-3,0.000000000E0,-4.903325000E0,9.806650000E0,1.096400000E1
        1.900000000E-2,2.451662500E0,-2.451662500E0,9.806650000E0,1.039900000E1
        2.900000000E-2,NaN,NaN,NaN,NaN

        """,
      times: [9_000_000, 19_000_000], values: [0.25, -0.25, 1],
      remarks: [
        "1 row of table.csv without a value in some column", "\"Absolute acceleration (m/s^2)\"",
      ]),
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
      remarks: ["are without gravity"]),
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
      times: [0, 100_000_000], values: [0.25, -0.25, 1.0004],
      started: 1_616_371_199_900_000_000, remarks: ["as OpenLog Artemis writes it"]),
    Table(
      testDescription: "blackbox_decode, counts of 2048 a g by guess, rates of any unit",
      options: "--units deg/s",
      text: """
        loopIteration, time (us), axisP[0], gyroADC[0], gyroADC[1], gyroADC[2], accSmooth[0], accSmooth[1], accSmooth[2], motor[0]
        0, 5000000, 3, 1, -2, 3, 512, -512, 2047, 1000
        1, 5001000, 3, -1, -250, 100, 256, -1024, 2048, 1000

        """,
      times: [5_000_000_000, 5_001_000_000], values: [0.125, -0.5, 1, -1, -250, 100],
      remarks: ["are counts, by Betaflight, 2048 a g"]),
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
      testDescription: "Kalibr, of a recording without a date",
      text: """
        timestamp,omega_x,omega_y,omega_z,alpha_x,alpha_y,alpha_z
        5000000,0.5,-0.5,0.5,0.5,-1.5,9.5
        10000000,0.25,-0.25,1.5,0.25,-1.0,9.81

        """,
      times: [5_000_000, 10_000_000],
      values: [0.25 / g, -1 / g, 9.81 / g, 0.25 / degree, -0.25 / degree, 1.5 / degree]),
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
      testDescription: "an Arduino's table, whose units the user states", options: "--units g",
      text: """
        t_ms,accX,accY,accZ
        100,0.5,-0.5,0.707
        110,0.25,-0.25,0.95

        """,
      times: [100_000_000, 110_000_000], values: [0.25, -0.25, 0.95]),
    Table(
      testDescription: "Klipper, mm/s²",
      text: """
        #time,accel_x,accel_y,accel_z
        512.250000,1546.583519,9552.825604,-132.538141
        512.250312,1607.652263,9653.236626,255.976073

        """,
      times: [512_250_000_000, 512_250_312_000],
      values: [1607.652263 / 9806.65, 9653.236626 / 9806.65, 255.976073 / 9806.65],
      remarks: ["as Klipper writes it"], within: 1e-5),
    Table(
      testDescription: "Empatica E4, a start and a rate before counts of 1/64 g",
      text: """
        1700000000.000000, 1700000000.000000, 1700000000.000000
        32.000000, 32.000000, 32.000000
        -33,-25,47
        -32,-24,50

        """,
      times: [0, 31_250_000], values: [-0.5, -0.375, 50.0 / 64], started: 1_700_000_000_000_000_000),
    Table(
      testDescription: "WitMotion, times of day, decimal commas, tabs, empty columns at the end",
      options: "--columns time=Time,ax=4,ay=5,az=6,gx=7,gy=8,gz=9",
      text:
        "Time\tDevice name\tChip Time()\tAcceleration X(g)\tAcceleration Y(g)\tAcceleration Z(g)\tAngular velocity X(°/s)\tAngular velocity Y(°/s)\tAngular velocity Z(°/s)\tAngle X(°)\t\t\r\n"
        + " 06:20:10.500\tCOM1\t\t0,003\t0,003\t1,005\t0,305\t0,000\t0,061\t0,851\t\t\r\n"
        + " 06:20:10.596\tCOM1\t\t-0,002\t-0,007\t0,997\t-0,305\t0,122\t0,244\t0,851\t\t\r\n",
      times: [22_810_500_000_000, 22_810_596_000_000],
      values: [-0.002, -0.007, 0.997, -0.305, 0.122, 0.244]),
    Table(
      testDescription: "Shimmer's lines of kinds and units below the names",
      text: """
        Timestamp\tAccel_X\tAccel_Y\tAccel_Z
        RAW\tCAL\tCAL\tCAL
        ms\tm/(sec^2)*\tm/(sec^2)*\tm/(sec^2)*
        0\t0.5\t1.5\t9.5
        10\t0.25\t-1.0\t9.81

        """,
      times: [0, 10_000_000], values: [0.25 / g, -1 / g, 9.81 / g]),
    Table(
      testDescription: "this program's Parquet by an engine, whose scales the user states",
      options: "--accel-lsb-per-g 8192 --gyro-lsb-per-dps 131",
      text: """
        t,t_ns,tick,ax,ay,az,gx,gy,gz,mark,label,gap,gap_ticks
        2026-11-21 02:38:07,0,0,1,-2,8192,3,-4,5,,,,
        2026-11-21 02:38:07.01,10000000,1,4096,-2048,8190,131,-262,5,,,,

        """,
      times: [0, 10_000_000], values: [0.5, -0.25, 8190.0 / 8192, 1, -2, 5.0 / 131],
      started: 1_795_228_687_000_000_000),
  ]

  @Test("are known by their header", arguments: tables)
  func known(_ table: Table) throws {
    let importer = try Tables.importer(table.text, table.options, file: table.file)
    #expect(importer.clockPairs.first?.wallAtStart == table.started)
    for words in table.remarks {
      #expect(importer.remarks.contains { $0.contains(words) }, "\(importer.remarks)")
    }
    let channels = importer.description.channels.indices
    #expect(channels.count == table.values.count)
    let samples = try Tables.samples(importer)
    #expect(samples.times == table.times)
    let found = try #require(samples.values.last)
    for (channel, value) in zip(channels, zip(found, table.values)) {
      #expect(
        abs(value.0 - value.1) < table.within * max(1, abs(value.1)), "\(ChannelSet.names[channel])"
      )
    }
  }
}
