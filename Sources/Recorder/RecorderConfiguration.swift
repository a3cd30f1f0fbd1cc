// SPDX-License-Identifier: Apache-2.0

package import IMUDrivers
package import IMUModel
package import LinuxIO
import Text

/// The settings of a recorder, as the service's configuration file has them.
package struct RecorderConfiguration: Equatable, Sendable {
  /// The board's name; `nil` when it is to be detected.
  package var board: String?
  /// The sensor's bus; `nil` for the board's.
  package var bus: BusPath?
  package var sensor = SensorChoice()
  /// The sensors of a take, `sensor.NAME = TEXT` in the order of the lines; empty for one sensor without a name.
  package var sensors: [SensorLine] = []
  package var rate: SampleRate
  /// Whether the sensor's samples have noise: those of a file that is played may be still for any length of time.
  package var hasNoise = true
  package var clock = ClockChoice.automatic
  /// The line from the chip's interrupt output.
  package var interrupt = LineChoice.none
  /// Whether the chip stamps its samples with its own counter, where it keeps the time and has one.
  package var timeStamps = false
  /// The length of a recording in nanoseconds, above 0; `nil` for until stopped.
  package var length: Int64? = 60_000_000_000
  package var channels = ChannelSet.all
  /// Full scale in g.
  package var accelerometerRange = 4
  /// Full scale in °/s.
  package var gyroscopeRange = 500
  /// The rate of the magnetometer in the chip's package; `nil` for none.
  package var field: SampleRate?
  /// Nanoseconds between two syncs, 0 for only at the end; `nil` when the length and the rate decide.
  package var syncInterval: Int64?
  /// The limit on the processors' sleep during a recording.
  package var cpuLatency = LatencyChoice.automatic
  /// Kept with each recording, at most ``longestNote`` bytes.
  package var note = ""
  /// How the sensor is mounted; `nil` when its own axes are meant.
  package var axes: AxisMap?
  /// The file of the sensor's calibration, an absolute path; `nil` for none.
  package var calibration: String?
  /// The directory of recordings, an absolute path; `nil` for the program's usual one.
  package var store: String?
  /// Nanoseconds before a press or an event that belong to its recording; at most ``longestPreTrigger(at:)``.
  package var preTrigger: Int64 = 0
  package var samplesWhileIdle = true
  package var trigger = TriggerSetting()
  /// Nanoseconds between two cycles of the duty cycle, at least ``length`` and ``DutyCycle/shortestSleep``; `nil` for none.
  package var every: Int64?
  /// Days and times as `systemd.time(7)` has them, at which a timer begins a recording; `nil` for none.
  package var calendar: String?
  package var button = LineChoice.automatic
  /// Whether the pressed button connects its line to ground.
  package var isButtonActiveLow = true
  package var light = LineChoice.automatic
  /// Whether a low level lights the light.
  package var isLightActiveLow = false
  /// Bytes of free space that are left alone.
  package var reserve: UInt64 = 200_000_000
  /// Whether the oldest recordings are deleted when a new one would not fit.
  package var deletesOldest = false

  package static let `default` = RecorderConfiguration()

  private init() {
    guard let rate = SampleRate(10) else { preconditionFailure("10 Hz is a rate") }
    self.rate = rate
  }

  /// The duty cycle and the calendar in words, for the header of recordings; empty without them.
  var timetable: String {
    let cycle = every.map { "every \(SpanText.text($0))" }
    return [cycle, calendar].compactMap { $0 }.joined(separator: "; ")
  }

  /// Bytes of a note that a recording's header keeps.
  package static let longestNote = 1000

  /// Ticks in the history: the ring's 600 slots less what arrives while a recording begins, 0.2 s and at least 10 ticks.
  package static func historyCapacity(_ rate: SampleRate) -> UInt64 {
    600 - min(600, max(10, rate.tick(atNanoseconds: 199_999_999) + 1))
  }

  /// The longest pre-trigger that the history holds at `rate`, in nanoseconds: 59 s at 10 Hz.
  package static func longestPreTrigger(at rate: SampleRate) -> Int64 {
    rate.nanoseconds(atTick: historyCapacity(rate))
  }
}

/// A line of the configuration that names a sensor of a take.
package struct SensorLine: Equatable, Sendable {
  /// The key without `sensor.`.
  package let name: String
  /// Its value.
  package let text: String
  /// Its number in the file.
  package let line: Int
}

/// A GPIO line for the button, the light or the chip's interrupt.
package enum LineChoice: Equatable, Sendable {
  /// The board's.
  case automatic
  case none
  /// The line of this name, on whichever chip has it.
  case named(String)
  /// The line of this number on the chip with this label or name.
  case offset(chip: String, Int)

  /// Reads `auto`, `none`, a line's name or `CHIP:OFFSET`.
  package init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "none": self = .none
    default:
      guard let colon = text.lastIndex(of: ":") else {
        self = .named(text)
        return
      }
      let chip = String(text[..<colon])
      let number = String(text[text.index(after: colon)...])
      guard !chip.isEmpty, let offset = Digits.number(number, upTo: 65_535) else { return nil }
      self = .offset(chip: chip, offset)
    }
  }

  /// The line, where the board's own has the name `board`; `nil` for none.
  package func spec(_ board: String?) -> GPIOLineSpec? {
    switch self {
    case .automatic: board.map { .name($0) }
    case .none: nil
    case .named(let name): .name(name)
    case .offset(let chip, let offset): .offset(chip: chip, offset)
    }
  }
}

/// What dates the samples.
package enum ClockChoice: String, Sendable {
  /// The chip above 200 Hz where it has the rate in its FIFO, else the grid.
  case automatic = "auto"
  case chip
  case grid
}

/// The limit on the processors' sleep during a recording.
package enum LatencyChoice: Equatable, Sendable {
  case automatic
  case free
  /// Sleep from which they wake up within so many microseconds.
  case held(Int32)

  /// Reads `auto`, `off`, or a number of microseconds up to 10000.
  package init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "off": self = .free
    default:
      guard let number = Digits.number(text, upTo: 10_000) else { return nil }
      self = .held(Int32(number))
    }
  }

  /// The longest wake-up to ask for at `rate`, in microseconds; `nil` for none. Automatic is half a thousandth of a period
  /// from 50 Hz on: 10 at 50 Hz, 0 at 1 kHz. Slower recordings are often long and on a battery.
  package func microseconds(at rate: SampleRate) -> Int32? {
    switch self {
    case .automatic: return rate.hertz >= 50 ? Int32(500 / rate.hertz) : nil
    case .free: return nil
    case .held(let microseconds): return microseconds
    }
  }
}

extension RecorderConfiguration {
  /// The configuration file as it is installed: every key with its default and its meaning.
  package static var example: String {
    String(decoding: PackageResources.imulog_conf, as: UTF8.self)
  }
}
