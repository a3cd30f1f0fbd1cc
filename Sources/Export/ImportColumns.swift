import IMUModel

/// The columns of a table, as its header names them.
struct ImportColumns: Equatable {
  /// What the values of a column are.
  enum Kind: Equatable {
    /// Whole numbers of this many nanoseconds.
    case time(unit: Int64)
    /// Seconds with up to nine decimals.
    case seconds
    /// Counts of a channel, by its position in `ChannelSet`.
    case channel(Int)
  }

  let kinds: [Kind]
  let names: [String]
  let timeColumn: Int
  let channels: ChannelSet

  /// The columns of a header line.
  init(_ line: UnsafeRawBufferPointer) throws(ImportFieldError) {
    var text = UnsafeRawBufferPointer(rebasing: line[...])
    if text.starts(with: ImportFormat.byteOrderMark) {
      text = UnsafeRawBufferPointer(rebasing: text[ImportFormat.byteOrderMark.count...])
    }
    var kinds: [Kind] = []
    var names: [String] = []
    var timeColumn: Int?
    var channels: ChannelSet = []
    let fields = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let words = fields.map { ImportText.shown($0) }
    // Without a time anywhere it is no header, whatever else is in the line.
    guard words.contains(where: { ImportColumns.time($0) != nil }) else {
      throw ImportFieldError(.noTimeColumn(found: ImportText.shown(text)))
    }
    for (index, word) in words.enumerated() {
      if let kind = ImportColumns.time(word) {
        guard timeColumn == nil else {
          throw ImportFieldError(.repeatedColumn(column: index + 1, found: word))
        }
        timeColumn = index
        kinds.append(kind)
      } else if let channel = ChannelSet.names.firstIndex(of: word) {
        let bit = ChannelSet(rawValue: 1 << UInt8(channel))
        guard channels.isDisjoint(with: bit) else {
          throw ImportFieldError(.repeatedColumn(column: index + 1, found: word))
        }
        channels.insert(bit)
        kinds.append(.channel(channel))
      } else {
        throw ImportFieldError(.unknownColumn(column: index + 1, found: word))
      }
      names.append(word)
    }
    guard !channels.isEmpty, let timeColumn else { throw ImportFieldError(.noAxis) }
    self.kinds = kinds
    self.names = names
    self.timeColumn = timeColumn
    self.channels = channels
  }

  private static func time(_ word: String) -> Kind? {
    switch word {
    case "t_ns": return .time(unit: 1)
    case "t_us": return .time(unit: 1000)
    case "t_ms": return .time(unit: 1_000_000)
    case "t": return .seconds
    default: return nil
    }
  }
}

/// What is wrong with a line, before it is known which line of which file it is.
struct ImportFieldError: Error {
  let problem: ImportLineProblem

  init(_ problem: ImportLineProblem) {
    self.problem = problem
  }
}

enum ImportText {
  /// Characters of a wrong value that an error repeats.
  static let shownLimit = 40

  /// A value as errors show it: without blanks around it, without what a terminal could obey, not too long.
  static func shown(_ bytes: some Collection<UInt8>) -> String {
    let whole = bytes.prefix(4 * shownLimit)
    let text = String(decoding: whole, as: UTF8.self)
    var shown = ""
    for scalar in text.unicodeScalars {
      let isObeyed = ForeignText.isObeyed(scalar) && scalar != "\t"
      shown.unicodeScalars.append(isObeyed ? "\u{FFFD}" : scalar)
    }
    var words = shown[...]
    while let first = words.first, first == " " || first == "\t" { words.removeFirst() }
    while let last = words.last, last == " " || last == "\t" { words.removeLast() }
    return words.count > shownLimit ? words.prefix(shownLimit) + "…" : String(words)
  }
}
