// SPDX-License-Identifier: Apache-2.0

import Text

/// What a column's name says by the words in it, whatever program wrote it.
enum NamedRole: Equatable {
  /// Times, in a unit if the name has one.
  case time(TimeForm?)
  /// Dates without a time.
  case date
  /// A position in `ChannelSet`.
  case axis(Int)
  case none

  var channel: Int? { if case .axis(let channel) = self { channel } else { nil } }
  var isTime: Bool { if case .time = self { true } else { false } }
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
  /// Whether it is computed from a sensor's values, or says how good they are; whether a sign or a factor is in it.
  private(set) var (isDerived, isComputed) = (false, false)
  /// Whether times count from 1970.
  private(set) var isUnix = false
  /// Whether it is a unit alone, which is a time only where no other column is one; or has a word for times among others.
  private(set) var isBareUnit = false
  private(set) var isLikelyTime = false
  /// Whether a word of it is a date's, and none is a time's; and whether it is the name of a unit of time.
  private(set) var (isDate, isTimePart) = (false, false)

  init(_ cell: some StringProtocol) {
    let (name, bracket) = ColumnName.split(cell)
    (plain, self.bracket) = (name.lowercased(), bracket)
    let pieces = ColumnName.pieces(name)
    // The longest unit that is one of what the words before it name.
    for count in pieces.indices.dropFirst() {
      let tail = name[pieces[count].startIndex...]
      take(pieces[..<count].map { $0.lowercased() }, of: name[..<tail.startIndex])
      guard let channel = role.channel, ColumnName.isUnit(tail, of: Group(channel: channel))
      else { continue }
      // `0.1 deg/s` is another unit, or a range.
      if pieces[count - 1].allSatisfy(\.isNumber) { role = .none }
      suffix = String(tail)
      return
    }
    take(pieces.map { $0.lowercased() }, of: name[...])
    if let likely, role == .none {
      // The unit of `foot_ax_g` does not name the device.
      let count = pieces.indices.dropFirst().first {
        ColumnName.isUnit(name[pieces[$0].startIndex...], of: Group(channel: likely))
      }
      if let count {
        let tail = name[pieces[count].startIndex...]
        var before = self
        before.take(pieces[..<count].map { $0.lowercased() }, of: name[..<tail.startIndex])
        if before.likely == likely { device = before.device }
      }
    }
    // `T (°C)` is a temperature of anything.
    if role.isTime, bracket.flatMap({ Unit(word: $0) }) == .degreeCelsius { role = .none }
    // A unit in brackets shows which sensor x, y and z belong to.
    if let axis, let unit = bracket.flatMap({ Unit(ofAxis: $0) }), unit != .count {
      let first = unit.measures(.accelerometer) ? 0 : unit.measures(.gyroscope) ? 3 : nil
      if let first { (role, likely) = (.axis(axis + first), axis + first) }
    }
  }

  /// The unit at the end of a name that the user chose for a channel, another sensor's at last; or, for `nil`, for times.
  static func suffix(of cell: String, for group: Group?) -> String? {
    let name = split(cell).name
    // `Ch_G` and `Uhr_H` have no unit.
    let tails = pieces(name).dropFirst().map { name[$0.startIndex...] }
      .filter { $0.count > 1 || $0.first?.isLowercase == true }
    guard let group else { return tails.first { TimeForm(word: $0) != nil }.map(String.init) }
    let groups: [Group] = [group, .accelerometer, .gyroscope]
    return groups.lazy.compactMap { group in tails.first { isUnit($0, of: group) } }.first
      .map(String.init)
  }

  /// Whether the end of a name is a unit; `raw` there says only that nothing was done to the values.
  private static func isUnit(_ tail: Substring, of group: Group) -> Bool {
    guard let unit = Unit(word: tail), unit.measures(group) else { return false }
    return unit != .count || !["raw", "adc"].contains(tail.lowercased())
  }

  /// A name in small letters without what is in brackets at its end.
  static func withoutUnit(_ cell: String) -> String { split(cell).name.lowercased() }

  /// Whether it is of another device: both have a word more, or one has a number.
  func isOther(than other: ColumnName) -> Bool {
    device != other.device
      && (!device.isEmpty && !other.device.isEmpty
        || (device + other.device).contains(where: \.isNumber))
  }

  /// The same without a sensor, if only the letter g and no unit names it: `gX` may be an acceleration in g.
  var withoutLetterG: ColumnName {
    guard bracket == nil, suffix == nil, let axis = role.channel.map({ $0 - 3 }),
      ColumnName.letters.indices.contains(axis),
      plain.filter(\.isLetter).hasSuffix("g" + ColumnName.letters[axis])
    else { return self }
    var name = self
    (name.role, name.likely, name.axis) = (.none, nil, axis)
    return name
  }

