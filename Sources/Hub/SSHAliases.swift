// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
package import IMUModel

/// The aliases in a user's SSH configuration: words of `Host` lines without wildcards (ssh_config(5)).
package enum SSHAliases {
  /// Levels of `Include`, as ssh reads them.
  private static let deepest = 16
  private static let limit = 4 << 20

  /// The aliases that match a pattern of fnmatch(3), in their order, each once.
  ///
  /// - Parameter folder: What names in `Include` are relative to: `~/.ssh`.
  package static func fitting(
    _ pattern: String, in path: String, folder: String
  ) throws(CommandFailure) -> [String] {
    var found: [String] = []
    try read(path, folder, depth: 0) { alias in
      if fnmatch(pattern, alias, 0) == 0, !found.contains(alias) { found.append(alias) }
    }
    return found
  }

  private static func read(
    _ path: String, _ folder: String, depth: Int, _ each: (String) -> Void
  ) throws(CommandFailure) {
    guard depth <= deepest else {
      throw CommandFailure(.configuration, "\(path) includes files \(deepest) deep; include fewer")
    }
    for line in try text(of: path).split(whereSeparator: \.isNewline) {
      var words = self.words(line)
      guard let keyword = words.first?.lowercased() else { continue }
      words.removeFirst()
      if keyword == "host" {
        for word in words where !word.contains(where: { "*?!".contains($0) }) { each(word) }
      } else if keyword == "include" {
        for word in words {
          for file in matches(of: word, folder) {
            try read(file, folder, depth: depth + 1, each)
          }
        }
      }
    }
  }

  /// The keyword and its arguments; quotes join words, and `=` may follow the keyword.
  private static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    var (isQuoted, isOpen) = (false, false)
    func end() {
      if isOpen { words.append(word) }
      (word, isOpen) = ("", false)
    }
    for character in line {
      switch character {
      case "\"":
        isQuoted.toggle()
        isOpen = true
      case "#" where !isQuoted && !isOpen:
        return words
      case " " where !isQuoted, "\t" where !isQuoted, "\r" where !isQuoted: end()
      case "=" where !isQuoted && (words.isEmpty || words.count == 1 && !isOpen):
        end()
      default:
        word.append(character)
        isOpen = true
      }
    }
    end()
    return words
  }

  /// The files that a word of an `Include` matches; as in ssh, there may be none.
  private static func matches(of word: String, _ folder: String) -> [String] {
    let isPlaced = word.hasPrefix("/") || word.hasPrefix("~")
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(isPlaced ? word : "\(folder)/\(word)", Glibc.GLOB_TILDE, nil, &found) == 0 else {
      return []
    }
    // Safe: glob filled so many C strings, which live until globfree.
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  }

  private static func text(of path: String) throws(CommandFailure) -> String {
    let bytes: [UInt8]
    do throws(StorageError) {
      bytes = try FileSystem(gate: .open).open(path, flags: O_RDONLY | O_NONBLOCK)
        .beginning(limit + 1)
    } catch {
      throw CommandFailure(
        .configuration, "cannot read the SSH configuration \(path): \(error.meaning)")
    }
    guard bytes.count <= limit else {
      throw CommandFailure(
        .configuration, "the SSH configuration \(path) is larger than \(limit >> 20) MiB")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
