// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import ArgumentParser
import Export
import Glibc
import LinuxIO
import Remote

/// `imulog serve`: the forced command of an SSH key that may only read recordings.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Answer the requests of an SSH key that may only read recordings.",
    discussion: """
      Use it as the forced command of a key in ~/.ssh/authorized_keys:

        restrict,command="imulog --store DIR serve" ssh-ed25519 AAAA...

      The request comes in SSH_ORIGINAL_COMMAND: list, info, export, verify, status, doctor, or what imulog \
      pull needs. serve starts no shell, accepts no paths and writes nothing; it logs every request.

      Examples:
        ssh -i ~/.ssh/imulog pi export latest > walk.json   # where the key is
        imulog pull pi -i ~/.ssh/imulog
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Flag(
    help:
      "Allow imulog pull --then-free to move recordings to the trash once it has proved its copy.")
  var allowDelete = false

  @Option(
    help: ArgumentHelp(
      "Append a line for each request to a file; by default to the system's log.", valueName: "file"
    ), completion: .file())
  var log: String?

  mutating func run() throws {
    let store = try program.storePath(storeOptions)
    let journal = try ServeJournal(path: log)
    guard let bytes = ServeCommand.request else {
      return try Console.data(ServeHelp.text)
    }
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
    case .help: try Console.data(ServeHelp.text)
    case .pull:
      ProcessPriority.stepBack()
      let catalogue = try OpenStore.reading(store, followsLinks: false)
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
    let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
    return Array(bytes)
  }
}

/// The requests that a key may send.
enum ServeHelp {
  private static let formats = ExportFormat.allCases.map(\.rawValue).joined(separator: "|")
  static let text = """
    This key reads recordings and does nothing else:

      list [--page N] [--label NAME] [--since TIME] [--until TIME] [--host NAME] [--json]
      info ID [--json]
      export ID [--format \(formats)]
                [--units si|g-dps|raw] [--channels accel|gyro|both] [--fill hold|none]
                [--gaps none|rows]
                [--time seconds|unix|utc|local] [--unit-names] [--preamble]
                [--labels] [--uncertainty] [--grid] [--orientation] [--linear] [--calibrated]
                [--analysis] [--from TIME] [--to TIME] [--follow]
      verify ID [--json]
      status [--json]
      doctor [--json]

    ID is a recording's number, latest, or the beginning of its UUID. To fetch recordings, run
    imulog pull HOST on your machine.
    """
}
