// SPDX-License-Identifier: Apache-2.0

import Text

/// How `ssh` is started; everything else is in the user's configuration of it.
package struct SSHConnection: Sendable {
  package var program: String
  /// Its port; `nil` for the configured one.
  package var port: String?
  package var identity: String?
  package var configuration: String?
  package var options: [String] = []
  /// The other machine's store, if not the default.
  package var remoteStore: String?
  /// Whether ssh shows the fingerprint of the host's key, which it does not over a shared connection.
  package var showsHostKey = false

  /// A connection by the user's configuration alone.
  package init(program: String) { self.program = program }

  /// The arguments that let a host's imulog run a verb. `--` keeps a host from being an option.
  func arguments(host: String, _ verb: [String] = ["pull-server"]) -> [String] {
    (showsHostKey ? ["-o", "VisualHostKey=yes"] : []) + plainArguments(host: host, verb)
  }

  private func plainArguments(host: String, _ verb: [String]) -> [String] {
    // ssh uses the first value. With several hosts and a progress line it cannot prompt for a password.
    var words = ["-T", "-o", "BatchMode=yes"]
    if let port { words += ["-p", port] }
    if let identity { words += ["-i", identity] }
    if let configuration { words += ["-F", configuration] }
    for option in options { words += ["-o", option] }
    words += ["--", host, "imulog"]
    if let remoteStore { words += ["--store", ShellWord.quoted(remoteStore)] }
    return words + verb
  }

  /// How a host's imulog is reached, on one line. The same words may lead to another store later.
  func route(to host: String) -> String {
    ForeignText.shown(
      ([program] + plainArguments(host: host, ["pull-server"])).joined(separator: " "))
  }
}

/// Destinations for ssh: `[user@]host`, or an alias of its configuration.
package enum SSHDestination {
  /// Whether a word can be given to ssh as a destination: printable ASCII, and not an option.
  package static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix("-")
      && text.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) }
  }
}

/// Why ssh does not trust a machine's host key, from its stderr (OpenSSH, sshconnect.c).
enum HostKeyTrouble {
  /// A sentence about ssh's messages; `nil` if they are about something else.
  static func sentence(_ host: String, _ lines: [String]) -> String? {
    if lines.contains(where: { $0.contains("HOST IDENTIFICATION HAS CHANGED") }) {
      let place = lines.first { $0.hasPrefix("Offending ") }
        .flatMap { $0.parts(around: " in ")?.after }
      let line = place.map { "the line " + Plain.text(String($0)) } ?? "its line in known_hosts"
      return
        "the host key of \(host) is not the one that ssh knows: another machine answers, or it was reinstalled; "
        + "only if you know that it was, delete \(line), run `ssh \(host)` once and try again"
    }
    guard lines.contains(where: { $0.hasPrefix("Host key verification failed") }) else {
      return nil
    }
    return
      "ssh does not know the host key of \(host); run `ssh \(host)` once, compare the fingerprint that it shows with "
      + "`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on that machine, and try again"
  }
}
