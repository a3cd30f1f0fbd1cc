import IMUModel

/// Why ssh does not trust a machine's host key, as it says on stderr (OpenSSH, sshconnect.c).
enum HostKeyTrouble: Equatable {
  /// It was never seen before.
  case unknown
  /// It is another one than before; where the one before is kept, if ssh said so.
  case changed(place: String?)

  /// Reads ssh's words; `nil` when they are about something else.
  init?(_ lines: [String]) {
    let isRefused = lines.contains { $0.hasPrefix("Host key verification failed") }
    if lines.contains(where: { $0.contains("HOST IDENTIFICATION HAS CHANGED") }) {
      let place = lines.first { $0.hasPrefix("Offending ") }
        .flatMap { $0.split(separator: " in ", maxSplits: 1).last }
      self = .changed(place: place.map { String($0) })
    } else if isRefused {
      self = .unknown
    } else {
      return nil
    }
  }

  func sentence(_ host: String) -> String {
    switch self {
    case .unknown:
      return "ssh does not know the host key of \(host); run `ssh \(host)` once, compare the "
        + "fingerprint that it shows with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on that "
        + "machine, and pull again"
    case .changed(let place):
      let line = place.map { "the line " + Plain.text($0) } ?? "its line in known_hosts"
      return
        "the host key of \(host) is not the one that ssh knows: another machine answers, or that "
        + "one was set up anew; only if you know that it was, delete \(line), run `ssh \(host)` once "
        + "and pull again"
    }
  }
}
