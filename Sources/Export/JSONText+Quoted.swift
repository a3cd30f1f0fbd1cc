extension JSONText {
  /// `text` as a JSON string with its quotes: escaped so that no terminal obeys what is in it.
  package static func quoted(_ text: String) -> String {
    var json = JSONText()
    json.string(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
