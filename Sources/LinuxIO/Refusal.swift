/// Something the kernel did not grant and the program runs without.
public struct Refusal: Equatable, Sendable {
  /// What was refused, such as `real-time scheduling (SCHED_FIFO 80)`.
  public var what: String
  /// The kernel's error number.
  public var errno: Int32
  /// What the user can do, as one sentence.
  public var remedy: String

  /// A refusal.
  public init(_ what: String, errno: Int32, remedy: String) {
    self.what = what
    self.errno = errno
    self.remedy = remedy
  }
}

extension Refusal: CustomStringConvertible {
  /// One line, such as `real-time scheduling (SCHED_FIFO 80) was refused (errno 1, Operation not
  /// permitted). In a systemd unit set LimitRTPRIO=80; …`
  public var description: String {
    "\(what) was refused (errno \(errno), \(meaning(ofErrno: errno))). \(remedy)"
  }
}
