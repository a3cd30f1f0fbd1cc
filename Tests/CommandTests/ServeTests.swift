// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("A restricted key", .waitsForPrograms)
struct ServeTests {
  private let bench = RemoteBench()

  /// Forbidden requests. Words between slashes make one a path.
  static let hostile: [String] = [
    // Another verb.
    "record --board simulator", "certify", "rm 1", "rm 1 --empty-trash", "imulog rm 1",
    "import secret", "daemon", "install --root .", "start", "stop", "mark x", "keep", "discard",
    "boards", "serve --allow-delete", "pull pi", "help rm extra", "/bin/sh", "bash -i",
    "scp -f secret", "sftp-server", "internal-sftp", "rsync --server . /", "cat secret",
    // Another store, another file, another socket.
    "--store . list", "--store=.. list", "list --store ..", "list --store=/", "info 1 --store ..",
    "export 1 --store /tmp", "--beneath list", "export 1 -o stolen", "export 1 -ostolen",
    "export 1 --output stolen", "export 1 --output=stolen", "export 1 -o -- -",
    "export 1 -o stolen --output -", "export 1 --output=stolen -o -",
    "status --socket /tmp/x",
    "status --socket=secret", "serve --log stolen",
    // Paths where an ID belongs.
    "verify secret", "verify ../secret", "verify secret.imulog", "verify /etc/passwd",
    "export ..", "export .", "export /", "export ./1", "export 1/../1", "info ..%2fsecret",
    "export .lock", "export .trash/1", "export file:///etc/passwd", "verify ''", "export secret",
    "info 000009-20261121T023807Z-1b4e28ba.imulog",
    // Shells, quotes, controls and too much, of which RequestTokeniserTests has more.
    "list; rm 1", "export $(cat secret)", "list > stolen", "'list;sh'", "\"list", "list\nrm 1",
    "\u{1B}[2Jlist", "lіst", "export 1\u{200B}", String(repeating: "x", count: 100_000),
    String(repeating: "list ", count: 33), "export " + String(repeating: "1", count: 37),
    "export " + String(repeating: "../", count: 300),
    // Options that look like IDs, IDs that look like options, invalid numbers.
    "export -1", "export -- 1", "export --1", "info -h1", "export 1 2",
    "export 1 --from 1e9", "list --page -1", "list --page 0", "list --page 99999999999999999999",
    "list --page 0x10", "list --page", "export 18446744073709551617x", "info 1 --json=1",
    "list --json --json",
    "export 1 --format ../csv", "export 1 --units /", "export --format", "pull-server --keep",
    "pull-server x", "pull-server --store /",
    // The parser's own features: help, version, completions, a terminator, abbreviations, files of arguments.
    "list --help", "help list", "-h list", "--version", "--version --help", "list --version",
    "--generate-completion-script bash", "list --generate-completion-script=zsh",
    "--experimental-dump-help", "list --experimental-dump-help", "-- list", "list -- --json",
    "export 1 --", "export 1 --follow --follow", "list --js", "info --jso 1", "export 1 --form csv",
    "list @secret", "@secret", "info --no-json 1", "list -page 2", "list --page=2 --page=3",
    // Options that the verb has for a local user.
    "list --trash", "list --partial", "list --plain", "info 1 --check", "export 1 --beneath",
    "pull-server --json", "list --beneath", "IMULOG_STORE=/tmp list", "export 1 --from -x",
    "export 1 --to --store",
    "status 1", "list list", "LIST", "ls", "imulog imulog list", "info",
    "export", "verify --json", "export 1 --format=", "export 1 --units", "''",
  ]

