// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import LinuxIO
import Testing

@Suite("A hold on how deep processors sleep")
final class LatencyHoldTests {
  private let fixture = TemporaryTree()
  private let path = "/dev/cpu_dma_latency"

  private var isOpen: Bool { !fixture.openFiles().isEmpty }

  @Test(
    "gives the kernel the number in its own byte order, and lasts as long as the value",
    arguments: [Int32(0), 1, 300, 10_000])
  func held(microseconds: Int32) {
    fixture.file(path)
    var hold = LatencyHold.engage(microseconds: microseconds, tree: fixture.tree).hold
    #expect(hold?.microseconds == microseconds)
    #expect(isOpen)
    let number = withUnsafeBytes(of: microseconds) { Array($0) }
    #expect(bytes(of: fixture.root + path) == number)
    hold = nil
    #expect(!isOpen)
  }

  @Test("without a device is refused with the remedy")
  func absent() {
    let (hold, refusal) = LatencyHold.engage(microseconds: 5, tree: fixture.tree)
    #expect(hold == nil)
    #expect(
      refusal?.description
        == "holding wake-ups to 5 µs (/dev/cpu_dma_latency) was refused (errno 2, No such file or"
        + " directory). A container must be given the device; a kernel without it needs nothing held."
    )
  }

  @Test("that a container's device rules forbid asks for the device, and not for another mode")
  func deviceRules() {
    let refusal = LatencyHold.refusal(EPERM, 5)
    #expect(refusal.remedy.hasPrefix("A container must be given the device"))
    #expect(!refusal.remedy.contains("chmod"))
  }

  @Test("that the kernel does not accept is refused, and closed")
  func notTaken() {
    fixture.link(path, to: "/dev/full")
    let (hold, refusal) = LatencyHold.engage(microseconds: 5, tree: fixture.tree)
    #expect(hold == nil)
    #expect(refusal?.errno == ENOSPC)
    #expect(refusal?.remedy.contains("imulog install") == true)
    #expect(!isOpen)
  }
}
