// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Decodes pages, one at a time and each alone, in any order.
///
/// The first two pages have records like all others; their header chunks, which ``decodeHeader(_:sequence:)`` reads, are
/// skipped.
///
///     var decoder = PageDecoder(description)
///     let header = try decoder.begin(page: bytes, sequence: 7)
///     while let record = try decoder.next(into: &block) { … }
///
/// It is total: any bytes yield records or a ``FormatError``; no input traps, loops, or takes memory beyond the decoder's 16
/// KiB. A page has at most 580 chunks of 1024 samples. After an error the rest of the page is unreadable, as each check
/// depends on the one before; records returned before it are sound, and the next page can be begun.
public struct PageDecoder: ~Copyable, @unchecked Sendable {
  // Safe to send: `page` is owned by this value alone.

  private let recording: UInt32
  private var samples: SamplesDecoder
  private var state = PageState(firstTick: 0, firstLateness: 0)
  /// The current page. Safe: at most 4096 bytes are copied here; `chunks` returns bodies within them, so that the margin
  /// follows each body.
  private let page = OwnedMemory<UInt8>(LogFormat.pageSize + BitReader.margin, repeating: 0)
  private var chunks: ChunkReader?
  private var firstTick: UInt64 = 0
  private var hasHeader = false
  private var gaps: GapCursor?
  private var readings: ReadingCursor?
  private var field: FieldCursor?

  /// Offset in the current page after the last intact chunk; 0 before the header. A log that is cut there, in the page where
  /// reading ended, ends with its last intact chunk.
  public private(set) var offset = 0

  /// A decoder for the pages of one recording. Traps when the description's time unit is not in 1...10⁹, which
  /// ``decodeHeader(_:sequence:)`` never returns.
  public init(_ description: RecordingDescription) {
    recording = PageHeader.tag(of: description.id)
    samples = SamplesDecoder(description)
  }

  /// Copies a page: 4096 bytes, or fewer at the end of a file. Bytes beyond 4096 are ignored.
  ///
  /// - Throws: what ``PageHeader/init(decoding:)`` throws, and `otherRecording` or `misplaced`.
  @discardableResult
  public mutating func begin(
    page bytes: UnsafeRawBufferPointer, sequence: UInt32
  ) throws(FormatError) -> PageHeader {
    (offset, chunks, gaps, readings, field) = (0, nil, nil, nil, nil)
    let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(LogFormat.pageSize))
    let header = try PageHeader(decoding: bytes)
    guard header.recording == recording else { throw FormatError(.otherRecording, offset: 0) }
    guard header.sequence == sequence else {
      throw FormatError(.misplaced(found: header.sequence), offset: 0)
    }
    UnsafeMutableRawBufferPointer(start: page.base, count: LogFormat.pageSize)
      .copyMemory(from: bytes)
    offset = PageHeader.size
    chunks = ChunkReader(
      UnsafeRawBufferPointer(start: page.base, count: bytes.count), check: header.check)
    (firstTick, hasHeader) = (header.firstTick, sequence <= 1)
    state = samples.pageState(firstTick: header.firstTick, firstTime: header.firstTime)
    return header
  }

  /// The next record of the page, `nil` after the last one. Samples replace the contents of `block`; other records leave it.
  ///
  /// - Throws: `cutShort`, `damagedChunk`, `notZeroAfterLastChunk` or `malformed`, once; then `nil` follows.
  public mutating func next(into block: inout SampleBlock) throws(FormatError) -> LogRecord? {
    if let record = nextListed() { return record }
    guard let (kind, range, start) = try nextChunk() else { return nil }
    let body = UnsafeRawBufferPointer(start: page.base + range.lowerBound, count: range.count)
    do throws(MalformedChunk) {
      switch kind {
      case ChunkKind.samples:
        try samples.decode(page.base, range, &state, into: &block)
        return .samples
      case ChunkKind.gaps:
        gaps = try GapCursor(body, after: firstTick)
      default:
        if let record = try record(kind, body) { return record }
      }
    } catch {
      throw malformed(error, at: start)
    }
    // The first of a list, or the record after an empty list.
    return try next(into: &block)
  }

  /// The next record that is neither samples nor a gap, `nil` after the last one; throws as ``next(into:)``. Chunks of
  /// samples and gaps are checked and not decoded; ``next(into:)`` cannot continue in the same page.
  public mutating func nextBesidesTicks() throws(FormatError) -> LogRecord? {
    if let record = nextListed() { return record }
    while let (kind, range, start) = try nextChunk() {
      if kind == ChunkKind.samples || kind == ChunkKind.gaps { continue }
      do throws(MalformedChunk) {
        let body = UnsafeRawBufferPointer(start: page.base + range.lowerBound, count: range.count)
        if let record = try record(kind, body) ?? nextListed() { return record }
      } catch {
        throw malformed(error, at: start)
      }
    }
    return nil
  }

  /// The next chunk but the header's, and where it begins.
  private mutating func nextChunk() throws(FormatError) -> (UInt8, Range<Int>, start: Int)? {
    while let (kind, range) = try chunks?.next() {
      let start = offset
      offset = range.upperBound + 4
      let isHeader = kind == ChunkKind.header && start == PageHeader.size && hasHeader
      if !isHeader { return (kind, range, start) }
    }
    return nil
  }

  /// The record of a chunk; `nil` for a list, whose items ``nextListed()`` returns.
  private mutating func record(
    _ kind: UInt8, _ body: UnsafeRawBufferPointer
  ) throws(MalformedChunk) -> LogRecord? {
    guard kind == ChunkKind.extended, let extended = body.first else {
      return try LogRecord(kind: kind, body: body)
    }
    let list = UnsafeRawBufferPointer(rebasing: body.dropFirst())
    switch extended {
    case ChunkKind.readings, ChunkKind.stampedReadings:
      readings = try ReadingCursor(list, isStamped: extended == ChunkKind.stampedReadings)
      if readings != nil { return nil }
    case ChunkKind.field:
      field = FieldCursor(list)
      if field != nil { return nil }
    default: return try LogRecord(kind: kind, body: body)
    }
    return .unknown(kind: extended, byteCount: body.count)
  }

  /// Gives up the rest of the page.
  private mutating func malformed(_ why: MalformedChunk, at start: Int) -> FormatError {
    (offset, chunks, gaps, readings, field) = (start, nil, nil, nil, nil)
    return FormatError(.malformed(why.rawValue), offset: start)
  }

  /// The next item of a list, which was checked when its cursor was made.
  private mutating func nextListed() -> LogRecord? {
    if let record = gaps?.next() { return record }
    gaps = nil
    if let record = readings?.next() { return record }
    readings = nil
    if let record = field?.next() { return record }
    field = nil
    return nil
  }
}
