import IMUModel
import LinuxIO
import Recorder

/// What a service says to those who watch, line by line.
struct WatchedService: ~Copyable {
  private let stream: ControlStream
  private var rest: [UInt8]
  let path: String

  init(path: String) throws(LinuxIOError) {
    // First what can fail: Swift 6.0 cannot take back half of a value.
    let opened = try ControlClient.open(path: path, line: ControlRequest.watch.line)
    stream = opened
    rest = []
    self.path = path
  }

  /// Ready for reading when there is more.
  var fileDescriptor: Int32 { stream.fileDescriptor }

  /// What has come since the last time.
  ///
  /// - Throws: ``CommandFailure`` when the service has ended, or does not let the caller watch.
  mutating func lines() throws(CommandFailure) -> [WatchLine] {
    guard let bytes = stream.read() else {
      throw CommandFailure(
        .unavailable,
        "the service (\(path)) has ended; look for the reason with `journalctl -u imulog`")
    }
    rest += bytes
    guard let end = rest.lastIndex(of: 0x0A) else { return [] }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    rest.removeFirst(end + 1)
    let lines = text.split(separator: "\n").compactMap { WatchLine(line: $0) }
    for case .refused(let status, let message) in lines {
      throw CommandFailure(ExitStatus(rawValue: status) ?? .tryAgain, message)
    }
    return lines
  }
}
