// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LinuxIO
import Terminal
import Text

/// The line of a hub's key in `authorized_keys` (sshd(8), AUTHORIZED_KEYS FILE FORMAT), which may only read recordings.
///
///     restrict,command="/usr/bin/imulog --store /var/lib/imulog/recordings serve" ssh-ed25519 AAAA… hub
///     └ options                                                                   └ the key
struct AuthorizedKey {
  private let type: Substring
  private let blob: Substring
  private let comment: String

  private static let types = [
    "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa",
    "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
  ]
  private static let longest = 16 << 10
  /// Nanoseconds that ssh-keygen may take for it.
  private static let patience: Int64 = 10_000_000_000

  /// Reads a file of one public key, as `ssh-keygen` writes it.
  init(file: String) throws {
    let bytes = try WholeFile.read(file, atMost: AuthorizedKey.longest + 1)
    func refuse(_ why: String) -> CommandFailure {
      CommandFailure(
        .damagedData,
        "\(Plain.text(file)) \(why); name the file of the hub's public key, such as id_ed25519.pub")
    }
    guard bytes.count <= AuthorizedKey.longest else { throw refuse("is too long for a key") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw refuse("is not valid UTF-8")
    }
    guard !text.contains("PRIVATE KEY") else {
      throw refuse("is a private key, which stays where it is")
    }
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
    guard lines.count == 1 else { throw refuse("has \(lines.count) lines of keys, not one") }
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count >= 2, AuthorizedKey.types.contains(String(words[0])) else {
      throw refuse("has no public key that ssh knows")
    }
    (type, blob) = (words[0], words[1])
    comment = words.count == 3 ? Plain.text(String(words[2])).filter { $0 != "\"" } : ""
    let reading = try OtherProcess("ssh-keygen", ["-l", "-f", file])
    guard reading.finish(within: AuthorizedKey.patience).trouble == nil else {
      throw refuse("has a key that is cut or changed")
    }
  }

  func line(program: String, store: String, mayFree: Bool) -> String {
    let command = "\(program) --store \(store) serve\(mayFree ? " --allow-delete" : "")"
    return "restrict,command=\"\(command)\" \(type) \(blob)\(comment.isEmpty ? "" : " " + comment)"
  }

  /// The file with the line in it once: in place of one that imulog wrote for the same key, or at the end.
  ///
  /// - Throws: ``CommandFailure`` where the key has another line, whose rights would be lost.
  func text(adding line: String, to old: String, of path: String) throws(CommandFailure) -> String {
    // By scalars: to Swift a carriage return and a line feed are one character.
    var lines = old.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
    if lines.last == "" { lines.removeLast() }
    var isThere = false
    var kept: [String] = []
    for (number, own) in lines.enumerated() {
      let isSame =
        !own.drop(while: \.isWhitespace).hasPrefix("#")
        && own.split(whereSeparator: \.isWhitespace).contains(blob)
      guard isSame else {
        kept.append(own)
        continue
      }
      guard isOurs(own) else {
        throw CommandFailure(
          .configuration,
          "\(Plain.text(path)):\(number + 1) has this key with other rights, which would be lost; "
            + "make another key for the hub, or change that line yourself")
      }
      if !isThere { kept.append(line) }
      isThere = true
    }
    if !isThere { kept.append(line) }
    return kept.joined(separator: "\n") + "\n"
  }

  /// Whether a line is one that ``line(program:store:mayFree:)`` wrote for this key, whatever its program and store.
  private func isOurs(_ line: String) -> Bool {
    let start = "restrict,command=\""
    guard line.hasPrefix(start), let end = line.dropFirst(start.count).firstIndex(of: "\"") else {
      return false
    }
    let words = line[line.index(line.startIndex, offsetBy: start.count)..<end].split(separator: " ")
    let rest = line[line.index(after: end)...].split(whereSeparator: \.isWhitespace)
    guard rest.prefix(2) == [type, blob], words.count >= 4, words[1] == "--store" else {
      return false
    }
    return words[0].hasSuffix("/imulog")
      && [["serve"], ["serve", "--allow-delete"]].contains(words[3...].map { String($0) })
  }
}

/// An account that a hub's key logs in to.
struct KeyAccount {
  let name: String
  private let user: uid_t
  private let group: gid_t
  private let home: String
  let isMember: Bool

