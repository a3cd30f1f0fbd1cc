// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Remote
import Text

/// The hosts of a hub, a line each.
///
///     # pumps
///     pump-7 = pi@10.0.0.7  site=bergen line=3     NAME = DESTINATION LABEL=VALUE …
///     pump-8                                       NAME alone is what ssh connects to as well
///     * = pump-*  site=bergen                      every alias of the SSH configuration that fits
///
/// A comment begins with `#` at the beginning of a line or after a space. A host with a line of its own is left out of
/// patterns. An invalid line is reported, and the others are used.
package enum HostFile {
  static let mostLabels = 16
  /// Most bytes of a host's name, and of a label's value.
  static let longest = 63

  /// Reads a host file of any bytes.
  ///
  /// - Parameter aliases: Returns the aliases of the SSH configuration that match a pattern.
  package static func read(
    _ bytes: [UInt8], named name: String,
    aliases: (_ pattern: String) throws(CommandFailure) -> [String]
  ) -> (hosts: [HubHost], errors: [HostFileError]) {
    var hosts: [HubHost] = []
    // By key: a file may have a hundred thousand lines.
    var (names, destinations): ([String: HubHost], [String: HubHost]) = ([:], [:])
    var patterns: [(pattern: String, labels: [HubHost.Label], line: Int)] = []
    var errors: [HostFileError] = []
    func refuse(_ line: Int, _ problem: String) {
      errors.append(HostFileError(file: name, line: line, problem: problem))
    }
    func take(_ host: HubHost) {
      names[host.name] = host
      destinations[host.destination] = host
      hosts.append(host)
    }
    func add(_ host: HubHost) {
      if let twin = names[host.name] {
        refuse(host.line, "\(host.name) is in line \(twin.line) already: a host has one line")
      } else if let twin = destinations[host.destination] {
        refuse(
          host.line,
          "\(ForeignText.shown(host.destination)) is the destination of \(twin.name) in line \(twin.line) already: "
            + "one machine has one name")
      } else {
        take(host)
      }
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      do throws(CommandFailure) {
        guard let line = try Line(bytes) else { continue }
        if line.name == "*" {
          guard let pattern = line.destination else { throw Line.problem(Line.patternForm) }
          patterns.append((pattern, line.labels, index + 1))
        } else {
          add(
            HubHost(
              name: line.name, destination: line.destination ?? line.name, labels: line.labels,
              line: index + 1))
        }
      } catch {
        refuse(index + 1, error.sentence)
      }
    }
    let patternLines = Set(patterns.map(\.line))
    for (pattern, labels, line) in patterns {
      do throws(CommandFailure) {
        let found = try aliases(pattern)
        if found.isEmpty {
          refuse(line, "no alias of the SSH configuration matches \(ForeignText.shown(pattern))")
        }
        for alias in found where destinations[alias] == nil {
          let own = alias.lowercased()
          guard HostFile.isName(own) else {
            refuse(line, "the alias \(ForeignText.shown(alias)) is not a name: \(Line.nameForm)")
            continue
          }
          if let twin = names[own] {
            if patternLines.contains(twin.line) {
              refuse(
                line,
                "the aliases \(twin.destination) and \(alias) differ only in case: give one a line with a name of its own"
              )
            }
            continue
          }
          take(HubHost(name: own, destination: alias, labels: labels, line: line))
        }
      } catch {
        refuse(line, error.sentence)
      }
    }
    return (hosts, errors)
  }

  private struct Line {
    var name = ""
    var destination: String?
    var labels: [HubHost.Label] = []

    static let nameForm =
      "a name is a lower-case letter and then lower-case letters, digits, . _ -, at most \(longest) in all, such as pump-7, and not a value of engines such as true or null"
    static let patternForm = "a pattern has the form * = PATTERN, such as * = pump-*"

    static func problem(_ text: String) -> CommandFailure { CommandFailure(.configuration, text) }

    /// Reads a line; `nil` without a host.
    init?(_ bytes: ArraySlice<UInt8>) throws(CommandFailure) {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Line.problem("the line is not valid UTF-8; rewrite it")
      }
      var words: [Substring] = []
      for word in text.split(whereSeparator: { " \t\r".contains($0) }) {
        if word.hasPrefix("#") { break }
        words.append(word)
      }
      guard let first = words.first else { return nil }
      if let sign = first.firstIndex(of: "=") {
        // NAME=DESTINATION
        words.replaceSubrange(
          0..<1, with: [first[..<sign], "=", first[first.index(after: sign)...]])
        words.removeAll(where: \.isEmpty)
      }
      name = String(words.removeFirst())
      guard name == "*" || HostFile.isName(name) else {
        throw Line.problem("\(Line.quoted(name)) is not a name: \(Line.nameForm)")
      }
      if words.first == "=" {
        words.removeFirst()
        guard !words.isEmpty else {
          throw Line.problem("\(name) has no destination after the =; write what ssh connects to")
        }
        let word = String(words.removeFirst())
        guard SSHDestination.isPlain(word) else {
          throw Line.problem(
            "\(Line.quoted(word)) is not a destination of ssh; write it as pi@10.0.0.7")
        }
        destination = word
      } else if let word = words.first, word.hasPrefix("=") {
        throw Line.problem("write a space after the =")
      }
      for word in words { try add(word) }
    }

    private mutating func add(_ word: Substring) throws(CommandFailure) {
      let shown = Line.quoted(String(word))
      guard let sign = word.firstIndex(of: "=") else {
        throw Line.problem("\(shown) is not a label; write it as site=bergen")
      }
      let (label, value) = (String(word[..<sign]), String(word[word.index(after: sign)...]))
      guard label.utf8.count <= 32, HostFile.isWord(label, with: "_") else {
        throw Line.problem(
          "\(shown) is not a label: its name is a lower-case letter and then lower-case letters, digits and _, at most 32 in all"
        )
      }
      guard !value.isEmpty, value.utf8.count <= longest,
        !value.unicodeScalars.contains(where: { ForeignText.isObeyed($0) })
      else {
        throw Line.problem("\(shown) is not a label: its value is 1 to \(longest) printable bytes")
      }
      guard !labels.contains(where: { $0.name == label }) else {
        throw Line.problem("the label \(label) is there twice; a host has it once")
      }
      guard labels.count < mostLabels else {
        throw Line.problem("a host has at most \(mostLabels) labels")
      }
      labels.append(HubHost.Label(name: label, value: value))
    }

    /// The first 80 characters of a word.
    private static func quoted(_ word: String) -> String {
      ForeignText.shown(String(word.prefix(80))) + (word.utf8.count > 80 ? "…" : "")
    }
  }

  /// Words that DuckDB, polars or ClickHouse read in a folder's name as another value than text: some read `host=true` as a
  /// Boolean, and fail at `host=pump` beside it.
  private static let values: Set = ["epoch", "false", "inf", "infinity", "nan", "null", "true"]

  /// Whether a text is a name: lower case, so that names differ on a file system without cases, and a letter first, so that no
  /// engine reads a number or a date.
  static func isName(_ text: String) -> Bool {
    text.utf8.count <= longest && isWord(text, with: ".-_") && !values.contains(text)
  }

  /// Whether a text is a lower-case letter and then lower-case letters, digits and `others`.
  private static func isWord(_ text: String, with others: String) -> Bool {
    let letters: ClosedRange<UInt8> = 97...122
    return text.utf8.first.map { letters.contains($0) } == true
      && text.utf8.allSatisfy {
        letters.contains($0) || (48...57).contains($0) || others.utf8.contains($0)
      }
  }

  /// Adds the line of a host to a file with these bytes, unless the host is there with the same destination and labels.
  ///
  /// - Returns: The host, and the file's new bytes; `nil` if it stays.
  package static func adding(
    _ line: String, of name: String, to path: String, _ text: [UInt8]?
  ) throws(CommandFailure) -> (host: HubHost, bytes: [UInt8]?) {
    let none = { (_: String) throws(CommandFailure) -> [String] in [] }
    let (added, problems) = read(Array(line.utf8), named: path, aliases: none)
    if let problem = problems.first { throw CommandFailure(.usage, problem.problem) }
    guard let host = added.first, added.count == 1, host.name == name, host.line == 1,
      !line.contains(where: \.isNewline),
      // The rest would be a comment.
      !line.split(separator: " ").contains(where: { $0.hasPrefix("#") })
    else {
      throw CommandFailure(
        .usage,
        "\(ForeignText.shown(line)) is not a line of a host file: give a name, what ssh connects to, and labels"
      )
    }
    let there = read(text ?? [], named: path, aliases: none).hosts
    if let same = there.first(where: { $0.name == host.name }) {
      guard line == name || same.destination == host.destination && same.labels == host.labels
      else {
        throw CommandFailure(
          .configuration,
          "\(path):\(same.line): \(host.name) is there already, with another destination or other labels; change that line, "
            + "or choose another name")
      }
      return (same, nil)
    }
    var bytes = text ?? []
    if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    let number = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    bytes += Array((line + "\n").utf8)
    // Another line may have the destination.
    if let problem = read(bytes, named: path, aliases: none).errors.first(where: {
      $0.line == number
    }) {
      throw CommandFailure(.configuration, "\(problem)")
    }
    return (host, bytes)
  }
}

/// A line of a host file that cannot be used.
package struct HostFileError: StatusError, Equatable {
  let file: String
  package let line: Int
  /// What is wrong, and what a valid line looks like.
  package let problem: String

  package var description: String { "\(file):\(line): \(problem)" }
  package var exitStatus: ExitStatus { .configuration }
}

/// A machine whose recordings a hub collects, as its line of the host file states it.
package struct HubHost: Equatable, Sendable {
  package struct Label: Equatable, Sendable {
    /// Lower-case letters, digits and `_`.
    package let name: String
    /// Printable text without spaces.
    package let value: String
  }

  /// Its name, also of its folders, and after `host=` in paths.
  package let name: String
  package let destination: String
  package let labels: [Label]
  /// The line of the host file; 0 without one.
  let line: Int
}

extension HubHost {
  init(unlisted name: String, labels: [Label] = []) {
    self.init(name: name, destination: "", labels: labels, line: 0)
  }
}
