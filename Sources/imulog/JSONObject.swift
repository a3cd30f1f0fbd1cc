import Export

/// A small JSON object, written key by key in the order given.
struct JSONObject {
  private var members: [String] = []

  /// `{…}` on one line.
  var text: String { "{" + members.joined(separator: ",") + "}" }

  func with(_ key: String, _ value: String?) -> JSONObject {
    with(key, raw: value.map { JSONText.quoted($0) } ?? "null")
  }

  func with(_ key: String, _ value: Bool) -> JSONObject { with(key, raw: value ? "true" : "false") }

  func with(_ key: String, _ value: some BinaryInteger) -> JSONObject { with(key, raw: "\(value)") }

  func with(_ key: String, _ values: [String]) -> JSONObject {
    with(key, raw: "[" + values.map { JSONText.quoted($0) }.joined(separator: ",") + "]")
  }

  /// A member whose value is JSON already.
  func with(_ key: String, raw json: String) -> JSONObject {
    var copy = self
    copy.members.append(JSONText.quoted(key) + ":" + json)
    return copy
  }
}
