// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore
import Terminal
import Testing

@Suite("Why a recording cannot be used, on a screen")
struct RecordingProblemTests {
  private static let file = "000056-20261124T154545Z-e18bf2a1.imulog"
  private static let path = "/var/lib/imulog/recordings/" + file

  @Test(
    "the reason comes first, and the file's name last and without its directory",
    arguments: [
      (LogError.foreign(name: path, found: "is empty"), "not an imulog recording: it is empty"),
      (.unsupportedVersion(name: path, version: 9), "of version 9 of the log format"),
      (
        .damagedHeader(name: path, offset: 12, reason: .damagedPageHeader),
        "the header is damaged at byte 12"
      ),
      (
        .storage(StorageError(.read, path: path, errno: EIO)),
        "the device reported an input/output error (EIO)"
      ),
    ])
  func order(_ error: LogError, _ start: String) {
    let errors: [any Error] = [error, CatalogueError.log(error)]
    for error in errors {
      let text = RecordingProblem.text(error, file: Self.file)
      #expect(text.hasPrefix(start), "\(text)")
      #expect(text.hasSuffix(" (\(Self.file))"), "\(text)")
      #expect(!text.contains("/var"), "\(text)")
    }
    // The command line names the whole path.
    #expect("\(error)".contains(Self.path))
  }

  @Test("a store that is in use, or refuses, names no path before the reason either")
  func store() {
    let live = RecordingProblem.text(CatalogueError.isLive(file: Self.path), file: Self.file)
    #expect(live.hasPrefix("the recording is being written") && !live.contains("/var"))
    let refused = CatalogueError.storage(StorageError(.rename, path: Self.path, errno: EACCES))
    let text = RecordingProblem.text(refused, file: Self.file)
    #expect(text.hasPrefix("permission denied") && !text.contains("/var"))
  }
}
