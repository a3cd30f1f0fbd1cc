// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LinuxIOTestSupport
import LogStoreTesting
import Recorder
import Testing

@Suite("The button of a service")
struct ButtonPanelTests {
  @Test("whose chip goes away while it is pressed ends nothing: its press is forgotten")
  func gone() async throws {
    while simulated_lines_take() == 0 { await Task.yield() }
    defer { simulated_lines_give() }
    let directory = TemporaryDirectory(inMemory: true)
    directory.makeDirectory("dev")
    directory.write(Array("gpiochip0=\nGPIO17".utf8), to: "dev/gpiochip0")
    let setup = RecorderSetup(
      .default, sensor: CountingSource(), store: directory.path, button: .name("GPIO17"))
    let journal = SentenceList()
    let panel = try ButtonPanel.open(setup, tree: SystemTree(root: directory.path)) {
      journal.add($1)
    }
    #expect(panel.descriptors.count == 1)
    let down = MonotonicTime(nanoseconds: 1_000_000_000)
    simulated_lines_edge(1, 1_000_000_000, 1)
    #expect(panel.inputs(now: down) == [.buttonDown(at: down)])
    simulated_lines().pointee.failure = ENODEV
    #expect(panel.inputs(now: down + 7_000_000_000) == [.forgotten(at: down)])
    #expect(panel.inputs(now: down + 8_000_000_000) == [])
    #expect(panel.descriptors.isEmpty && journal.all.count == 1, "\(journal.all)")
  }
}
