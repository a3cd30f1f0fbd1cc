import IMUModel
import ArgumentParser
import Glibc

/// Where a service is spoken to.
struct SocketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The service's control socket.",
      discussion: "By default IMULOG_SOCKET, else /run/imulog/control or the user's run directory.",
      valueName: "path"))
  var socket: String?

  func path(isService: Bool) throws(CommandFailure) -> String {
    try ControlPath.path(
      socket, isService: isService, environment: Environment.value,
      exists: { access($0, F_OK) == 0 })
  }
}
