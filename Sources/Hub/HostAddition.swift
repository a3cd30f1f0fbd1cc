// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A host that is added to a host file.
public enum HostAddition {
  /// Adds a line to a host file, unless the host is there with the same destination.
  ///
  /// - Parameters:
  ///   - line: The line, without a line feed.
  ///   - name: The host's name, which must be what the line is read as.
  ///   - path: The file's name, for errors.
  ///   - text: The bytes of the file now; `nil` without one.
  /// - Returns: The host, and the bytes that the file is to have; `nil` if it stays.
  public static func add(
    _ line: String, of name: String, to path: String, _ text: [UInt8]?
  ) throws(CommandFailure) -> (host: HubHost, bytes: [UInt8]?) {
    let none = { (_: String) throws(CommandFailure) -> [String] in [] }
    let (added, problems) = HostFile.read(Array(line.utf8), named: path, aliases: none)
    if let problem = problems.first { throw CommandFailure(.usage, problem.problem) }
    guard let host = added.first, added.count == 1, host.name == name, host.line == 1,
      !line.contains(where: \.isNewline),
      // The rest would be a comment.
      !line.split(separator: " ").contains(where: { $0.hasPrefix("#") })
    else {
      throw CommandFailure(
        .usage,
        "\(ForeignText.shown(line)) is no line of a host file: give a name, what ssh connects to, and labels"
      )
    }
    let there = HostFile.read(text ?? [], named: path, aliases: none).hosts
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
    // Such as a destination that another line has.
    if let problem = HostFile.read(bytes, named: path, aliases: none).errors.first(where: {
      $0.line == number
    }) {
      throw CommandFailure(.configuration, "\(problem)")
    }
    return (host, bytes)
  }
}
