import Glibc

/// An answer without end, as it comes. Hanging up is letting go of it.
public struct ControlStream: ~Copyable {
  /// Ready for reading when there is more.
  public let fileDescriptor: Int32

  init(fileDescriptor: Int32) {
    self.fileDescriptor = fileDescriptor
  }

  deinit { close(fileDescriptor) }

  /// What has come, without waiting; `nil` when the other end hung up.
  public func read() -> [UInt8]? {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    // What a busy service sends meanwhile is for the next time.
    while all.count < 1 << 20 {
      // Safe: the count is the array's.
      let count = recv(fileDescriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        all += buffer.prefix(count)
      } else if count < 0, errno == EAGAIN || errno == EINTR {
        return all
      } else {
        return all.isEmpty ? nil : all
      }
    }
    return all
  }
}
