// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
import IMUModel

/// Reads whole small files.
enum WholeFile {
  /// The bytes of a regular file, at most `limit` of them.
  static func read(_ path: String, atMost limit: Int = .max) throws(StorageError) -> [UInt8] {
    try OpenFile(path: path, flags: O_RDONLY | O_NONBLOCK, gate: .open).beginning(limit)
  }
}

extension SensorCalibration {
  /// Reads a calibration's file; of a longer file than any calibration's only the beginning.
  init(readingFile path: String) throws {
    self = try SensorCalibration(
      try WholeFile.read(path, atMost: CalibrationText.fileLimit + 1), ofFile: path)
  }
}

/// The identity of the file at a path: equal for all its names and links.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t
  let isDirectory: Bool

  /// `nil` when there is no file that this user may reach.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
  }
}

extension BufferedSink {
  /// Writes bytes to stdout as they are.
  static func toStandardOutput(_ bytes: [UInt8]) throws {
    var sink = BufferedSink(STDOUT_FILENO, name: "stdout")
    try bytes.withUnsafeBytes { try sink.write($0) }
    try sink.flush()
  }
}
