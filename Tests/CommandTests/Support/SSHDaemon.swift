// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LogStoreTesting
import Synchronization
import TestSupport

/// A real OpenSSH server on a port of this machine alone, with keys of its own, that are thrown away with it.
///
///     Host owner    a key that may do anything     ─►  sshd on 127.0.0.1, some port  ─►  imulog …
///     Host reader   a key whose line has `restrict,command="imulog … serve"`
final class SSHDaemon {
  /// The store that the server's programs use.
  let bench = Bench()
  /// For `ssh -F`.
  let clientConfiguration: String
  private let daemon = Process()

  private static let server = "/usr/sbin/sshd"
  static let client = "/usr/bin/ssh"

  /// Why there can be none here; `nil` when there can.
  static var obstacle: String? {
    for program in [server, client, "/usr/bin/ssh-keygen"] where access(program, X_OK) != 0 {
      return "\(program) is missing; apt-get install openssh-server openssh-client"
    }
    return nil
  }

  /// Starts the server and returns when it listens.
  init() throws {
    let folder = bench.directory.path
    clientConfiguration = folder + "/client"
    for key in ["host", "owner", "reader"] {
      try SSHDaemon.run(
        "/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/\(key)"])
    }
    func publicKey(_ name: String) -> String { bench.directory.text(of: name + ".pub") }
    let command = "\(Child.program) --store \(bench.store) serve --log \(folder)/journal"
    _ = bench.file(
      "keys",
      publicKey("owner") + "restrict,command=\"\(command)\" " + publicKey("reader"))
    let port = SSHDaemon.freePort()
    // A directory first in PATH in which imulog is; and a home without a shell's start files, which may take any time.
    bench.directory.makeDirectory("bin")
    symlink(Child.program, folder + "/bin/imulog")
    _ = bench.file(
      "server",
      """
      ListenAddress 127.0.0.1:\(port)
      HostKey \(folder)/host
      AuthorizedKeysFile \(folder)/keys
      PidFile none
      StrictModes no
      UsePAM no
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PermitRootLogin yes
      Subsystem sftp internal-sftp
      PermitUserRC no
      SetEnv PATH=\(folder)/bin:/usr/bin:/bin IMULOG_STORE=\(bench.store) HOME=\(folder)

      """)
    _ = bench.file("known", "[127.0.0.1]:\(port) \(publicKey("host"))")
    _ = bench.file(
      "client",
      ["owner", "reader"].map { name in
        """
        Host \(name)
          HostName 127.0.0.1
          Port \(port)
          IdentityFile \(folder)/\(name)
          IdentitiesOnly yes
          UserKnownHostsFile \(folder)/known
          StrictHostKeyChecking yes

        """
      }.joined())
    // Where the server runs as root, it wants this directory, which a package's service would have made.
    if getuid() == 0 { mkdir("/run/sshd", 0o755) }
    let talk = Pipe()
    daemon.executableURL = URL(fileURLWithPath: SSHDaemon.server)
    daemon.arguments = ["-D", "-e", "-f", folder + "/server"]
    daemon.standardError = talk
    try ProgramStart.perform { try daemon.run() }
    var said = ""
    while !said.contains("Server listening") {
      let bytes = talk.fileHandleForReading.availableData
      guard !bytes.isEmpty else { throw NotStarted(talk: said) }
      said += String(decoding: bytes, as: UTF8.self)
    }
    // It keeps talking, and must not be stopped by a full pipe.
    talk.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
  }

  struct NotStarted: Error { let talk: String }

  deinit {
    daemon.terminate()
    daemon.waitUntilExit()
  }

  /// Lines that the reader's key has left.
  var journal: [Substring] { bench.directory.text(of: "journal").split(separator: "\n") }

  /// `ssh HOST WORDS…`.
  func ssh(_ host: String, _ words: String..., options: [String] = []) -> Outcome {
    Child(
      ["-F", clientConfiguration, "-o", "BatchMode=yes"] + options + ["--", host] + words,
      environment: bench.environment, directory: bench.directory.path, stdout: nil,
      program: SSHDaemon.client
    ).outcome()
  }

  /// A line for the shell of this machine, in which `$SSH` stands for ssh and its options.
  func shell(_ line: String) -> Outcome {
    var bench = bench
    bench.environment["SSH"] = "\(SSHDaemon.client) -F \(clientConfiguration) -o BatchMode=yes"
    return bench.shell(line)
  }

  private static func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    try ProgramStart.perform { try process.run() }
    process.waitUntilExit()
  }

  /// The last port that was given to a server.
  private static let lastPort = Mutex(UInt16.random(in: 10_000..<30_000))

  /// A port that is free, and below those that the kernel gives to connections, so that none takes it meanwhile.
  private static func freePort() -> UInt16 {
    lastPort.withLock { port in
      repeat { port = port < 32_000 ? port + 1 : 10_000 } while !isFree(port)
      return port
    }
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
