// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
@testable import Recorder
import Testing
import Text

/// The boards of these tests.
let fewBoards = ["raspberry-pi-5", "simulator"]

/// The configuration of a text, or the error's sentence.
enum ReadConfiguration: Equatable {
  case configuration(RecorderConfiguration)
  case refusal(String)

  init(_ text: String, file: String = "i.conf") {
    self.init(Array(text.utf8), file: file)
  }

  init(_ bytes: [UInt8], file: String = "i.conf") {
    do throws(ConfigurationError) {
      self = .configuration(try RecorderConfiguration(text: bytes, file: file, boards: fewBoards))
    } catch {
      self = .refusal("\(error)")
    }
  }

  /// The default with a change.
  static func changed(_ change: (inout RecorderConfiguration) -> Void) -> ReadConfiguration {
    var configuration = RecorderConfiguration.default
    change(&configuration)
    return .configuration(configuration)
  }
}

@Suite("The configuration")
struct ConfigurationTests {
  @Test("the example is valid and has every key with its default")
  func example() {
    #expect(ReadConfiguration(RecorderConfiguration.example) == .configuration(.default))
    #expect(ReadConfiguration("") == .configuration(.default))
    let keys = RecorderConfiguration.example.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { String($0.prefix { $0 != " " }) }
    #expect(keys == ConfigurationKey.all(boards: []).map(\.name))
    var others = RecorderConfiguration.example
    for (line, _) in Self.values {
      let key = line.prefix { $0 != "=" }
      #expect(RecorderConfiguration.example.contains("\n" + key + "="), "\(key)")
      others += line.isEmpty ? "" : "\(line)\n"
    }
    // Each key of the list above is in the example already.
    guard case .refusal(let sentence) = ReadConfiguration(others) else {
      Issue.record("keys were given twice, and none was refused")
      return
    }
    #expect(sentence.contains("already"))
  }

  /// A line for each form of a value, and its effect. The example has those that are the default.
  private static let values: [(String, ReadConfiguration)] = [
    ("board = simulator", .changed { $0.board = "simulator" }),
    ("bus = 0", .changed { $0.bus = BusPath(root: 0) }),
    ("bus = 22", .changed { $0.bus = BusPath(root: 22) }),
    ("bus = 1/mux@70/3", .changed { $0.bus = BusPath("i2c-1/mux@0x70/3") }),
    (
      "sensor = lsm6dso@0x6b",
      .changed { $0.sensor = SensorChoice(model: .lsm6dso, address: I2CAddress(0x6B)) }
    ),
    ("sensor = auto@0x69", .changed { $0.sensor = SensorChoice(address: I2CAddress(0x69)) }),
    ("sensor = lsm6dso", .changed { $0.sensor = SensorChoice(model: .lsm6dso) }),
    ("rate = 12.5", .changed { $0.rate = SampleRate(25, per: 2) ?? $0.rate }),
    ("rate = 1000", .changed { $0.rate = SampleRate(1000) ?? $0.rate }),
    ("rate = 0.0001", .changed { $0.rate = SampleRate(1, per: 10_000) ?? $0.rate }),
    ("length = 1.5m", .changed { $0.length = 90_000_000_000 }),
    ("length = until-stopped", .changed { $0.length = nil }),
    ("channels = accel", .changed { $0.channels = .accelerometer }),
    ("channels = gyro", .changed { $0.channels = .gyroscope }),
    ("accel-range = 16g", .changed { $0.accelerometerRange = 16 }),
    ("accel-range = 8", .changed { $0.accelerometerRange = 8 }),
    ("gyro-range = 2000dps", .changed { $0.gyroscopeRange = 2000 }),
    ("gyro-range = 125", .changed { $0.gyroscopeRange = 125 }),
    ("field = 20", .changed { $0.field = SampleRate(20) }),
    ("field = 0.625", .changed { $0.field = SampleRate(5, per: 8) }),
    ("sync-every = 250ms", .changed { $0.syncInterval = 250_000_000 }),
    ("sync-every = 0", .changed { $0.syncInterval = 0 }),
    ("cpu-latency = off", .changed { $0.cpuLatency = .free }),
    ("cpu-latency = 0", .changed { $0.cpuLatency = .held(0) }),
    ("cpu-latency = 10000", .changed { $0.cpuLatency = .held(10_000) }),
    ("note = left wrist, Anna's", .changed { $0.note = "left wrist, Anna's" }),
    ("store = /mnt/stick/takes", .changed { $0.store = "/mnt/stick/takes" }),
    ("pre-trigger = 59s", .changed { $0.preTrigger = 59_000_000_000 }),
    (
      "rate = 1000\npre-trigger = 400ms",
      .changed { ($0.rate, $0.preTrigger) = (SampleRate(1000) ?? $0.rate, 400_000_000) }
    ),
    ("while-idle = sleep", .changed { $0.samplesWhileIdle = false }),
    ("trigger = peak 0.5g", .changed { $0.trigger.threshold = .init(.peak, 0.5) }),
    ("trigger = peak 3.9999", .changed { $0.trigger.threshold = .init(.peak, 3.9999) }),
    ("trigger = rms   0.02g", .changed { $0.trigger.threshold = .init(.rms, 0.02) }),
    ("trigger-above = 0.5Hz", .changed { $0.trigger.cutOffHertz = 0.5 }),
    ("trigger-above = 1000", .changed { $0.trigger.cutOffHertz = 1000 }),
    ("trigger-window = 500ms", .changed { $0.trigger.window = 500_000_000 }),
    ("post-trigger = 2m", .changed { $0.trigger.postTrigger = 120_000_000_000 }),
    ("trigger-pause = 10s", .changed { $0.trigger.pause = 10_000_000_000 }),
    ("trigger-most = 1", .changed { $0.trigger.mostADay = 1 }),
    ("trigger-most = 10000", .changed { $0.trigger.mostADay = 10_000 }),
    (
      "every = 61s\nwhile-idle = sleep",
      .changed { ($0.every, $0.samplesWhileIdle) = (61_000_000_000, false) }
    ),
    ("calendar = Mon..Fri 08:00", .changed { $0.calendar = "Mon..Fri 08:00" }),
    (
      "calendar = *-*-1/2 6,18:00:00 Europe/Berlin",
      .changed { $0.calendar = "*-*-1/2 6,18:00:00 Europe/Berlin" }
    ),
    ("calendar = daily", .changed { $0.calendar = "daily" }),
    ("button = none", .changed { $0.button = .none }),
    ("button = GPIO17", .changed { $0.button = .named("GPIO17") }),
    ("button = pin-03 [GPIO1_A0]", .changed { $0.button = .named("pin-03 [GPIO1_A0]") }),
    ("button = pinctrl-rp1:17", .changed { $0.button = .offset(chip: "pinctrl-rp1", 17) }),
    ("button = a:b:3", .changed { $0.button = .offset(chip: "a:b", 3) }),
    ("button-active = high", .changed { $0.isButtonActiveLow = false }),
    ("light = GPIO27", .changed { $0.light = .named("GPIO27") }),
    ("light = none", .changed { $0.light = .none }),
    ("light-active = low", .changed { $0.isLightActiveLow = true }),
    ("reserve = 0", .changed { $0.reserve = 0 }),
    ("reserve = 12345", .changed { $0.reserve = 12_345 }),
    ("reserve = 1.5GiB", .changed { $0.reserve = 3 << 29 }),
    ("reserve = 2 GB", .changed { $0.reserve = 2_000_000_000 }),
    ("delete-oldest = yes", .changed { $0.deletesOldest = true }),
  ]

