import IMUModel
import ArgumentParser
import Glibc
import LinuxIO
import Remote

/// `imulog pull-server`: what `imulog pull` starts on the other machine.
struct PullServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull-server", abstract: "The far end of imulog pull.", shouldDisplay: false)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  mutating func run() throws {
    guard !Console.isTerminal(STDOUT_FILENO) else {
      throw CommandFailure(
        .usage, "pull-server speaks to imulog pull and not to a terminal; run imulog pull HOST")
    }
    ProcessPriority.stepBack()
    var server = PullServer(try program.openStore(storeOptions), mayFree: true)
    try server.run()
  }
}
