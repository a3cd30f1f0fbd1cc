// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Something that nothing states.
public enum Missing: Equatable, Sendable {
  /// Whether the first row is one: why it may be none, a clause.
  case firstRow(String)
  /// Which columns are the axes: ways to choose them.
  case columns([Proposal])
  /// The unit of times, or the order of day and month.
  case timeForm
  /// The unit of a group.
  case unit(Group)
  /// The scale of a group's counts.
  case scale(Group)
  /// The rate of rows without times, or of a single one.
  case rate
  /// Which of several sessions.
  case sessions
  /// The order of rows: the first one that shares the time of the row before it, or is before it.
  case order(Place)
}

/// A way to choose columns.
public struct Proposal: Equatable, Sendable {
  /// The text for `--columns`, such as `time=1,ax=2,ay=3,az=4`; empty where the user must find out.
  public let columns: String
  /// What it would mean, a clause.
  public let meaning: String
}

extension Understanding {
  /// What is missing; empty once everything is stated.
  public var missing: [Missing] {
    var missing: [Missing] = []
    if let firstRowDoubt { missing.append(.firstRow(firstRowDoubt)) }
    if !proposals.isEmpty || channels.isEmpty { missing.append(.columns(proposals)) }
    if timeColumn != nil, times == nil { missing.append(.timeForm) }
    for group in groups {
      guard let unit = units[group]?.value else {
        missing.append(.unit(group))
        continue
      }
      if unit == .count, scales[group] == nil { missing.append(.scale(group)) }
    }
    // Rows that are out of order begin many sessions.
    let isSingle = sessions.contains { $0.rows == 1 } && census.back == 0
    if rate == nil, timeColumn == nil || census.rows == 1 || isSingle {
      missing.append(.rate)
    }
    if sessions.count > 1, !isEach { missing.append(.sessions) }
    // Packets of this program's documents share a time.
    if let place = census.disorder, !isSorted, census.back > 0 || !isGapsOfFile {
      missing.append(.order(place))
    }
    return missing
  }

  /// What reads rows; `nil` while anything is missing.
  func reading() -> Reading? {
    guard missing.isEmpty else { return nil }
    return Reading(
      syntax: syntax, columns: columns, units: units.mapValues(\.value),
      scales: scales.mapValues(\.value), times: times?.value, epoch: epoch?.value,
      factors: factors, isGapsOfFile: isGapsOfFile)
  }
}
