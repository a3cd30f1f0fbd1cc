// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recorder
import Remote
import Text

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Answer the requests of an SSH key that may only read recordings.",
    discussion: """
      Use it as the forced command of a key in ~/.ssh/authorized_keys:

        restrict,command="imulog --store DIR serve" ssh-ed25519 AAAA...

      The key may list, info, export, verify, status, doctor and pull. serve starts no shell, accepts no paths \
      and writes nothing; it logs every request.
      """,
    examples: "ssh -i ~/.ssh/imulog pi export latest > walk.json   # where the key is",
    "imulog pull pi -i ~/.ssh/imulog")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Flag(help: "Let imulog pull --then-free move recordings to the trash, once its copy is proved.")
  var allowDelete = false

  @Option(
    help: .value("file", "The log of requests; by default the system's log."), completion: .file())
  var log: String?

  mutating func run() throws {
    let store = try program.storePath(storeOptions)
    let journal = try ServeJournal(path: log)
    guard let bytes = ServeCommand.request else { return try Console.data(ServeRequest.help) }
    let request: ServeRequest
    do {
      request = try ServeRequest(bytes, store: store)
    } catch {
      let failure = CommandFailure(error, else: .usage)
      journal.refused(bytes, failure.sentence)
      throw failure
    }
    journal.served(request.words)
    switch request.work {
    case .help: try Console.data(ServeRequest.help)
    case .pull:
      ProcessPriority.stepBack()
      let catalogue = try Catalogue(path: store, followsLinks: false)
      var server = PullServer(catalogue, mayFree: allowDelete, journal: journal) {
        ServedMachine.facts(of: catalogue)
      }
      try server.run()
    case .command(var command):
      ProcessPriority.stepBack()
      try command.run()
    }
  }

  /// The request, byte for byte; `nil` when the client asked for a login.
  private static var request: [UInt8]? {
    guard let text = getenv("SSH_ORIGINAL_COMMAND") else { return nil }
    // Safe: the program never changes its environment, and a C string ends in a zero byte.
    return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}

/// The facts of this machine for `imulog hub`.
enum ServedMachine {
  /// Nanoseconds that the service may take to answer.
  private static let patience: Int64 = 2_000_000_000

  /// The version, the clock, the free space of a store, and the service's state, as far as they are known.
  static func facts(of catalogue: Catalogue) -> RemoteMachine {
    let status = serviceStatus()
    return RemoteMachine(
      software: Software.version, wall: SystemClock().wallTime,
      freeBytes: SystemTree.live.freeBytes(at: catalogue.path),
      recorder: status?.state.rawValue,
      problem: status.flatMap { $0.failure ?? $0.problem?.name })
  }

  /// `nil` where no service answers: the machine may only keep recordings.
  private static func serviceStatus() -> RecorderStatus? {
    do {
      let path = try ControlPath.path(nil, isService: false)
      let line = try ControlClient.ask(
        path: path, line: ControlRequest.status.line, timeoutNanoseconds: patience)
      guard case .status(let status) = try ControlAnswer(line: line) else { return nil }
      return status
    } catch {
      return nil
    }
  }
}
