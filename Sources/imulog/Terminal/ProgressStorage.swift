import LogStore

/// A recording's file whose reading is shown on the terminal, where it takes long.
///
/// A command may read a log more than once; the line says how far the present reading is.
struct ProgressStorage: LogStorage, ~Copyable {
  private var storage: FileStorage
  private let line: ProgressLine
  private let attempt: String
  private let length: UInt64

  /// Opens the file for reading.
  ///
  /// - Parameter attempt: What is done, such as `exporting recording 7`.
  init(reading path: String, _ attempt: String) throws(StorageError) {
    try self.init(try FileStorage(reading: path), attempt)
  }

  /// Reads a file that was opened for it.
  ///
  /// - Parameter isShown: `false` when what is read goes to the terminal itself.
  init(
    _ file: consuming FileStorage, _ attempt: String, isShown: Bool = true
  ) throws(StorageError) {
    var storage = file
    // Nothing is set before all is opened, because Swift 6.0 cannot take back half of a value.
    let length = try storage.size()
    self.length = length
    self.attempt = attempt
    self.storage = storage
    line = ProgressLine(isShown: isShown)
  }

  deinit {
    line.end()
  }

  var name: String { storage.name }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try storage.append(bytes)
  }

  mutating func sync() throws(StorageError) { try storage.sync() }

  mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    line.show { ProgressText.text(attempt, offset, of: length) }
    return try storage.read(at: offset, into: buffer)
  }

  mutating func size() throws(StorageError) -> UInt64 { try storage.size() }

  mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64? {
    try storage.nextData(from: offset)
  }

  mutating func finish() throws(StorageError) { try storage.finish() }
}

/// What a line of progress says.
enum ProgressText {
  /// `exporting recording 7: 43 %`; without the share when the whole is not known.
  static func text(_ attempt: String, _ done: UInt64, of all: UInt64) -> String {
    guard all > 0 else { return attempt }
    return "\(attempt): \(min(100, UInt64(Double(done) / Double(all) * 100))) %"
  }
}
