// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Boards
import IMUDrivers
import IMUModel

/// What a shell offers after an option or for an argument. The shell runs the program to ask for it, with the words of the
/// line so far; what cannot be found out is not offered.
extension CompletionKind {
  /// The boards that the program knows.
  static var boards: CompletionKind { .custom { _, _, _ in Board.all.map(\.id) } }

  /// `auto`, and the chips that it knows.
  static var sensors: CompletionKind {
    .custom { _, _, _ in ["auto"] + SensorModel.allCases.map(\.rawValue) }
  }

  /// The rates of the chip's FIFO, if the line names a chip, else usual ones.
  static var rates: CompletionKind {
    .custom { words, _, _ in
      let name = Completions.value(of: "--sensor", in: words)?.split(separator: "@").first
      let rates = name.flatMap { SensorModel.named($0.lowercased()) }?.fifoRates(channels: .all)
      guard let rates, !rates.isEmpty else { return ["10", "50", "100", "200", "500", "1000"] }
      return rates.map { Plain.hertz($0) }
    }
  }

  /// `latest`, and the numbers of the recordings in the line's store, newest first.
  static var recordings: CompletionKind {
    .custom { words, _, _ in Completions.recordings(words) }
  }
}

private enum Completions {
  /// The most numbers that are offered.
  private static let limit = 50

  /// The value that a line gives to an option.
  static func value(of option: String, in words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.utf8.count + 1)) }
      if word == option, index + 1 < words.count { return words[index + 1] }
    }
    return nil
  }

  static func recordings(_ words: [String]) -> [String] {
    do {
      let path = try StoreLocation.path(
        verb: value(of: "--store", in: words), program: nil, environment: Environment.value)
      let entries = try OpenStore.reading(path).list().entries
      return ["latest"] + entries.prefix(limit).map { String($0.number) }
    } catch {
      // In the midst of a line, no message has a place.
      return ["latest"]
    }
  }
}