  /// The name, and what is in brackets at its end; the name keeps `[0]` of `gyroADC[0]` and `(X)` of `Rotation Rate (X)`.
  static func split(_ cell: some StringProtocol) -> (name: String, bracket: String?) {
    var text = String(cell).filter { $0 != "\"" }[...]
    func trim() {
      while let last = text.last, last.isWhitespace { text.removeLast() }
      while let first = text.first, first.isWhitespace { text.removeFirst() }
    }
    trim()
    var bracket: String?
    // DIN 1313: a quantity is its value times its unit.
    if let (before, after) = text.parts(around: " / "),
      Unit(word: after) != nil || TimeForm(word: after) != nil
    {
      return (String(before), String(after))
    }
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
  static func pieces(_ name: String) -> [Substring] {
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

  /// Whether a name may compute: `-ax`, `2*ax`, `ax - 1`, `gx100`. A hyphen and a slash only join letters, as in `acc-x`;
  /// digits behind an axis, or before its word, may be a factor.
  private static func isComputed(_ text: Substring, _ pieces: [String]) -> Bool {
    let all = Array(text)
    func isLetter(_ place: Int) -> Bool { all.indices.contains(place) && all[place].isLetter }
    return all.indices.contains { place in
      "-/".contains(all[place])
        ? !isLetter(place - 1) || !isLetter(place + 1)
        : !isLetter(place) && !" _.()[]{}0123456789".contains(all[place])
    }
      || pieces.map(withoutDigits).contains { parts in
        let axis = parts.firstIndex { word(0, of: [$0]).axis != nil }
        return axis.map { $0 == 1 || $0 < parts.count - 1 } ?? false
      }
  }

  private mutating func take(_ pieces: [String], of text: Substring) {
    (role, likely, axis, isBareUnit, isLikelyTime) = (.none, nil, nil, false, false)
    var words = pieces.flatMap(ColumnName.withoutDigits)
    isComputed = ColumnName.isComputed(text, pieces)
    if isComputed { words.append("?") }
    for place in words.indices.dropLast().reversed()
    where ColumnName.pairs.contains(words[place] + words[place + 1]) {
      words[place] += words.remove(at: place + 1)
    }
    let found = words.indices.map { ColumnName.word($0, of: words) }
    let kinds = Set(found.map(\.kind))
    let (axes, groups) = (found.compactMap(\.axis), found.compactMap(\.group))
    let isTime = !kinds.isDisjoint(with: [.time, .date, .epoch, .form])
    // Those that join the words of a time are foreign elsewhere.
    let foreign: Set<Kind> = isTime ? [.other] : [.other, .join]
    (isDerived, isUnix) = (kinds.contains(.derived), kinds.contains(.epoch))
    isDate = kinds.contains(.date) && kinds.isDisjoint(with: [.time, .epoch])
    isTimePart =
      words.count == 1 && (found[0].kind == .form || ColumnName.timeParts.contains(words[0]))
    device = zip(words, found).filter { $1.kind == .neutral || foreign.contains($1.kind) }
      .map(\.0).joined(separator: " ")
    let isPlain = !isDerived && kinds.isDisjoint(with: foreign)
    let isRole = isPlain && !isTime && Set(groups).count == 1
    switch groups.first {
    case .temperature?:
      if isRole, axes.isEmpty { (role, likely) = (.axis(6), 6) }
    case let group?:
      guard let first = axes.first else { return }
      likely = group.rawValue * 3 + first
      if isRole, axes.count == 1 { role = .axis(group.rawValue * 3 + first) }
    case nil where axes.count == 1:
      if isPlain, !isTime { axis = axes[0] }
    case nil where axes.isEmpty && isTime:
      let forms = found.compactMap(\.form)
      let isNamed = !kinds.isDisjoint(with: [.time, .date, .epoch])
      isLikelyTime = isNamed && !isPlain
      // Of units alone, only those that name no other thing.
      let isBare = words.count == 1 && ColumnName.bareUnits.contains(words[0])
      guard isPlain, forms.count <= 1, isNamed || kinds.contains(.join) || isBare else { return }
      isBareUnit = isBare && words[0].count == 2
      role = kinds.isDisjoint(with: [.time, .epoch, .form]) ? .date : .time(forms.first)
    case nil: break
    }
  }

  /// `imu2` is `imu` and `2`.
  private static func withoutDigits(_ word: String) -> [String] {
    word.reduce(into: []) { parts, character in
      if let last = parts.last?.last, last.isNumber == character.isNumber {
        parts[parts.count - 1].append(character)
      } else {
        parts.append(String(character))
      }
    }
  }

  private enum Kind {
    case axis, sensor, short, time, date, epoch, join, form, derived, neutral, nothing, other
  }

  private struct Word {
    var kind: Kind
    var group: Group?
    var axis: Int?
    var form: TimeForm?
  }

  private static func word(_ place: Int, of words: [String]) -> Word {
    let word = words[place]
    if let axis = letters.firstIndex(of: word) { return Word(kind: .axis, axis: axis) }
    let isBeforeAxis =
      words.dropFirst(place + 1).first.map(letters.contains) == true
      || place == 0 && letters.contains(words[words.count - 1])
    if let known = known[word], known.kind != .short || isBeforeAxis { return known }
    // `accx`, `gx`, and `xacc`, but not `xa`.
    for (letter, rest, isLast) in [
      (word.suffix(1), word.dropLast(), true), (word.prefix(1), word.dropFirst(), false),
    ] {
      if let axis = letters.firstIndex(of: String(letter)), let sensor = known[String(rest)],
        let group = sensor.group, group != .temperature, isLast || sensor.kind == .sensor
      {
        return Word(kind: .sensor, group: group, axis: axis)
      }
    }
    // Minima and heights have these names, too.
    if !["min", "h"].contains(word), let form = TimeForm(word: word) {
      return Word(kind: .form, form: form)
    }
    // `10us` is another unit.
    let isFactor = words.dropFirst(place + 1).first.map { TimeForm(word: $0) != nil } == true
    return Word(kind: word.allSatisfy(\.isNumber) && !isFactor ? .neutral : .other)
  }

  private static let letters = ["x", "y", "z"]
  /// Those of a sensor, short ones only before an axis; those of times, from 1970 too, and those that join them; and those
  /// that change nothing, whether they tell devices or not.
  private static let known: [String: Word] = {
    let lists: [(Kind, Group?, String)] = [
      (
        .sensor, .accelerometer,
        "acc accel accl accelerometer acceleration accelerations beschleunigung specificforce gforce"
      ),
      (
        .sensor, .gyroscope,
        "gyr gyro gyroscope omega angularvelocity angularrate angularvel angvel rotationrate turnrate winkelgeschwindigkeit drehrate"
      ),
      (.sensor, .temperature, "temp temperature tmp"),
      (.short, .accelerometer, "a ac"), (.short, .gyroscope, "g w gy as"),
      (.time, nil, "t time timestamp datetime clock elapsed zeit"),
      (.date, nil, "date day month year datum monat jahr"),
      (.epoch, nil, "unix epoch posix utc gmt"),
      (.join, nil, "stamp since start boot in grid local"),
      (
        .derived, nil,
        "lin linear user free gravity grav vector bias offset noise cov covariance var variance std filtered mean magnitude norm absolute abs"
      ),
      (.neutral, nil, "raw cal calibrated uncalibrated imu sensor device body ln wr"),
      (.nothing, nil, "axis data value values"),
    ]
    var words: [String: Word] = [:]
    for (kind, group, names) in lists {
      for name in names.split(separator: " ") {
        words[String(name)] = Word(kind: kind, group: group)
      }
    }
    return words
  }()
  /// Words that are one in two.
  private static let pairs: Set = [
    "specificforce", "gforce", "angularvelocity", "angularrate", "angularvel", "angvel",
    "rotationrate", "turnrate", "timestamp", "datetime",
  ]
  /// Whether a word is one of a sensor or of times.
  static func isKnown(_ word: String) -> Bool { known[word.lowercased()] != nil }

  static func isSensor(_ word: String) -> Bool { known[word]?.group != nil }

  /// Whether a text names units of values or of times: `unit`, `acc_unit`, `Unit (gyro)`, `time_unit`.
  static func isUnits(_ name: String, ofTimes: Bool? = nil) -> Bool {
    var words = pieces(name).map { $0.lowercased() }
    let units: Set = ["unit", "units"]
    guard
      let place = [words.count - 1, 0].first(where: {
        words.indices.contains($0) && units.contains(words[$0])
      })
    else { return false }
    words.remove(at: place)
    let areTimes = !words.isEmpty && words.allSatisfy(["t", "time", "timestamp"].contains)
    let areSensors = words.allSatisfy { isSensor($0) || place == 0 && $0 == "of" }
    return ofTimes.map { $0 ? areTimes : areSensors } ?? (areTimes || areSensors)
  }

  static let epochs: Set<String> = Set(known.filter { $0.value.kind == .epoch }.keys)
  /// Units of time that another column cannot have.
  private static let timeParts: Set = ["days", "millis", "micros", "nanos"]
  /// Units that are names of times by themselves.
  private static let bareUnits: Set = [
    "ms", "us", "ns", "seconds", "millis", "micros", "nanos", "milliseconds", "microseconds",
    "nanoseconds",
  ]
}
