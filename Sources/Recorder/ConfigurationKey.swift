/// The keys of the configuration file, in the order of the example.
enum ConfigurationKey: String, CaseIterable {
  case board, bus, sensor, rate, length, channels
  case accelerometerRange = "accel-range"
  case gyroscopeRange = "gyro-range"
  case syncInterval = "sync-every"
  case cpuLatency = "cpu-latency"
  case note, store
  case preTrigger = "pre-trigger"
  case whileIdle = "while-idle"
  case button
  case buttonActive = "button-active"
  case light
  case lightActive = "light-active"
  case reserve
  case deleteOldest = "delete-oldest"

  /// The key that was probably meant: at most two letters away, `_` counting as `-` and capitals as small.
  static func nearest(to name: String) -> ConfigurationKey? {
    let letters = name.lowercased().map { $0 == "_" || $0 == " " ? "-" : $0 }
    // No key is as long; what is longer by more than two letters is not near.
    guard letters.count <= 16 else { return nil }
    let distances = allCases.map { ($0, distance(letters, Array($0.rawValue))) }
    // A short key is not meant by any other word of its length.
    let near = distances.filter { $0.1 <= 2 && $0.1 * 2 < $0.0.rawValue.count }
    return near.min { $0.1 < $1.1 }?.0
  }

  /// How many letters must be put in, taken out or changed to make one word of the other (Levenshtein).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in 0..<right.count {
        let substituted = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
