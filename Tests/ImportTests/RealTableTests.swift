// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Import
import Testing

private let directory: String? = getenv("IMULOG_RECORDINGS").map { String(cString: $0) }

@Suite(
  "Tables of real sensors",
  .enabled(
    if: directory != nil, "IMULOG_RECORDINGS names no directory of recordings by others"))
struct RealTableTests {
  /// The gaps in each file: px4_drone is a flight log with places where its writer fell behind; in mpu6050_hand the host
  /// held up a row among the first 30.
  static let gaps = [
    "basicmotions_train_10hz": 0, "bf_ar8_1khz": 0, "ism330dhcx_fan_on_104hz": 0,
    "ism330dhcx_stwin_6900hz": 0, "lsm6dsox_tennis_serve_97hz": 0, "mpu6050_hand_100hz": 1,
    "px4_drone_250hz": 8,
  ]

  /// Counts are as good as any unit here.
  private static var request: ImportRequest {
    var request = ImportRequest(id: RecordingID(high: 1, low: 2))
    request.units = UnitsOption("raw")
    request.isAnyway = true
    return request
  }

  @Test(
    "keep every sample and its time, and have gaps only where samples are missing",
    arguments: gaps.keys.sorted())
  func whole(_ name: String) throws {
    let path = "\(try #require(directory))/\(name).csv"
    try #require(access(path, R_OK) == 0, "\(path) is not there")
    var request = RealTableTests.request
    request.units = UnitsOption("si")
    var importer = try ImportedRecording(FileSource(path: path), request)
    let times = try RealTableTests.times(path)
    var (gaps, index) = (0, 0)
    while let record = try importer.next() {
      if record.kind == .gap {
        gaps += 1
      } else {
        #expect(record.time == times[index])
        index += 1
      }
    }
    #expect(index == times.count)
    #expect(gaps == RealTableTests.gaps[name])
  }

  @Test(
    "show a cut of 600 ms as a gap of that length",
    arguments: gaps.keys.sorted().filter { $0 != "basicmotions_train_10hz" })
  func cut(_ name: String) throws {
    let path = "\(try #require(directory))/\(name).csv"
    try #require(access(path, R_OK) == 0, "\(path) is not there")
    let times = try RealTableTests.times(path)
    for part in 1...4 {
      let begin = times[times.count * part / 5]
      let kept = times.filter { $0 < begin || $0 >= begin + 600_000_000 }
      let text = "t_ns,ax\n" + kept.map { "\($0),1\n" }.joined()
      var importer = try ImportedRecording(ByteSource(text), RealTableTests.request)
      let expected = 0.6 * importer.description.rate.hertz
      var longest: UInt64 = 0
      while let record = try importer.next() {
        if let gap = record.gap { longest = max(longest, gap.count) }
      }
      #expect(abs(Double(longest) - expected) < expected * 0.15 + 2, "\(name) at \(begin) ns")
    }
  }

  /// The times in the first column, in microseconds, as nanoseconds.
  private static func times(_ path: String) throws -> [Int64] {
    let source = try FileSource(path: path)
    var bytes: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { piece.deallocate() }
    while case let count = try source.read(into: piece), count > 0 {
      bytes.append(contentsOf: piece[..<count])
    }
    return bytes.split(separator: UInt8(ascii: "\n")).dropFirst().map { line in
      let digits = line.prefix { $0 != UInt8(ascii: ",") }
      return 1000 * (Int64(String(decoding: digits, as: UTF8.self)) ?? -1)
    }
  }
}
