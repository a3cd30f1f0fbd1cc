// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Import

@Suite("Tables whose columns a user names, or that contradict their program")
struct NamedColumnTests {
  private static let g = 9.80665

  @Test("of no known header are read by the columns that the user names, or by their numbers")
  func namedColumns() throws {
    let named = try Tables.importer(
      "Nr;Zeit;Beschl. X;Dreh\n1;0;500,5;1\n2;10000;-250;-2\n",
      "--columns 'time=Zeit,ax=Beschl. X,gz=4' --units mg,deg/s,us")
    #expect(named.description.rate == SampleRate(100))
    let samples = try Tables.samples(named)
    #expect(samples.values.map { ($0[0] * 1e6).rounded() } == [500_500, -250_000])
    #expect(samples.values.map { ($0[1] * 1e6).rounded() } == [1_000_000, -2_000_000])

    var bare = try Tables.importer(
      "0.00 \t7\t-5\n0.01\t7\t32767\n", "--columns time=1,ax=3 --units raw,s --anyway")
    #expect(try bare.next()?.sample.ax == -5)
    #expect(try bare.next()?.sample.ax == 32767)
  }

  @Test(
    "that do not say all are refused until it is stated",
    arguments: [
      (
        "time,gx,gy,gz\n0,0.5,0.25,0.3\n10,0.5,0.1,0.7\n", "in which unit time and gx, gy, gz are",
        "ms,deg/s"
      ),
      (
        "t_ms,accX,accY,accZ\n100,0.5,-0.5,0.707\n110,0.25,-0.25,0.95\n",
        "in which unit accX, accY, accZ are", "g"
      ),
      (
        "time,wx,wy,wz\n0,0.5,0.25,0.3\n1,0.5,0.1,0.7\n", "in which unit time and wx, wy, wz are",
        "s,rad/s"
      ),
    ])
  func units(_ text: String, _ words: String, _ units: String) throws {
    #expect(try Tables.refusal(text)?.contains(words) == true)
    #expect(try Tables.refusal(text, "--units \(units)") == nil)
  }

  @Test(
    "that are wrong are refused with the line",
    arguments: [
      (
        "Time (s),Acceleration x (m/s^2),Acceleration y (g),Acceleration z (m/s^2)\n0,1,2,3\n",
        "table.csv, line 1, column 3 (Acceleration y (g)): its unit differs from the same sensor's column before it: give all columns of a sensor one unit"
      ),
      (
        "Time (s),Acceleration x (furlong),Acceleration y (g),Acceleration z (g)\n0,1,2,3\n",
        "table.csv, line 1, column 2 (Acceleration x (furlong)): the unit \"furlong\" is unknown here: if it is another word for g, mg, m/s2 or raw, state that with --units and --anyway"
      ),
      (
        "Time (s),Acceleration x (g),Acceleration y (g),Acceleration z (g)\n0,00,1,5,0,2,0,1\n",
        "table.csv, line 1: the rows have 8 values under 4 names, as decimal commas between commas make: write the table with decimal points, or with semicolons between values"
      ),
      (
        "Timestamp (us),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s)\n0,1,2,3\n5,1,Infinity,3\n",
        "table.csv, line 3, column 3 (Gyroscope Y (deg/s)): \"Infinity\" is beyond any sensor: correct it or take the row out"
      ),
      (
        "time,seconds_elapsed,z,y,x\n1763800000000000000,0,1,2,3\n",
        "table.csv, line 1: the header names x, y and z, and the file's name does not say of which sensor: name the columns, such as --columns time=time,ax=x,ay=y,az=z"
      ),
      (
        "GYROFLOW IMU LOG\norientation,XXZ\nt,gx,gy,gz\n0,1,2,3\n",
        "table.csv, line 3: the orientation \"XXZ\" is not three of the letters x, y and z, each once: correct it"
      ),
      (
        "\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\"\nNaN,NaN,NaN,NaN\n",
        "table.csv, line 2: this row and all others have a column without a value: if sensors have rows of their own, import those of one with --columns"
      ),
    ] as [(String, String)])
  func wrong(_ text: String, _ sentence: String) throws {
    #expect(try Tables.refusal(text) == sentence)
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
    let importer = try ImportedRecording(
      ByteSource(Array(accelerations.utf8), name: "TotalAcceleration.csv"),
      with: ByteSource(Array(rates.utf8), name: "Gyroscope.csv"), Tables.request)
    #expect(importer.description.channels == [.accelerometer, .gyroscope])
    #expect(
      importer.remarks.contains {
        $0.contains("each row of the rates has the accelerations that are nearest")
          && $0.contains("in time, at most 3 ms away")
      }, "\(importer.remarks)")
    #expect(importer.remarks.contains { $0.hasSuffix("0 of the rates, 9 of the accelerations") })
    let (times, values) = try Tables.samples(importer)
    let expected: [Int64] = (0..<20).map { (row: Int64) in row * 5_000_000 + 2_000_000 }
    #expect(times == expected)
    let turned: [Double] = values.map { (row) -> Double in (row[3] * Double.pi / 180).rounded() }
    #expect(turned == (0..<20).map(Double.init))
    // At 2 ms the acceleration of 0, at 7 and 12 ms that of 10 ms, at 97 ms that of 100 ms.
    #expect(values.prefix(4).map { ($0[0] * Self.g).rounded() } == [0, 1, 1, 2])
    #expect(values.last.map { ($0[0] * Self.g).rounded() } == 10)
    #expect(throws: ImportError.self) {
      _ = try ImportedRecording(
        ByteSource(Array(rates.utf8), name: "Gyroscope.csv"),
        with: ByteSource(Array(rates.utf8), name: "Gyroscope.csv"), Tables.request)
    }
  }

  @Test(
    "of two devices, starts, kinds of times or zones are not joined",
    arguments: [
      (
        "t,ax (g)\n2026-11-21 10:00:00,1\n", "t,gx (deg/s)\n2026-11-21 10:00:00Z,1\n",
        "only one has dates"
      ),
      (
        "t,ax (g)\n2026-11-21 10:00:00,1\n", "unix_s,gx (deg/s)\n1795255200,1\n",
        "only one has dates"
      ),
      ("t,ax (g)\n00:00:00.0,1\n", "t_s,gx (deg/s)\n0,1\n", "only one has dates"),
      ("t_s,ax (g)\n0,1\n", "t_s,gx (deg/s)\n0,1\n\n0,1\n", "one holds several recordings"),
      (
        "# left\nt_s,ax (g)\n0,1\n1,1\n", "t_s,gx (deg/s)\n0,1\n1,1\n",
        "what stands before the rows"
      ),
      ("t_s,ax (g)\n0,1\n1,1\n", "t_ms,gx (deg/s)\n0,1\n1,1\n2,1\n", "over a hundred times"),
      (
        "# Started: 2026-11-21T02:38:00Z\nt_s,ax (g)\n0,1\n1,1\n",
        "# Started: 2026-11-21T02:38:05Z\nt_s,gx (deg/s)\n0,1\n1,1\n", "the same start"
      ),
      ("t_s,ax (g)\n0,1\n", "t_s,imu2_gx (deg/s)\n0,1\n", "\"\" and \"imu 2\" in their headers"),
    ])
  func twoRecordings(_ one: String, _ other: String, _ words: String) {
    #expect {
      _ = try ImportedRecording(
        ByteSource(Array(one.utf8), name: "a.csv"),
        with: ByteSource(Array(other.utf8), name: "b.csv"),
        Tables.request("--rate 1 --units g,deg/s"))
    } throws: {
      "\($0)".contains(words)
    }
  }
}
