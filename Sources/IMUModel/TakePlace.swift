// SPDX-License-Identifier: Apache-2.0

/// The place of a recording among those of a take: what several sensors recorded together, a log each.
public struct TakePlace: Equatable, Sendable {
  /// The identity of the take, the same in all of its logs.
  public let id: RecordingID
  /// The log's place among them, from 0, in the order in which the user named the sensors.
  public let index: Int
  /// How many logs the take has, 2 to ``mostSensors``.
  public let count: Int

  /// The most sensors of a take.
  public static let mostSensors = 8

  /// A place; `nil` where no take has it.
  public init?(id: RecordingID, index: Int, count: Int) {
    guard 2...TakePlace.mostSensors ~= count, 0..<count ~= index else { return nil }
    (self.id, self.index, self.count) = (id, index, count)
  }
}

extension SensorDescription {
  /// Whether a text can name a sensor in columns, topics and files: a letter, then at most 31 letters, digits, `-` or `_`, all
  /// of ASCII and small.
  public static func isName(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard let first = bytes.first, bytes.count <= 32, letters.contains(first) else { return false }
    return bytes.allSatisfy {
      letters.contains($0) || (0x30...0x39).contains($0) || "-_".utf8.contains($0)
    }
  }
}
