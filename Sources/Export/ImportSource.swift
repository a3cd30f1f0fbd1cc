import Glibc

/// A file to import, as bytes that can be read twice.
///
/// ``FileSource`` conforms; tests import from memory.
public protocol ImportSource: ~Copyable {
  /// What errors call it: a path.
  var name: String { get }

  /// Fills `buffer` with the next bytes and says how many there were; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int

  /// Goes back to the first byte.
  mutating func rewind()
}

/// A regular file.
public struct FileSource: ImportSource, ~Copyable {
  /// Its path.
  public let name: String
  private let descriptor: Int32
  private var offset: off_t = 0

  /// Opens a file for reading.
  ///
  /// - Throws: ``ImportError/file(name:code:)`` or ``ImportError/notARegularFile(name:)``.
  public init(path: String) throws(ImportError) {
    // Non-blocking, so that opening a pipe without a writer does not wait for one.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .file(name: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .file(name: path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notARegularFile(name: path)
    }
    name = path
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Fills `buffer` with the next bytes and says how many there were; 0 at the end.
  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
      if count >= 0 {
        offset += off_t(count)
        return count
      }
      if errno != EINTR { throw .file(name: name, code: errno) }
    }
  }

  /// Goes back to the first byte.
  public mutating func rewind() {
    offset = 0
  }
}
