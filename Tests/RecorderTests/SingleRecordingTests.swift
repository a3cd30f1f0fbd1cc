// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import LogStoreTesting
import Testing

@testable import Recorder

@Suite("A single recording that cannot begin")
struct SingleRecordingTests {
  @Test("fails with the cause when its threads cannot start, and leaves no store")
  func noThreads() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let refusal = CommandFailure(.unavailable, "starting a thread: the kernel refused (EAGAIN)")
    var configuration = RecorderConfiguration.default
    configuration.samplesWhileIdle = false
    let loop = try RecorderLoop(
      RecorderSetup(
        configuration, sensor: CountingSource(), store: directory.path + "/store", isSingle: true),
      RecorderLoop.Surroundings { _, _ in }, signals: try SignalWatch([]), memoryRefusal: nil
    ) { _, _ in
      throw refusal
    }
    let failure = #expect(throws: CommandFailure.self) { try loop.run() }
    #expect(failure?.sentence == refusal.sentence)
    #expect(failure?.status == .unavailable)
    #expect(directory.names() == [])
  }
}
