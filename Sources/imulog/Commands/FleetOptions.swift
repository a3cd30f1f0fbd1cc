// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Glibc
import Hub
import IMUModel
import Terminal
import Text

/// The argument that names a hub.
struct HubArgument: ParsableArguments {
  @Argument(help: .value("dir", "The hub's directory."), completion: .directory)
  var directory: String
}

/// The arguments that name a hub and its hosts.
struct FleetOptions: ParsableArguments {
  @OptionGroup private var hub: HubArgument

  @Option(
    name: .customLong("hosts"),
    help: .value("file", "The host file; by default DIR/hosts."),
    completion: .file())
  var given: String?

  var directory: String { hub.directory }
  /// The host file.
  var file: String { given ?? "\(directory)/hosts" }

  /// The hosts, and the lines that cannot be used.
  ///
  /// - Parameter configuration: The SSH configuration whose aliases patterns choose; by default the user's.
  func hosts(
    _ configuration: String?
  ) throws -> (hosts: [HubHost], errors: [HostFileError]) {
    guard let bytes = try bytesIfThere() else {
      throw CommandFailure(
        .noInput,
        "there is no host file \(Plain.text(file)): write one, with a line NAME = DESTINATION for each host, or name it "
          + "with --hosts FILE")
    }
    return HostFile.read(bytes, named: file) { pattern throws(CommandFailure) in
      let home = Environment.value("HOME") ?? ""
      let path = configuration ?? "\(home)/.ssh/config"
      return try SSHAliases.fitting(pattern, in: path, folder: "\(home)/.ssh")
    }
  }

  /// Bytes: more than 100,000 lines have.
  private static let longest = 16 << 20

  /// The bytes of the host file; `nil` without one.
  func bytesIfThere() throws -> [UInt8]? {
    do {
      let bytes = try WholeFile.read(file, atMost: FleetOptions.longest + 1)
      guard bytes.count <= FleetOptions.longest else {
        throw CommandFailure(
          .configuration, "the host file \(Plain.text(file)) is larger than 16 MiB")
      }
      return bytes
    } catch let error as StorageError {
      if error.isMissing { return nil }
      guard [EISDIR, ENXIO].contains(error.errno) else { throw error }
      throw CommandFailure(
        .noInput, "the host file \(Plain.text(file)) is not a file; name one with --hosts FILE")
    }
  }
}
