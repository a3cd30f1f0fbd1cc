// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Import

/// Tables as programs and people in the field write them, whose obvious reading would be wrong; one a line.
@Suite("Tables with what a user says of them")
struct TableCaseTests {
  private static let readings = TableCase.list(
    #"""
    Time (s),Acc x (g),Acc y (g),Acc z (g),Time (s),Gyr x (deg/s),Gyr y (deg/s),Gyr z (deg/s)\n0.00,0.5,-0.25,1,0.000,1,-2,3\n0.01,0.25,-0.5,1,0.005,-4,5,-6\n ⇒ --columns 'time=5,gx=Gyr x (deg/s),gy=7,gz=8' ⇒ 0 5000000 | -4 5 -6 |
    2025-11-22 08:26:40.000,0.0,-0.5,1.0,300,260,200\n2025-11-22 08:26:40.010,0.25,-0.25,0.5,301,261,201\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g ⇒ 0 10000000 | 0.25 -0.25 0.5 |
    // General information\n//  MT Manager version: 2022.0\nPacketCounter,SampleTimeFine,Acc_X,Acc_Y,Acc_Z,Gyr_X,Gyr_Y,Gyr_Z\n1,1000,0.5,-0.25,9.5,0.5,-0.25,0.125\n2,1100,4.9,-2.4,9.8,0.25,-0.5,1.5\n ⇒ 100000000 110000000 | 0.4996609443591849 -0.24473189111470278 0.9993218887183698 14.32394487827058 -28.64788975654116 85.94366926962348 | as MT Manager writes it: times in 0.1 ms
    DeviceTag:,foot\nsep=,\nPacketCounter,SampleTimeFine,Acc_X,Acc_Y,Acc_Z,Gyr_X,Gyr_Y,Gyr_Z\n1,1000,0.5,-0.25,9.5,0.5,-0.25,0.125\n2,1100,4.9,-2.4,9.8,0.25,-0.5,1.5\n ⇒ 1000000 1100000 | 0.4996609443591849 -0.24473189111470278 0.9993218887183698 0.25 -0.5 1.5 | as Movella DOT writes it: times in µs
    ms,ax,ay,az\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n ⇒ --units g ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    Time / s,Acc X / g,Acc Y / g,Acc Z / g,T (°C)\n0,0.5,-0.25,1,20\n0.01,0.25,-0.5,0.75,20\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    t / ms,a x / (m/s²),a y / (m/s²),a z / (m/s²)\n0,0,0,9.80665\n\n10,0,0,9.80665\n\n20,0,0,9.80665\n ⇒ 0 10000000 20000000 | 0 0 1 |
    timestamp (local),ax (g),ay (g),az (g)\n2026-11-22 08:26:40.00+01:00,0.5,-0.25,1\n2026-11-22 08:26:40.01+01:00,0.25,-0.5,0.75\n ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    n,ax,ay,az,snr\n254,10,-20,16384,1\n255,7,-8000,16000,NA\n256,0,1,16384,7\n257,10,-20,16384,E1\n ⇒ --columns ax=2,ay=3,az=4,skip=snr --rate 100 --units raw ⇒ 0 10000000 20000000 30000000 | 0.00061 -0.001221 1 |
    Time 1,ax,ay,az\n2026-11-21 10:00:00,0.5,-0.25,1\n2026-11-21 10:00:01,0.25,-0.5,0.75\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g ⇒ 0 1000000000 | 0.25 -0.5 0.75 |
    n,ax,ay,az\n7,10,-20,16384\n8,7,-8000,16000\n ⇒ --columns ax=2,ay=3,az=4 --rate 100 --units raw ⇒ 0 10000000 | 0.000427 -0.488281 0.976563 |
    0,00;0,5;-0,25;1\n0,01;0,25;-0,5;0,75\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    made;by\nt;ax;ay;az\n0,00;0,5;-0,25;1\n0,01;0,25;-0,5;0,75\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    # t (ms),ax (mg),ay (mg),az (mg)\n0,500,-250,1000\n10,250,-500,750\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    made,by,hand,7\nZeit (ms),Stoß x (mg),Stoß y (mg),Stoß z (mg)\n0,500,-250,1000\n10,250,-500,750\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    "t_s" "ax_g" "ay_g" "az_g"\n"1" 0 0.25 -0.5 1\n"2" 0.5 0.5 -0.25 1\n ⇒ 0 500000000 | 0.5 -0.25 1 |
    made by\nt (furlong),ax,ay,az\n0,1,2,3\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s --rate 100 --anyway ⇒ 0 | 1 2 3 |
    t_ms ax ay az\n0 0.5 -0.25 1\n10 0.25 -0.5 0.75\n ⇒ --units g ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    0 0.5 -0.25 1\n10 0.25 -0.5 0.75\n ⇒ --columns time=1,ax=4,ay=2,az=3 --units g,ms ⇒ 0 10000000 | 0.75 0.25 -0.5 |
    Time,Rotation Rate (X),Rotation Rate (Y),Rotation Rate (Z)\n0,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n ⇒ --columns time=Time,gx=2,gy=3,gz=4 --units s,deg/s ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    cts,Gyroscope (z) [deg/s],1,2\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n ⇒ --columns time=cts,gz=2,gx=3,gy=4 --units ms ⇒ 0 10000000 | -0.5 0.75 0.25 |
    time_ms,ax,ay,az\n0,0,0,1\n10,0.25,0.5,0.75\n ⇒ --units g ⇒ 0 10000000 | 0.25 0.5 0.75 |
    Time,Acc X,Acc Y,Acc Z,Gyr X,Gyr Y,Gyr Z\n0,0.5,-0.25,1,1.5,-2,3\n0.01,0.25,-0.5,0.75,-4.5,5,-6\n ⇒ --units g,deg/s,s ⇒ 0 10000000 | 0.25 -0.5 0.75 -4.5 5 -6 | !--units says
    Time,Accel-X,Accel-Y,Accel-Z,Gyro-X,Gyro-Y,Gyro-Z\n0,0.5,-0.25,1,1.5,-2,3\n0.01,0.25,-0.5,0.75,-4.5,5,-6\n ⇒ --units g,deg/s,s ⇒ 0 10000000 | 0.25 -0.5 0.75 -4.5 5 -6 | !--units says
    # imulog.schema: 1\nt_ns,ax\n0,1\n10,-8192\n ⇒ --units raw ⇒ 0 10 | -0.5 |
    0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    # rate 100\nn a m e\nt,ax,ay,az\n0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    Serial,7,,\n,,,\nt,ax,ay,az\n0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    a,b,c,d,e\nt,ax,ay,az,\n0.00,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n0.02,-1,0.5,0.25\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ 0 10000000 20000000 | -1 0.5 0.25 |
    Date,Time (hh:mm:ss),ax (g),ay (g),az (g)\n2026-11-21,14:05:59,1,2,3\n2026-11-21,14:06:00,1,2,3\n ⇒ 0 1000000000 | 1 2 3 | its dates name no time zone, and are read as UTC
    Time [UTC],tag,ax (g),ay (g),az (g)\n2026-11-21 14:05:59,walk,1,2,3\n2026-11-21 14:06:00,walk,1,2,3\n ⇒ --columns time=1,ax=3,ay=4,az=5 ⇒ 0 1000000000 | 1 2 3 |
    Date,Time,AM/PM,ax (g),ay (g),az (g)\n21.11.26,2:05:59,PM,1,2,3\n21.11.26,2:06:00,PM,1,2,3\n ⇒ --columns time=Time,ax=ax,ay=ay,az=az ⇒ 7559000000000 7560000000000 | 1 2 3 |
    t_s,ax,ay,az\n[s],[g],[g],[g]\n0,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    time_s,ax,ay,az\n0,1,2,3\n"0,01","0,5","1,5","2"\n ⇒ --units g ⇒ 0 10000000 | 0.5 1.5 2 |
    time,x,y,z,gx\n0,0.5,-0.25,1,7\n0.01,0.25,-0.5,0.75,7\n ⇒ --columns time=1,ax=x,ay=y,az=4 --units g,s ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    t_ms,ax_g,ay_g,az_g,sats,chan\n0,0,0,1.00,"3,5","1,2"\n10,0.25,-0.5,0.75,"3,5","1,2"\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    Zeit (ms);Beschleunigung x (g);Beschleunigung y (g);Beschleunigung z (g)\n0;0,5;-0,25;1\n10;0,25;-0,5;0,75\n ⇒ 0 10000000 | 0.25 -0.5 0.75 |
    imu,t_ms,ax,ay,az\n0,0,0.5,-0.25,1\n1,10,0.25,-0.5,0.75\n ⇒ --units g --anyway ⇒ 0 10000000 | 0.25 -0.5 0.75 | a column is left out: "imu"
    Date,Time (MM/DD/YYYY),ax (g)\n1,02/01/2026 10:00:00,1\n1,02/01/2026 10:00:01,1\n ⇒ --columns time=2,ax=3 ⇒ 0 1000000000 | 1 |
    # Times in UTC\nutc_time_s,ax_g\n36000.00,0.25\n36000.01,0.5\n ⇒ --columns time=1,ax=2 --units g ⇒ 36000000000000 36000010000000 | 0.5 | !UTC
    {"format":"imulog-json","rate_hz":100,"ticks":{"scheduled":3,"sampled":3},"gaps":[],"units":{"ax":"g"},"samples":[{"t_ns":0,"ax":0.5},{"t_ns":10000000,"ax":0.5},{"t_ns":90000000,"ax":0.5}]} ⇒ 0 10000000 90000000 | 0.5 | leave room for 7 ticks where it states no gap
    {"format":"imulog-json","rate_hz":100,"ticks":{"scheduled":10,"sampled":3},"gaps":[{"tick":2,"count":7,"cause":"missed"}],"units":{"ax":"g"},"samples":[{"t_ns":0,"ax":0.5},{"t_ns":10000000,"ax":0.5},{"t_ns":90000000,"ax":0.5}]} ⇒ 0 10000000 90000000 | 0.5 | !leave room
    Zeit,Stoß x,Stoß y,Stoß z,\nms,m/(s^2),m/(s^2),m/(s^2),\n0,0,0,9.80665,\n10,0,0,9.80665,\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ 0 10000000 | 0 0 1 |
    t_s,ax_g,id\n0,0.5,1\n0.09,0.5,2\n0.10,0.25,3\n ⇒ --columns time=1,ax=2 ⇒ 0 90000000 100000000 | 0.25 |
    {"t_ms":0,"ax_g":0.5}\n{"t_ms":10,"ax_g":0.25}\n ⇒ 0 10000000 | 0.25 |
    unix_s,ax_g,ay_g,az_g\n5.00,0,0,1\n5.01,0,0,0.5\n ⇒ 0 10000000 | 0 0 0.5 |
    unix_s,date,tz,ax (g),ay (g),az (g)\n1700000000,21.11.26,CET,1,2,3\n1700000001,21.11.26,CET,1,2,3\n ⇒ --columns time=1,ax=4,ay=5,az=6 ⇒ 0 1000000000 | 1 2 3 |
    """#)

  @Test("are read with their times and values", arguments: readings)
  func reading(_ table: TableCase) throws {
    let importer = try Tables.importer(table.text, table.said)
    let remarks = importer.remarks
    let found = try Tables.samples(importer)
    let parts = table.words.split(separator: "|").map { $0.split(separator: " ") }
    #expect(found.times == parts[0].compactMap { Int64($0) })
    let wanted = parts[1].compactMap { Double($0) }
    let values = try #require(found.values.last)
    let isNear =
      values.count == wanted.count
      && zip(values, wanted).allSatisfy { abs($0 - $1) < 1e-5 * max(1, abs($1)) }
    #expect(isNear, "\(values)")
    guard parts.count == 3 else { return }
    let words = parts[2].joined(separator: " ")
    let isSaid = remarks.contains { $0.contains(words.drop { $0 == "!" }) }
    #expect(isSaid != words.hasPrefix("!"), "\(remarks)")
  }

  /// Parts of the sentence, between dots.
  private static let refusals = TableCase.list(
    #"""
    Time (s),Acc x (g),Acc y (g),Acc z (g),Time (s),Gyr x (deg/s),Gyr y (deg/s),Gyr z (deg/s)\n0.00,0.5,-0.25,1,0.000,1,-2,3\n0.01,0.25,-0.5,1,0.005,-4,5,-6\n ⇒ --columns 'time=Time (s),gx=Gyr x (deg/s)' ⇒ table.csv, line 1: the header has "Time (s)" of --columns in columns 1 and 5: give names as the header writes them, or numbers from 1
    2025-11-22 08:26:40.000,0.0,-0.5,1.0,300,260,200\n2025-11-22 08:26:40.010,0.25,-0.25,0.5,301,261,201\n ⇒ table.csv
    t,ax,ay,az\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ no samples
    t,ax\n0,1\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,s ⇒ column 3 of --columns is not in the header: give names as the header writes them, or numbers from 1
    Time,Rotation Rate (X),Rotation Rate (Y),Rotation Rate (Z)\n0,0.5,-0.25,1\n0.01,0.25,-0.5,0.75\n ⇒ in which unit Time and Rotation Rate (X), Rotation Rate (Y), Rotation Rate (Z) are
    t,ax (g),ay (m/s^2),az\n0,0.5,1,2\n0.01,1,2,3\n ⇒ differs from the same sensor's column before it
    t,ax (g),ay (m/s^2),az\n0,0.5,1,2\n0.01,1,2,3\n ⇒ --units g,s ⇒ differs from the same sensor's column before it
    Time,Acc X,Acc Y,Acc Z,Gyr X,Gyr Y,Gyr Z\n0,0.5,-0.25,1,1.5,-2,3\n0.01,0.25,-0.5,0.75,-4.5,5,-6\n ⇒ --units
    Time,Accel-X,Accel-Y,Accel-Z,Gyro-X,Gyro-Y,Gyro-Z\n0,0.5,-0.25,1,1.5,-2,3\n0.01,0.25,-0.5,0.75,-4.5,5,-6\n ⇒ --units
    time_ms,ax,ay,az\n0,0,0,1\n10,0.25,0.5,0.75\n ⇒ in which unit ax, ay, az are
    time_s,ax,ay,az\n0,1,2,3\n0.01,"0,5","1,5","2"\n ⇒ --units g ⇒ "0,5" has a comma in a table of decimal points
    t_ms,gx_mdps,gy_mdps,gz_mdps,sats\n0,"1,100","2,048","1,100","3,5"\n10,"1,100","2,048","1,100","3,5"\n ⇒ "1,100" has a comma in a table of decimal points
    t_ms,ax,ay,az\n0,998,1.000,12\n10,998,1.000,12\n ⇒ --units raw ⇒ "1.000" may be a count with three decimals, or thousands
    t_ms,ax,ay,az\n\n0,1,2,3\n\n10,1,2,3\n5000,1,2,3\n ⇒ --units g ⇒ holds 2 recordings
    time,seconds_elapsed,z,y,x\n ⇒ the file's name does not say
    gFx,gFy,gFz,time\n1,2\n ⇒ 2 values where the header names 4 columns
    t,t_ns,tick,ax,ay,az\n2261-01-01T00:00:00Z,-9000000000000000000,0,1,2,3\n ⇒ table.csv
    t,t_ns,tick,ax,ay,az\n2024-01-01T00:00:00Z\n ⇒ 1 value where the header names 6 columns
    time,ax,ay,az\n2024-01-02 10:00:00,120,0.5,-0.25,1\n2024-01-02 10:00:00,130,0.5,-0.25,1\n ⇒ --units g ⇒ 5 values under 4 names, as decimal commas
    t_ms,ax,ay,az\n0,12,1.002,-3\n10,12,1.002,-3\n ⇒ --units mg ⇒ they may be between thousands
    time,-ax (g),ay (g),az (g)\n0,1,2,3\n ⇒ which columns are the axes
    time_10us,ax (g),ay (g),az (g)\n0,1,2,3\n10,1,2,3\n ⇒ which columns are the axes
    t_ms,gx_250_dps,gy_250_dps,gz_250_dps\n0,1,2,3\n ⇒ which columns are the axes
    t_ms,imu1_ax,imu1_ay,imu1_az,imu2_gx,imu2_gy,imu2_gz\n0,1,2,3,4,5,6\n ⇒ which columns are the axes
    t_ms,ax (g·s),ay (g·s),az (g·s)\n0,1,2,3\n ⇒ the unit "g·s" is unknown here
    stream,t_ms,ax (g),ay (g),az (g)\nacc,0,0,0,1\nacc,10,0,0,1\ngyr,20,0,0,1\n ⇒ does not say what "stream" is
    Zona horaria: CET\ntime,ax,ay,az\n2026-11-21 10:00:00,0,0,1\n2026-11-21 10:00:01,0,0,1\n ⇒ --units g ⇒ what stands before its rows is not read
    Unit serial: H\ntime,ax (g),ay (g),az (g)\n0.00,0,0,1\n0.01,0,0,1\n ⇒ in which unit time is
    # scale factor 0.01\nt_ms,ax (g),ay (g),az (g)\n0,0,0,1\n10,0,0,1\n ⇒ what stands before its rows is not read, and may
    t_ms,ax (g),ay (g),az (g),k\n0,0,0,1,0.1\n10,0,0,1,0.1\n ⇒ does not say what "k" is
    ax,ay,az,gps_tow\n0,0,1,7\n0,0,1,8\n ⇒ --units g --rate 100 ⇒ does not say what "gps_tow" is
    user,activity,t_ms,ax,ay,az\n1,walk,0,0,0,1\n2,walk,10,0,0,1\n ⇒ --units g ⇒ does not say what "user", "activity" are
    sensor,t_ms,x,y,z\nacc,0,0,0,1\ngyro,10,0,0,1\n ⇒ which columns are the axes of which sensor, nor what "sensor" is
    timestamp (local),ax (g),ay (g),az (g)\n2026-11-22 08:26:40,0,0,1\n2026-11-22 08:26:41,0,0,1\n ⇒ has a zone or a pattern
    # units: was mg before\nt_ms,ax,ay,az\n0,0,0,1\n10,0,0,1\n ⇒ in which unit ax, ay, az are
    Time(s);ax(g);ay(g);az(g)\n0.00;0;0;1;\n0.01;0;0;1;\n0.02;0;0;1;\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units mg ⇒ in g by the header, and mg by --units
    time (ms);ax (mg);ay (mg);az (mg)\n1.000;12;-5;990\n1.100;12;-5;991\n1.200;12;-5;991\n ⇒ the marks in its times
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,3,busError,1\n20,1,,\n ⇒ --units raw ⇒ the row of a gap has values
    t_ms,temp (C),foo,bar\n0,20,1,2\n ⇒ is known as an axis by its name
    index,0,1,2,3\n0,5000,0.1,0.2,0.95\n1,5010,0.1,0.2,0.95\n ⇒ --columns time=2,ax=3,ay=4,az=5 --units ms,g ⇒ the first row names the columns
    0,1,2,label\n0.5,-0.25,1,walk\n0.25,-0.5,0.75,walk\n ⇒ --columns ax=1,ay=2,az=3 --units g --rate 100 ⇒ the first row numbers the columns
    t_ms,ax,ay,az,Device No\n0,0,0,1,1\n10,0,0,1,2\n20,0,0,1,1\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g ⇒ its value changes, "1", "2"
    seq,ax,ay,az\n1,0,0,1\n2,0,0,1\n3,0,0,1\n7,0,0,1\n8,0,0,1\n ⇒ --columns ax=ax,ay=ay,az=az --units g --rate 100 ⇒ line 5, column 1 (seq): "7" follows 3
    row,ax,ay,az,t\n1,0,0,1,5\nMean,0,0,1,5\nSD,0,0,1,0\n ⇒ --columns ax=2,ay=3,az=4 --units g --rate 100 ⇒ line 3, column 1 (row): it has "Mean", which other rows lack
    timestamp,sensor_type,x,y,z\n0,1,0,0,1\n10,1,0,1,0\n20,1,0,0,1\n30,2,5,6,7\n ⇒ --columns time=1,ax=3,ay=4,az=5 --units ms,g ⇒ (sensor_type): its value changes, "1", "2"
    t_ms,of,x,y,z\n00,ACC,0,0,1\n10,ACC,0,0,1\n20,MAG,0,0,1\n30,ACC,0,0,1\n40,ACC,0,0,1\n50,MAG,0,0,1\n60,ACC,0,0,1\n70,ACC,0,0,1\n80,MAG,0,0,1\n90,ACC,0,0,1\n ⇒ --columns time=1,ax=3,ay=4,az=5 --units g ⇒ (of): its value changes, "ACC", "MAG"
    ,ax,ay,az\n,0,0,1\n,0,1,0\nMean,0,0.5,0.5\n ⇒ --columns ax=2,ay=3,az=4 --units g --rate 100 ⇒ it has "Mean", which other rows
    trial,ax,ay,az\n1,0,0,1\n1 Average,0,1,0\n2,0,0,1\n2,0,0,1\n ⇒ --columns ax=2,ay=3,az=4 --units g --rate 100 ⇒ line 3, column 1 (trial): it has "1 Average"
    t_ms,deviceid,ax,ay,az\n0,1,0,0,1\n10,1,0,1,0\n20,2,0,0,1\n ⇒ --columns time=1,ax=3,ay=4,az=5 --units g ⇒ (deviceid): its value changes, "1", "2"
    Time JST,ax,ay,az\n2026-11-21 10:00:00,0,0,1\n2026-11-21 10:00:01,0,0,1\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g ⇒ has a zone or a pattern
    n,ax,ay,az\nMean,0,0.5,0.5\n0,0,0,1\n1,0,1,0\n2,0,0,1\n3,0,1,0\n4,0,0,1\n ⇒ --columns ax=2,ay=3,az=4 --units g --rate 100 ⇒ line 2, column 1 (n): "Mean" is not a count
    who,ax,ay,az\nS01,0,0,1\nS01,0,0,1\nS01,0,0,1\nS01,0,0,1\nS01,0,0,1\nS01,0,0,1\nS01,0,0,1\nS01,0,0,1\nMean,0,0.5,0.5\n ⇒ --columns ax=2,ay=3,az=4 --units g --rate 100 ⇒ line 10, column 1 (who): it has "S01", then "Mean"
    time_s,ax_g,ay_g,az_g\n1,0.00,0,0,1\n2,0.01,0,0,1\n ⇒ the rows have 5 values under 4 names
    t_ms,kind,x (m/s2),y (m/s2),z (m/s2)\n0,acc,0,0,1\n10,acc,0,1,0\n20,gyro,0,0,1\n ⇒ --columns time=t_ms,ax=3,ay=4,az=5 ⇒ line 4, column 2 (kind): it has "acc", then "gyro"
    t_ms,ax,ay,az,note\n0,0,0,1,\n10,0,0,1,\n20,0,0,1,Ø\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g ⇒ line 4, column 5 (note): it has "Ø", which other rows lack
    ts,ax,ay,az\n1700000000020,0,0,1\n1700000000040,0,0,1\n1700000000060,0,0,1\n1700000000480,0,0,1\n ⇒ --columns ax=ax,ay=ay,az=az --units g --rate 50 ⇒ line 5, column 1 (ts): "1700000000480" follows 1700000000060
    up,ax,ay,az\n0.02,0,0,1\n0.041,0,0,1\n0.06,0,0,1\n ⇒ --columns ax=ax,ay=ay,az=az --units g --rate 50 ⇒ name it as time= if it has the times
    t_ms,acc_unit,ax,ay,az\n0,g,0,0,1\n10,g,0,0,1\n20,mg,0,0,1\n ⇒ --columns time=1,ax=3,ay=4,az=5 ⇒ its value changes, "g", "mg"
    t_ms,x,y,z,unit\n0,0,0,1,rad/s\n10,0,0,1,rad/s\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g ⇒ "unit" has "rad/s", a unit that no column read here has
    t_ms,gx,gy,gz,unit\n0,1,2,3,"g, rad/s"\n10,1,2,3,"g, rad/s"\n ⇒ --columns time=1,gx=2,gy=3,gz=4 --units deg/s ⇒ a unit that no column read here has
    {"t":0,"ax":0,"ay":0,"az":1}\n{"t":10,"ax":0,"ay":0,"az":1,"src":"sum"}\n ⇒ --columns time=t,ax=ax,ay=ay,az=az --units ms,g ⇒ "src": it has "sum", which other rows lack
    pos,t_ms,ax,ay,az\n1.0,0,0,0,1\n2.0,10,0,1,0\n1.0,20,0,0,1\n2.0,30,0,1,0\n ⇒ --columns time=2,ax=3,ay=4,az=5 --units g ⇒ (pos): its value changes, "1.0", "2.0"
    n,ax,ay,az\n253,0,0,1\n254,0,0,1\n255,0,1,0\n0,0,0,1\n ⇒ --columns ax=2,ay=3,az=4 --units g --rate 100 ⇒ line 5, column 1 (n): "0" follows 255
    t_ms,type,x,y,z\n0,1,0,0,1\n10,1,0,1,0\n20,2,0,0,1\n ⇒ --columns time=1,ax=3,ay=4,az=5 --units g ⇒ (type): its value changes, "1", "2"
    t_ms,foot,ax,ay,az\n0,1,0,0,1\n10,2,0,1,0\n20,1,0,0,1\n30,2,0,1,0\n ⇒ --columns time=1,ax=3,ay=4,az=5 --units g ⇒ (foot): its value changes, "1", "2"
    time,ax_g,ay_g,az_g\n12:00:00.500,0,0,1\n12:00:01.2,0,0,1\n ⇒ they may be milliseconds without zeros before them
    ,1,2,3\n7,0.5,-0.25,1\n8,0.25,-0.5,0.75\n ⇒ --columns ax=2,ay=3,az=4 --units g --rate 100 ⇒ the first row numbers the columns
    {"samples":[{"t_ms":0,"ax_g":1}]}\n{"samples":[{"t_ms":0,"ax_g":1}]} ⇒ another document follows
    t_ms,gX,gY,gZ\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75\n ⇒ --units g-dps ⇒ which columns are the axes of which sensor
    t_s,ax,ay,az\n0.120,0.5,-0.25,1\n1.7,0.25,-0.5,0.75\n ⇒ --units g ⇒ they may be milliseconds without zeros before them
    {"sensor":"Metadata","time":"0","x":"1"}\n{"sensor":"Accelerometer","time":"10","x":"1"}\n{"sensor":"Gyroscope","time":"20","x":"1"}\n ⇒ --columns time=time,ax=x --units g,ms ⇒ "sensor": its value changes, "Metadata", "Accelerometer"
    GYROFLOW IMU LOG\norientation,XYZ\ntscale,0.001\nt,gx,gy,gz,ax,ay,az\n0,1,2,3,4,5,6\n ⇒ what a count of its
    t_ms,unit,ax,ay,az\n0,m/s2,0,0,9.8\n10,m/s2,0,0,9.8\n ⇒ --units g ⇒ in m/s² by the units in the file, and g by --units
    t_ns,ax_g,gap,gap_ticks\n0,1,,\n10000000,1,,\n15000000,,lost,5000\n20000000,1,,\n30000000,1,,\n ⇒ the gaps that it states make
    # Start: 2026-07-05T14:05:59+02:00\ntime,ax (g),ay (g),az (g)\n2026-07-05 14:05:59,0,0,1\n2026-07-05 14:06:00,0,0,1\n ⇒ what stands before its rows is not read, and may state a unit, a scale or a zone
    t_ms,ax (g),ay (g),az (g),tag\n0,0,0,1,12\n10,0,0,1,12\n20,0,0,1,1A\n ⇒ does not say what "tag" is
    t_ms,ax (g),ay (g),az (g),acc_gain\n0,0,0,1,2\n10,0,0,1,2\n20,0,0,1,4\n ⇒ does not say what "acc_gain" is
    t_ms,ax (g),ay (g),az (g),temp (C)\n0,0,0,1,20\n10,0,0,1,\n20,0,0,1,\n30,0,0,1,\n ⇒ line 3 … as many as are whole have a column without a value
    {"samples":[{"t_ms":0,"ax_g":0,"ay_g":0,"az_g":1}],"gyro":[{"t_ms":0,"gx":1}]} ⇒ "gyro" is a list of objects that is not read
    {"meta":{"timezone":"Europe/Berlin"},"samples":[{"time":"2026-07-05T14:05:59","ax_g":0,"ay_g":0,"az_g":1},{"time":"2026-07-05T14:06:00","ax_g":0,"ay_g":0,"az_g":1}]} ⇒ what stands before its rows is not read
    time,time_offset,ax (g),ay (g),az (g)\n2026-11-21 02:38:07,+02:00,1,2,3\n2026-11-21 02:38:08,+02:00,1,2,3\n ⇒ does not say what "time_offset" is
    {"meta":{"device":"a0"},"t_ms":0,"ax_g":0,"ay_g":0,"az_g":1}\n{"meta":{"device":"a1"},"t_ms":10,"ax_g":0,"ay_g":0,"az_g":1}\n ⇒ does not say what "meta" is
    2026-11-21 02:38:07.000,0.012000,-0.034000,0.980000,0.100000,0.200000,0.300000\n2026-11-21 02:38:07.010,0.012000,-0.034000,0.980000,0.100000,0.200000,0.300000\n2026-11-21 02:38:07.020,0.012000,-0.034000,0.980000,0.100000,0.200000,0.300000\n ⇒ by the places of the columns, which nothing names
    t_ms,acc_x_raw,acc_y_g,acc_z_g\n0,7,0.5,1\n10,8,0.5,1\n ⇒ which columns are the axes
    t_ms,Weg,Seite,Hub,Grad,eins,zwei\n0,1,2,3,4,5,6\n ⇒ is known as an axis by its name
    time,ax,ay,az,gx,gy,gz\n0,1,2,3,,,\n5,,,,1,2,3\n ⇒ --units g,deg/s,s ⇒ line 2 … have a column without a value … --columns
    time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2025-11-22T08:26:40.000Z,0.5,-0.25,1\n2025-11-22T08:26:41.000Z,0.5,-0.25,1\n2025-11-22T08:26:42.000,0.5,-0.25,1\n ⇒ table.csv, line 4, column 1 (time) … is not written like the times before it
    time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2025-11-22T08:26:40.000,0.5,-0.25,1\n2025-11-22T08:26:41.000,0.5,-0.25,1\n2025-11-22T08:26:42.000-03:30,0.5,-0.25,1\n ⇒ table.csv, line 4, column 1 (time) … is not written like the times before it
    Date,Time,ax,ay,az\n21.11.26,14:05:59,1,2,3\n21.11.26,14:05:59,1,2,3\n ⇒ --units g ⇒ column 1 (Date): "21.11.26" is not read as a date, so a break of days would not be seen: write dates as 2026-11-21 beside times of day
    Datum,Time,ax,ay,az\n20261121,14:05:59,1,2,3\n20261121,14:05:59,1,2,3\n ⇒ --units g ⇒ (Datum): "20261121" is not read as a date, so a break of days would not be seen: write dates as 2026-11-21 beside times of day
    recording date,Time,ax,ay,az\nSat,14:05:59,1,2,3\nSat,14:05:59,1,2,3\n ⇒ --units g ⇒ (recording date): "Sat" is not read as a date, so a break of days would not be seen: write dates as 2026-11-21 beside times of day
    Day,Time,ax,ay,az\n1,14:05:59,1,2,3\n1,14:05:59,1,2,3\n ⇒ --units g ⇒ (Day): "1" is not read as a date, so a break of days would not be seen: write dates as 2026-11-21 beside times of day
    year,month,time,ax,ay,az\n2026,11,14:05:59,1,2,3\n2026,11,14:05:59,1,2,3\n ⇒ --units g ⇒ (year): "2026" is not read as a date, so a break of days would not be seen: write dates as 2026-11-21 beside times of day
    Jahr,Monat,time,ax,ay,az\n2026,11,14:05:59,1,2,3\n2026,11,14:05:59,1,2,3\n ⇒ --units g ⇒ (Jahr): "2026" is not read as a date, so a break of days would not be seen: write dates as 2026-11-21 beside times of day
    Date,Time (s),ax,ay,az\n2026-11-21,50759,1,2,3\n2026-11-21,50759,1,2,3\n ⇒ --units g ⇒ (Date): "2026-11-21" is not read as a date, so a break of days would not be seen: write dates as 2026-11-21 beside times of day
    rtcDate,rtcTime,aX,aY,aZ,output_Hz\n03/21/21,14:05:59,1,2,1000,10\n ⇒ column 1 (rtcDate): "03/21/21" is not read as a date, so a break of days would not be seen: write dates as 2026-11-21 beside times of day
    hour,minute,second,ms,ax,ay,az\n14,5,59,250,1,2,3\n14,5,59,250,1,2,3\n ⇒ --units g ⇒ times in several columns are not joined … --columns time=hour
    Timestamp,milliseconds,ax,ay,az\n2026-11-21 14:05:59,250,1,2,3\n2026-11-21 14:05:59,250,1,2,3\n ⇒ --units g ⇒ times in several columns are not joined … --columns time=Timestamp
    time,ms,ax,ay,az\n14:05:59,250,1,2,3\n14:05:59,250,1,2,3\n ⇒ --units g ⇒ times in several columns are not joined … --columns time=time
    unix_s,us,ax,ay,az\n1700000000,250,1,2,3\n1700000000,250,1,2,3\n ⇒ --units g ⇒ times in several columns are not joined … --columns time=unix_s
    secs,ms,ax,ay,az\n1700000000,250,1,2,3\n1700000000,250,1,2,3\n ⇒ --units g ⇒ times in several columns are not joined … --columns time=secs
    days,ms,ax,ay,az\n3,250,1,2,3\n3,250,1,2,3\n ⇒ --units g ⇒ times in several columns are not joined … --columns time=days
    _sec,_nsec,ax,ay,az\n17,250,1,2,3\n17,250,1,2,3\n ⇒ --units g ⇒ times in several columns are not joined … --columns time=_sec
    s,millis,ax,ay,az\n17,250,1,2,3\n17,250,1,2,3\n ⇒ --units g ⇒ times in several columns are not joined … --columns time=s
    date,time,ms,ax,ay,az\n2026-11-21,14:05:59,250,1,2,3\n2026-11-21,14:05:59,250,1,2,3\n ⇒ --units g ⇒ is not read as a date
    Time,AM/PM,ax,ay,az\n02:38:07,PM,1,2,3\n02:38:07,PM,1,2,3\n ⇒ --units g ⇒ (AM/PM): "PM" is a part of the times beside it that is not read: write it into
    Date,Time,UTC offset,ax,ay,az\n2026-11-21,02:38:07,+01:00,1,2,3\n2026-11-21,02:38:07,+01:00,1,2,3\n ⇒ --units g ⇒ (UTC offset): "+01:00" is a part
    timestamp,time_zone,ax,ay,az\n2026-11-21 02:38:07,CET,1,2,3\n2026-11-21 02:38:07,CET,1,2,3\n ⇒ --units g ⇒ (time_zone): "CET" is a part
    Time (CET),ax,ay,az\n2026-11-21 02:38:07,1,2,3\n2026-11-21 02:38:07,1,2,3\n ⇒ --units g ⇒ column 1 (Time (CET)): its name or unit has a zone or a pattern that is not read: write dates
    Time [UTC+2],ax,ay,az\n2026-11-21 02:38:07,1,2,3\n2026-11-21 02:38:07,1,2,3\n ⇒ --units g ⇒ (Time [UTC+2]): its name or unit has a zone
    date,time,x,y,z,ax,ay,az\n21.11.26,14:05:59,1,2,3,4,5,6\n ⇒ --units g,deg/s ⇒ column 1 (date): "21.11.26" is not read as a date
    ms,time,x,y,z,ax,ay,az\n250,17,1,2,3,4,5,6\n ⇒ --units g,deg/s ⇒ times in several columns are not joined
    side,time,x,y,z,ax,ay,az\nL,0,1,2,3,4,5,6\nR,0,1,2,3,4,5,6\nL,1,1,2,3,4,5,6\n ⇒ --units g,deg/s,s ⇒ does not say what "side", "x", "y", "z" are
    sensorId,time,x,y,z,ax,ay,az\n1,0,1,2,3,4,5,6\n2,0,1,2,3,4,5,6\n1,1,1,2,3,4,5,6\n ⇒ --units g,deg/s,s ⇒ does not say what "sensorId", "x", "y", "z" are
    Date (CET),Time,ax,ay,az\n2026-11-21,14:05:59,1,2,3\n ⇒ --units g ⇒ (Date (CET)): its name or unit has a zone
    unix time s [UTC+2],ax,ay,az\n1700000000,1,2,3\n ⇒ --units g,s ⇒ [UTC+2]): its name or unit has a zone
    Time UTC+2,ax,ay,az\n02:38:07,1,2,3\n02:38:07,1,2,3\n ⇒ --columns time=1,ax=2 --units g ⇒ (Time UTC+2): its name or unit has a zone
    time,ax,ay,az\n03.02.2026 10:00:00,1,2,3\n ⇒ whether days or months are first
    time,ax,ay,az\n02/03/2026 10:00:00,1,2,3\n ⇒ whether days or months are first … dmy if days are first, mdy if months are first
    time,ax,ay,az\n2024-02-30 10:00:00,1,2,3\n ⇒ "2024-02-30 10:00:00" is not a time … 2026-11-21 02
    Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2015-02-03 00:00:00,1,2,3\n0001-01-01T00:00:00Z,1,2,3\n ⇒ table.csv, line 3, column 1 (Time): "0001-01-01T00:00:00Z" … 1678 to 2261
    Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2015-02-03 00:00:00,1,2,3\n2262-01-01 00:00:00,1,2,3\n ⇒ table.csv, line 3, column 1 (Time): "2262-01-01 00:00:00" … 1678 to 2261
    Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2015-02-03 00:00:00,1,2,3\n2016-12-31T23:59:60Z,1,2,3\n ⇒ table.csv, line 3, column 1 (Time): "2016-12-31T23:59:60Z" is not a time
    Time,Accel-X (g),Accel-Y (g),Accel-Z (g)\n2015-02-03 00:00:00,1,2,3\n2026-02-03T00:00:61Z,1,2,3\n ⇒ table.csv, line 3, column 1 (Time): "2026-02-03T00:00:61Z" is not a time
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busErr,1\n20,1,,\n ⇒ --units raw ⇒ line 3: "busErr 1
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,\n20,1,,\n ⇒ line 3: "busError
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,0\n20,1,,\n ⇒ line 3: "busError 0
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,-1\n20,1,,\n ⇒ line 3: "busError -1
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,1.5\n20,1,,\n ⇒ line 3: "busError 1.5
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,BusError,1\n20,1,,\n ⇒ line 3: "BusError 1
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError,1e30\n20,1,,\n ⇒ line 3: "busError 1e30
    t_ns,ax,gap,gap_ticks\n0,1,,\n10,,busError\n ⇒ line 3
    {"units":{"ax":"m/s^2","ay":"g","az":"m/s^2"},"samples":[{"t_ns":0,"ax":1,"ay":2,"az":3},{"t_ns":10000000,"ax":1,"ay":2,"az":3}]} ⇒ accelerations are in m/s² and in g
    {"units":{"ax":"furlong","ay":"g","az":"g"},"samples":[{"t_ns":0,"ax":1,"ay":2,"az":3},{"t_ns":10000000,"ax":1,"ay":2,"az":3}]} ⇒ ax … "furlong"
    {"units":{"ax":"deg/s","ay":"deg/s","az":"deg/s"},"samples":[{"t_ns":0,"ax":1,"ay":2,"az":3},{"t_ns":10000000,"ax":1,"ay":2,"az":3}]} ⇒ ax … "deg/s"
    # imulog.units.ax: g\n# imulog.units.ay: m/s^2\nt_ns,ax,ay,az\n0,1,2,3\n10000000,1,2,3\n ⇒ line 2: accelerations are in g and in m/s²
    # imulog.units.ax: m/s^2\nt_ns,ax_g,ay_g,az_g\n0,1,2,3\n10000000,1,2,3\n ⇒ line 2, column 2 (ax_g): its unit is g by the header, and m/s² by the facts before it
    # imulog.schema: 9\nt_ns,ax\n0,1\n10,2\n ⇒ schema 9
    {"time":0,"imu1_ax":1,"imu1_ay":2,"imu1_az":3}\n ⇒ in which unit time and imu1_ax, imu1_ay, imu1_az are
    {"time":0,"ax":1,"ay":2,"az":3,"b_ax":1,"b_ay":2,"b_az":3}\n ⇒ Or of "b" … --columns time=time,ax=b_ax,ay=b_ay,az=b_az
    GYROFLOW IMU LOG\norientation,XYZ\ntscale,fast\ngscale,1\nascale,1\nt,gx,gy,gz,ax,ay,az\n0,0.5,-1,2,0.1,0.2,1\n10,0.5,-1,2,0.1,0.2,1\n ⇒ "tscale": "fast" is not a number above 0
    GYROFLOW IMU LOG\norientation,XYZ\ntscale,0\ngscale,1\nascale,1\nt,gx,gy,gz,ax,ay,az\n0,0.5,-1,2,0.1,0.2,1\n10,0.5,-1,2,0.1,0.2,1\n ⇒ "tscale": "0" is not a number above 0
    GYROFLOW IMU LOG\norientation,XYZ\ntscale,0.001\ntscale,0.01\ngscale,1\nascale,1\nt,gx,gy,gz,ax,ay,az\n0,0.5,-1,2,0.1,0.2,1\n10,0.5,-1,2,0.1,0.2,1\n ⇒ "tscale": "0.001, 0.01" is not a number above 0
    {"t_us":1,"ax":2}\n{"t_us":2,"ax":2,"ax":3} ⇒ --units raw ⇒ table.csv, line 2, byte 18, "ax": the key is there twice
    {"t_us":1,"ax":2}\n{"t_us":2,"ax":null,"ax":3} ⇒ --units raw ⇒ "ax": the key is there twice
    Time,ax (g),ay (deg/s),az (g)\n0,0.5,1,2\n0.01,1,2,3\n ⇒ --units g,s ⇒ "ay (deg/s)" is in °/s by the header, which is not known as a unit of accelerations … --anyway
    uptime_ms,ax,ay,az\n9,1,2,3\n29,1,2,3\n49,1,2,3\n ⇒ --rate 50 --units raw ⇒ does not say what "uptime_ms" is
    n,ax,ay,az\n2.0,1,2,3\n2.0,1,2,3\n1.0,1,2,3\n1.0,1,2,3\n0.0,1,2,3\n ⇒ --rate 50 --units raw ⇒ does not say what "n" is
    timestamp_ms,port,ax_g,ay_g,az_g\n0,1,0,0,1\n10,1,0,0,1\n20,1,0,0,1\n0,2,0,0,1\n10,2,0,0,1\n20,1,0,0,1\n ⇒ does not say what "port" is
    time (local),ax (g),ay (g),az (g)\n2023-11-14T10:00:00.00Z,0,0,1\n ⇒ its name or unit has a zone
    Date (CET),ax (g),ay (g),az (g)\n14-11-2023 10:00:00,0,0,1\n ⇒ its name or unit has a zone
    timestamp,omega_x,omega_y,omega_z\n0,1,2,3\n20000,1,2,3\n ⇒ in which unit timestamp and omega_x, omega_y, omega_z are
    timeUs,gyrX,gyrY,gyrZ\n0,1,2,3\n20000,1,2,3\n ⇒ in which unit gyrX, gyrY, gyrZ are
    rtcTime,aX,aY,aZ\n14:05:59.1,1,2,3\n14:05:59.2,1,2,3\n ⇒ in which unit aX, aY, aZ are
    # time,accel_x,accel_y,accel_z\n0,1,2,16384\n0.1,1,2,16384\n ⇒ in which unit time and accel_x, accel_y, accel_z are
    t_ms,ax_g,ay_g,az_g\n0,0,0,1\n\n10,0,0,1\n\n20,0,0,1\n\n\n\n30,0,0,1\n\n40,0,0,1\n ⇒ holds 2 recordings
    seq,ax,ay,az\n7,1,2,3\n8,1,2,3\n9,1,2,3\n12,1,2,3\n ⇒ --rate 100 --units raw ⇒ does not say what "seq" is
    #time,accel_x (g),accel_y,accel_z\n0,0.5,1,2\n0.01,1,2,3\n ⇒ in which unit time is
    time_ms,Acc X (g),Acc -Y (g),Acc Z (g)\n0,0,0,1\n10,0,0,1\n ⇒ which columns are the axes … --columns time=time_ms,ax=2,az=4
    time_ms,ax (g),ay−0.05 (g),az (g)\n0,0,0,1\n10,0,0,1\n ⇒ which columns are the axes
    time / 10 (ms),ax (g),ay (g),az (g)\n0,0,0,1\n1,0,0,1\n ⇒ which columns are the axes
    time_ms,gx100_dps,gy100_dps,gz100_dps\n0,1,2,3\n10,1,2,3\n ⇒ is known as an axis by its name
    time_ms,gx_x100_dps,gy_x100_dps,gz_x100_dps\n0,1,2,3\n10,1,2,3\n ⇒ is known as an axis by its name
    time_ms,acc1_x_g,acc1_y_g,acc2_z_g\n0,0,0,1\n10,0,0,1\n ⇒ which columns are the axes
    Time (s),X (mG),Y (mG),Z (mG)\n0,24,1,470\n0.01,24,1,470\n ⇒ if they are accelerations
    epoc (ms),x-axis (G),y-axis (G),z-axis (G)\n1763692687000,0,0,0.5\n1763692687010,0,0,0.5\n ⇒ does not say of which sensor
    t_ms,ax_g,ay_g,az_g\n0,0,0,1\n10,0,0,1\n ⇒ --columns time=1,gx=2,gy=3,gz=4 ⇒ (ax_g): the unit "g" is unknown here
    t_ms,gx_dps,gy_dps,gz_dps\n0,0,0,1\n10,0,0,1\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g ⇒ "gx_dps" is in °/s by the header, which is not known as a unit of accelerations … --anyway
    5,0,0,1\nreboot\n0,0,0,1\ntime_ms,ax_g,ay_g,az_g\n0,0,0,1\n10,0,0,1\n ⇒ table.csv, line 4: 2 rows of numbers are before the header: take them out
    5,0,0,1\nmade by\n0,0,0,1\n10,0,0,1\n20,0,0,1\n ⇒ --columns time=1,ax=2,ay=3,az=4 --units g,ms ⇒ line 3: 1 row of numbers is before the header
    # Display units: rad/s\nt_ms,gx,gy,gz\n0,1,2,3\n10,1,2,3\n ⇒ in which unit gx, gy, gz are
    Sample Interval Units,ms\nTimestamp,ax (g),ay (g),az (g)\n0,0,0,1\n10,0,0,1\n ⇒ in which unit Timestamp is
    unit,timestamp,ax_g,ay_g,az_g\nH,0,0,0,1\nH,10,0,0,1\n ⇒ in which unit timestamp is
    # boot\nt_ms,ax_g,ay_g,az_g\n0,0,0,1\n# boot\n10,0,0,1\n ⇒ table.csv, line 4: a comment between the rows
    "gyroScale","1.0642251980445e-9"\n"loopIteration","time","gyroADC[0]","gyroADC[1]","gyroADC[2]"\n0,0,1,2,3\n1,1000,1,2,3\n ⇒ "gyroScale" before the header states another scale
    "blackbox_high_resolution",1\n"loopIteration","time","gyroADC[0]","gyroADC[1]","gyroADC[2]"\n0,0,1,2,3\n1,1000,1,2,3\n ⇒ "blackbox_high_resolution" before
    time (mm:ss:ff),ax_g,ay_g,az_g\n00:00:00,0,0,1\n00:00:01,0,0,1\n ⇒ a pattern that is not read
    time,ax,ay,az\nYYYY-DD-MM hh:mm:ss,g,g,g\n2026-03-02 10:00:00,0,0,1\n2026-03-02 10:00:01,0,0,1\n ⇒ a pattern that is not read
    time (HHMMSS.sss),ax_g,ay_g,az_g\n023858.0,0,0,1\n023859.0,0,0,1\n ⇒ --units s ⇒ its numbers are dates or times of day
    time (MM/DD/YYYY),ax_g,ay_g,az_g\n02/01/2026 10:00:00,0,0,1\n02/01/2026 10:00:01,0,0,1\n ⇒ --units dmy ⇒ mdy by the header, and dmy by --units
    # All times are local (UTC+2)\ntime,ax,ay,az\n2026-03-02 10:00:00,0,0,1\n2026-03-02 10:00:01,0,0,1\n ⇒ in which unit ax, ay, az are … --units g --anyway
    t_ms,ax (0.1 g),ay,az\n0,0,0,1\n10,0,0,1\n ⇒ --units g ⇒ "ax (0.1 g)" is in 0.1 g by the header, which is not known
    t_ms,ax,ay,az,temp (F)\n0,0,0,1,70\n10,0,0,1,70\n ⇒ --units g-dps ⇒ "temp (F)" is in F by the header, which is not known
    time (10 ms),ax (g),ay (g),az (g)\n0,0,0,1\n1,0,0,1\n ⇒ --units ms ⇒ "time (10 ms)" is in 10 ms by the header, which is not known
    t,ax,ay,az\nticks,g,g,g\n0,0,0,1\n1,0,0,1\n ⇒ --units ms ⇒ "t" is in ticks by the header, which is not known
    t_ms,ax (g),ay (g),az (g),temp\n0,0,0,1,-3900\n10,0,0,1,-3900\n ⇒ --units g-dps ⇒ its temperatures would reach 3900 °C
    time_ms,ax,ay,az,imu2_gx,imu2_gy,imu2_gz\n0,0,0,1,1,2,3\n10,0,0,1,1,2,3\n ⇒ which columns are the axes
    time,ax_g,ay_g,az_g\n2026-03-29 01:59:59.4,0,0,1\n2026-03-29 01:59:59.5,0,0,1\n2026-03-29 01:59:59.6,0,0,1\n2026-03-29 01:59:59.7,0,0,1\n2026-03-29 01:59:59.8,0,0,1\n2026-03-29 01:59:59.9,0,0,1\n2026-03-29 03:00:00.0,0,0,1\n2026-03-29 03:00:00.1,0,0,1\n2026-03-29 03:00:00.2,0,0,1\n2026-03-29 03:00:00.3,0,0,1\n ⇒ a step of it is 3600 s … write the offset from UTC
    time (01:00),ax (g),ay (g),az (g)\n2026-11-21 02:38:07,1,2,3\n ⇒ has a zone or a pattern that is not read
    time,ax_g,ay_g,az_g\n135958.0,0,0,1\n135958.5,0,0,1\n135959.0,0,0,1\n135959.5,0,0,1\n140000.0,0,0,1\n140000.5,0,0,1\n140001.0,0,0,1\n140001.5,0,0,1\n140002.0,0,0,1\n ⇒ --units s ⇒ a step of it is 4040
    {"scale":0.1,"samples":[{"t_ms":0,"gx_dps":1,"gy_dps":1,"gz_dps":1},{"t_ms":10,"gx_dps":1,"gy_dps":1,"gz_dps":1}]} ⇒ what stands before its rows is not read
    Time,GyroX,GyroY,GyroZ\ns,rad/s,rad/s,rad/s\n0,1,2,3\n1,1,2,3\n ⇒ --columns time=1,gx=2,gy=3,gz=4 --units s,deg/s ⇒ in rad/s by the row of units, and °/s by --units
    time,ax_g,ay_g,az_g\n2026-03-29 10:00:00,0,0,1\n2026-03-29 10:00:00,0,0,1\n2026-03-29 10:00:00,0,0,1\n2026-03-29 10:00:00,0,0,1\n2026-03-29 10:00:01,0,0,1\n ⇒ these times are coarser than the rows; samples a second … --columns ax=2,ay=3,az=4 --rate HZ
    time_s,ax_g,ay_g,az_g\n0,0,0,1\n0,0,0,1\n0,0,0,1\n0,0,0,1\n3,0,0,1\n4,0,0,1\n4,0,0,1\n ⇒ coarser than the rows (without them, a hole of 3 units is not seen)
    time_a,a_ax,a_ay,a_az,time_b,b_ax,b_ay,b_az\n0,0,0,1,7,0,0,1\n ⇒ --columns time=time_b,ax=b_ax,ay=b_ay,az=b_az
    t_ms,ax_g,ay_g,az_g\n1,0,0,1,9\n2,0,0,1,9\n ⇒ 5 values under 4 names
    time,ax,ay,az\nUTC+2,g,g,g\n2026-03-02 10:00:00,0,0,1\n ⇒ its name or unit has a zone
    time,timezone_name,ax_g,ay_g,az_g\n2026-03-02 10:00:00,CET,0,0,1\n ⇒ (timezone_name): "CET" is a part
    time,tz_offset_min,ax_g,ay_g,az_g\n2026-03-02 10:00:00,120,0,0,1\n ⇒ --columns time=1,ax=3,ay=4,az=5 ⇒ (tz_offset_min): "120" is a part
    Time CET,ax (g),ay (g),az (g)\n2026-11-21 02:38:00,1,2,3\n ⇒ --columns time=1,ax=2,ay=3,az=4 ⇒ (Time CET): its name or unit has a zone
    utc_time_s,ax_g,ay_g,az_g\n36000.00,0,0,1\n36000.01,0,0,1\n ⇒ (utc_time_s): its times would be before 2001
    date,time,left_ax_g\n2026-11-21,23:59:58,1\n2026-11-23,23:59:59,1\n ⇒ --columns time=time,ax=3 ⇒ (date): its value changes
    # Sample rate: 50 Hz\nax_g,ay_g,az_g\n0,0,1\n0,0,1\n ⇒ no rate … what stands before its rows is not read
    time,ax_g,ay_g,az_g\n10:00:00,0,0,1\n23:30:00,0,0,1\n ⇒ --sort ⇒ --sort cannot see the days of its times of day … --anyway
    {"format":"imulog-json","rate_hz":100,"ticks":{"scheduled":4,"sampled":4},"gaps":[],"units":{"ax":"g"},"samples":[{"t_ns":0,"ax":1},{"t_ns":10000000,"ax":1}]} ⇒ its rows and gaps do not add up to the 4 ticks … --anyway
    {"format":"imulog-json","rate_hz":100,"ticks":{"scheduled":3,"sampled":3},"gaps":[],"units":{"ax":"g"},"samples":[{"t_ns":0,"ax":1},{"t_ns":10000000,"ax":null},{"t_ns":20000000,"ax":1}]} ⇒ do not add up to the 3 ticks
    {"format":"imulog-json","rate_hz":100,"range":{"from_ns":0,"to_ns":9},"ticks":{"scheduled":3,"sampled":2},"gaps":[{"tick":51,"count":1,"cause":"missed"}],"units":{"ax":"g"},"samples":[{"t_ns":0,"ax":1},{"t_ns":20000000,"ax":1}]} ⇒ it is a part that does not say where its gaps are
    [{"t_ns":00000000,"ax":1}, 7] ⇒ table.csv, line 1, byte 27, sample 2: a sample is a number where an object with a time and values must be
    [{"t_ns":00000000,"ax":1};{"t_ns":10000000,"ax":1}] ⇒ table.csv, line 1, byte 25, sample 1: this is not JSON
    """#)

  @Test("are refused in a sentence with the place", arguments: refusals)
  func refusal(_ table: TableCase) throws {
    let sentence = try Tables.refusal(table.text, table.said) ?? "taken"
    for part in table.words.split(separator: " … ") {
      #expect(sentence.contains(part), "\(sentence)")
    }
  }

  @Test("a key without a value in the first objects must stay without")
  func lateKey() throws {
    let rows = (0..<80).map { #"{"t_ms":\#($0 * 10),"ax_g":1,"dev":\#($0 < 70 ? "null" : "7")}"# }
    let refusal = try Tables.refusal(rows.joined(separator: "\n"))
    #expect(refusal?.contains("\"dev\": its value changes") == true, "\(refusal ?? "")")
  }

  @Test("a file's name states the sensor of x, y and z by whole words")
  func fileNames() throws {
    let text =
      "time,seconds_elapsed,z,y,x\n1763800000000000000,0,9.5,-1,0.5\n1763800000010000000,0.01,9.75,-1.5,0.25\n"
    func sensor(_ name: String) throws -> ChannelSet? {
      if let refusal = try Tables.refusal(text, file: name) {
        #expect(refusal.contains("the file's name"), "\(refusal)")
        return nil
      }
      return try Tables.importer(text, file: name).description.channels
    }
    for name in ["Accelerometer.csv", "TotalAcceleration.csv", "left_accelerometer2.csv"] {
      #expect(try sensor("/tmp/accurate/" + name) == .accelerometer, "\(name)")
    }
    for name in ["Gyroscope.csv", "GyroscopeUncalibrated.csv", "2-gyroscope.csv"] {
      #expect(try sensor(name) == .gyroscope, "\(name)")
    }
    // `walk_acc.csv` may have been AccelerometerUncalibrated.csv.
    for name in ["Magnetometer-accurate.csv", "Gravity.csv", "walk_acc.csv", "gyration.csv.txt"] {
      #expect(try sensor(name) == nil, "\(name)")
    }
  }

  @Test("rows of two sensors that follow each other are refused, and those of one are read")
  func turns() throws {
    let header = "timestamp,TimeUS,I,GyrX,GyrY,GyrZ,AccX,AccY,AccZ,EG,EA,T\n"
    func rows(_ sensors: [Int]) -> String {
      (0..<4).flatMap { row in
        sensors.map { "1600000000.5,\(row * 40000),\($0),0.5,-0.25,\($0).5,1,2,9.5,0,0,35.5\n" }
      }.joined()
    }
    #expect(
      try Tables.refusal(header + rows([0, 1]))
        == "table.csv, line 3, column 3 (I): its value changes, \"0\", \"1\": the rows may be of several sensors, units or ranges: import the rows of each value as a table of their own, or take all with --anyway"
    )
    #expect(try Tables.refusal(header + rows([1])) == nil)
    // However late another one begins, and whether only one is named.
    for (name, count) in [("Sensor ID", 20), ("device_name", 70), ("imu", 100)] {
      let late = (0..<200).map { "\($0 < count ? "" : "B"),\($0 * 10),0.5,1,2\n" }.joined()
      let found = try Tables.refusal("\(name),time,ax,ay,az\n" + late, "--units g,ms")
      #expect(found?.contains(count < 64 ? "does not say what" : "its value changes") == true)
      let rows = (0..<200).map { "\($0 / count % 2),\($0 * 10),0.5,1,2\n" }.joined()
      let refusal = try Tables.refusal("\(name),time,ax,ay,az\n" + rows, "--units g,ms")
      let words = "does not say what \"\(name)\" is"
      #expect(refusal?.contains(words) == true)
    }
    // Of any name.
    for name in ["sensorId", "deviceName", "side", "channel", "what"] {
      for cells in [["1", "2"], ["left", "right", "hip"], ["-0.5", "7"]] {
        let rows = (0..<6).map { "\(cells[$0 % cells.count]),\($0 * 10),0.5,1,2\n" }.joined()
        let refusal = try Tables.refusal("\(name),time,ax,ay,az\n" + rows, "--units g,ms")
        #expect(refusal?.contains("does not say what \"\(name)\" is") == true)
        let columns = "--units g,ms --columns time=time,ax=ax,ay=ay,az=az"
        // Also beside columns that are named.
        let chosen = try Tables.refusal("\(name),time,ax,ay,az\n" + rows, columns)
        #expect(chosen?.contains("its value changes") == true, "\(chosen ?? "")")
        #expect(try Tables.refusal("\(name),time,ax,ay,az\n" + rows, columns + " --anyway") == nil)
      }
    }
    // Numbers of rows name no sensors; others may.
    for numbers in [
      [0, 1, 2, 3, 4, 5], [7, 7, 7, 7, 7, 7], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0],
    ] {
      for name in ["i", "ID"] {
        let rows = numbers.enumerated().map { "\($1),\($0 * 10),0.5,1,2\n" }.joined()
        let refusal = try Tables.refusal("\(name),time,ax,ay,az\n" + rows, "--units g,ms")
        #expect((refusal == nil) == (numbers[1] == 1), "\(numbers)")
        #expect(
          try Tables.refusal("\(name),time,ax,ay,az\n" + rows, "--units g,ms --anyway") == nil)
      }
    }
    for member in [[#""imu":0"#, #""imu":1"#], [#""kind":"a""#, #""kind":"b""#]] {
      let objects = (0..<6).map {
        #"{"time":\#($0 * 10),\#(member[$0 % 2]),"ax":1,"ay":2,"az":3}"#
      }
      let refusal = try Tables.refusal(objects.joined(separator: "\n"))
      #expect(refusal?.contains("does not say what ") == true)
    }
  }

  @Test("a last line without a line feed is named, as that of a file that was cut")
  func cut() throws {
    let text = "t_ms,ax,ay,az\n0,0.5,-0.25,1\n10,0.25,-0.5,0.75"
    let words = "the last line of table.csv, 3, has no line feed: if the file was cut there"
    func isNamed(_ text: String) throws -> Bool {
      try Tables.importer(text, "--units g").remarks.contains { $0.hasPrefix(words) }
    }
    #expect(try isNamed(text) && !isNamed(text + "\n"))
    #expect(try isNamed(text.replacing("\n", with: "\r\n")))
  }
}
