// SPDX-License-Identifier: Apache-2.0

import Text

/// What a column's name says by the words in it, whatever program wrote it.
enum NamedRole: Equatable {
  /// Times, in a unit if the name has one.
  case time(TimeForm?)
  /// Dates without a time.
  case date
  /// A position in `ChannelSet`.
  case channel(Int)
  case none
}

/// The name of a column, by a grammar: a sensor's word, an axis, and words that change nothing.
///
///     acc_x  AccelerationX  aX  ax  X-Axis Acc  imu_accel.x      an axis
///     raw_acceleration_x_gs  gyro x (deg/s)                      with its unit
///     imu2_ax                                                    of the device "2"
///     acc_x_filtered  user acceleration x                        computed: left out
///     left_ax  a_RS_S_x                                          a word more: asked
///
/// Digits are axes in no grammar, and a word means something only as a whole.
struct ColumnName: Equatable {
  /// The name as a dialect compares it: in small letters, without a unit in brackets.
  let plain: String
  /// What is in brackets, unless it belongs to the name.
  let bracket: String?
  /// The unit at the end of the name, as it is written.
  private(set) var suffix: String?
  private(set) var role = NamedRole.none
  /// The channel that it would be without the words that make it another thing.
  private(set) var likely: Int?
  /// The axis, 0 to 2, of a name that has no sensor.
  private(set) var axis: Int?
  /// The words that tell it from the same channel of other devices.
  private(set) var device = ""
  /// Whether it is computed from a sensor's values, or says how good they are.
  private(set) var isDerived = false
  /// Whether times count from 1970.
  private(set) var isUnix = false
  /// Whether it is a unit alone, which is a time only where no other column is one; or has a word for times among others.
  private(set) var isBareUnit = false
  private(set) var isLikelyTime = false

  init(_ cell: some StringProtocol) {
    let (name, bracket) = ColumnName.split(cell)
    (plain, self.bracket) = (name.lowercased(), bracket)
    let pieces = ColumnName.pieces(name)
    // The longest unit that is one of what the words before it name.
    for count in pieces.indices.dropFirst() {
      let tail = name[pieces[count].startIndex...]
      take(pieces[..<count].map { $0.lowercased() })
      guard case .channel(let channel) = role, ColumnName.isUnit(tail, of: Group(channel: channel))
      else { continue }
      suffix = String(tail)
      return
    }
    take(pieces.map { $0.lowercased() })
    // A unit in brackets tells the sensor of x, y and z.
    if let axis, let bracket, let unit = Unit(word: bracket), unit != .count {
      if unit.measures(.accelerometer) { (role, likely) = (.channel(axis), axis) }
      if unit.measures(.gyroscope) { (role, likely) = (.channel(axis + 3), axis + 3) }
    }
  }

  /// The unit at the end of a name that the user chose for a channel or, for `nil`, for times.
  static func suffix(of cell: String, for group: Group?) -> String? {
    let name = split(cell).name
    return pieces(name).dropFirst().lazy.map { name[$0.startIndex...] }.first { tail in
      group.map { isUnit(tail, of: $0) } ?? (TimeForm(word: tail) != nil)
    }.map(String.init)
  }

  /// Whether the end of a name is a unit: `raw` there states no unit: nothing was done to the values.
  private static func isUnit(_ tail: Substring, of group: Group) -> Bool {
    guard let unit = Unit(word: tail), unit.measures(group) else { return false }
    return unit != .count || !["raw", "adc"].contains(tail.lowercased())
  }

  /// A name in small letters without what is in brackets at its end.
  static func withoutUnit(_ cell: String) -> String { split(cell).name.lowercased() }

