// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import Hub
import IMUModel
import LogStoreTesting
import Testing

/// The list of what the program for finished files has taken.
@Suite("The program that finished files are handed to")
struct FileHookTests {
  private let directory = TemporaryDirectory(inMemory: true)

  @Test("a program that refuses everything for ever fills no disk, and keeps no file from its turn")
  func refusals() throws {
    let hub = try HubDirectory(path: directory.path + "/fleet", create: true)
    let lock = try hub.lock()
    let log = directory.path + "/asked"
    directory.write(Array("#!/bin/sh\necho $3 >> \(log)\nexit 1\n".utf8), to: "refuse")
    let program = directory.path + "/refuse"
    #expect(chmod(program, 0o755) == 0)
    let files = (0..<5).map { (place: "samples/\($0).parquet", version: "1") }
    var longest = 0
    for _ in 0..<60 {
      #expect(throws: CommandFailure.self) {
        try FileHook(program, hub).hand(files, of: "pump-1")
      }
      let lines = directory.bytes(of: "fleet/handed/pump-1").count { $0 == UInt8(ascii: "\n") }
      longest = max(longest, lines)
    }
    #expect(longest <= 2 * files.count + 64)
    let asked = String(decoding: directory.bytes(of: "asked"), as: UTF8.self).split(separator: "\n")
    #expect(asked.count == 180)
    for file in files {
      #expect(asked.count { $0 == file.place } == 36, "\(file.place)")
    }
    _ = consume lock
  }
}
