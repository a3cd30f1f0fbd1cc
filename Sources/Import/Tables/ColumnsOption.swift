// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Columns that the user names, as `time=Zeit,ax=Beschl. X,ay=3,skip=note`: by the header's names or, from 1, by their places.
public struct ColumnsOption: Equatable, Sendable {
  /// As the user wrote it.
  public let text: String
  /// What columns are named for, and their names or numbers, as they are written.
  let parts: [Part]

  struct Part: Equatable {
    let role: Understanding.Role
    let name: String
    /// From 0; `nil` for a name.
    let index: Int?
  }

  /// `nil` unless each part is `time=`, `date=`, `ax=` … `gz=` or `temp=` with a name or number, once, or `skip=`, and one is
  /// an axis.
  public init?(_ text: String) {
    self.text = text
    var parts: [Part] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let (before, after) = part.parts(around: "="), !after.isEmpty else { return nil }
      let channel = ChannelSet.names.firstIndex(of: String(before))
      let role: Understanding.Role? =
        switch before {
        case "time": .time
        case "date": .date
        case "skip": .skipped
        default: channel.map { .channel($0, isReversed: false) }
        }
      let isNumber = after.allSatisfy { $0.isASCII && $0.isNumber }
      let number = isNumber ? Int(after) : nil
      guard let role, !isNumber || number ?? 0 > 0,
        role == .skipped || !parts.contains(where: { $0.role == role })
      else { return nil }
      parts.append(Part(role: role, name: String(after), index: number.map { $0 - 1 }))
    }
    guard parts.contains(where: { $0.role.channel != nil }) else { return nil }
    self.parts = parts
  }

  /// Whether every column is given by its number, so that the table needs no header.
  var needsNoHeader: Bool { parts.allSatisfy { $0.index != nil } }

  /// The numbers from 0 of all columns that have one.
  var indices: [Int] { parts.compactMap(\.index) }

  /// The fewest columns of a table that has all those with a number.
  var width: Int { (indices.max() ?? -1) + 1 }

  /// The roles of the named columns, by their places among a header's cells.
  func places(_ cells: [String]) throws(FieldError) -> [Int: Understanding.Role] {
    var places: [Int: Understanding.Role] = [:]
    for part in parts {
      let found = part.places(cells)
      guard let index = found.first, found.count == 1 else {
        let name = ForeignText.shown(part.name)
        let numbers = found.map { "\($0 + 1)" }.joined(separator: " and ")
        throw FieldError(
          problem: found.isEmpty
            ? "column \(part.index == nil ? "\"\(name)\"" : name) of --columns is not in the header"
            : "the header has \"\(name)\" of --columns in columns \(numbers)",
          remedy: "give names as the header writes them, or numbers from 1")
      }
      guard places.updateValue(part.role, forKey: index) == nil else {
        throw FieldError(
          column: Syntax().column(index, ForeignText.shown(cells[index])),
          problem: "the column is named twice in --columns", remedy: "name it once")
      }
    }
    return places
  }
}

extension ColumnsOption.Part {
  /// The columns of a header with this number or name; a name as it is written goes before one in small letters.
  func places(_ cells: [String]) -> [Int] {
    if let index { return index < cells.count ? [index] : [] }
    let written = cells.indices.filter { cells[$0] == name }
    guard written.isEmpty else { return written }
    return cells.indices.filter {
      let cell = cells[$0].lowercased()
      return cell == name.lowercased() || ColumnName.withoutUnit(cell) == name.lowercased()
    }
  }
}
