// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import LogStoreTesting
import Testing

@Suite("What an import assumes or leaves out is said")
struct ImportAssumptionTests {
  private func remarks(_ text: String, _ options: ImportOptions = Imports.options)
    throws(ImportError) -> [String]
  {
    try Imports.csv(text, options).remarks
  }

  private func options(rate: SampleRate? = nil, columns: String? = nil, units: String? = nil)
    -> ImportOptions
  {
    var options = Imports.options
    options.rate = rate
    options.columns = columns.flatMap { ImportColumnNames($0) }
    options.units = units.flatMap { ImportUnits($0) }
    return options
  }

  @Test(
    "counts whose scale nothing names are said to be taken as an MPU-6050's",
    arguments: ["t_us", "t_ns", "t", "t_s", "time", "micros"])
  func counts(_ time: String) throws {
    let text = "\(time),ax,ay,az,gx,gy,gz,temp\n0,1,-2,2048,3,4,5,6\n10000,2,-3,2047,3,4,5,6\n"
    let found = try remarks(text)
    let temperature = ["time", "micros"].contains(time) ? "" : ", 340 a °C from 36.53 °C on"
    #expect(
      found.contains(
        "table.csv: its counts are of an unknown scale: the MPU-6050's is assumed, 16384 a g, 131 a °/s"
          + temperature + "; give others with --accel-lsb-per-g and --gyro-lsb-per-dps"),
      "\(found)")
  }

  @Test(
    "times from 1,000,000,000 s on count from 1970, whatever names their column, and shorter ones from anywhere",
    arguments: [
      ("time_s", "1700000000.25", 1_700_000_000_250_000_000),
      ("t", "1.7e9", 1_700_000_000_000_000_000),
      ("t_s", "1000000000", 1_000_000_000_000_000_000),
      ("timestamp_ms", "1700000000250", 1_700_000_000_250_000_000),
      ("micros", "1700000000250001", 1_700_000_000_250_001_000),
      ("t_ns", "1700000000250000007", 1_700_000_000_250_000_007),
      ("time", "1700000000.5", 1_700_000_000_500_000_000), ("unix_s", "12.5", 12_500_000_000),
      ("time_s", "999999999.75", nil), ("t", "12.5", nil), ("t_ms", "999999999750", nil),
      ("time", "12.5", nil), ("t_ns", "999999999750000000", nil),
    ] as [(String, String, Int64?)])
  func dated(_ name: String, _ first: String, _ started: Int64?) throws {
    let importer = try Imports.csv("\(name),ax,ay,az\n\(first),1,2,3\n", options(rate: hertz(100)))
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

  @Test("rows of the second table that are nearest to no row are counted")
  func unused() throws {
    let first = "t_us,ax_g\n" + (0..<100).map { "\($0 * 10_000),1\n" }.joined()
    // 3 s longer.
    let second = "t_us,gx_dps\n" + (0..<400).map { "\($0 * 10_000),1\n" }.joined()
    let remarks = try joined(first, second).remarks
    #expect(
      remarks.contains(
        "300 rows of the rates are nearest to no row of the accelerations, and are left out"),
      "\(remarks)")
  }

  @Test("recordings of an archive that are not imported are named")
  func archive() throws {
    let rows = "\n0,1.0,2.0,9.81\n10000000,1.5,2.0,9.81\n"
    let files = [
      MadeZip.File("TotalAcceleration.csv", "time,z,y,x" + rows),
      MadeZip.File("Accelerometer.csv", "time,z,y,x" + rows),
      MadeZip.File("notes.csv", "a,b\n1,2\n"),
      MadeZip.File("Gravity.csv", "time,z,y,x" + rows),
    ]
    let source = ArraySource(MadeZip(files).bytes, name: "walk.zip")
    let remarks = try TableImporter.zip(source, Imports.options).remarks
    #expect(remarks[0] == "walk.zip: TotalAcceleration.csv is imported")
    #expect(remarks[1] == "walk.zip: Accelerometer.csv is left out: unpack it to import it")
    #expect(
      remarks[2]
        == "walk.zip: Gravity.csv is left out: no columns of an accelerometer or a gyroscope are known there"
    )
  }

  @Test("columns of labels are left out of this program's tables and records, rows of gaps are not")
  func labelsAndGaps() throws {
    var log = TestLog(TestLog.description(channels: ChannelSet(rawValue: 0b11)))
    for tick in [0, 1, 4, 5] as [UInt64] {
      log.sample(tick, Int64(tick) * 100_000_000, RawSample(ax: Int16(tick), ay: -5))
    }
    log.gap(2, 2, .busError, code: 121)
    var ledger = TickLedger(sampled: 4)
    ledger.add(2, .busError)
    log.end(ledger)
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

  @Test(
    "decimal commas of times are read beside whole counts", arguments: ["t_s", "t", "time"])
  func decimalCommas(_ name: String) throws {
    let records = try Imports.records(
      Imports.csv("\(name);ax;ay;az\n0,000000000;-765;3;0\n0,012500000;1;-3;0\n"))
    #expect(records.map(\.time) == [0, 12_500_000])
    #expect(records.map(\.sample.ax) == [-765, 1])
  }

  @Test(
    "times are read as Python writes them, and digits below a nanosecond are rounded",
    arguments: ["t", "t_s", "time"])
  func pythonTimes(_ name: String) throws {
    let importer = try Imports.csv(
      "\(name),ax,ay,az\n1e-05,1,0,0\n0.02001,2,0,0\n0.04001,2,0,0\n0.060010000000000005,3,0,0\n")
    #expect(importer.remarks.contains { $0.contains("digits below a nanosecond") })
    #expect(
      try Imports.records(importer).map(\.time) == [10_000, 20_010_000, 40_010_000, 60_010_000])
  }

  @Test(
    "a sensor's columns are known by its usual names",
    arguments: [
      ("Acc", "Gyr"), ("Accel", "Gyro"), ("Accelerometer", "Gyroscope"), ("acc", "gyroscope"),
    ], [" ", "_", "-", ""])
  func names(_ words: (String, String), _ mark: String) throws {
    let axes = ["X", "Y", "Z"]
    let header =
      axes.map { "\(words.0)\(mark)\($0) (g)" } + axes.map { "\(words.1)\(mark)\($0) (deg/s)" }
    let importer = try Imports.csv(
      "time," + header.joined(separator: ",") + "\n0.00,0,0.5,1,100,-200,300\n0.01,0,-1,1,1,2,3\n")
    #expect(importer.description.channels == [.accelerometer, .gyroscope])
  }

  @Test("a sensor under unknown names is not left out")
  func unknownSensor() {
    let text = "time,ax,ay,az,Turn rate X,Turn rate Y,Turn rate Z\n0,1,2,3,4,5,6\n"
    #expect(
      Imports.csvError(text)?.description
        == "table.csv, line 1: the columns \"Turn rate X\", \"Turn rate Y\", \"Turn rate Z\" look like a sensor's rates, under names that are not known: name all columns to import with --columns, such as --columns time=time,ax=ax,ay=ay,az=az,gx=5,gy=6,gz=7"
    )
  }

  @Test("a guess that makes values of no chip asks for the unit")
  func impossible() throws {
    let rows = (0..<20).map { "\(Double($0) / 100),0.11,0.2,9.81,\(324.37 - Double($0)),0.1,0.2\n" }
    let text = "t,ax,ay,az,gx,gy,gz\n" + rows.joined()
    let error = Imports.csvError(text)?.description ?? ""
    #expect(error.contains("would reach 185") && error.contains("--units: deg/s"), "\(error)")
    #expect(try Imports.csv(text, options(units: "m/s2,deg/s")).end.ledger.sampled == 20)
  }

  @Test("tables without times are placed by the rate, with named columns and without")
  func noTimes() throws {
    let rows = "\n1,-2,3\n4,5,-6\n7,8,9\n"
    for (header, columns) in [("aX,aY,aZ", nil), ("p,q,r", "ax=p,ay=q,az=r")] {
      let importer = try Imports.csv(header + rows, options(rate: hertz(125), columns: columns))
      #expect(
        importer.remarks.contains("table.csv has no times: --rate says how far samples are apart"))
      let records = try Imports.records(importer)
      #expect(records.map(\.time) == [0, 8_000_000, 16_000_000])
      #expect(records.map(\.sample.ay) == [-2, 5, 8])
      #expect(
        Imports.csvError(header + rows, options(columns: columns))?.description.contains("--rate")
          == true)
    }
  }

  @Test(
    "formats that are not read are named",
    arguments: [
      (Array("PAR1".utf8) + [21, 0], "Parquet"), ([0x89] + Array("MCAP0\r\n".utf8), "MCAP"),
      ([0x4D, 0x44, 0xFC, 0x03, 0, 0], "CWA"),
      (Array("000001D XX    00".utf8) + [UInt8](repeating: 0, count: 60), "miniSEED"),
      ([0x4D, 0x53, 0x03, 0, 0], "miniSEED"), ([0x1F, 0x8B, 8, 0], "gzip"),
      (
        Array("Device Identity\r\nDevice Unique Serial Code:012967\r\n".utf8), "GENEActiv"
      ),
      (
        Array("H Product:Blackbox flight data recorder by Nicholas Sherlock\n".utf8),
        "blackbox_decode"
      ),
      (Array("#ROSBAG V2.0\n".utf8), "rostopic"), (Array("SQLite format 3\0".utf8), "SQLite"),
      (Array("MATLAB 5.0 MAT-file, Platform: GLNXA64".utf8), "MATLAB"),
      ([0x93] + Array("NUMPY".utf8) + [1, 0], "numpy.savetxt"),
      ([0, 0, 0, 0x14] + Array("ftypmp41".utf8), "GPMF"),
      // MID 0x3E, no data.
      ([0xFA, 0xFF, 0x3E, 0x00, 0xC3, 0xFA], "Xsens"),
      // MID 0x31, two bytes of data, and the same with a long length.
      ([0xFA, 0x01, 0x31, 0x02, 0x05, 0xF0, 0xD7], "Xsens"),
      ([0xFA, 0x01, 0x31, 0xFF, 0x00, 0x02, 0x05, 0xF0, 0xD8], "Xsens"),
      ([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10], "HDF5"),
      (Array("ARROW1\0\0".utf8), "Arrow"), (Array("BZh91AY".utf8), "bzip2"),
      ([0x55, 0x4C, 0x6F, 0x67, 1, 0x12, 0x35, 1], "ulog2csv"), ([0xA3, 0x95, 0x80], "mavlogdump"),
      ([14, 16, 0, 0, 0, 0, 0, 0] + Array(".FIT".utf8), "FitCSVTool"),
    ] as [([UInt8], String)])
  func foreign(_ bytes: [UInt8], _ name: String) {
    do throws(ImportError) {
      var source = ArraySource(bytes, name: "file")
      _ = try ImportFormat.detect(&source)
      Issue.record("\(name) is taken")
    } catch {
      #expect(error.description.contains(name) && error.description.contains("does not read"))
    }
  }

  @Test(
    "dates of another form are refused with the form that is read",
    arguments: [
      "03.02.2026 10:00:00", "02/03/2026 10:00:00", "2026-02-03 11:59:50 AM", "23:59:50",
      "2024-02-30 10:00:00",
    ])
  func dates(_ date: String) {
    let sentence = Imports.csvError("time,ax,ay,az\n\(date),1,2,3\n")?.description ?? ""
    #expect(sentence.contains("\"\(date)\" is not a date") && sentence.contains("2026-11-21T02"))
  }

  @Test("lines that end with CR alone, and rows of alternate sensors, are explained")
  func otherForms() {
    #expect(
      Imports.csvError("t_us,ax\r0,1\r10,2\r")?.description
        == "the lines of table.csv end with CR alone: save it with LF or CR LF and import that")
    let alternate = "time,ax,ay,az,gx,gy,gz\n0,1,2,3,,,\n5,,,,1,2,3\n"
    let sentence = Imports.csvError(alternate)?.description ?? ""
    #expect(sentence.contains("each of its 2 rows has a column without a value"), "\(sentence)")
    #expect(sentence.contains("line 2") && sentence.contains("--columns"))
  }

  @Test("a document of a later schema is refused")
  func schema() throws {
    let document = "{\"schema\":1,\"format\":\"imulog\",\"samples\":[{\"t_ns\":0,\"ax\":1}]}"
    #expect(try Imports.csv(document).end.ledger.sampled == 1)
    #expect(
      Imports.csvError(document.replacing("a\":1,", with: "a\":2,"))?.description
        == "table.csv is of schema 2, which a later version of imulog writes: import it with that version"
    )
  }

  @Test(
    "the unit in the name of a column that the user names is that of its times",
    arguments: [
      ("time_s", 20, 1_000_000_000), ("Zeit_ms", 1000, 1_000_000), ("t_us", 1000, 1000),
      ("timestamp_ns", 1_000_000, 1), ("millis", 1000, 1_000_000), ("T (ms)", 1000, 1_000_000),
    ])
  func namedTime(_ name: String, _ step: Int64, _ unit: Int64) throws {
    let rows = (0..<30).map { "\(Int64($0) * step),\($0 * 7 - 100),5,9" }.joined(separator: "\n")
    let importer = try Imports.csv(
      "\(name),p,q,r\n\(rows)\n", options(columns: "time=\(name),ax=p,ay=q,az=r"))
    let remarks = importer.remarks
    #expect(!remarks.contains { $0.contains("unit of its times") }, "\(remarks)")
    #expect(try Imports.records(importer).map(\.time) == (0..<30).map { $0 * step * unit })
  }

  @Test("units that contradict those of the header or the file's facts are taken, and said")
  func contradiction() throws {
    let rows = (0..<30).map { "0.\($0 + 10),1.5,-2.5,3.5" }.joined(separator: "\n")
    let table = "time_s,gx_dps,gy_dps,gz_dps\n\(rows)\n"
    #expect(
      try remarks(table, options(units: "rad/s")).contains {
        $0.contains("its rates are in °/s") && $0.contains("--units says rad/s")
      })
    #expect(
      try remarks(table, options(units: "ms")).contains {
        $0.contains("its times are in s") && $0.contains("--units says ms")
      })
    for units in ["deg/s", "s,deg/s", "g-dps"] {
      #expect(try !remarks(table, options(units: units)).contains { $0.contains("--units says") })
    }
    let document = try TestLog.ramp(TestLog.description(channels: .all), [1, -2, 300]).export(
      ExportOptions(format: .json, units: .gDps))
    #expect(
      try remarks(document, options(units: "si")).contains {
        $0.contains("its accelerations are in g") && $0.contains("--units says m/s²")
      })
  }
}
