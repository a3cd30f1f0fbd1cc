import Export
import IMUModel

extension ServeRequest {
  /// Reads a request as it came, such as `SSH_ORIGINAL_COMMAND`.
  public init(_ request: some Collection<UInt8>) throws(RequestRefusal) {
    try self.init(words: try RequestTokeniser.words(request))
  }

  /// Reads a request's words. The program's name may stand in front: `ssh pi imulog list` sends it.
  public init(words: [String]) throws(RequestRefusal) {
    var words = words[...]
    if words.first == "imulog" { words.removeFirst() }
    guard let verb = words.popFirst() else {
      self = .help
      return
    }
    var rest = RequestWords(verb: verb, words: words)
    switch verb {
    case "help", "--help", "-h":
      try rest.sort()
      try rest.noMoreWords()
      self = .help
    case "list":
      try rest.sort(flags: ["--json"], valued: ["--page"])
      let page = try rest.value("--page") { text in
        text.utf8.count <= 9 ? Int(text).flatMap { $0 >= 1 ? $0 : nil } : nil
      }
      try rest.noMoreWords()
      self = .list(page: page, json: rest.has("--json"))
    case "info", "verify":
      try rest.sort(flags: ["--json"])
      let id = try rest.identity()
      self =
        verb == "info" ? .info(id, json: rest.has("--json")) : .verify(id, json: rest.has("--json"))
    case "export":
      try rest.sort(
        flags: ["--follow"],
        valued: ["--format", "--units", "--channels", "--fill", "--from", "--to"],
        output: ["-o", "--output"])
      self = .export(try rest.identity(), try ServeExport(rest))
    case "status":
      try rest.sort(flags: ["--json"])
      try rest.noMoreWords()
      self = .status(json: rest.has("--json"))
    case "pull-server":
      try rest.sort()
      try rest.noMoreWords()
      self = .pull
    case let word:
      if ServeRequest.otherVerbs.contains(word) || word.hasPrefix("--store") {
        throw .forbiddenVerb(word.hasPrefix("-") ? "--store" : word)
      }
      throw .unknownVerb(word)
    }
  }

  /// Verbs of the program that change something, or that a reader has no use for. That a new one is missing here
  /// makes it unknown, not allowed.
  private static let otherVerbs: Set = [
    "record", "import", "rm", "restore", "boards", "daemon", "start", "stop", "mark", "keep",
    "discard",
    "install", "serve", "pull", "show", "play", "watch", "recover",
  ]
}

extension ServeExport {
  fileprivate init(_ words: RequestWords) throws(RequestRefusal) {
    self.init()
    format = try words.value("--format") { ExportFormat(rawValue: $0) }
    units = try words.value("--units") { ExportUnits(rawValue: $0) }
    channels = try words.value("--channels") { ExportChannels(rawValue: $0) }
    fill = try words.value("--fill") { ExportFill(rawValue: $0) }
    from = try words.value("--from") { SpanText.nanoseconds($0) }
    to = try words.value("--to") { SpanText.nanoseconds($0) }
    follow = words.has("--follow")
  }
}
