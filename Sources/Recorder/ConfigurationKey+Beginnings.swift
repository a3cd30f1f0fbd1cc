// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What begins a recording without a person.
extension ConfigurationKey {
  static var beginnings: [ConfigurationKey] {
    [
      ConfigurationKey(
        "trigger", \.trigger.threshold, "none",
        accepts: "give none, or peak or rms with g, such as peak 0.5g or rms 0.02g",
        comment: """

          Motion that begins a recording: none; peak and g for a sample above so much; rms and g for the root of the mean
          square over trigger-window. Gravity and all that is slower than trigger-above does not count. The recording has
          the time of pre-trigger before the event, and ends after post-trigger without motion, or with length.
          """
      ) { text in text == "none" ? .some(nil) : TriggerSetting.Threshold(text).map { .some($0) } },
      ConfigurationKey(
        "trigger-above", \.trigger.cutOffHertz, "1Hz",
        accepts: "give hertz from 0.01 to 1000, such as 1Hz or 0.5Hz",
        comment: "The high-pass filter of the trigger."
      ) { text in
        Digits.decimal(text[...], unit: "Hz").flatMap { (0.01...1000).contains($0) ? $0 : nil }
      },
      span(
        "trigger-window", \.trigger.window, "1s", .triggerWindow, suchAs: "1s or 500ms",
        comment: "The time over which rms is taken."),
      span(
        "post-trigger", \.trigger.postTrigger, "5s", .postTrigger, suchAs: "1s or 500ms",
        comment: "The time without motion after which the event is over, and the recording ends."),
      span(
        "trigger-pause", \.trigger.pause, "0s", .triggerPause, suchAs: "10s",
        comment: "The time after that in which motion begins no other recording."),
      ConfigurationKey(
        "trigger-most", \.trigger.mostADay, "1000", accepts: "give a number from 1 to 10000",
        comment: "How many recordings motion begins in 24 hours at most."
      ) { Digits.number($0, upTo: 10_000).flatMap { $0 > 0 ? $0 : nil } },
      ConfigurationKey(
        "every", \.every, "never",
        accepts: "give never, or a time of \(SpanLimits.every.words), such as 10m",
        comment: """

          A duty cycle: a recording of length begins so often; with while-idle = sleep, for the sensor sleeps between, a
          second or more.
          """
      ) { $0 == "never" ? .some(nil) : SpanLimits.every.nanoseconds($0).map { .some($0) } },
      ConfigurationKey(
        "calendar", \.calendar, "none",
        accepts:
          "give none, or days and times as systemd.time(7) has them, such as Mon..Fri 08:00",
        comment: """
          Days and times at which a timer begins a recording of length, such as Mon..Fri 08:00; `imulog install` writes the
          timer.
          """
      ) { $0 == "none" ? .some(nil) : isCalendar($0) ? .some($0) : nil },
    ]
  }

  /// Whether a text has only what calendar events of systemd consist of, and a digit or a word among it; systemd itself
  /// checks the rest.
  private static func isCalendar(_ text: String) -> Bool {
    let isWritten = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
      default: " *,./:-~_+".utf8.contains(byte)
      }
    }
    return isWritten && text.utf8.count <= 100
      && text.utf8.contains { (0x30...0x7A).contains($0) && $0 != UInt8(ascii: ":") }
  }
}
