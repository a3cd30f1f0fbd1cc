// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension ImportLayout {
  /// Refuses a header of which a sensor's three columns would be left out, because no dialect has their names.
  ///
  ///     Acc X (g), …, Turn rate X, Turn rate Y, Turn rate Z      three names that differ in one letter
  func refuseSensors(among headings: [ImportHeading]) throws(ImportFieldError) {
    for (group, words) in ImportLayout.sensorWords where !groups.contains(group) {
      for first in headings where words.contains(where: { first.name.parts(around: $0) != nil }) {
        for letters in [["x", "y", "z"], ["0", "1", "2"], ["1", "2", "3"]] {
          for place in first.name.indices where first.name[place] == Character(letters[0]) {
            let three = letters.compactMap { letter in
              let name = first.name.replacingCharacter(at: place, with: letter)
              return headings.first { $0.name == name }
            }
            guard three.count == 3 else { continue }
            let names = three.map { "\"\($0.shown)\"" }.joined(separator: ", ")
            throw ImportFieldError(.sensorLeftOut(columns: names, sensor: group.name))
          }
        }
      }
    }
  }

  /// What is in the names that programs give to a sensor's columns.
  private static let sensorWords: [(ImportGroup, [String])] = [
    (.accelerometer, ["acc"]), (.gyroscope, ["gyr", "angular", "rotation", "turn rate"]),
  ]
}

extension String {
  /// The text with another character at a place.
  fileprivate func replacingCharacter(at place: Index, with text: String) -> String {
    String(self[..<place]) + text + String(self[index(after: place)...])
  }
}
