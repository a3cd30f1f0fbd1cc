// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Remote
import Testing

@Suite("The outcome of a pull from a host")
struct PulledHostTests {
  /// The last of these failures is the worst.
  private static let rising: [IMUModel.ExitStatus] = [
    .tryAgain, .cannotCreate, .configuration, .unavailable, .noPermission, .inputOutput,
    .damagedData,
  ]

  private func kept(_ statuses: [IMUModel.ExitStatus]) -> CommandFailure? {
    var host = PulledHost(host: "pump-1")
    for (index, status) in statuses.enumerated() { host.note(CommandFailure(status, "\(index)")) }
    return host.failure
  }

  @Test("of two failures the worse one counts, in whichever order they come")
  func worse() {
    let rising = PulledHostTests.rising
    for (low, high) in zip(rising, rising.dropFirst()) {
      #expect(kept([low, high])?.status == high)
      #expect(kept([high, low])?.status == high)
      #expect(PulledHost.worst(of: [low, high, low]) == high)
    }
  }

  @Test("of two failures of one rank the first counts")
  func sameRank() {
    #expect(kept([.noInput, .cannotCreate])?.status == .noInput)
    #expect(kept([.tryAgain, .damagedData, .damagedData])?.sentence == "1")
    #expect(kept([])?.status == nil)
  }

  @Test("a rate needs bytes and time")
  func rate() {
    #expect(PulledHost.rate(2_500_000, 1_000_000_000) == "2.5")
    #expect(PulledHost.rate(1, 0) == "-" && PulledHost.rate(0, 1) == "-")
  }

  @Test("hosts at a time take half of the open files that are allowed, and their logs a fourth")
  func share() {
    // 12 for each connection; 256 logs at most.
    for (wanted, hosts, limit, jobs, files) in [
      (100, 100, 1024, 42, 6), (100, 100, 256, 10, 6), (4, 9, 1 << 20, 4, 64),
      (1, 9, 1 << 20, 1, 256), (9, 9, 3, 1, 2),
    ] {
      let share = HostQueue.share(jobs: wanted, hosts: hosts, limit: limit)
      #expect(share.jobs == jobs && share.openFiles == files, "\(limit): \(share)")
    }
  }
}
