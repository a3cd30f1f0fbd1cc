// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("Motion files")
struct MotionFileTests {
  private static let header = "t_us,ax,ay,az,gx,gy,gz\n"

  private func error(_ text: String) -> MotionFileError? {
    do throws(MotionFileError) {
      _ = try Motion(csv: text.utf8, named: "walk.csv")
      return nil
    } catch {
      return error
    }
  }

  @Test("LF and CR LF, with and without an end to the last line, with and without temp")
  func variants() throws {
    for text in [
      "t_us,ax,ay,az,gx,gy,gz\n0,1,2,3,4,5,6\n2,7,8,9,10,11,12\n",
      "t_us,ax,ay,az,gx,gy,gz\r\n0,1,2,3,4,5,6\r\n2,7,8,9,10,11,12\r\n",
      "t_us,ax,ay,az,gx,gy,gz\n0,1,2,3,4,5,6\n2,7,8,9,10,11,12",
      "t_us,ax,ay,az,gx,gy,gz\n100,1,2,3,4,5,6\n102,7,8,9,10,11,12\n\n\n",
      "t_ns,ax,ay,az,gx,gy,gz\n-50,1,2,3,4,5,6\n1950,7,8,9,10,11,12\n",
    ] {
      let motion = try Motion(csv: text.utf8, named: "walk.csv")
      #expect(motion.counts(at: 1999) == RawSample(ax: 1, ay: 2, az: 3, gx: 4, gy: 5, gz: 6))
      #expect(motion.counts(at: 2000) == RawSample(ax: 7, ay: 8, az: 9, gx: 10, gy: 11, gz: 12))
    }
  }

  @Test("an error names the bad line and the reason")
  func badLines() {
    let good = Self.header + "0,1,2,3,4,5,6\n"
    let cases: [(String, Int, MotionFileError.Problem)] = [
      ("", 1, .header(found: "")),
      ("time,ax,ay,az,gx,gy,gz\n", 1, .header(found: "time,ax,ay,az,gx,gy,gz")),
      ("t_us,ax,ay,az,gx,gz,gy\n", 1, .header(found: "t_us,ax,ay,az,gx,gz,gy")),
      ("t_us,ax,ay,az,gx,gy,gz,hum\n", 1, .header(found: "t_us,ax,ay,az,gx,gy,gz,hum")),
      (Self.header, 1, .empty),
      (good + "1,1,2,3,4,5\n", 3, .fieldCount(expected: 7, found: 6)),
      (good + "1,1,2,3,4,5,6,7\n", 3, .fieldCount(expected: 7, found: 8)),
      (good + "\n1,1,2,3,4,5,6\n", 3, .fieldCount(expected: 7, found: 1)),
      (good + "1,1,2,3,4,x,6\n", 3, .number(column: "gy", found: "x")),
      (good + "1,1,2,3,4,5.5,6\n", 3, .number(column: "gy", found: "5.5")),
      (good + "1,1,2,3,4,5, 6\n", 3, .number(column: "gz", found: " 6")),
      (good + "1,,2,3,4,5,6\n", 3, .number(column: "ax", found: "")),
      (good + "1,32768,2,3,4,5,6\n", 3, .number(column: "ax", found: "32768")),
      (good + "1,-32769,2,3,4,5,6\n", 3, .number(column: "ax", found: "-32769")),
      (good + "1e3,1,2,3,4,5,6\n", 3, .number(column: "t_us", found: "1e3")),
      (good + "5,1,2,3,4,5,6\n4,1,2,3,4,5,6\n", 4, .time(found: "4")),
      (
        good + "9223372036854775,1,2,3,4,5,6\n9223372036854776,1,2,3,4,5,6\n", 4,
        .time(found: "9223372036854776")
      ),
    ]
    for (text, line, problem) in cases {
      #expect(error(text) == MotionFileError(file: "walk.csv", line: line, problem: problem))
    }
  }

  @Test("errors read as a sentence with file and line")
  func sentences() {
    let bad = error(Self.header + "0,1,2,3,4,x,6\n")
    #expect(
      bad?.description
        == "walk.csv, line 2: gy is \"x\", not a whole number from -32768 to 32767")
    let time = error(Self.header + "x,1,2,3,4,5,6\n")
    #expect(time?.description == "walk.csv, line 2: the time is \"x\", not a whole number")
  }

  @Test("bytes that are not text are an error, not a trap")
  func garbage() {
    let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
    #expect(throws: MotionFileError.self) { try Motion(csv: bytes, named: "noise") }
    #expect(throws: MotionFileError.self) {
      try Motion(csv: Array(Self.header.utf8) + bytes, named: "noise")
    }
  }
}
