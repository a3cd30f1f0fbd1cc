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

  @Test("an error names the file, the bad line and the reason")
  func badLines() {
    let good = Self.header + "0,1,2,3,4,5,6\n"
    func header(_ found: String) -> String {
      "the header is \"\(found)\"; t_us,ax,ay,az,gx,gy,gz[,temp] is needed (or t_ns)"
    }
    func number(_ column: String, _ found: String) -> String {
      "\(column) is \"\(found)\", not a whole number from -32768 to 32767"
    }
    func time(_ found: String) -> String {
      "the time \(found) is earlier than the line before, or too far from the first line"
    }
    let cases: [(String, Int, String)] = [
      ("", 1, header("")),
      ("time,ax,ay,az,gx,gy,gz\n", 1, header("time,ax,ay,az,gx,gy,gz")),
      ("t_us,ax,ay,az,gx,gz,gy\n", 1, header("t_us,ax,ay,az,gx,gz,gy")),
      ("t_us,ax,ay,az,gx,gy,gz,hum\n", 1, header("t_us,ax,ay,az,gx,gy,gz,hum")),
      (Self.header, 1, "no samples follow the header"),
      (good + "1,1,2,3,4,5\n", 3, "6 fields, but the header has 7"),
      (good + "1,1,2,3,4,5,6,7\n", 3, "8 fields, but the header has 7"),
      (good + "\n1,1,2,3,4,5,6\n", 3, "1 fields, but the header has 7"),
      (good + "1,1,2,3,4,x,6\n", 3, number("gy", "x")),
      (good + "1,1,2,3,4,5.5,6\n", 3, number("gy", "5.5")),
      (good + "1,1,2,3,4,5, 6\n", 3, number("gz", " 6")),
      (good + "1,,2,3,4,5,6\n", 3, number("ax", "")),
      (good + "1,32768,2,3,4,5,6\n", 3, number("ax", "32768")),
      (good + "1,-32769,2,3,4,5,6\n", 3, number("ax", "-32769")),
      (good + "1e3,1,2,3,4,5,6\n", 3, "the time is \"1e3\", not a whole number"),
      (good + "5,1,2,3,4,5,6\n4,1,2,3,4,5,6\n", 4, time("4")),
      (
        good + "9223372036854775,1,2,3,4,5,6\n9223372036854776,1,2,3,4,5,6\n", 4,
        time("9223372036854776")
      ),
    ]
    for (text, line, problem) in cases {
      #expect(error(text)?.description == "walk.csv, line \(line): \(problem)")
    }
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
