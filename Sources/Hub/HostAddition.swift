// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A host that is added to a host file.
public enum HostAddition {
  /// Adds a line to a host file, unless the host is there with the same destination.
  ///
  /// - Parameters:
  ///   - line: The line, without a line feed.
  ///   - path: The file's name, for errors.
  ///   - text: The bytes of the file now; `nil` without one.
  /// - Returns: The host, and the bytes that the file is to have; `nil` if it stays.
  public static func add(
    _ line: String, to path: String, _ text: [UInt8]?
  ) throws(CommandFailure) -> (host: HubHost, bytes: [UInt8]?) {
    let none = { (_: String) throws(CommandFailure) -> [String] in [] }
    let (added, problems) = HostFile.read(Array(line.utf8), named: path, aliases: none)
    if let problem = problems.first { throw CommandFailure(.usage, problem.problem) }
    guard let host = added.first, added.count == 1 else {
      throw CommandFailure(.usage, "the name of the host is missing")
    }
    let there = HostFile.read(text ?? [], named: path, aliases: none).hosts
    if let same = there.first(where: { $0.name == host.name }) {
      guard same.destination == host.destination || line == host.name else {
        throw CommandFailure(
          .configuration,
          "\(path):\(same.line): \(host.name) is \(same.destination) already; change the line, or choose another name"
        )
      }
      return (same, nil)
    }
    var bytes = text ?? []
    if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    bytes += Array((line + "\n").utf8)
    return (host, bytes)
  }
}
