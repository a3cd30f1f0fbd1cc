import Export
import Remote
import Testing

@Suite("A restricted key may ask for a few things to read")
struct ServeRequestTests {
  private func request(_ text: String) throws(RequestRefusal) -> ServeRequest {
    try ServeRequest(Array(text.utf8))
  }

  @Test("everything that may be asked for is understood, with and without the program's name")
  func allowed() throws {
    let three = try ServeIdentity("3")
    let table: [(String, ServeRequest)] = [
      ("", .help), ("imulog", .help), ("--help", .help), ("help", .help),
      ("list", .list(page: nil, json: false)),
      ("list --json --page 2", .list(page: 2, json: true)),
      ("list --page=2", .list(page: 2, json: false)),
      ("info 3", .info(three, json: false)), ("info --json 3", .info(three, json: true)),
      ("verify 3", .verify(three, json: false)), ("verify 3 --json", .verify(three, json: true)),
      ("status", .status(json: false)), ("status --json", .status(json: true)),
      ("pull-server", .pull), ("export 3", .export(three, ServeExport())),
      ("export 3 -o -", .export(three, ServeExport())),
      ("export 3 --output=-", .export(three, ServeExport())),
    ]
    for (text, expected) in table {
      #expect(try request(text) == expected)
      if text != "imulog" { #expect(try request("imulog " + text) == expected) }
    }
    var options = ServeExport()
    options.format = .csv
    options.units = .gDps
    options.channels = .gyro
    options.fill = .hold
    options.from = 1_500_000_000
    options.to = 2_000_000_000
    options.follow = true
    #expect(
      try request(
        "export 'latest' --format csv --units=g-dps --channels gyro --fill hold --from 1.5s --to 2 --follow"
      )
        == .export(try ServeIdentity("latest"), options))
  }

  @Test("what is handed on is made of the request's values, and read back as the same request")
  func arguments() throws {
    let all = [
      "list", "list --page 7 --json", "info latest", "verify 1b4e28ba", "status --json",
      "pull-server",
      "export 3 --format ndjson --units raw --channels accel --from 1ns --to 5h --follow",
      "export 3 --format gyrodata --fill none",
    ]
    for text in all {
      let request = try request(text)
      #expect(try ServeRequest(words: request.arguments) == request)
    }
  }

  @Test("IDs are numbers, latest, and digits of a UUID")
  func identities() throws {
    let good = [
      "1", "4294967295", "latest", "LATEST", "1b4e28ba", "1b4e28ba-2fa1",
      "1b4e28ba-2fa1-41d2-883f-0016d3cca427", "1B4E28BA",
    ]
    for text in good { #expect(try ServeIdentity(text).text == text.lowercased()) }
    let bad = [
      "", "-", "--", "-1", "1-", "latest1", "late", "x", "1 2", "1b4e28ba_2fa1", "0x1", "+1",
      String(repeating: "1", count: 37), "１", "ⅼatest",
    ]
    for text in bad { #expect(throws: RequestRefusal.identity(text)) { try ServeIdentity(text) } }
    for text in ["..", ".", "/", "a/b", "../1", "1.imulog", "/etc/passwd"] {
      #expect(throws: RequestRefusal.path(text)) { try ServeIdentity(text) }
    }
  }

  @Test("what changes something is refused as forbidden, an unknown word as unknown")
  func refusals() throws {
    let forbidden = [
      "record", "rm 1", "rm --empty-trash", "import /etc/passwd", "install", "daemon", "start",
      "stop",
      "keep", "discard", "mark x", "boards", "serve", "pull other", "--store /etc list",
      "--store=/etc list", "list --store /etc", "info 1 --store=/", "export 1 -o /tmp/x",
      "export 1 -o/tmp/x", "export 1 --output=x", "status --socket /run/x", "verify ./x",
      "verify /x",
      "imulog rm 1",
    ]
    for text in forbidden {
      do {
        _ = try request(text)
        Issue.record("\(text) was let in")
      } catch {
        #expect(error.isForbidden, "\(text): \(error)")
      }
    }
    let unknown = [
      "ls", "sh", "bash -c id", "imulog imulog list", "LIST", "list list", "list 1",
      "list --page 0",
      "list --page -1", "list --page 1e3", "list --page", "list --page 99999999999999999999",
      "list --json --json", "list --page 1 --page 2", "info", "info 1 2", "info -1", "info --jso 1",
      "export", "export 1 --format xml", "export 1 --format", "export 1 --units",
      "export 1 --from -1s",
      "export 1 --beneath", "pull-server --keep", "pull-server 1", "status 1", "verify --json",
      "''",
      "export 1 --format=", "export 1 --", "-- list", "--version --help",
    ]
    for text in unknown {
      do {
        _ = try request(text)
        Issue.record("\(text) was let in")
      } catch {
        #expect(!error.isForbidden, "\(text): \(error)")
      }
    }
  }

  @Test("a refusal is one line of printable ASCII, however long the request")
  func sentences() {
    for text in [
      "\u{1B}]0;x\u{7}", "é", String(repeating: "x", count: 1000),
      "info " + String(repeating: "y", count: 999),
    ] {
      do {
        _ = try request(text)
        Issue.record("\(text) was let in")
      } catch {
        #expect(error.description.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(error.description.utf8.count < 400)
      }
    }
  }
}