  /// The name, and what is in brackets at its end; those of `gyroADC[0]` and of `Rotation Rate (X)` are part of it.
  private static func split(_ cell: some StringProtocol) -> (name: String, bracket: String?) {
    var text = String(cell).filter { $0 != "\"" }[...]
    func trim() {
      while let last = text.last, last.isWhitespace { text.removeLast() }
      while let first = text.first, first.isWhitespace { text.removeFirst() }
    }
    trim()
    var bracket: String?
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}")] as [(Character, Character)]
    where text.last == close {
      // The brackets of m/(s2) are within others.
      var depth = 0
      let begin = text.indices.reversed().first {
        depth += text[$0] == close ? 1 : text[$0] == open ? -1 : 0
        return depth == 0
      }
      guard let begin, begin > text.startIndex else { continue }
      let inside = text[text.index(after: begin)...].dropLast()
      let isPart = inside.allSatisfy(\.isNumber) && !inside.isEmpty
      guard !isPart, !["x", "y", "z"].contains(inside.lowercased()) else { continue }
      (text, bracket) = (text[..<begin], inside.isEmpty ? nil : String(inside))
      trim()
      break
    }
    return (String(text), bracket)
  }

  /// The parts of a name between blanks, marks, and small and capital letters.
  private static func pieces(_ name: String) -> [Substring] {
    var pieces: [Substring] = []
    var begin: String.Index?
    var before: Character = " "
    for place in name.indices {
      let character = name[place]
      let next = name[name.index(after: place)...].first
      let isMark = !(character.isLetter || character.isNumber || "°²^'".contains(character))
      let isHump =
        character.isUppercase
        && (before.isLowercase || before.isUppercase && next?.isLowercase == true)
      if let first = begin, isMark || isHump {
        pieces.append(name[first..<place])
        begin = nil
      }
      if begin == nil, !isMark { begin = place }
      before = character
    }
    if let begin { pieces.append(name[begin...]) }
    return pieces
  }

  /// What words say together.
  private mutating func take(_ pieces: [String]) {
    (role, likely, axis, isDerived) = (.none, nil, nil, false)
    (isUnix, isBareUnit, isLikelyTime) = (false, false, false)
    var words = pieces.flatMap(ColumnName.withoutDigits)
    for place in words.indices.dropLast().reversed() {
      let both = words[place] + words[place + 1]
      guard ColumnName.pairs.contains(both) else { continue }
      words.replaceSubrange(place...(place + 1), with: [both])
    }
    var (axes, groups): ([Int], [Group]) = ([], [])
    var (others, times, joins, rest): ([String], [String], [String], [String]) = ([], [], [], [])
    var forms: [TimeForm] = []
    var temperatures = 0
    for (place, word) in words.enumerated() {
      let isBeforeAxis =
        place + 1 < words.count && ColumnName.letters[words[place + 1]] != nil
        || place == 0 && ColumnName.letters[words[words.count - 1]] != nil
      if let letter = ColumnName.letters[word] {
        axes.append(letter)
      } else if let group = ColumnName.sensors[word]
        ?? (isBeforeAxis ? ColumnName.short[word] : nil)
      {
        groups.append(group)
      } else if let (group, letter) = ColumnName.fused(word) {
        groups.append(group)
        axes.append(letter)
      } else if ColumnName.times.contains(word) {
        times.append(word)
      } else if ColumnName.epochs.contains(word) {
        isUnix = true
        times.append(word)
      } else if ColumnName.joins.contains(word) {
        joins.append(word)
      } else if let form = TimeForm(word: word) {
        forms.append(form)
      } else if ["temp", "temperature"].contains(word) {
        temperatures += 1
      } else if ColumnName.derived.contains(word) {
        isDerived = true
      } else if ColumnName.neutral.contains(word) || word.allSatisfy(\.isNumber) {
        if !["axis", "data", "value", "values"].contains(word) { rest.append(word) }
      } else if word != "axis" {
        others.append(word)
      }
    }
    let isTime = !times.isEmpty || !forms.isEmpty
    if !isTime { others += joins }
    device = (rest + others).joined(separator: " ")
    let isPlain = others.isEmpty && !isDerived
    if axes.isEmpty, groups.isEmpty, temperatures == 0 {
      isLikelyTime = !times.isEmpty && !isPlain && others.count < words.count
      guard isPlain, isTime, forms.count <= 1 else { return }
      isBareUnit = times.isEmpty && joins.isEmpty
      // Of units alone, only those that name no other thing.
      guard !isBareUnit || words.count == 1 && ColumnName.bareUnits.contains(words[0]) else {
        return
      }
      isBareUnit = isBareUnit && words[0].count == 2
      role =
        !times.isEmpty && Set(times).isSubset(of: ["date", "day"]) ? .date : .time(forms.first)
    } else if let group = groups.first, axes.count == 1 {
      likely = group.rawValue * 3 + axes[0]
      if isPlain, !isTime, groups.count == 1, temperatures == 0 {
        role = .channel(group.rawValue * 3 + axes[0])
      }
    } else if temperatures == 1, axes.isEmpty, groups.isEmpty, isPlain, !isTime {
      (role, likely) = (.channel(6), 6)
    } else if groups.isEmpty, axes.count == 1, isPlain, !isTime, temperatures == 0 {
      axis = axes[0]
    }
  }

  /// `imu2` is `imu` and `2`.
  private static func withoutDigits(_ word: String) -> [String] {
    let name = word.prefix { !$0.isNumber }
    let rest = word[name.endIndex...]
    let number = rest.prefix(while: \.isNumber)
    let end = rest[number.endIndex...]
    return [String(name), String(number)].filter { !$0.isEmpty }
      + (end.isEmpty ? [] : withoutDigits(String(end)))
  }

  /// `accx`, `gx`, and `xacc`, but not `xa`.
  private static func fused(_ word: String) -> (Group, Int)? {
    if let last = word.last, let axis = letters[String(last)] {
      let name = String(word.dropLast())
      if let group = sensors[name] ?? short[name] { return (group, axis) }
    }
    guard let first = word.first, let axis = letters[String(first)] else { return nil }
    return sensors[String(word.dropFirst())].map { ($0, axis) }
  }

  private static let letters = ["x": 0, "y": 1, "z": 2]
  /// Those that are a sensor's only before an axis.
  private static let short: [String: Group] = [
    "a": .accelerometer, "g": .gyroscope, "w": .gyroscope,
  ]
  private static let sensors: [String: Group] = [
    "acc": .accelerometer, "accel": .accelerometer, "accl": .accelerometer,
    "accelerometer": .accelerometer, "acceleration": .accelerometer,
    "accelerations": .accelerometer, "specificforce": .accelerometer,
    "gforce": .accelerometer,
    "gyr": .gyroscope, "gyro": .gyroscope, "gyroscope": .gyroscope, "omega": .gyroscope,
    "angularvelocity": .gyroscope, "angularrate": .gyroscope, "angularvel": .gyroscope,
    "angvel": .gyroscope, "rotationrate": .gyroscope, "turnrate": .gyroscope,
  ]
  /// Words that are one in two.
  private static let pairs: Set = [
    "specificforce", "gforce", "angularvelocity", "angularrate", "angularvel", "angvel",
    "rotationrate",
    "turnrate", "timestamp", "datetime",
  ]
  private static let times: Set = [
    "t", "time", "timestamp", "datetime", "date", "day", "clock", "elapsed",
  ]
  /// Those that join the words of a time.
  private static let joins: Set = ["stamp", "since", "start", "boot", "in", "grid", "local"]
  static let epochs: Set = ["unix", "epoch", "posix", "utc", "gmt"]
  /// Units that are names of times by themselves.
  private static let bareUnits: Set = [
    "ms", "us", "ns", "seconds", "millis", "micros", "nanos", "milliseconds", "microseconds",
    "nanoseconds",
  ]
  private static let neutral: Set = [
    "raw", "cal", "calibrated", "uncalibrated", "imu", "sensor", "device", "body", "data", "value",
    "values", "axis", "ln", "wr",
  ]
  private static let derived: Set = [
    "lin", "linear", "user", "free", "gravity", "grav", "vector", "bias", "offset", "noise", "cov",
    "covariance", "var", "variance", "std", "filtered", "mean", "magnitude", "norm",
  ]
}
