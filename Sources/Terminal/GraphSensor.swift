public import IMUModel

/// What a graph needs to know of a recording's sensor.
public struct GraphSensor: Equatable, Sendable {
  /// What was recorded.
  public var channels: ChannelSet
  /// g a count.
  public var accelerometerScale: Double
  /// °/s a count.
  public var gyroscopeScale: Double
  /// °C a count, and °C at count 0.
  public var temperature: (scale: Double, offset: Double)

  /// The sensor of a recording.
  public init(_ sensor: SensorDescription, channels: ChannelSet) {
    self.channels = channels
    accelerometerScale = sensor.accelerometerScale.value
    gyroscopeScale = sensor.gyroscopeScale.value
    temperature = (sensor.temperatureScale.value, sensor.temperatureOffset.value)
  }

  /// Whether two are the same.
  public static func == (left: GraphSensor, right: GraphSensor) -> Bool {
    left.channels == right.channels && left.accelerometerScale == right.accelerometerScale
      && left.gyroscopeScale == right.gyroscopeScale && left.temperature == right.temperature
  }

  /// The panels that a graph of it has, from above.
  var panels: [PanelKind] {
    PanelKind.allCases.filter { !channels.isDisjoint(with: $0.channels) }
  }

  func scale(_ kind: PanelKind) -> Double {
    kind == .acceleration ? accelerometerScale : gyroscopeScale
  }
}

/// The two halves of a graph.
enum PanelKind: CaseIterable, Sendable {
  case acceleration
  case rotation

  var channels: ChannelSet { self == .acceleration ? .accelerometer : .gyroscope }
  var firstChannel: Int { self == .acceleration ? 0 : 3 }
  var title: String { self == .acceleration ? "acceleration" : "rotation" }

  func unit(_ look: Look) -> String { self == .acceleration ? "g" : look.degreesPerSecond }
}

extension GraphSensor {
  /// A sample on a line: `12.345 s  0.006 0.148 0.924 g  19.5 83.2 14.3 deg/s`.
  public func words(_ sample: RawSample, at time: Int64) -> String {
    var words = Figures.time(time, decimals: 3)
    for kind in panels {
      let decimals = kind == .acceleration ? 3 : 1
      let values = (0..<3).filter { channels.rawValue >> UInt8(kind.firstChannel + $0) & 1 == 1 }
        .map { axis in
          let value = Double(sample[kind.firstChannel + axis]) * scale(kind)
          return (value < 0 ? "-" : "") + Figures.plain(abs(value), decimals)
        }
      words += "  " + values.joined(separator: " ") + " " + kind.unit(Look(isASCII: true))
    }
    return words
  }
}
