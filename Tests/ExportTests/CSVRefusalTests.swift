// SPDX-License-Identifier: Apache-2.0

import IMUModel
import OldImport
import Testing

@Suite("Tables that cannot be imported")
struct CSVRefusalTests {
  private static let wrongTables = Refusal.list(
    #"""
     ⇒ table.csv is empty: there is nothing to import
    0,1,2\n3,4,5\n ⇒ table.csv, line 1: no header that is known, but "0,1,2": the first line must name the columns, such as t_us,ax,ay,az,gx,gy,gz,temp; name those of another program with --columns
    \n ⇒ table.csv, line 1: no header that is known, but "": the first line must name the columns, such as t_us,ax,ay,az,gx,gy,gz,temp; name those of another program with --columns
    t_us\n0\n ⇒ table.csv, line 1: the header names no axis: ax, ay, az, gx, gy, gz or temp
    t_us,ax,mx\n0,1,2\n ⇒ table.csv, line 1, column 3: unknown column "mx": columns are t_us, t_ns, t_ms or t, and ax, ay, az, gx, gy, gz, temp; choose those of another program with --columns
    t_us,ax,ay,ax\n0,1,2,3\n ⇒ table.csv, line 1, column 4: "ax" is a second column of its kind: name the one to import with --columns
    t_us,ax,t_ns\n0,1,2\n ⇒ table.csv, line 1, column 3: "t_ns" is a second column of its kind: name the one to import with --columns
    t_us,ax\n ⇒ the recording in table.csv has no samples: there is nothing to import
    t_us,ax,ay\n0,1,2\n10,1\n ⇒ table.csv, line 3: 2 values where the header names 3 columns: complete the line or take it out
    t_us,ax,ay\n0,1,2,3\n ⇒ table.csv, line 2: 4 values where the header names 3 columns: complete the line or take it out
    t_us,ax,ay\n0\n ⇒ table.csv, line 2: 1 value where the header names 3 columns: complete the line or take it out
    t_us,ax,ay\n0,1,2\n10,0x1F,2\n ⇒ table.csv, line 3, column 2 (ax): "0x1F" is not a whole number: samples are the sensor's counts (--units raw)
    t_us,ax,ay\n0,1,9.81\n ⇒ nothing in table.csv says in which unit its accelerations are: name it with --units: g, mg, m/s2 or raw, or si, g-dps
    t_s,gx,gy,gz\n0.0,0.5,0.25,0.125\n0.1,0.5,0.1,0.3\n ⇒ nothing in table.csv says in which unit its rates are: name it with --units: deg/s, mdps, rad/s or raw, or si, g-dps
    t_us,ax,ay\n0,1,2\n10,1,9.81\n ⇒ table.csv, line 3, column 3 (ay): "9.81" is not a whole number: samples are the sensor's counts (--units raw)
    t_us,ax,ay\n0,,2\n ⇒ table.csv, line 2, column 2 (ax): the value is missing: complete the row or take it out
    t_us,ax\n0,-\n ⇒ table.csv, line 2, column 2 (ax): "-" is not a whole number: samples are the sensor's counts (--units raw)
    t_us,ax\n0,32768\n ⇒ table.csv, line 2, column 2 (ax): "32768" is not within -32768 to 32767: counts have 16 bits; if values are in units, name them with --units
    t_us,ax\n0,-32769\n ⇒ table.csv, line 2, column 2 (ax): "-32769" is not within -32768 to 32767: counts have 16 bits; if values are in units, name them with --units
    t_us,ax\n0,99999999999999999999\n ⇒ table.csv, line 2, column 2 (ax): "99999999999999999999" is not within -32768 to 32767: counts have 16 bits; if values are in units, name them with --units
    t_us,ax\n1.5x,1\n ⇒ table.csv, line 2, column 1 (t_us): "1.5x" is not a time: times are numbers, or dates in a column with such a name; correct it
    t_us,ax\n9223372036854776,1\n ⇒ table.csv, line 2, column 1 (t_us): "9223372036854776" is beyond the times that a log can hold: correct it or take the row out
    t_ns,ax\n9223372036854775808,1\n ⇒ table.csv, line 2, column 1 (t_ns): "9223372036854775808" is beyond the times that a log can hold: correct it or take the row out
    t,ax\n,1\n ⇒ table.csv, line 2, column 1 (t): the time is missing: complete the row or take it out
    ax,t_us\n1,5\n2,5\n3,4\n ⇒ table.csv, line 4, column 2 (t_us): the time "4" is before that of the row before it: where a clock was set back or a counter began again, import what is before and from here separately; if only rows are out of order, sort them by time
    t_us,ax\n0,1\n\n2,3\n ⇒ table.csv, line 3: the line is blank, and samples follow it: take it out
    t_us,ax\n0,\#u{1B}[31m\n ⇒ table.csv, line 2, column 2 (ax): "?[31m" is not a whole number: samples are the sensor's counts (--units raw)
    t_us,ax\n7,1\n7,2\n7,2\n ⇒ all times in table.csv are the same, so they give no sample rate: give it with --rate
    t_ns,ax\n0,0\n0,1\n0,2\n0,3\n0,4\n1,5\n1,6\n1,0\n1,1\n1,2\n2,3\n2,4\n2,5\n2,6\n2,0\n3,1\n3,2\n3,3\n3,4\n3,5\n ⇒ the times in table.csv make a rate that no log can hold, which is 1/4294967295 to 4294967295 Hz: correct the times, or give the rate with --rate
    t_us,ax\r0,1\r10,2\r ⇒ the lines of table.csv end with CR alone: save it with LF or CR LF and import that
    {"schema":2,"format":"imulog","samples":[{"t_ns":0,"ax":1}]} ⇒ table.csv is of schema 2, which a later version of imulog writes: import it with that version
    """#)

  @Test("a wrong line is named, with its column and its contents", arguments: wrongTables)
  func wrong(_ table: Refusal) {
    #expect(Imports.csvError(table.text)?.description == table.words)
  }

  @Test("a long wrong value is shortened, and a line without an end is not read to it")
  func longValue() {
    #expect(
      Imports.csvError("t_us,ax\n0,\(String(repeating: "x", count: 70_000))\n")?.description
        == "table.csv, line 2: this is longer than 65536 bytes, and so no table of samples: import the table itself, with a line for each "
        + "sample")
    let error = Imports.csvError("t_us,ax\n0,\(String(repeating: "x", count: 1000))\n")
    #expect(
      error
        == .line(
          name: "table.csv", line: 2,
          problem: .notAnInteger(
            column: 2, name: "ax", found: String(repeating: "x", count: 40) + "…")))
  }

  @Test("bytes that are not text are refused")
  func noText() {
    #expect(throws: ImportError.self) {
      let bytes: [UInt8] = [0xFF, 0x80, 0x0A, 0x31]
      _ = try TableImporter(ArraySource(bytes, name: "table.csv"), Imports.options)
    }
  }

  @Test("UTF-16 and UTF-32 are refused as such", arguments: WideEncoding.all)
  func wide(_ encoding: WideEncoding) {
    let bytes = encoding.bytes("t_us,ax\n0,1\n10,2\n")
    #expect(throws: ImportError.notUTF8(name: "table.csv")) {
      _ = try TableImporter(ArraySource(bytes, name: "table.csv"), Imports.options)
    }
    #expect(throws: ImportError.notUTF8(name: "table.csv")) {
      var source = ArraySource(bytes, name: "table.csv")
      _ = try ImportFormat.detect(&source)
    }
  }
}
