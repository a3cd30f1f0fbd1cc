public import LogStore

extension Exporter {
  /// Writes a recording out while a program is writing it, until it ends: NDJSON, CSV, or the log's own bytes.
  ///
  /// `sink` is flushed whenever all that is there was written. What the log says of its end, and damage, is found
  /// when the writer is gone.
  ///
  /// - Parameter more: Waits for more, and says how many bytes are final, as ``PageCheck`` finds them; `nil` when the
  ///   writer is gone.
  /// - Throws: ``ExportError``, ``ExportError/optionNotSupported(option:format:)`` for the documents that begin with
  ///   what only the end shows; what was written before it stays written.
  public func follow<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: consuming Storage, to sink: inout Sink,
    more: () throws(ExportError) -> UInt64?
  ) throws(ExportError) -> Report {
    try refuseFill()
    switch options.format {
    case .json, .gyrodata, .html, .svg:
      throw .optionNotSupported(option: "--follow", format: options.format)
    case .raw:
      try refuseSelection()
      var offset: UInt64 = 0
      while let limit = try more() {
        try copy(&storage, offset..<max(offset, limit), to: &sink)
        offset = max(offset, limit)
        try sink.flush()
      }
      try writeLog(&storage, from: offset, to: &sink)
      try sink.flush()
      return try inspect(storage)
    case .ndjson:
      var reader = try LogReader.open(storage)
      var rows = try recordPass(reader.description)
      let report = try rows.follow(&reader, to: &sink, more: more)
      try sink.flush()
      return report
    case .csv:
      var reader = try LogReader.open(storage)
      let (header, layout, plan) = try tablePass(reader.description)
      try sink.write(header)
      var rows = RowPass(plan, layout)
      let report = try rows.follow(&reader, to: &sink, more: more)
      try sink.flush()
      return report
    }
  }

  /// A log's own bytes have no units, channels or times to choose from.
  func refuseSelection() throws(ExportError) {
    if options.from != nil || options.to != nil {
      throw .optionNotSupported(option: "a time range", format: .raw)
    }
    if options.channels != nil, options.channels != .both {
      throw .optionNotSupported(option: "--channels", format: .raw)
    }
    if options.units != nil { throw .optionNotSupported(option: "--units", format: .raw) }
  }
}
