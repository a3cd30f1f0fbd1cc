// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Boards
import IMUDrivers
import IMUModel
import LinuxIO
import LogStore
import Text

/// What a shell offers after an option or for an argument. The shell runs the program for it, with the line's words.
extension CompletionKind {
  static var boards: CompletionKind { .custom { _, _, _ in Board.all.map(\.id) } }

  static var sensors: CompletionKind {
    .custom { _, _, _ in ["auto"] + SensorModel.allCases.map(\.rawValue) }
  }

  /// The rates of the FIFO of the chip that the line names, else usual ones.
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

  /// ``recordings``, and files.
  static var recordingsAndFiles: CompletionKind {
    .custom { words, index, prefix in
      Completions.recordings(words) + Completions.files(words, index, prefix)
    }
  }

  /// `latest`, and the numbers of what is in the trash of the line's store, last removed first.
  static var removedRecordings: CompletionKind {
    .custom { words, _, _ in Completions.numbers(words) { try $0.trashed().map(\.entry) } }
  }

  /// The simulator's motions, and files.
  static var motions: CompletionKind {
    .custom { words, index, prefix in
      SensorRequest.motions.keys.sorted() + Completions.files(words, index, prefix)
    }
  }
}

private enum Completions {
  /// The most that are offered.
  private static let limit = 50

  /// The value that a line gives to an option, as the shell would read it.
  static func value(of option: String, in words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      if word.hasPrefix(option + "=") {
        return unquoted(String(word.dropFirst(option.utf8.count + 1)))
      }
      guard word == option else { continue }
      // bash makes three words of --store=DIR.
      var rest = words[(index + 1)...]
      if rest.first == "=" { rest.removeFirst() }
      return rest.first.map(unquoted)
    }
    return nil
  }

  /// A word as it was typed without its quotes, and with the home directory for `~`.
  static func unquoted(_ word: String) -> String {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        // Between double quotes, a backslash before other characters stays.
        if quote != nil, !"\"\\$`".contains(character) { text.append("\\") }
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    guard word.hasPrefix("~/"), let home = Environment.value("HOME") else { return text }
    return home + text.dropFirst()
  }

  static func recordings(_ words: [String]) -> [String] {
    numbers(words) { try $0.list().entries }
  }

  static func numbers(
    _ words: [String], of entries: (Catalogue) throws -> [CatalogueEntry]
  ) -> [String] {
    do {
      let path = try StoreLocation.path(verb: value(of: "--store", in: words), program: nil)
      let found = try entries(try Catalogue(path: path))
      return ["latest"] + found.prefix(limit).map { String($0.number) }
    } catch {
      // A message would be in the midst of the user's line.
      return ["latest"]
    }
  }

  /// Paths that begin as the word at the cursor; directories end in a slash.
  ///
  /// Names with characters that a shell obeys are left out: bash expands what it is offered, and would run a name.
  static func files(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    // Not every shell gives the part before the cursor.
    let isWhole = prefix.isEmpty && words.indices.contains(index)
    let word = isWhole ? words[index] : prefix
    let end = word.lastIndex(of: "/").map { word.index(after: $0) } ?? word.startIndex
    let directory = word[..<end]
    let start = word[end...]
    return SystemTree.live.names(in: directory.isEmpty ? "." : String(directory)).filter { name in
      name.hasPrefix(start) && (start.hasPrefix(".") || !name.hasPrefix("."))
        && name.allSatisfy { $0.isLetter || $0.isNumber || "._-+@,%".contains($0) }
    }.sorted().prefix(limit).map { name in
      let path = String(directory) + name
      return FileIdentity(path: path)?.isDirectory == true ? path + "/" : path
    }
  }
}
