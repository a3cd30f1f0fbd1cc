// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Columns of a table that the user names, as `time=Zeit,ax=Beschl. X,ay=3`: by the header's names or, from 1, by
/// their places.
public struct ImportColumnNames: Equatable, Sendable {
  /// A name of a column, or its place from 0.
  enum Place: Equatable {
    case name(String)
    case index(Int)
  }

  /// `nil` for a table without times.
  let time: Place?
  /// With the channel's position in `ChannelSet`.
  let axes: [Channel]

  struct Channel: Equatable {
    let channel: Int
    let place: Place
  }

  /// `nil` unless each part is `time=`, `ax=` … `gz=` or `temp=` with a name or a number, each once, and one is an axis.
  public init?(_ text: String) {
    var time: Place?
    var axes: [Channel] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let equals = part.firstIndex(of: "=") else { return nil }
      let name = part[part.index(after: equals)...]
      guard let place = ImportColumnNames.place(name) else { return nil }
      switch part[..<equals] {
      case "time":
        guard time == nil else { return nil }
        time = place
      case let axis:
        guard let channel = ChannelSet.names.firstIndex(of: String(axis)),
          !axes.contains(where: { $0.channel == channel })
        else { return nil }
        axes.append(Channel(channel: channel, place: place))
      }
    }
    guard !axes.isEmpty else { return nil }
    (self.time, self.axes) = (time, axes)
  }

  private static func place(_ text: Substring) -> Place? {
    guard !text.isEmpty else { return nil }
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return .name(String(text)) }
    guard let number = Int(text), number > 0 else { return nil }
    return .index(number - 1)
  }

  /// Whether no column is named, so that the table needs no header.
  var needNoHeader: Bool {
    ([time].compactMap { $0 } + axes.map(\.place)).allSatisfy {
      if case .index = $0 { true } else { false }
    }
  }

  /// The number from 0 of the column of the time or, without one, of the first axis, if it has one.
  var firstIndex: Int {
    if case .index(let index) = time ?? axes[0].place { index } else { 0 }
  }

  /// The numbers from 0 of all columns that have one.
  var indices: [Int] {
    ([time].compactMap { $0 } + axes.map(\.place)).compactMap {
      if case .index(let index) = $0 { index } else { nil }
    }
  }

  /// The fewest columns of a table that has all those with a number.
  var width: Int { (indices.max() ?? -1) + 1 }

  /// Whether a header has the column of the time or, without one, that of the first axis.
  func isHeader(_ headings: [ImportHeading]) -> Bool {
    !ImportColumnNames.places(time ?? axes[0].place, headings).isEmpty
  }

  /// The column by which a header is known, for sentences.
  var sought: String { ImportColumnNames.shown(time ?? axes[0].place) }

  /// The layout of a table with these columns.
  ///
  /// - Parameter headings: The cells of its header, or as many of its first row.
  func layout(_ headings: [ImportHeading]) throws(ImportFieldError) -> ImportLayout {
    func column(_ place: Place, _ channel: Int?) throws(ImportFieldError) -> ImportLayout.Column {
      let places = ImportColumnNames.places(place, headings)
      guard let index = places.first else {
        throw ImportFieldError(.noColumn(ImportColumnNames.shown(place)))
      }
      guard places.count == 1 else {
        let numbers = places.map { "\($0 + 1)" }.joined(separator: " and ")
        throw ImportFieldError(.sharedName(ImportColumnNames.shown(place), columns: numbers))
      }
      let isNamed = headings[index].shown.contains { !$0.isNumber && !".-+e".contains($0) }
      return ImportLayout.Column(
        index: index, name: isNamed ? headings[index].shown : "column \(index + 1)",
        channel: channel, unit: headings[index].unit)
    }
    var columns: [ImportLayout.Column] = []
    var layout = ImportLayout()
    if let time {
      let column = try column(time, nil)
      layout.timeForm = ImportColumnNames.timeForm(headings[column.index].name)
      columns.append(column)
    } else {
      layout.timeForm = .seconds
    }
    for axis in axes { columns.append(try column(axis.place, axis.channel)) }
    columns.sort { $0.index < $1.index }
    for (first, second) in zip(columns, columns.dropFirst()) where first.index == second.index {
      throw ImportFieldError(.repeatedColumn(column: first.index + 1, found: first.name))
    }
    layout.program = "other"
    layout.isStrict = false
    layout.fieldCount = headings.count
    layout.columns = columns
    layout.takeTimeUnit()
    layout.takeInstances(headings)
    layout.areNamed = true
    layout.setUnits(of: .hobby)
    return layout
  }

  /// The unit that a column's name says, as `unix_s` and `Zeit_ms` do.
  private static func timeForm(_ name: String) -> ImportTimeForm {
    let known = ImportDialect.own.times[name] ?? ImportDialect.hobby.times[name]
    if let known, case .number = known { return known }
    guard let place = name.lastIndex(of: "_") else { return .unknown }
    let word = name[name.index(after: place)...]
    guard ["s", "ms", "us", "ns"].contains(word) else { return .unknown }
    return ImportTimeForm(word: word) ?? .unknown
  }

  /// The columns of a header with this number or name; a name as it is written goes before one in small letters.
  private static func places(_ place: Place, _ headings: [ImportHeading]) -> [Int] {
    switch place {
    case .index(let index): return index < headings.count ? [index] : []
    case .name(let name):
      let written = headings.indices.filter { headings[$0].shown == name }
      guard written.isEmpty else { return written }
      return headings.indices.filter { headings[$0].name == name.lowercased() }
    }
  }

  private static func shown(_ place: Place) -> String {
    switch place {
    case .name(let name): "\"\(ForeignText.shown(name))\""
    case .index(let index): "\(index + 1)"
    }
  }
}
