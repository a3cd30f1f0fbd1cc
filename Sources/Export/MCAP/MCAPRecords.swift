// SPDX-License-Identifier: Apache-2.0

/// Records of MCAP in memory. Integers are little-endian; a string is its length and its UTF-8.
struct MCAPRecords {
  /// The first byte of a record; its length in 8 bytes follows.
  enum Opcode: UInt8 {
    case header = 0x01
    case footer = 0x02
    case schema = 0x03
    case channel = 0x04
    case message = 0x05
    case chunk = 0x06
    case messageIndex = 0x07
    case chunkIndex = 0x08
    case statistics = 0x0B
    case metadata = 0x0C
    case metadataIndex = 0x0D
    case summaryOffset = 0x0E
    case dataEnd = 0x0F
  }

  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }

  init() {}

  /// One record.
  init(_ opcode: Opcode, _ content: (inout MCAPRecords) -> Void) {
    put(opcode.rawValue)
    putSized(by: UInt64.self, content)
  }

  mutating func put(_ more: MCAPRecords) {
    bytes += more.bytes
  }

  mutating func put(_ value: some FixedWidthInteger) {
    bytes.append(littleEndian: value)
  }

  mutating func put(_ text: String) {
    putSized { $0.put(Array(text.utf8)) }
  }

  mutating func put(_ more: [UInt8]) {
    bytes += more
  }

  /// Appends words in the file's order of bytes.
  mutating func put(littleEndian words: [UInt64]) {
    words.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Appends what `content` makes, after its length: strings, arrays and maps have 4 bytes of it.
  mutating func putSized<Length: FixedWidthInteger>(
    by: Length.Type = UInt32.self, _ content: (inout MCAPRecords) -> Void
  ) {
    var sized = MCAPRecords()
    content(&sized)
    put(Length(sized.count))
    put(sized)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }
}
