import Glibc

/// Which file a path leads to: equal for all its names and links.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// `nil` when nothing is there, or nothing that this user may reach.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
