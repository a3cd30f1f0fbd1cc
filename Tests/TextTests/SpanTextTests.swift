// SPDX-License-Identifier: Apache-2.0

import Testing
import Text

@Suite struct SpanTextTests {
  @Test("a length of time is a decimal number and a unit, seconds when there is none")
  func units() {
    for (text, nanoseconds) in [
      ("60s", 60_000_000_000), ("60", 60_000_000_000), ("1.5m", 90_000_000_000),
      ("2min", 120_000_000_000), ("500ms", 500_000_000), ("7us", 7000), ("9ns", 9),
      ("2h", 7_200_000_000_000), ("7d", 604_800_000_000_000), ("0", 0), ("0.000000001", 1),
      ("0.5us", 500),
      ("007s", 7_000_000_000),
      ("9223372036854775807ns", .max), ("9223372036.854775807s", .max),
    ] as [(String, Int64)] {
      #expect(SpanText.nanoseconds(text) == nanoseconds, "\(text)")
    }
  }

  @Test(
    "parts go from the largest unit to the smallest, each less than a unit of the one before")
  func parts() {
    for (text, nanoseconds) in [
      ("1h30m", 5_400_000_000_000), ("1h30min", 5_400_000_000_000), ("2m30s", 150_000_000_000),
      ("1h0.5s", 3_600_500_000_000), ("0h5m", 300_000_000_000), ("1s1ms1us1ns", 1_001_001_001),
      ("1h59m59s", 7_199_000_000_000), ("90s", 90_000_000_000), ("1.5h", 5_400_000_000_000),
      ("90m", 5_400_000_000_000), ("1d12h", 129_600_000_000_000), ("30h", 108_000_000_000_000),
    ] as [(String, Int64)] {
      #expect(SpanText.nanoseconds(text) == nanoseconds, "\(text)")
    }
    for text in [
      "5m5m", "30m1h", "1h30", "30 1h", "1h 30m", "1.5h30m", "1h60m", "1h90m", "1m60s", "5m5min",
      "1hm", "1d24h", "1h1d",
      "1h30m30m", "h30m", "1h-30m", "1h30.m", "9223372036s1000ms", "2562047h47m17s",
    ] {
      #expect(SpanText.nanoseconds(text) == nil, "\(text)")
    }
  }

  @Test("text that is not a length of time, not whole nanoseconds or too long is refused")
  func refused() {
    for text in [
      "", "s", "-1s", "+1s", "1 s", " 1s", "1s ", "1S", "1sec", "1w", "1D", ".5s", "1.s", "1.2.3s",
      "1e3s",
      "0.5ns", "0.0000000001s", "1,5s", "٣s", "9223372036854775808ns", "9223372036.854775808s",
      "3000000h", "99999999999999999999s",
    ] {
      #expect(SpanText.nanoseconds(text) == nil, "\(text)")
    }
  }

  @Test("every length of an option or a key has limits, which are in its words and within a clock")
  func limits() {
    for (limits, least, most) in [
      (.length, "1us", "36525d"), (.syncEvery, "10ms", "24h"), (.preTrigger, "0s", "366d"),
      (.triggerWindow, "1us", "366d"), (.postTrigger, "1us", "366d"),
      (.triggerPause, "0s", "366d"), (.every, "1s", "366d"), (.timeout, "1ms", "24h"),
      (.age, "0s", "36525d"),
    ] as [(SpanLimits, String, String)] {
      #expect(limits.words.hasPrefix("\(least) to \(most)"))
      #expect(limits.nanoseconds(least) != nil)
      let longest = limits.nanoseconds(most)
      // 2150 as a clock's time.
      #expect(longest.map { $0 < .max - 5_680_000_000_000_000_000 } == true, "\(most)")
      for text in ["\(most)1ns", "9223372036s", "9223372036.854775807s", "-1s", "soon"] {
        #expect(limits.nanoseconds(text) == nil, "\(text)")
      }
    }
    #expect(
      SpanLimits.length.nanoseconds("0") == nil && SpanLimits.every.nanoseconds("999ms") == nil)
    #expect(SpanLimits.syncEvery.nanoseconds("9ms") == nil)
    #expect(SpanLimits.syncEvery.nanoseconds("0") == 0)
    #expect(SpanLimits.syncEvery.words == "10ms to 24h, or 0")
  }

  @Test("a time before or after an instant is read back as it is written, to the ends of 64 bits")
  func times() {
    for (nanoseconds, text) in [
      (0, "0s"), (-1, "-1ns"), (-1_500_000_000, "-1.5s"), (2500, "2.5us"),
      (.max, "9223372036.854775807s"), (-.max, "-9223372036.854775807s"),
      (.min, "-9223372036.854775808s"),
    ] as [(Int64, String)] {
      #expect(SpanText.text(time: nanoseconds) == text)
      #expect(SpanText.time(text) == nanoseconds)
    }
    for text in ["-", "--1s", "-+1s", "- 1s", "9223372036.854775808s", "-9223372036.854775809s"] {
      #expect(SpanText.time(text) == nil, "\(text)")
    }
  }

  @Test("a length is written in its largest unit and read back")
  func text() {
    for (nanoseconds, text) in [
      (0, "0s"), (1, "1ns"), (999, "999ns"), (1000, "1us"), (1500, "1.5us"), (400_000_000, "400ms"),
      (999_999_999, "999.999999ms"), (1_000_000_000, "1s"), (1_000_000_001, "1.000000001s"),
      (59_000_000_000, "59s"), (90_000_000_000, "90s"), (.max, "9223372036.854775807s"),
    ] as [(Int64, String)] {
      #expect(SpanText.text(nanoseconds) == text)
      #expect(SpanText.nanoseconds(text) == nanoseconds)
    }
  }
}
