// SPDX-License-Identifier: Apache-2.0

import LogStore
import LogStoreTesting
import Testing

@Suite("Recordings with faults")
struct FaultyRecordingTests {
  let directory = TemporaryDirectory()

  func catalogue(_ script: FaultScript) throws -> Catalogue {
    try Catalogue(path: directory.path, create: true, gate: script.gate)
  }

  /// The contents of the store when it is opened again, without faults.
  func reopened() throws -> Catalogue { try Catalogue(path: directory.path) }

  @Test("a recording is complete, with its number, and every sample is there")
  func wholeRecording() throws {
    let recording = ExampleRecording(in: try reopened())
    #expect(recording.failure == nil)
    let entry = try #require(recording.entry)
    #expect(entry.fileName == "000001-20261121T023807Z-\(entry.idPrefix).imulog")
    let summary = try reopened().summary(of: entry)
    #expect(summary.isComplete)
    #expect(summary.sampleCount == 15)
    #expect(summary.duration == 1_500_000_000)
    #expect(summary.description.number == 1)
    var reader = try reopened().reader(of: entry)
    let report = try reader.account()
    #expect(report.isIntact)
    #expect(report.pageCount == 1)
    #expect(directory.names() == [".lock", entry.fileName])
  }

  @Test(
    "the header is durable before the recording has its name, and the name before the first sample"
  )
  func createOrder() throws {
    let script = FaultScript()
    let store = try catalogue(script)
    let before = script.calls.count
    let live = try store.create(ExampleLog.description(), wall: ExampleRecording.wall)
    let calls = script.calls[before...].filter { ![.lock, .list, .read, .look].contains($0) }
    #expect(
      calls == [
        .open, .open, .handOver,  // .lock: not there, made, for no other program to lock
        .open,  // the trash: not there
        .open, .sync, .write, .sync,  // the lock's name, and the number in it
        .open, .write, .write, .sync, .find,  // the temporary file: zeros, header
        .rename, .sync, .find, .open, .sync,  // the name, the file again for FAT, and the directory
      ])
    _ = consume live
  }
}
