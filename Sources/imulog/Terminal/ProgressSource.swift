import Export
import Glibc

/// A file to import whose reading is shown on the terminal, where it takes long.
///
/// A table is read twice, to check it and to take it; the line says how far the present reading is.
struct ProgressSource: ImportSource, ~Copyable {
  private var source: FileSource
  private let line: ProgressLine
  private let length: UInt64
  private var offset: UInt64

  /// Opens the file for reading.
  init(path: String) throws(ImportError) {
    let source = try FileSource(path: path)
    var status = stat()
    // A file that cannot be asked now is shown without its share.
    length = stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    self.source = source
    line = ProgressLine()
    offset = 0
  }

  deinit {
    line.end()
  }

  var name: String { source.name }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    line.show { ProgressText.text("importing \(source.name)", offset, of: length) }
    let count = try source.read(into: buffer)
    offset += UInt64(count)
    return count
  }

  mutating func rewind() {
    source.rewind()
    offset = 0
  }
}