  /// Words of random requests.
  private static let fragments: [String] = [
    "list", "info", "export", "verify", "status", "help", "rm", "record", "imulog", "1", "latest",
    "--json", "--page=1", "--store", "--store=..", "--beneath", "-o", "-o=stolen", "-ostolen",
    "--output=stolen", "stolen", "-", "--", "''", "'a b'", "\"", "\\", "..", "../secret",
    "secret.imulog", "--format", "csv", "raw", "--from", "0s", "--help", "--version",
    "--socket=secret", "--log=stolen", "--config", "@secret", "--empty-trash", "--follow", "-h",
    "--allow-delete", "=", "--=", "-=", "--generate-completion-script=bash", "\u{1B}[2J", "é",
  ]

  /// Asks beside logs outside the store, which must not be read: nothing is changed.
  private func expectUntouched(_ ask: () -> Void) throws {
    try bench.pi.record("--for", "1s")
    let log = try RemoteBench.log(bench.pi)
    for directory in [bench.pi.directory, bench.laptop.directory] {
      for name in ["secret", "secret.imulog"] { directory.write(log, to: name) }
    }
    let before = bench.pi.inventory()
    let names = bench.laptop.directory.names()
    ask()
    #expect(bench.pi.inventory() == before)
    #expect(bench.laptop.directory.names() == (names + ["journal"]).sorted())
  }

  /// A refusal is one line of printable ASCII, and no output.
  private func expectRefused(_ outcome: Outcome, _ request: String) {
    #expect(outcome.bytes.isEmpty, "\(request)")
    #expect(outcome.talk.count { $0 == "\n" } == 1, "\(outcome.talk)")
    #expect(outcome.talk.utf8.dropLast().allSatisfy { (0x20...0x7E).contains($0) }, "\(request)")
  }

