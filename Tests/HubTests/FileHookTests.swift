// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
@testable import Hub
import IMUModel
import LogStoreTesting
import TestSupport
import Testing

/// The list of what the program for finished files has taken.
@Suite("The program that finished files are handed to")
struct FileHookTests {
  private let directory = TemporaryDirectory(inMemory: true)

  /// The program's start must not copy the locks that other tests release.
  private func hand(
    _ files: [(place: String, version: String)], of host: String, to program: String,
    _ hub: HubDirectory
  ) throws {
    try ProgramStart.perform { try FileHook(program, hub).hand(files, of: host) }
  }

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
        try hand(files, of: "pump-1", to: program, hub)
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

  @Test(
    "what a program was killed at, or refused when it had copied a part, is dropped once it is gone here"
  )
  func partial() throws {
    let hub = try HubDirectory(path: directory.path + "/fleet", create: true)
    let lock = try hub.lock()
    let program = directory.path + "/partial"
    func answer(_ status: String) {
      directory.write(
        Array("#!/bin/sh\necho $1 ${3:-$2} >> \(directory.path)/asked\n\(status)\n".utf8),
        to: "partial")
      #expect(chmod(program, 0o755) == 0)
    }
    let files = [(place: "samples/7.parquet", version: "1")]
    for isKilled in [false, true] {
      answer("exit 1")
      if !isKilled {
        #expect(throws: CommandFailure.self) { try hand(files, of: "a", to: program, hub) }
      } else {
        try FileHookTests.begin(files[0].place, of: "a", in: hub)
      }
      answer("exit 0")
      try hand([], of: "a", to: program, hub)
      try hand([], of: "a", to: program, hub)
      let asked = String(decoding: directory.bytes(of: "asked"), as: UTF8.self)
      #expect(asked.hasSuffix("drop samples/7.parquet\n"))
      #expect(asked.split(separator: "\n").count { $0.hasPrefix("drop") } == 1, "\(asked)")
      try #require(unlink(directory.path + "/asked") == 0)
    }
    _ = consume lock
  }

  @Test("damaged lines of the list are said once")
  func damaged() throws {
    let hub = try HubDirectory(path: directory.path + "/fleet", create: true)
    let lock = try hub.lock()
    directory.write(Array("#!/bin/sh\nexit 0\n".utf8), to: "take")
    let program = directory.path + "/take"
    #expect(chmod(program, 0o755) == 0)
    let files = [(place: "samples/7.parquet", version: "1")]
    try hand(files, of: "a", to: program, hub)
    var bytes = directory.bytes(of: "fleet/handed/a")
    bytes[3] ^= 1
    directory.write(bytes, to: "fleet/handed/a")
    let error = #expect(throws: CommandFailure.self) {
      try hand([], of: "a", to: program, hub)
    }
    #expect(error?.status == .damagedData)
    #expect(
      error?.sentence
        == "1 line of \(hub.path(.handed, of: "a")) is damaged and taken out: \(program) may keep a file that is gone here"
    )
    try hand([], of: "a", to: program, hub)
    // Beside another failure too.
    directory.write(Array("x\n".utf8) + directory.bytes(of: "fleet/handed/a"), to: "fleet/handed/a")
    directory.write(Array("#!/bin/sh\nexit 1\n".utf8), to: "take")
    let both = #expect(throws: CommandFailure.self) {
      try hand(files, of: "a", to: program, hub)
    }
    #expect(both?.status == .inputOutput)
    #expect(both?.sentence.contains("; 1 line of ") == true, "\(both?.sentence ?? "")")
    _ = consume lock
  }

  /// What a hub has written when it is killed while the program has a file.
  private static func begin(_ place: String, of host: String, in hub: HubDirectory) throws {
    var journal = hub.journal(of: host, .handed)
    try journal.read { _ in }
    try journal.append(["asked \(place)"])
  }
}
