/// The page around its facts and samples.
///
/// The policy in its head forbids the browser every connection, so the page needs no network and can tell
/// no one what is in it.
enum PageFrame {
  /// Everything up to the facts for the script.
  static func head(_ facts: RecordingFacts) -> [UInt8] {
    let title = MarkupText.escaped(facts.title)
    let rows = facts.rows.map { row in
      "<div><dt>\(MarkupText.escaped(row.name))</dt><dd>\(MarkupText.escaped(row.value))</dd></div>"
    }
    return Array(opening.utf8) + Array("<title>\(title)</title>\n<style>\n".utf8)
      + PackageResources.page_css
      + Array("</style>\n</head>\n<body>\n<header><h1>\(title)</h1></header>\n".utf8)
      + PackageResources.body_html
      + Array("<dl>\n\(rows.joined(separator: "\n"))\n</dl>\n</section>\n</main>\n".utf8)
      + Array("<script type=\"application/json\" id=\"facts\">".utf8)
  }

  static let betweenFactsAndSamples = Array(
    "</script>\n<script type=\"text/plain\" id=\"samples\">".utf8)

  /// Everything after the samples.
  static var tail: [UInt8] {
    Array("</script>\n<script>\n(() => {\n\"use strict\";\n".utf8) + PackageResources.data_js
      + PackageResources.axis_js + PackageResources.panel_js + PackageResources.view_js
      + PackageResources.input_js + PackageResources.player_js + PackageResources.page_js
      + Array("})();\n</script>\n</body>\n</html>\n".utf8)
  }

  private static let opening = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'">

    """
}
