// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Remote
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
}