  @Test("every key is read in each of its forms")
  func everyValue() {
    for (line, expected) in Self.values {
      #expect(ReadConfiguration(line) == expected, "\(line)")
    }
  }

  @Test("white space, comments, other line ends and a byte order mark change nothing")
  func layout() {
    let expected = ReadConfiguration.changed {
      $0.bus = BusPath(root: 3)
      $0.note = "a#b c"
    }
    for text in [
      "bus=3\nnote=a#b c", "  bus\t=  3  \n\n \t\nnote = a#b c   # words\n",
      "# x = y\n\tbus = 3 #\nnote = a#b c\t#d", "bus = 3\r\nnote = a#b c\r\n",
      "\u{FEFF}bus = 3\nnote = a#b c\n#",
    ] {
      #expect(ReadConfiguration(text) == expected, "\(text)")
    }
  }

  @Test("a value may have an equals sign, and words of any language")
  func words() {
    let text = "note = größer = 日本 👩‍🔬"
    #expect(ReadConfiguration(text) == .changed { $0.note = "größer = 日本 👩‍🔬" })
    #expect(ReadConfiguration("note = # none") == .changed { _ in })
  }

  @Test("the history holds 600 ticks without room for 0.2 s and at least 10 of them")
  func history() throws {
    for (decimal, capacity, longest) in [
      ("10", 590, "59s"), ("50", 590, "11.8s"), ("100", 580, "5.8s"), ("1000", 400, "400ms"),
      ("0.1", 590, "5900s"), ("62.5", 587, "9.392s"), ("416", 516, "1.240384615s"),
    ] as [(String, UInt64, String)] {
      let rate = try #require(SampleRate(decimal: decimal))
      #expect(RecorderConfiguration.historyCapacity(rate) == capacity, "at \(decimal) Hz")
      let span = RecorderConfiguration.longestPreTrigger(at: rate)
      #expect(SpanText.text(span) == longest, "at \(decimal) Hz")
    }
  }
}
