// SPDX-License-Identifier: Apache-2.0

/// Constants of the log format. The layout itself is in <doc:Specification>.
public enum LogFormat {
  /// Bytes of a page; page `n` begins at `n` × this.
  public static let pageSize = 4096
  /// Version of the format, not of the program: changes only when old readers would misread.
  public static let version: UInt8 = 1
  /// Most bytes of UTF-8 of a mark's label.
  public static let markLabelLength = 200
  /// Most bytes of UTF-8 of a recording's note.
  public static let noteLength = 1000
  /// Most bytes of a certificate's text.
  public static let certificateLength = 2000
  /// Ticks are below this, 2⁶³, so that sums of a tick and a count of ticks cannot overflow.
  package static let tickLimit: UInt64 = 1 << 63

  /// Bytes of a chunk beside its body: head and check.
  static let chunkOverhead = 6
  /// Most bytes of a chunk's body: a page with nothing else in it.
  static let bodyLimit = pageSize - PageHeader.size - chunkOverhead
}

/// The kind of a chunk: the upper four bits of its head, or the first byte of its body.
enum ChunkKind {
  static let samples: UInt8 = 1
  static let gaps: UInt8 = 2
  static let mark: UInt8 = 3
  static let clock: UInt8 = 4
  static let sensor: UInt8 = 5
  static let end: UInt8 = 6
  static let header: UInt8 = 7
  static let extended: UInt8 = 15

  /// The first byte of an extended chunk.
  static let readings: UInt8 = 16
  /// With stamps of the chip's counter among them.
  static let stampedReadings: UInt8 = 17
  /// The sensor's certificate.
  static let certificate: UInt8 = 18
  /// A reading of the bus's clock.
  static let busClock: UInt8 = 19
  /// Values of the magnetometer.
  static let field: UInt8 = 20
}
