// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import OldImport
import Testing

private let directory: String? = getenv("IMULOG_RECORDINGS").map { String(cString: $0) }

@Suite(
  "Tables of real sensors",
  .enabled(
    if: directory != nil, "IMULOG_RECORDINGS names no directory of recordings by others"))
struct RealTableTests {
  /// The gaps in each file: px4_drone is a flight log with places where its writer fell behind.
  static let gaps = [
    "basicmotions_train_10hz": 0, "bf_ar8_1khz": 0, "ism330dhcx_fan_on_104hz": 0,
    "ism330dhcx_stwin_6900hz": 0, "lsm6dsox_tennis_serve_97hz": 0, "mpu6050_hand_100hz": 0,
    "px4_drone_250hz": 8,
  ]

  @Test(
    "keep every sample and its time, and have gaps only where samples are missing",
    arguments: gaps.keys.sorted())
  func whole(_ name: String) throws {
    let path = "\(try #require(directory))/\(name).csv"
    try #require(access(path, R_OK) == 0, "\(path) is not there")
    var importer = try TableImporter(FileSource(path: path), Imports.options)
    var table = try CSVTimes(path)
    var gaps = 0
    while let record = try importer.next() {
      if record.kind == .gap {
        gaps += 1
      } else {
        #expect(record.time == table.next())
      }
    }
    #expect(table.next() == nil)
    #expect(gaps == RealTableTests.gaps[name])
  }

  @Test(
    "show a cut of 600 ms as a gap of that length",
    arguments: gaps.keys.sorted().filter { $0 != "basicmotions_train_10hz" })
  func cut(_ name: String) throws {
    let path = "\(try #require(directory))/\(name).csv"
    try #require(access(path, R_OK) == 0, "\(path) is not there")
    let times = try CSVTimes(path).times
    for part in 1...4 {
      let begin = times[times.count * part / 5]
      let kept = times.filter { $0 < begin || $0 >= begin + 600_000_000 }
      let text = "t_ns,ax\n" + kept.map { "\($0),1\n" }.joined()
      var importer = try Imports.csv(text)
      let expected = 0.6 * importer.description.rate.hertz
      var longest: UInt64 = 0
      while let record = try importer.next() {
        if let gap = record.gap { longest = max(longest, gap.count) }
      }
      #expect(abs(Double(longest) - expected) < expected * 0.15 + 2, "\(name) at \(begin) ns")
    }
  }

  /// The times in the first column, in microseconds, as nanoseconds.
  private struct CSVTimes {
    var times: [Int64] = []
    private var index = 0

    init(_ path: String) throws {
      var source = try FileSource(path: path)
      var bytes: [UInt8] = []
      let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
      defer { piece.deallocate() }
      while case let count = try source.read(into: piece), count > 0 {
        bytes.append(contentsOf: piece[..<count])
      }
      for line in bytes.split(separator: UInt8(ascii: "\n")).dropFirst() {
        let digits = line.prefix { $0 != UInt8(ascii: ",") }
        times.append(1000 * (Int64(String(decoding: digits, as: UTF8.self)) ?? -1))
      }
    }

    mutating func next() -> Int64? {
      defer { index += 1 }
      return index < times.count ? times[index] : nil
    }
  }
}
