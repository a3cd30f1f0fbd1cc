public import Export

/// What a restricted key may ask for: a closed list of things to read.
///
/// A request holds nothing of the words it came in: each value is a number, one of a few, or an ID's letters and
/// digits. ``arguments`` writes it down anew for the program's own parser.
public enum ServeRequest: Equatable, Sendable {
  /// Nothing was asked for, or help.
  case help
  /// A page of the recordings.
  case list(page: Int?, json: Bool)
  /// All about one recording.
  case info(ServeIdentity, json: Bool)
  /// A recording's samples.
  case export(ServeIdentity, ServeExport)
  /// Whether a recording is whole.
  case verify(ServeIdentity, json: Bool)
  /// How the service is.
  case status(json: Bool)
  /// The far end of `imulog pull`.
  case pull

  /// The arguments that do the same on the machine itself; empty for ``help``.
  public var arguments: [String] {
    switch self {
    case .help: return []
    case .list(let page, let json):
      return ["list"] + (page.map { ["--page", "\($0)"] } ?? []) + ServeRequest.flag(json)
    case .info(let id, let json): return ["info", id.text] + ServeRequest.flag(json)
    case .export(let id, let options): return ["export", id.text] + options.arguments
    case .verify(let id, let json): return ["verify", id.text] + ServeRequest.flag(json)
    case .status(let json): return ["status"] + ServeRequest.flag(json)
    case .pull: return ["pull-server"]
    }
  }

  private static func flag(_ json: Bool) -> [String] { json ? ["--json"] : [] }
}

/// What may be asked of an export from afar: everything but a file to write to.
public struct ServeExport: Equatable, Sendable {
  /// The form; JSON when `nil`.
  public var format: ExportFormat?
  /// The units.
  public var units: ExportUnits?
  /// The sensors.
  public var channels: ExportChannels?
  /// What stands for ticks without a sample.
  public var fill: ExportFill?
  /// Where the range begins, in nanoseconds from the first tick.
  public var from: Int64?
  /// Where it ends.
  public var to: Int64?
  /// Whether it lasts until the recording ends.
  public var follow = false

  /// Everything as JSON.
  public init() {}

  var arguments: [String] {
    var words: [String] = []
    if let format { words += ["--format", format.rawValue] }
    if let units { words += ["--units", units.rawValue] }
    if let channels { words += ["--channels", channels.rawValue] }
    if let fill { words += ["--fill", fill.rawValue] }
    if let from { words += ["--from", "\(from)ns"] }
    if let to { words += ["--to", "\(to)ns"] }
    if follow { words.append("--follow") }
    return words
  }
}

/// A recording, as a request names it: 1 to 36 lower-case letters, digits and dashes, which can be neither an option
/// nor a path.
public struct ServeIdentity: Hashable, Sendable {
  /// A number, `latest`, or the beginning of a UUID, in lower case.
  public let text: String

  /// - Throws: ``RequestRefusal/path(_:)`` or ``RequestRefusal/identity(_:)``.
  public init(_ word: String) throws(RequestRefusal) {
    if word.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }) {
      throw .path(word)
    }
    let bytes = Array(word.utf8).map { (65...90).contains($0) ? $0 + 32 : $0 }
    let isDigits = bytes.enumerated().allSatisfy { index, byte in
      switch byte {
      case 48...57, 97...102: return true
      case UInt8(ascii: "-"): return [8, 13, 18, 23].contains(index)
      default: return false
      }
    }
    guard bytes.elementsEqual("latest".utf8) || isDigits && (1...36).contains(bytes.count) else {
      throw .identity(word)
    }
    text = String(decoding: bytes, as: UTF8.self)
  }
}
