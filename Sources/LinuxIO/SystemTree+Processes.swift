extension SystemTree {
  /// A process in words, such as `imulog daemon (process 123)`: its program and, when it has one,
  /// its verb.
  func processName(_ process: Int32?) -> String {
    guard let process else { return "another process" }
    guard let bytes = bytes("/proc/\(process)/cmdline") else { return "process \(process)" }
    let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard let program = words.first?.split(separator: "/").last else { return "process \(process)" }
    let verb = words.dropFirst().first { word in
      word.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }
    return "\(program)\(verb.map { " \($0)" } ?? "") (process \(process))"
  }
}