  @Test("reads the store or refuses, for any words in any order")
  func randomRequests() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("requests with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let requests = (1...150).map { _ in
      (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        ServeTests.fragments[Int.random(in: 0..<ServeTests.fragments.count, using: &generator)]
      }.joined(separator: " ")
    }
    try expectUntouched {
      for request in requests {
        let outcome = bench.ask(request)
        // 69: no service is running.
        #expect([0, 64, 69, 77].contains(outcome.status), "\(request), seed \(seed)")
        if outcome.status != 0 { expectRefused(outcome, "\(request), seed \(seed)") }
      }
    }
  }

  @Test("reaches no file outside the store, no shell and no other verb, for any request")
  func hostileRequests() throws {
    try #require(ServeTests.hostile.count >= 60)
    try expectUntouched {
      for request in ServeTests.hostile {
        let outcome = bench.ask(request)
        #expect([64, 77].contains(outcome.status), "\(request.prefix(100)): \(outcome.status)")
        expectRefused(outcome, "\(request.prefix(100))")
        #expect(outcome.talk.hasPrefix("imulog: "))
        #expect(outcome.talk.utf8.count < 400)
      }
    }
    #expect(bench.journal.count == ServeTests.hostile.count)
    for line in bench.journal {
      #expect(line.contains(" refuses \""))
      #expect(line.utf8.count < 1200 && line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }
  }

  @Test("gets the same text as the program prints")
  func allowed() throws {
    for _ in 1...2 { try bench.pi.record("--for", "2s") }
    let requests: [[String]] = [
      ["list", "--json"], ["list", "--page=2"], ["info", "1", "--json"], ["info", "latest"],
      ["export", "1"], ["export", "2", "--format", "raw"], ["export", "1", "--format", "mcap"],
      ["export", "1", "--format", "edge-impulse"], ["verify", "1"], ["verify", "1", "--json"],
      ["export", "1", "--from", "0.5s", "--to", "1s", "-o", "-"],
      ["export", "LATEST", "--output=-"],
      ["export", "1", "--from=-1s", "--to", "1s"],
      ["export", "1", "--format", "html", "--analysis"],
      [
        "export", "latest", "--format", "csv", "--units=g-dps", "--channels", "gyro", "--from=1.5s",
        "--to", "2",
      ],
      ["export", "1", "--format", "gyrodata", "--fill", "hold", "--channels=accel"],
      ["export", "1", "--format", "parquet", "--gaps=rows"],
      ["export", "1", "--format", "csv", "--follow"],
      ["export", "1", "--format", "csv", "--orientation", "--linear"],
    ]
    for words in requests {
      let direct = bench.pi.run(words)
      for request in [words.joined(separator: " "), "imulog " + words.joined(separator: " ")] {
        let served = bench.ask(request)
        #expect(served.status == direct.status, "\(request): \(served.talk)")
        #expect(served.bytes == direct.bytes, "\(request)")
      }
    }
    #expect(bench.journal.count == 2 * requests.count)
    #expect(bench.journal.allSatisfy { $0.contains(" serves ") })
    expectSentence(bench.ask("info 9"), 66, ["no recording 9"])
  }

  @Test("gets the list of requests for an empty request, or for help")
  func help() {
    let login = bench.laptop.run("--store", bench.pi.store, "serve").expect(0)
    #expect(login.output.contains("export ID"))
    for option in ["--orientation", "--linear", "--calibrated", "--analysis"] {
      #expect(login.output.contains("[\(option)]"))
    }
    #expect(bench.ask("help").bytes == login.bytes)
    for request in ["", "imulog", "--help", "-h", "imulog help"] {
      #expect(bench.ask(request).bytes == login.bytes, "\(request)")
    }
  }

  @Test("follows no link in the store to a file elsewhere")
  func links() throws {
    try bench.pi.record("--for", "1s")
    let name = try bench.pi.logName()
    bench.pi.directory.write(bench.pi.directory.bytes(of: name), to: "secret")
    let link = bench.pi.store + "/000002-20261121T023807Z-1b4e28ba.imulog"
    #expect(symlink("../secret", link) == 0)
    for request in [
      "info 2", "export 2", "verify 2", "export latest --format raw", "info 1b4e28ba",
    ] {
      let outcome = bench.ask(request)
      #expect(outcome.status != 0, "\(request)")
      #expect(outcome.bytes.isEmpty)
    }
    // A local owner may keep a recording on another disk.
    #expect(bench.pi.run("info", "2").status == 0)
    // A pull fetches the others, and reports that this one is missing.
    bench.pull().expect(65, "recording 2 cannot be read there")
    #expect(bench.laptop.recordings.count == 1)
    #expect(bench.ask("list").status == 0)
    unlink(link)
    mkfifo(link, 0o644)
    #expect(bench.ask("export 2").status != 0)
  }

  @Test(
    "may give every option of a verb but those that name a file, and the list of requests has them all",
    arguments: [
      ("list", ["--partial", "--plain", "--trash", "--store", "--help", "--version"]),
      ("info", ["--check", "--store", "--help", "--version"]),
      ("export", ["--store", "--calibration", "--hmac-key-file", "--help", "--version"]),
      ("verify", ["--store", "--help", "--version"]),
      ("status", ["--socket", "--help", "--version"]),
    ] as [(String, Set<String>)])
  func verbOptions(_ verb: String, _ withheld: Set<String>) throws {
    try bench.pi.record("--for", "1s")
    let words = bench.pi.run(verb, "--help").output.split { !$0.isLetter && $0 != "-" }
    let options = Set(words.filter { $0.hasPrefix("--") && $0.count > 2 }.map { String($0) })
    #expect(withheld.isSubset(of: options), "\(options)")
    let help = bench.ask("help").output
    let lines = help.split(separator: "\n").drop { !$0.hasPrefix("  \(verb)") }
    // Its options are on its line and on those after it that begin further in.
    let own = lines.prefix(1) + lines.dropFirst().prefix { $0.hasPrefix("     ") }
    let listed = own.joined(separator: " ")
    for option in options {
      let isForbidden = bench.ask("\(verb) 1 \(option)").status == 77
      #expect(isForbidden == withheld.contains(option), "\(option)")
      // Output goes to stdout without it.
      let isListed = listed.contains("[\(option)]") || listed.contains("[\(option) ")
      #expect(isListed == !isForbidden || option == "--output", "\(option)")
    }
  }
}
