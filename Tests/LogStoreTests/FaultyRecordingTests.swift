// SPDX-License-Identifier: Apache-2.0

import LogStore
import LogStoreTesting
import Testing

@Suite("Recordings with faults")
struct FaultyRecordingTests {
  let directory = TemporaryDirectory()

  @Test(
    "the header is durable before the recording has its name, and the name before the first sample"
  )
  func createOrder() throws {
    let script = FaultScript()
    let store = try Catalogue(path: directory.path, create: true, gate: script.gate)
    let before = script.calls.count
    let live = try store.create(ExampleLog.description(), wall: ExampleRecording.wall)
    #expect(live.entry.fileName == "000001-20261121T023807Z-\(live.entry.idPrefix).imulog")
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
