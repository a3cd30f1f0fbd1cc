// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Recorder
import TestSupport
import Testing

@Suite("Refusals of the configuration")
struct ConfigurationRefusalTests {
  @Test("each wrong value is refused with its place and the accepted values")
  func everyRefusal() {
    let boards = "give auto or one of raspberry-pi-5, simulator"
    let bus =
      "give auto, or the number N of a /dev/i2c-N, or N/mux@70/3 for the channel 3 of the multiplexer at 0x70 on it"
    let rate =
      "give hertz as a decimal number from 0.0001 to 10000, such as 10 or 12.5, in at most 9 digits"
    let length = "give a time of 1us to 36525d, such as 60s or 1.5m, or until-stopped"
    let accel = "give one of 2g, 4g, 8g, 16g, 32g"
    let gyro = "give one of 125dps, 250dps, 500dps, 1000dps, 2000dps, 4000dps"
    let sync = "give auto, 10ms to 24h, or 0 for only at a recording's end"
    let wait = "give a time of 1us to 366d, such as 1s or 500ms"
    let line = "give auto, none, a line's name such as GPIO17, or CHIPLABEL:OFFSET"
    let bytes = "give bytes with or without a unit, such as 200MB, 1.5GiB or 0"
    for (key, values, accepted) in [
      ("board", ["pi", "Simulator", "auto auto"], boards),
      ("bus", ["-1", "+1", "one", "1048576", "99999999999999999999", "1 2", "1/3"], bus),
      ("sensor", ["mpu", "none", "mpu@0x68", "@0x68", "mpu6050@0x6b"], SensorChoice.accepts),
      (
        "rate",
        ["fast", "0", "0.0", "-1", "10Hz", "10000.0001", "1e3", "10,5", "1.0000000001", "0.00001"],
        rate
      ),
      ("clock", ["on", "Chip", "chip grid", "FIFO"], "give auto, chip or grid"),
      ("interrupt", [":22", "chip:", "chip:x", "chip:-1", "chip:65536"], line),
      ("length", ["0", "0s", "-1s", "long", "60 s", "1.s", "forever", "36526d"], length),
      ("channels", ["all", "Both", "accel gyro"], "give both, accel or gyro"),
      ("accel-range", ["3g", "4dps", "0", "-4g", "g", "4 g"], accel),
      ("gyro-range", ["500g", "300dps", "dps"], gyro),
      (
        "field", ["on", "30", "20Hz", "0"],
        "give off, or one of 0.625, 1.25, 2.5, 5, 10, 20, 40, 50, 80, 100 hertz"
      ),
      ("sync-every", ["never", "-1s", "9ms", "9223372036s"], sync),
      (
        "cpu-latency", ["on", "Auto", "-1", "10001", "1.5", "5us", "99999999999999999999"],
        "give auto, off, or the microseconds up to 10000 that a processor may take to wake up"
      ),
      ("store", ["recordings", "~/x", "./x"], "give auto, or a directory as an absolute path"),
      ("pre-trigger", ["auto", "-5s", "5x", "367d"], "give a time of 0s to 366d, such as 5s"),
      ("while-idle", ["yes", "Sleep"], "give sample or sleep"),
      (
        "trigger",
        [
          "yes", "peak", "0.5g", "peak 0g", "peak -1g", "peak .5g", "rms 1e3g", "Peak 1g",
          "peak 1 g", "peak 0.00001g", "peak inf", "none peak 1g",
        ],
        "give none, or peak or rms with g, such as peak 0.5g or rms 0.02g"
      ),
      (
        "trigger-above", ["0", "0Hz", "0.009Hz", "1001", "fast", "1kHz", "-1Hz"],
        "give hertz from 0.01 to 1000, such as 1Hz or 0.5Hz"
      ),
      ("trigger-window", ["0s", "0", "-1s", "1x", "367d"], wait),
      ("post-trigger", ["0s", "soon", "9223372036s"], wait),
      ("trigger-pause", ["no", "-1s", "9223372036s"], "give a time of 0s to 366d, such as 10s"),
      ("trigger-most", ["0", "-1", "10001", "many", "1.5"], "give a number from 1 to 10000"),
      (
        "every", ["0", "0s", "day", "-10m", "999ms", "367d"],
        "give never, or a time of 1s to 366d, such as 10m"
      ),
      (
        "calendar", ["Mon $(x)", "08:00;", "* ..", "%h", "\"daily\"", "a\\nb"],
        "give none, or days and times as systemd.time(7) has them, such as Mon..Fri 08:00"
      ),
      ("button", [":17", "chip:", "chip:x", "chip:-1", "chip:65536", "chip: 1"], line),
      ("button-active", ["0", "Low"], "give low or high"),
      ("light", ["chip:x"], line),
      ("light-active", ["on"], "give high or low"),
      (
        "reserve", ["-1", "10%", "200mb", "1.5", "1.2345678GB", "9223372036854775808", "MB"], bytes
      ),
      ("delete-oldest", ["true", "YES", "1"], "give no or yes"),
    ] as [(String, [String], String)] {
      for value in values {
        let text = "# one\n\n\(key) = \(value)   # three\n"
        #expect(ReadConfiguration(text) == .refusal("i.conf:3: \(key) = \(value): \(accepted)"))
      }
      #expect(
        ReadConfiguration("\(key) =")
          == .refusal("i.conf:1: \(key): the value is missing; \(accepted)"))
    }
  }

  @Test("a wrong option is refused as an option, and replaces the file's value")
  func options() throws {
    do throws(ConfigurationError) {
      let read = try RecorderConfiguration(
        text: Array("pre-trigger = 5x".utf8), file: "i.conf", boards: fewBoards,
        options: ["pre-trigger": "5s"])
      #expect(read.preTrigger == 5_000_000_000)
    } catch {
      Issue.record("\(error)")
    }
    #expect {
      try RecorderConfiguration(
        text: [], file: "i.conf", boards: fewBoards, options: ["pre-trigger": "5x"])
    } throws: {
      "\($0)" == "--pre-trigger 5x: give a time of 0s to 366d, such as 5s"
    }
  }

  @Test("a note that does not fit into a recording is refused")
  func longNote() {
    let fits = String(repeating: "ä", count: 500)
    #expect(ReadConfiguration("note = \(fits)") == .changed { $0.note = fits })
    let refusal = ReadConfiguration("note = \(fits)x")
    #expect(
      refusal
        == .refusal("i.conf:1: note = \(fits)x: 1000 bytes fit into a recording; shorten it"))
  }

  @Test("an unknown key is refused with the key that was probably meant, or with all")
  func unknownKey() {
    for (wrong, meant) in [
      ("ratee", "rate"), ("Rate", "rate"), ("pre_trigger", "pre-trigger"),
      ("pretrigger", "pre-trigger"), ("accel-rang", "accel-range"), ("buton", "button"),
      ("lenght", "length"), ("delete oldest", "delete-oldest"), ("while-ilde", "while-idle"),
    ] {
      #expect(
        ReadConfiguration("bus = 1\n\(wrong) = 1")
          == .refusal("i.conf:2: \(wrong) = 1: there is no such key; did you mean \(meant)?"))
    }
    let all =
      "there is no such key; the keys are board, bus, sensor, rate, clock, interrupt, time-stamps, length, channels, "
      + "accel-range, gyro-range, field, sync-every, cpu-latency, note, axes, calibration, store, pre-trigger, while-idle, trigger, "
      + "trigger-above, trigger-window, post-trigger, trigger-pause, trigger-most, every, calendar, button, "
      + "button-active, light, light-active, reserve, delete-oldest"
    for wrong in ["colour", "x", "qz", "", "a-key-that-is-longer-than-all-the-keys-there-are"] {
      #expect(ReadConfiguration("\(wrong) = 1") == .refusal("i.conf:1: \(wrong) = 1: \(all)"))
    }
  }

  @Test("bytes that are not UTF-8 are refused with their line")
  func notUTF8() {
    let bytes = Array("bus = 1\nnote = ".utf8) + [0xE9, 0x0A]
    #expect(
      ReadConfiguration(bytes)
        == .refusal("i.conf:2: this is not UTF-8; save the file as UTF-8 text"))
    // UTF-16, as another system's editor saves it.
    #expect(
      ReadConfiguration([0xFF, 0xFE, 0x62, 0x00])
        == .refusal("i.conf:1: this is not UTF-8; save the file as UTF-8 text"))
  }

  @Test("control characters are refused, and no sentence contains one")
  func controlCharacters() {
    for (scalar, code) in [
      ("\u{0}", "0000"), ("\u{1B}", "001B"), ("\u{7F}", "007F"), ("\u{9B}", "009B"),
      ("\u{2028}", "2028"), ("\r", "000D"),
    ] {
      #expect(
        ReadConfiguration("bus = 1\nnote = a\(scalar)b")
          == .refusal("i.conf:2: the control character U+\(code) is not allowed; take it out"))
    }
    #expect(
      ReadConfiguration("rate = 1\tx", file: "a\u{1B}[2J.conf")
        == .refusal(
          "a?[2J.conf:1: rate = 1?x: give hertz as a decimal number from 0.0001 to 10000, "
            + "such as 10 or 12.5, in at most 9 digits"))
  }

  @Test("what cannot be together, or be read, is refused at the line to change, with the remedy")
  func together() {
    let soon = "each recording must be over a second or more before the next, and length is "
    let shorter = "; give a shorter length, or more here"
    let filter = "the filter's trigger-above must be below half of the rate, "
    let rate = "; give less there, or a higher rate"
    for (text, refusal) in [
      ("bus = 1\nrate 10 # x", "2: rate 10: this is neither KEY = VALUE nor a # comment"),
      // The same value or not.
      (
        "rate = 10\n#\nrate = 10",
        "3: rate = 10: rate is given on line 1 already; keep one of the two lines"
      ),
      (
        "board = simulator\nbus = 1", "2: bus = 1: the simulator has no bus to choose; give auto"
      ),
      (
        "light = GPIO5\nbutton = GPIO5",
        "1: light = GPIO5: this is the button's line; give the light another"
      ),
      (
        "pre-trigger = 5s\nwhile-idle = sleep",
        "1: pre-trigger = 5s: nothing is sampled before a press with while-idle = sleep; "
          + "give 0s here, or while-idle = sample"
      ),
      (
        "pre-trigger = 401ms\nrate = 1000",
        "1: pre-trigger = 401ms: the history holds at most 400ms at 1000 Hz; give less"
      ),
      (
        "pre-trigger = 59000000001ns",
        "1: pre-trigger = 59000000001ns: the history holds at most 59s at 10 Hz; give less"
      ),
      (
        "trigger = peak 1g\nwhile-idle = sleep",
        "1: trigger = peak 1g: no motion is seen between recordings with while-idle = sleep; "
          + "give none here, or while-idle = sample"
      ),
      (
        "channels = gyro\ntrigger = peak 1g",
        "2: trigger = peak 1g: the accelerometer is not recorded with channels = gyro; "
          + "give none here, or channels = both"
      ),
      (
        "trigger = peak 4g",
        "1: trigger = peak 4g: the accelerometer measures up to 4 g; give less, or a greater accel-range"
      ),
      (
        "trigger = rms 1g\ntrigger-above = 5Hz", "2: trigger-above = 5Hz: \(filter)10 Hz\(rate)"
      ),
      ("trigger = rms 1g\nrate = 1.5", "1: trigger = rms 1g: \(filter)1.5 Hz\(rate)"),
      (
        "trigger = rms 1g\ntrigger-window = 60.1s",
        "2: trigger-window = 60.1s: trigger-window can be 60s at most at 10 Hz; give less there"
      ),
      (
        "trigger = rms 1g\nrate = 1000",
        "1: trigger = rms 1g: trigger-window can be 600ms at most at 1000 Hz; give less there"
      ),
      (
        "every = 10m",
        "1: every = 10m: the sensor must sleep between the recordings; "
          + "set while-idle = sleep, or give never here"
      ),
      ("every = 60s\nwhile-idle = sleep", "1: every = 60s: \(soon)60s\(shorter)"),
      ("every = 60999ms\nwhile-idle = sleep", "1: every = 60999ms: \(soon)60s\(shorter)"),
      (
        "every = 900ms\nwhile-idle = sleep\nlength = 1ms",
        "1: every = 900ms: give never, or a time of 1s to 366d, such as 10m"
      ),
      (
        "every = 1h\nwhile-idle = sleep\nlength = until-stopped",
        "1: every = 1h: \(soon)until-stopped\(shorter)"
      ),
      (
        "calendar = daily\nlength = until-stopped",
        "1: calendar = daily: its recordings would not end with length = until-stopped; "
          + "give a length, or none here"
      ),
    ] as [(String, String)] {
      #expect(ReadConfiguration(text) == .refusal("i.conf:" + refusal))
    }
    #expect(
      ReadConfiguration("pre-trigger = 0s\nwhile-idle = sleep")
        == .changed { $0.samplesWhileIdle = false })
    #expect(
      ReadConfiguration("light = none\nbutton = none")
        == .changed { ($0.light, $0.button) = (.none, .none) })
    // A window that is not used is not checked, and a filter neither.
    #expect(
      ReadConfiguration("trigger = peak 1g\nrate = 1000\naccel-range = 2g")
        == .changed {
          $0.trigger.threshold = .init(.peak, 1)
          $0.rate = SampleRate(1000) ?? $0.rate
          $0.accelerometerRange = 2
        })
    #expect(ReadConfiguration("trigger-above = 100Hz") == .changed { $0.trigger.cutOffHertz = 100 })
  }

  @Test("any bytes are read or refused in one line of text, and never trap")
  func anyBytes() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the bytes: \(seed)")
    var generator = SeededGenerator(seed: seed)
    let example = Array(RecorderConfiguration.example.utf8)
    for _ in 0..<300 {
      var bytes = example
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        }
      }
      guard case .refusal(let sentence) = ReadConfiguration(bytes) else { continue }
      #expect(sentence.hasPrefix("i.conf:"), "seed \(seed)")
      #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "seed \(seed)")
    }
  }
}
