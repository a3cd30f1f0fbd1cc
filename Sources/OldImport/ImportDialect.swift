// SPDX-License-Identifier: Apache-2.0

/// How a program names the columns of its tables.
///
/// Names are compared in small letters and without quotes, blanks around them, and a unit in brackets, which counts for
/// more than the dialect's:
///
///     "Acceleration x (m/s^2)"     name  acceleration x     unit  m/s^2
///     gyroADC[0]                   name  gyroadc[0]
struct ImportDialect {
  /// The program, for sentences.
  let name: String
  /// Names of a time, and what it counts if the header names no unit.
  let times: [String: ImportTimeForm]
  /// Names of channels, by the channel's position in `ChannelSet`.
  let axes: [String: Int]
  /// Units of values where the header names none; `nil` if the program has several.
  var accelerometer: ImportUnit?
  var gyroscope: ImportUnit?
  var temperature: ImportUnit? = .degreeCelsius
  /// Counts of 1 g if the file does not say, as most of its users have them.
  var usualCountsPerG: Int64?
  /// Whether it is this program's: a field that is empty or not a number is then an error, and so is an unknown column.
  var isOwn = false
  /// Whether axes are named alike for every sensor: the unit or the file's name says which it is.
  var isNamedByFile = false
  /// Whether the program names the unit of each axis, and of times that are numbers: a header without is another program's.
  var namesUnits = false
  /// Whether all of its axes must be there, where some of them mean something else beside others.
  var needsAll = false
  /// Columns of which one must be there, where the axes' names are also others'.
  var marks: [String] = []
  /// What to tell the user about its values.
  var remark: String?

  /// - Parameters:
  ///   - accelerometer: Patterns of the axes' names: `*` stands for x, y and z, `#` for 0, 1 and 2.
  ///   - gyroscope: The same of the gyroscope's.
  init(
    _ name: String, times: [String: ImportTimeForm], accelerometer: [String],
    gyroscope: [String] = [], temperature: [String] = []
  ) {
    self.name = name
    self.times = times
    var axes: [String: Int] = [:]
    for (first, patterns) in [(0, accelerometer), (3, gyroscope)] {
      for pattern in patterns {
        for (axis, letter) in ["x", "y", "z"].enumerated() {
          let text = pattern.map { $0 == "*" ? letter : $0 == "#" ? "\(axis)" : "\($0)" }.joined()
          axes[text] = first + axis
        }
      }
    }
    for word in temperature { axes[word] = 6 }
    self.axes = axes
  }

  /// The dialect's unit of a group.
  func unit(of group: ImportGroup) -> ImportUnit? {
    switch group {
    case .accelerometer: accelerometer
    case .gyroscope: gyroscope
    case .temperature: temperature
    }
  }

  /// The number of axes among the names of a header; 0 without a time where one is needed.
  func matches(_ headings: [ImportHeading], needTime: Bool = true) -> Int {
    guard marks.isEmpty || headings.contains(where: { marks.contains($0.name) }) else { return 0 }
    guard !needTime || headings.contains(where: { times[$0.name] != nil }) else { return 0 }
    let count = headings.count { axes[$0.name] != nil }
    let lacksUnit = headings.contains { heading in
      let isNumber = times[heading.name].map { $0 != .unknown } ?? (axes[heading.name] != nil)
      return isNumber && heading.unit == nil
    }
    guard !namesUnits || !lacksUnit else { return 0 }
    return needsAll && count < axes.count ? 0 : count
  }
}

/// A column's name and unit, from the cell of a header.
struct ImportHeading: Equatable {
  /// The cell as it is shown to the user.
  let shown: String
  /// The name to compare.
  let name: String
  /// The unit in brackets, or after an underscore where this program's names have theirs.
  let unit: String?

  init(_ cell: some Collection<UInt8>) {
    shown = ImportText.shown(cell.filter { $0 != UInt8(ascii: "\"") })
    var text = shown.lowercased()[...]
    var unit: Substring?
    for (open, close) in [("(", ")"), ("[", "]")] where text.hasSuffix(close) {
      guard let place = text.lastIndex(of: Character(open)) else { continue }
      let inside = text[text.index(after: place)...].dropLast()
      // The brackets of gyroADC[0] and of Rotation Rate (X) are part of the name.
      guard !inside.allSatisfy(\.isNumber), !["x", "y", "z"].contains(inside) else { continue }
      (text, unit) = (text[..<place], inside)
    }
    while text.last == " " { text.removeLast() }
    let parts = text.split(separator: "_", maxSplits: 1)
    if unit == nil, parts.count == 2, ImportHeading.own.contains(String(parts[0])),
      ImportUnit(word: parts[1]) != nil
    {
      (text, unit) = (parts[0], parts[1])
    }
    name = String(text)
    self.unit = unit.map(String.init)
  }

  private static let own: Set<String> = [
    "ax", "ay", "az", "gx", "gy", "gz", "temp", "lx", "ly", "lz",
  ]
}
