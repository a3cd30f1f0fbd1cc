/// Bytes after the header, pages and chunks and their checks included, when every tenth sample is followed by a
/// flush, for each log.
func flushSize(_ paths: [String]) throws -> String {
  let logs = try paths.map { path in
    let take = try Take(path)
    return "{\"samples\":\(take.records.count),\"bytes\":\(try take.encode(flushEvery: 10))}"
  }
  return "[" + logs.joined(separator: ",") + "]"
}
