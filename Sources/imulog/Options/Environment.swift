import Glibc

/// The process's environment.
enum Environment {
  /// The value of a variable, or `nil` when it is not set.
  static func value(_ name: String) -> String? {
    // Safe: the program never changes its environment, so the C string stays as it is while it is copied.
    getenv(name).map { String(cString: $0) }
  }
}
