// SPDX-License-Identifier: Apache-2.0

/// A kind of file that is known and not read: its name, and the way to one that is.
struct ForeignFormat {
  /// A binary whose kind nothing says.
  static let unknown = ForeignFormat(
    "a binary of an unknown kind",
    "convert it to CSV with the program that wrote it, and import that")

  /// An object without samples that are known.
  static let otherJSON = ForeignFormat(
    "JSON of an unknown form",
    "it takes a document of `imulog export --format json`, objects with a time and axes such as {\"t_us\":0,\"ax\":1}, in a list "
      + "or one after the other, and the phone apps' documents with \"coordinateList\" or \"axisValues\""
  )

  /// A sample for Edge Impulse, whose times are those of a rate and not those of the recording.
  static let edgeImpulse = ForeignFormat(
    "Edge Impulse's document",
    "import the recording from which it was made, or save \"values\" as CSV, and import that with --rate"
  )

  /// What the file is, as the end of a sentence.
  let name: String
  /// A clause.
  let remedy: String

  private init(_ name: String, _ remedy: String) { (self.name, self.remedy) = (name, remedy) }

  /// The kind of a file by its first bytes; `nil` for others.
  static func known(_ bytes: [UInt8]) -> ForeignFormat? {
    for mark in marks
    where bytes.count >= mark.place && bytes[mark.place...].starts(with: mark.bytes) {
      return mark.format
    }
    // Text may begin with these letters.
    if bytes.starts(with: "MZ".utf8), bytes.prefix(64).contains(0) {
      return ForeignFormat("a program (EXE)", program)
    }
    if isMiniSEED(bytes) { return ForeignFormat("miniSEED", table) }
    return isXsens(bytes) ? xsens : nil
  }

  /// The kind of a ZIP archive by the names of its files; `nil` for others.
  static func known(archive names: [String]) -> ForeignFormat? {
    if names.contains("info.txt"), names.contains("log.bin") || names.contains("activity.bin") {
      return ForeignFormat(
        "an ActiGraph's recording (GT3X)",
        "export it as raw CSV with ActiLife or pygt3x, and import that")
    }
    if names.contains("xl/workbook.xml") {
      return ForeignFormat("an Excel workbook", "save the sheet as CSV UTF-8, and import that")
    }
    if names.contains("content.xml"), names.first == "mimetype" {
      return ForeignFormat("an OpenDocument file", "save the sheet as CSV, and import that")
    }
    if !names.isEmpty, names.allSatisfy({ $0.hasSuffix(".npy") }) {
      return ForeignFormat("NumPy's archive (NPZ)", numpy)
    }
    return nil
  }

  private typealias Mark = (place: Int, bytes: [UInt8], format: ForeignFormat)

  private static let table = "save it as CSV, and import that"
  private static let program = "import what it writes or unpacks"
  private static let picture = "import the table from which it was drawn, or type that as CSV"
  private static let unpack = "unpack it, and import that"
  private static let numpy =
    "write it with numpy.savetxt and delimiter=\",\", and import that with --columns"
  private static let xsens = ForeignFormat(
    "an Xsens recording (MTB)", "export it as CSV with MT Manager, and import that")

  private static func mark(_ text: String, at place: Int = 0, _ name: String, _ remedy: String)
    -> Mark
  {
    (place, Array(text.utf8), ForeignFormat(name, remedy))
  }

  private static func mark(_ bytes: [UInt8], _ name: String, _ remedy: String) -> Mark {
    (0, bytes, ForeignFormat(name, remedy))
  }

  /// The first bytes, from their formats' documentation.
  private static let marks: [Mark] = [
    mark("PAR1", "Parquet", table), mark("ARROW1", "Arrow", table),
    mark([0x89, 0x4D, 0x43, 0x41, 0x50, 0x30], "MCAP", table),
    mark(
      [0x4D, 0x44, 0xFC, 0x03], "CWA", "convert it with OmGui or omconvert to CSV, and import that"),
    mark([0x4D, 0x53, 0x03], "miniSEED", table),
    mark([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)", program),
    mark([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], "a picture (PNG)", picture),
    mark([0xFF, 0xD8, 0xFF], "a picture (JPEG)", picture), mark("GIF8", "a picture (GIF)", picture),
    mark("%PDF-", "a document (PDF)", picture),
    mark("ustar", at: 257, "an archive (TAR)", unpack),
    mark([0x1F, 0x8B], "packed by gzip", unpack), mark("BZh", "packed by bzip2", unpack),
    mark([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "packed by xz", unpack),
    mark([0x28, 0xB5, 0x2F, 0xFD], "packed by zstd", unpack),
    mark([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive", unpack),
    mark("Rar!", "a RAR archive", unpack),
    mark(
      "Device Identity", "a GENEActiv's recording",
      "convert it with the GENEActiv software to CSV, and import that with --columns"),
    mark(
      "H Product:Blackbox", "a raw Blackbox log",
      "decode it with blackbox_decode or Blackbox Explorer to CSV, and import that"),
    mark(
      "#ROSBAG", "a ROS bag",
      "write the topic with rostopic echo -b FILE -p TOPIC as CSV, and import that"),
    mark(
      "SQLite format 3\0", "an SQLite database, as ROS 2 bags are",
      "write the topic or the query as CSV, and import that with --columns"),
    mark(
      "MATLAB 5.0", "MATLAB's (MAT)",
      "write it with writematrix as CSV, and import that with --columns"),
    mark(
      "MATLAB 7.3", "MATLAB's (MAT)",
      "write it with writematrix as CSV, and import that with --columns"),
    mark([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10], "HDF5", table),
    mark([0x93] + Array("NUMPY".utf8), "NumPy's (NPY)", numpy),
    mark(
      "ftyp", at: 4, "a video (MP4)",
      "write the motion in it, a GoPro's GPMF, with gpmf-extract or telemetry-parser as CSV, and import that"
    ),
    mark(
      [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an old Office document, such as XLS", table
    ),
    mark(
      [0x55, 0x4C, 0x6F, 0x67, 1, 0x12, 0x35], "a PX4 log (ULog)",
      "convert it with ulog2csv, and import sensor_combined with --columns"),
    mark(
      [0xA3, 0x95, 0x80], "an ArduPilot log (BIN)",
      "convert it with mavlogdump.py --format csv --types IMU, and import that with --columns"),
    mark(
      ".FIT", at: 8, "a Garmin recording (FIT)",
      "convert it with FitCSVTool, and import that with --columns"),
  ]

  /// miniSEED 2: a number of six digits or blanks, the quality, a blank.
  private static func isMiniSEED(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 48 && bytes.prefix(6).allSatisfy { ImportText.isDigit($0) || $0 == 0x20 }
      && "DRQM".utf8.contains(bytes[6]) && bytes[7] == 0x20
  }

  /// A message of Xsens' protocol: FA, FF or a bus's number, kind, length, data, and what makes the sum 0.
  private static func isXsens(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 5, bytes[0] == 0xFA, bytes[1] == 0xFF || bytes[1] == 1 else { return false }
    let isLong = bytes[3] == 0xFF
    let end = isLong ? 7 + Int(bytes[4]) << 8 + Int(bytes[5]) : 5 + Int(bytes[3])
    return bytes.count >= end && bytes[1..<end].reduce(0, &+) == 0
  }
}
