// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// One of the sensors of a table whose columns' names have a word for each, such as `imu1_ax` and `imu2_ax`.
public struct SensorColumns: Equatable, Sendable {
  /// The sensor's name: the word, such as `imu1`.
  public let name: String
  /// The table's time and the sensor's axes.
  public let columns: ColumnsOption

  /// The sensors of a table, in the order of their columns, and the names of the columns that are of none.
  ///
  /// - Throws: ``ImportError`` for a table of one sensor, of more than ``TakePlace/mostSensors``, and for words that name none.
  public static func list(
    _ path: String, _ kind: FileKind, _ request: ImportRequest,
    progress: FileSource.Progress? = nil
  ) throws(ImportError) -> (sensors: [SensorColumns], others: [String]) {
    let tables = try ImportedRecording.explained([path], kind, request, progress: progress)
    guard tables.count == 1, let list = list(of: tables[0]) else {
      throw ImportError(
        path,
        "has no columns of 2 to \(TakePlace.mostSensors) sensors with a word for each in their names",
        remedy: "name columns such as left_ax and right_ax, or leave --take out")
    }
    let cells = tables[0].columns.map(\.name)
    var others = Set(cells.indices)
    do throws(FieldError) {
      for sensor in list { others.subtract(try sensor.columns.places(cells).keys) }
    } catch {
      throw error.at(path, 1)
    }
    return (list, others.sorted().map { FieldText.shown(cells[$0].utf8) })
  }

  /// `nil` unless the columns are of several sensors, each with a name of its own.
  static func list(of table: Understanding) -> [SensorColumns]? {
    let found = table.proposals.compactMap { proposal -> SensorColumns? in
      guard let words = proposal.sensor, let columns = ColumnsOption(proposal.columns) else {
        return nil
      }
      return SensorColumns(name: name(words), columns: columns)
    }
    let isTake =
      2...TakePlace.mostSensors ~= found.count && found.count == table.proposals.count
      && Set(found.map(\.name)).count == found.count
      && found.allSatisfy { SensorDescription.isName($0.name) }
    return isTake ? found : nil
  }

  /// `imu1` of `imu 1`, and `left_foot` of `left foot`.
  private static func name(_ words: String) -> String {
    words.split(separator: " ").reduce(into: "") { name, word in
      if !name.isEmpty, !word.allSatisfy(\.isNumber) { name += "_" }
      name += word
    }
  }
}
