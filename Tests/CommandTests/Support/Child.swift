// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport

// The C library has it since 2.29, and its header shows it only to those who ask for all extensions.
@_silgen_name("posix_spawn_file_actions_addchdir_np")
private func addWorkingDirectory(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ path: UnsafePointer<CChar>
) -> Int32

/// A run of the program that was started and may not have ended.
struct Child: ~Copyable {
  let pid: pid_t
  private let output: Int32
  private let talk: Int32
  /// One end of a line whose other end only the program has: it hangs up when the program is gone.
  private let lifeline: Int32
  private var isGone = false

  /// Longer than any run takes on a busy machine; what takes longer hangs.
  private static var patience: Int32 { 60_000 }

  /// Starts a program, in `directory`: the one that was built beside this test bundle unless another is given.
  ///
  /// - Parameters:
  ///   - stdout: A file to write to instead of keeping what the program prints.
  ///   - path: The program, with its directory.
  init(
    _ arguments: [String], environment: [String: String], directory: String, stdout: String?,
    program path: String = Child.program
  ) {
    output = stdout.map { open($0, O_WRONLY | O_CLOEXEC) } ?? Child.scratchFile(in: directory)
    talk = Child.scratchFile(in: directory)
    var ends: [Int32] = [0, 0]
    // A socket pair because it can be made closing on exec at once.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "no lifeline: errno \(errno)")
    lifeline = ends[0]

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let hasDirectory = addWorkingDirectory(&actions, directory) == 0
    precondition(hasDirectory, "no working directory \(directory)")
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, talk, 2)
    // Far above what is open, so that the copy is never the original, which closes on exec.
    posix_spawn_file_actions_adddup2(&actions, ends[1], 200)

    let pid = Child.start(
      arguments, environment: environment, actions: &actions, program: path)
    close(ends[1])
    self.pid = pid
  }

  /// Starts the program in a session of its own, with what `open` puts at its descriptors.
  static func spawn(
    _ arguments: [String], environment: [String: String], directory: String,
    program path: String = program, open: (inout posix_spawn_file_actions_t) -> Void
  ) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let hasDirectory = addWorkingDirectory(&actions, directory) == 0
    precondition(hasDirectory, "no working directory \(directory)")
    open(&actions)
    return start(arguments, environment: environment, actions: &actions, flags: 0x80, program: path)
  }

  /// - Parameter flags: Beside those for signals; 0x80 is POSIX_SPAWN_SETSID, which the header shows only to those who
  ///   ask for all extensions.
  private static func start(
    _ arguments: [String], environment: [String: String],
    actions: inout posix_spawn_file_actions_t, flags: Int16 = 0, program path: String = program
  ) -> pid_t {
    // Other tests of this process block and ignore signals; the program is to begin as from a shell.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | flags)

    var pid: pid_t = 0
    let code = Child.withCStrings([path] + arguments) { argv in
      Child.withCStrings(environment.map { "\($0)=\($1)" }) { envp in
        ProgramStart.perform { posix_spawn(&pid, path, &actions, &attributes, argv, envp) }
      }
    }
    precondition(code == 0, "cannot start \(path): errno \(code)")
    return pid
  }

  deinit {
    // A test that failed half-way leaves no recording behind.
    if !isGone {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    for descriptor in [output, talk, lifeline] { close(descriptor) }
  }

  /// What the program wrote to stderr so far.
  var said: String { String(decoding: Child.content(talk), as: UTF8.self) }

  /// Waits until the program has written `words` to stderr; `false` when it has not within a minute.
  func waits(toSay words: String) -> Bool {
    // The file has no name any more but this.
    let watch = DirectoryWatch("/proc/self/fd/\(talk)")
    return watch.wait { said.contains(words) }
  }

  /// Sends the program a signal.
  func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for the program's end.
  ///
  /// - Parameter held: A thread of it that was held to its end: the process is gone for others only when that was seen.
  consuming func outcome(holding held: HeldThread? = nil) -> Outcome {
    var entry = pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&entry, 1, Child.patience)
      if count > 0 { break }
      if count < 0, errno == EINTR { continue }
      kill(pid, SIGKILL)
      break
    }
    held?.waitForEnd()
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    isGone = true
    let signal = status & 0x7F
    return Outcome(
      status: signal == 0 ? (status >> 8) & 0xFF : -signal, bytes: Child.content(output),
      talk: String(decoding: Child.content(talk), as: UTF8.self))
  }

  /// The test bundle's neighbour: both are products of one build.
  static let program: String = {
    guard let resolved = realpath("/proc/self/exe", nil) else { preconditionFailure("no /proc") }
    defer { free(resolved) }
    let path = String(cString: resolved)
    return path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/imulog"
  }()

  /// The directory of the bundle, where its resources lie.
  static var products: String { String(program.dropLast("/imulog".count)) }

  private static func scratchFile(in directory: String) -> Int32 {
    var template = Array("\(directory)/.run-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    precondition(descriptor >= 0, "no file in \(directory): errno \(errno)")
    unlink(template)
    return descriptor
  }

  private static func content(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
      if count <= 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}

/// What a run of the program came to.
struct Outcome {
  /// The exit status; a signal's number below zero if one ended the program.
  let status: Int32
  /// What it wrote to stdout.
  let bytes: [UInt8]
  /// What it wrote to stderr.
  let talk: String

  var output: String { String(decoding: bytes, as: UTF8.self) }

  /// Lines of stdout.
  var lines: [String] { output.split(separator: "\n").map { String($0) } }

  /// The same without what `record` says when it begins.
  var withoutBeginning: Outcome {
    let lines = talk.split(separator: "\n").filter { !$0.hasPrefix("imulog: recording from ") }
    return Outcome(
      status: status, bytes: bytes, talk: lines.map { $0 + "\n" }.joined())
  }

  /// stdout as JSON.
  func json() throws -> JSON { try JSON(bytes) }
}
