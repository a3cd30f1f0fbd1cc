// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import OldImport
import TestSupport
import Testing

@Suite("What an import assumes or leaves out is said")
struct ImportAssumptionTests {
  private func remarks(_ text: String, _ options: ImportOptions = Imports.options)
    throws(ImportError) -> [String]
  {
    try Imports.csv(text, options).remarks
  }

  @Test("counts of no named scale are said to be an MPU-6050's", arguments: ["t_us", "time"])
  func counts(_ time: String) throws {
    let text = "\(time),ax,ay,az,gx,gy,gz,temp\n0,1,-2,2048,3,4,5,6\n10000,2,-3,2047,3,4,5,6\n"
    let found = try remarks(text)
    let temperature = time == "time" ? "" : ", 340 a °C from 36.53 °C on"
    #expect(
      found.contains(
        "table.csv: its counts are of an unknown scale: the MPU-6050's is assumed, 16384 a g, 131 a °/s"
          + temperature + "; give others with --accel-lsb-per-g and --gyro-lsb-per-dps"),
      "\(found)")
  }

  @Test(
    "times from 1,000,000,000 s on count from 1970, whatever names their column, and shorter ones from anywhere",
    arguments: [
      ("t_s", "1000000000", 1_000_000_000_000_000_000),
      ("timestamp_ms", "1700000000250", 1_700_000_000_250_000_000),
      ("t_ns", "1700000000250000007", 1_700_000_000_250_000_007),
      ("time", "1700000000.5", 1_700_000_000_500_000_000), ("unix_s", "12.5", 12_500_000_000),
      ("time_s", "999999999.75", nil), ("t_ms", "999999999750", nil), ("time", "12.5", nil),
    ] as [(String, String, Int64?)])
  func dated(_ name: String, _ first: String, _ started: Int64?) throws {
    let importer = try Imports.csv(
      "\(name),ax,ay,az\n\(first),1,2,3\n", Imports.given(rate: hertz(100)))
    #expect(importer.clockPairs.map(\.wallAtStart) == [started].compactMap { $0 })
    let isSaid = importer.remarks.contains { $0.contains("s since 1970") }
    #expect(isSaid == (started != nil && name != "unix_s"), "\(importer.remarks)")
  }

  @Test("counts whose scale the user or the file names need no remark")
  func namedScales() throws {
    var options = Imports.options
    options.accelerometerScale = Fraction(1, 2048)
    #expect(try remarks("t_us,ax\n0,1\n10000,3\n", options) == [])
    let preamble = "# imulog.sensor.accelerometerScale_g: 1/2048\n"
    #expect(try remarks(preamble + "t_us,ax\n0,1\n10000,3\n") == [])
    let found = try remarks("t_us,ax,gx\n0,1,2\n10000,3,4\n", options)
    #expect(found.count == 1 && found[0].contains("131 a °/s; give others with --gyro-lsb-per-dps"))
  }

  private func joined(_ first: String, _ second: String) throws(ImportError) -> TableImporter<
    ArraySource
  > {
    try TableImporter(
      ArraySource(Array(first.utf8), name: "a.csv"),
      with: ArraySource(Array(second.utf8), name: "b.csv"), Imports.options)
  }

  @Test("of two tables the faster one gives the rows, in either order", arguments: [false, true])
  func faster(_ isSlowFirst: Bool) throws {
    let slow = "t_us,ax_g\n" + (0..<100).map { "\($0 * 10_000),\($0 % 2)\n" }.joined()
    let fast = "t_us,gx_dps\n" + (0..<400).map { "\($0 * 2500),\($0)\n" }.joined()
    let importer = try isSlowFirst ? joined(slow, fast) : joined(fast, slow)
    #expect(importer.description.rate == hertz(400))
    #expect(!importer.remarks.contains { $0.contains("left out") }, "\(importer.remarks)")
    let scale = importer.description.sensor.gyroscopeScale.value
    let rates = try Imports.records(importer).map { Int((Double($0.sample.gx) * scale).rounded()) }
    #expect(rates == Array(0..<400))
  }

  @Test("recordings of an archive that are not imported are named")
  func archive() throws {
    let rows = "\n0,1.0,2.0,9.81\n10000000,1.5,2.0,9.81\n"
    let files = [
      MadeZip.File("TotalAcceleration.csv", "time,z,y,x" + rows),
      MadeZip.File("Accelerometer.csv", "time,z,y,x" + rows),
      MadeZip.File("notes.csv", "a,b\n1,2\n"),
      MadeZip.File("Gravity.csv", "time,z,y,x" + rows),
      MadeZip.File("Annotation.csv", "time,seconds_elapsed,text\n1,2,jump\n"),
      MadeZip.File("Metadata.csv", "version,device name\n3,phone\n"),
    ]
    let source = ArraySource(MadeZip(files).bytes, name: "walk.zip")
    let remarks = try TableImporter.zip(source, Imports.options).remarks
    #expect(remarks[0] == "walk.zip: TotalAcceleration.csv is imported")
    for words in [
      "Accelerometer.csv is left out: unpack it to import it",
      "Gravity.csv is left out: no columns of an accelerometer or a gyroscope are known there",
      "Annotation.csv and Metadata.csv are left out: import reads samples alone",
    ] { #expect(remarks.contains("walk.zip: \(words)"), "\(remarks)") }
  }

  @Test("columns of labels are left out of this program's tables and records, rows of gaps are not")
  func labelsAndGaps() throws {
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 0b11)))
    log.samples([0, 1, 4, 5]) { RawSample(ax: Int16($0), ay: -5) }
    log.gap(2, 2, .busError, code: 121)
    log.endAsCounted()
    for format in [ExportFormat.csv, .ndjson] {
      var options = ExportOptions(format: format, units: .gDps)
      options.gaps = .rows
      options.hasLabels = true
      options.labels = [try RecordingLabel("left, foot", from: 0, to: 150_000_000)]
      let importer = try Imports.csv(try log.export(options))
      #expect(importer.end.ledger.busErrors == 2 && importer.end.ledger.lost == 0)
      let remarks = importer.remarks
      #expect(!remarks.contains { $0.contains("rows") }, "\(remarks)")
      #expect(remarks.contains { $0.contains("label") }, "\(remarks)")
      let records = try Imports.records(importer)
      #expect(
        records.filter { $0.gap == nil }.map(\.time) == [0, 1, 4, 5].map { $0 * 100_000_000 })
    }
  }

  @Test("decimal commas of times are read beside whole counts", arguments: ["t_s", "t", "time"])
  func decimalCommas(_ name: String) throws {
    let records = try Imports.records(
      Imports.csv("\(name);ax;ay;az\n0,000000000;-765;3;0\n0,012500000;1;-3;0\n"))
    #expect(records.map(\.time) == [0, 12_500_000])
    #expect(records.map(\.sample.ax) == [-765, 1])
  }

  @Test("a guess that makes values of no chip asks for the unit")
  func impossible() throws {
    let rows = (0..<20).map { "\(Double($0) / 100),0.11,0.2,9.81,\(324.37 - Double($0)),0.1,0.2\n" }
    let text = "t,ax,ay,az,gx,gy,gz\n" + rows.joined()
    let error = Imports.csvError(text)?.description ?? ""
    #expect(error.contains("would reach 185") && error.contains("--units: deg/s"), "\(error)")
    #expect(try Imports.csv(text, Imports.given(units: "m/s2,deg/s")).end.ledger.sampled == 20)
  }

  @Test("tables without times are placed by the rate, with named columns and without")
  func noTimes() throws {
    let one = try Imports.csv("ax\n1\n2", Imports.given(rate: hertz(125)))
    #expect(one.end.ledger.sampled == 2)
    let rows = "\n1,-2,3\n4,5,-6\n7,8,9\n"
    for (header, columns) in [("aX,aY,aZ", nil), ("p,q,r", "ax=p,ay=q,az=r")] {
      let importer = try Imports.csv(
        header + rows, Imports.given(rate: hertz(125), columns: columns))
      #expect(
        importer.remarks.contains("table.csv has no times: --rate says how far samples are apart"))
      let records = try Imports.records(importer)
      #expect(records.map(\.time) == [0, 8_000_000, 16_000_000])
      #expect(records.map(\.sample.ay) == [-2, 5, 8])
      #expect(
        Imports.csvError(header + rows, Imports.given(columns: columns))?.description.contains(
          "--rate")
          == true)
    }
  }

  private static let foreignTexts = Refusal.list(
    #"""
    PAR1\#u{15}\#u{0} ⇒ Parquet
    000001D XX    00\#(String(repeating: "\u{0}", count: 60)) ⇒ miniSEED
    MS\#u{3}\#u{0}\#u{0} ⇒ miniSEED
    Device Identity\r\nDevice Unique Serial Code:012967\r\n ⇒ GENEActiv
    H Product:Blackbox flight data recorder by Nicholas Sherlock\n ⇒ blackbox_decode
    #ROSBAG V2.0\n ⇒ rostopic
    SQLite format 3\#u{0} ⇒ SQLite
    MATLAB 5.0 MAT-file, Platform: GLNXA64 ⇒ MATLAB
    \#u{0}\#u{0}\#u{0}\#u{14}ftypmp41 ⇒ GPMF
    ARROW1\#u{0}\#u{0} ⇒ Arrow
    BZh91AY ⇒ bzip2
    ULog\#u{1}\#u{12}5\#u{1} ⇒ ulog2csv
    \#u{E}\#u{10}\#u{0}\#u{0}\#u{0}\#u{0}\#u{0}\#u{0}.FIT ⇒ FitCSVTool
    """#)

  private static let foreignBytes: [([UInt8], String)] = [
    ([0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 13, 10], "MCAP"),
    ([0x4D, 0x44, 0xFC, 0x03, 0, 0], "CWA"), ([0x1F, 0x8B, 8, 0], "gzip"),
    ([0x28, 0xB5, 0x2F, 0xFD, 4], "zstd"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0], "xz"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0], "7z"), ([0x7F, 0x45, 0x4C, 0x46, 2], "ELF"),
    ([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], "PNG"), ([0xFF, 0xD8, 0xFF, 0xE0], "JPEG"),
    ([0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0], "numpy.savetxt"),
    // MID 0x3E, no data.
    ([0xFA, 0xFF, 0x3E, 0x00, 0xC3, 0xFA], "Xsens"),
    // MID 0x31, two bytes of data, and the same with a long length.
    ([0xFA, 0x01, 0x31, 0x02, 0x05, 0xF0, 0xD7], "Xsens"),
    ([0xFA, 0x01, 0x31, 0xFF, 0x00, 0x02, 0x05, 0xF0, 0xD8], "Xsens"),
    ([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10], "HDF5"), ([0xA3, 0x95, 0x80], "mavlogdump"),
  ]

  @Test("formats that are not read are named")
  func foreign() {
    let texts = Self.foreignTexts.map { (Array($0.text.utf8), $0.words) }
    for (bytes, name) in texts + Self.foreignBytes {
      let error = #expect(throws: ImportError.self, "\(name)") {
        var source = ArraySource(bytes, name: "file")
        _ = try ImportFormat.detect(&source)
      }
      let words = error?.description ?? ""
      #expect(words.contains(name) && words.contains("does not read"), "\(name): \(words)")
    }
  }

  @Test("units that contradict those of the header or the file's facts are taken, and said")
  func contradiction() throws {
    let rows = (0..<30).map { "0.\($0 + 10),1.5,-2.5,3.5" }.joined(separator: "\n")
    let table = "time_s,gx_dps,gy_dps,gz_dps\n\(rows)\n"
    #expect(
      try remarks(table, Imports.given(units: "rad/s")).contains {
        $0.contains("its rates are in °/s") && $0.contains("--units says rad/s")
      })
    #expect(
      try remarks(table, Imports.given(units: "ms")).contains {
        $0.contains("its times are in s") && $0.contains("--units says ms")
      })
    for units in ["deg/s", "s,deg/s", "g-dps"] {
      #expect(
        try !remarks(table, Imports.given(units: units)).contains { $0.contains("--units says") })
    }
    let document = try TestLog.ramp(TestLog.description(channels: .all), [1, -2, 300]).export(
      ExportOptions(format: .json, units: .gDps))
    #expect(
      try remarks(document, Imports.given(units: "si")).contains {
        $0.contains("its accelerations are in g") && $0.contains("--units says m/s²")
      })
  }
}
