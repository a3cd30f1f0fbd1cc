// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("The limit on processors' sleep during a recording")
struct LatencyChoiceTests {
  @Test("is set automatically from 50 Hz on, to half a thousandth of a period")
  func automatic() throws {
    for (rate, microseconds) in [
      ("0.0001", nil), ("10", nil), ("49.99", nil), ("50", 10), ("100", 5), ("104", 4), ("250", 2),
      ("500", 1), ("501", 0), ("1000", 0),
    ] as [(String, Int32?)] {
      let rate = try #require(SampleRate(decimal: rate))
      #expect(LatencyChoice.automatic.microseconds(at: rate) == microseconds, "\(rate.hertz) Hz")
      #expect(LatencyChoice.free.microseconds(at: rate) == nil)
      #expect(LatencyChoice.held(7).microseconds(at: rate) == 7)
    }
  }
}
