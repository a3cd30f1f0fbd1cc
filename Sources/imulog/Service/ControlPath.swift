import IMUModel

/// Where the service's control socket is.
enum ControlPath {
  /// The first of: `given`, `IMULOG_SOCKET`, `$RUNTIME_DIRECTORY/control` (systemd's word to the service),
  /// `/run/imulog/control` where such a service runs, `$XDG_RUNTIME_DIR/imulog/control`.
  static func path(
    _ given: String?, isService: Bool, environment: (String) -> String?,
    exists: (String) -> Bool
  ) throws(CommandFailure) -> String {
    for candidate in [given, environment("IMULOG_SOCKET")] {
      if let candidate, !candidate.isEmpty { return candidate }
    }
    // Of several run directories the first one is imulog's.
    let run = environment("RUNTIME_DIRECTORY")?.split(separator: ":").first
    if isService, let run { return "\(run)/control" }
    let system = "/run/imulog/control"
    if !isService, exists(system) { return system }
    if let own = environment("XDG_RUNTIME_DIR"), own.hasPrefix("/") {
      return own + "/imulog/control"
    }
    if !isService { return system }
    throw CommandFailure(
      .configuration,
      "there is no directory for the control socket (neither RUNTIME_DIRECTORY nor XDG_RUNTIME_DIR is set);"
        + " give --socket PATH")
  }
}
