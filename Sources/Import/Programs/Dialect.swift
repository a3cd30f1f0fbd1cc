// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// How a program names the columns of its tables, and what it means by them where the header does not say.
///
/// Names are compared in small letters, without a unit in brackets, which must not contradict the program's. A header is a
/// program's if it has a time of it, all axes of a sensor, and one of its marks if it has marks.
struct Dialect: Sendable {
  let name: String
  /// Names of a time, and its form; `nil` if the header must name it.
  let times: [String: TimeForm?]
  /// Names of channels, by the channel's position in `ChannelSet`.
  let axes: [String: Int]
  /// Units of values where the header names none.
  let units: [Group: Unit]
  let traits: Set<Trait>
  /// What counts mean, as most users of the program have it.
  let usualScales: [Group: Scale]
  /// All other columns that it writes; `nil` for any.
  let others: Set<String>?
  /// One of these columns must be there, where other programs use the same names of axes.
  let marks: Set<String>
  /// Names of dates beside times of day.
  let dates: Set<String>

  enum Trait: Sendable {
    /// Times that are numbers count from 1970.
    case isUnix
    /// Other programs have the same names: then the units are only usual, and must fit what is counted.
    case isCommon
    /// Axes are named alike for every sensor: the unit or the file's name says which it is.
    case isNamedByFile
    /// All of its axes must be there, where some of them mean something else beside others.
    case needsAll
    /// It is a table of this program's own columns, among them ticks and marks.
    case isOwnColumns
    /// The header is a comment that begins without a blank, unlike NumPy's.
    case isComment
    /// The header must name the unit of the time and of each axis.
    case namesUnits
    /// It is accelerations without gravity, only where the header has no others for sure.
    case isDerived
  }

  /// In patterns of axes' names, `*` stands for x, y and z, `#` for 0, 1 and 2.
  init(
    _ name: String, times: [String: TimeForm?], dates: Set<String> = [],
    accelerometer: [String] = [], gyroscope: [String] = [], temperature: [String] = [],
    units: [Group: Unit] = [:], usualScales: [Group: Scale] = [:], _ traits: Set<Trait> = [],
    others: Set<String>? = nil, marks: Set<String> = []
  ) {
    (self.name, self.times, self.units) = (name, times, units)
    (self.traits, self.marks) = (traits, marks)
    (self.dates, self.usualScales, self.others) = (dates, usualScales, others)
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

  /// The axes of this program in a header; 0 if it is not this program's.
  func matches(_ names: [ColumnName], isComment: Bool = false, needsTime: Bool = true) -> Int {
    let all = Set(names.map(\.plain))
    let found = names.filter { axes[$0.plain] != nil }
    let clocks = names.filter { times[$0.plain] != nil }
    if traits.contains(.isDerived), names.contains(where: { $0.role.channel == 0 }) { return 0 }
    if let others, !all.subtracting(axes.keys).subtracting(times.keys).isSubset(of: others) {
      return 0
    }
    guard marks.isEmpty || !marks.isDisjoint(with: all),
      !traits.contains(.isComment) || isComment, !needsTime || !clocks.isEmpty,
      !traits.contains(.needsAll)
        || names.count == 1 + axes.count && found.count == axes.count
          && found.allSatisfy({ $0.bracket == nil }),
      !traits.contains(.namesUnits) || (found + clocks).allSatisfy({ $0.bracket != nil })
    else { return 0 }
    let channels = Set(found.compactMap { axes[$0.plain] })
    let isWhole = channels.isSuperset(of: [0, 1, 2]) || channels.isSuperset(of: [3, 4, 5])
    return isWhole ? found.count : 0
  }
}