  /// - Parameter given: The name; by default of the user who runs the program, or who became root by `sudo` for it.
  init(_ given: String?) throws(CommandFailure) {
    // With sudo -u the program runs as the user who is meant.
    let caller = Environment.value("SUDO_USER") ?? ""
    let sudo = geteuid() == 0 && !caller.isEmpty ? caller : nil
    // Safe: the entry is a static buffer of the C library, read before the next call; no other thread asks for one.
    let entry = (given ?? sudo).map { getpwnam($0) } ?? getpwuid(getuid())
    guard let entry = entry?.pointee, let name = entry.pw_name, let home = entry.pw_dir,
      let shell = entry.pw_shell
    else {
      throw CommandFailure(
        .noInput,
        "there is no user \(Plain.text(given ?? sudo ?? "\(getuid())")) here; name one with --user")
    }
    (self.name, self.home) = (String(cString: name), String(cString: home))
    (user, group) = (entry.pw_uid, entry.pw_gid)
    let path = String(cString: shell)
    guard !["/nologin", "/false"].contains(where: { path.hasSuffix($0) }) else {
      throw CommandFailure(
        .configuration,
        "sshd runs the command of a key by its user's shell, and \(self.name) has none (\(path)); name another with --user"
      )
    }
    isMember = KeyAccount.isMember(self.name, group)
  }

  /// Whether it may read the service's recordings.
  private static func isMember(_ name: String, _ own: gid_t) -> Bool {
    guard let group = getgrnam("imulog")?.pointee.gr_gid else { return true }
    var count: CInt = 1024
    var groups = [gid_t](repeating: 0, count: Int(count))
    // Safe: the count is the array's.
    let known = getgrouplist(name, own, &groups, &count)
    return known >= 0 && groups.prefix(Int(count)).contains(group)
  }

  private var directory: String { "\(home)/.ssh" }
  var path: String { "\(directory)/authorized_keys" }

  /// Acts as this account from here on: root writes nothing in its place, wherever its links lead.
  func become() throws(CommandFailure) {
    guard geteuid() == 0, user != 0 else {
      guard geteuid() == user else {
        throw CommandFailure(
          .noPermission, "only root writes another user's keys; run it with sudo")
      }
      return
    }
    guard initgroups(name, group) == 0, setegid(group) == 0, seteuid(user) == 0 else {
      throw CommandFailure(.noPermission, "cannot act as \(name): \(Errno.words(errno))")
    }
  }

  /// Makes `~/.ssh` where it is missing. sshd accepts it only if no one else may write there.
  func makeDirectory() throws(CommandFailure) {
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      throw CommandFailure(
        .cannotCreate, "cannot make \(Plain.text(directory)): \(Errno.words(errno))")
    }
  }

  /// Locks the file of keys against other installs, until the descriptor is closed.
  func lock() throws(CommandFailure) -> CInt {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      throw CommandFailure(
        code == EACCES ? .noPermission : .cannotCreate,
        "cannot open \(Plain.text(directory)): \(Errno.words(code))")
    }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno != EINTR else { continue }
      // NFS locks no directory.
      Console.talk(
        "\(Plain.text(directory)) cannot be locked (\(Errno.words(errno))): run one install at a time"
      )
      break
    }
    return descriptor
  }

  /// Expects what sshd's StrictModes does, which is on by default: only the user and root may change the file and the
  /// directories above it, up to the home directory.
  ///
  /// - Throws: ``CommandFailure`` with the command that mends it.
  func expectPrivacy() throws(CommandFailure) {
    guard var place = realPath(path), let top = realPath(home) else {
      throw CommandFailure(
        .cannotCreate, "cannot look at \(Plain.text(path)): \(Errno.words(errno))")
    }
    while true {
      var status = stat()
      guard stat(place, &status) == 0 else {
        throw CommandFailure(
          .cannotCreate, "cannot look at \(Plain.text(place)): \(Errno.words(errno))")
      }
      let shown = Plain.text(place)
      guard status.st_uid == user || status.st_uid == 0 else {
        throw CommandFailure(
          .configuration,
          "sshd takes no key of \(name), because \(shown) belongs to another user: `sudo chown \(name) \(shown)`"
        )
      }
      guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
        throw CommandFailure(
          .configuration,
          "sshd takes no key of \(name), because others may write to \(shown): `chmod go-w \(shown)`"
        )
      }
      guard place != top, place != "/" else { return }
      let slash = place.lastIndex(of: "/") ?? place.startIndex
      place = slash == place.startIndex ? "/" : String(place[..<slash])
    }
  }
}
