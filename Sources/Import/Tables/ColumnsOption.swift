// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Columns of a table that the user names, as `time=Zeit,ax=Beschl. X,ay=3`: by the header's names or, from 1, by their
/// places.
public struct ColumnsOption: Equatable, Sendable {
  /// What a column is named for.
  enum Target: Hashable {
    case time
    case date
    case channel(Int)
  }

  /// A name of a column, or its place from 0.
  enum Spot: Equatable {
    case name(String)
    case index(Int)
  }

  /// A part of the option.
  struct Part: Equatable {
    let target: Target
    let spot: Spot
  }

  /// As the user wrote it.
  public let text: String
  /// In the order in which they are written.
  let parts: [Part]

  /// `nil` unless each part is `time=`, `date=`, `ax=` … `gz=` or `temp=` with a name or a number, each once, and one is
  /// an axis.
  public init?(_ text: String) {
    self.text = text
    var parts: [Part] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let equals = part.firstIndex(of: "="),
        let target = ColumnsOption.target(part[..<equals]),
        let spot = ColumnsOption.spot(part[part.index(after: equals)...]),
        !parts.contains(where: { $0.target == target })
      else { return nil }
      parts.append(Part(target: target, spot: spot))
    }
    guard parts.contains(where: { if case .channel = $0.target { true } else { false } }) else {
      return nil
    }
    self.parts = parts
  }

  private static func target(_ name: Substring) -> Target? {
    switch name {
    case "time": .time
    case "date": .date
    default: ChannelSet.names.firstIndex(of: String(name)).map { .channel($0) }
    }
  }

  private static func spot(_ text: Substring) -> Spot? {
    guard !text.isEmpty else { return nil }
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return .name(String(text)) }
    guard let number = Int(text), number > 0 else { return nil }
    return .index(number - 1)
  }

  /// Whether every column is given by its number, so that the table needs no header.
  var needsNoHeader: Bool { indices.count == parts.count }

  /// The numbers from 0 of all columns that have one.
  var indices: [Int] {
    parts.compactMap { if case .index(let index) = $0.spot { index } else { nil } }
  }

  /// The fewest columns of a table that has all those with a number.
  var width: Int { (indices.max() ?? -1) + 1 }

  /// The places of the named columns among a header's cells.
  func places(_ cells: [String]) throws(FieldError) -> [Int: Target] {
    var places: [Int: Target] = [:]
    for part in parts {
      let found = ColumnsOption.places(part.spot, cells)
      guard let index = found.first else {
        throw switch part.spot {
        case .name(let name):
          FieldError(
            problem: "no column \"\(ForeignText.shown(name))\" of --columns is in the header",
            remedy: "give names as the header writes them, or numbers from 1")
        case .index(let index):
          FieldError(
            problem: "there is no column \(index + 1) of --columns",
            remedy:
              "count them from 1, as commas, semicolons, tabs or single blanks separate them")
        }
      }
      guard found.count == 1 else {
        let numbers = found.map { "\($0 + 1)" }.joined(separator: " and ")
        throw FieldError(
          problem:
            "the header has \"\(ForeignText.shown(cells[index]))\" of --columns in columns \(numbers)",
          remedy: "give the number of the right one")
      }
      guard places.updateValue(part.target, forKey: index) == nil else {
        throw FieldError(
          column: .init(number: index + 1, name: ForeignText.shown(cells[index])),
          problem: "the column is named twice in --columns", remedy: "name it once")
      }
    }
    return places
  }

  /// The columns of a header with this number or name; a name as it is written goes before one in small letters.
  static func places(_ spot: Spot, _ cells: [String]) -> [Int] {
    switch spot {
    case .index(let index): return index < cells.count ? [index] : []
    case .name(let name):
      let written = cells.indices.filter { cells[$0] == name }
      guard written.isEmpty else { return written }
      return cells.indices.filter {
        let cell = cells[$0].lowercased()
        return cell == name.lowercased() || ColumnName.withoutUnit(cell) == name.lowercased()
      }
    }
  }
}
