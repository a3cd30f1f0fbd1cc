// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing

/// A hub and the machines that it collects from, in one directory. A program stands for `ssh`.
///
///     hub: imulog hub fleet  ─►  ssh (a script)  ─►  imulog serve, with the store of the machine that is named
struct FleetBench {
  let hub: Bench

  init(serveOptions: String = "") {
    let hub = Bench()
    let path = hub.directory.path
    self.hub = FleetBench.ssh(
      """
      echo "$machine" >> \(path)/calls
      if [ ! -d \(path)/$machine ]; then
        echo "ssh: Could not resolve hostname $machine: Name or service not known" >&2
        exit 255
      fi
      serve "$machine" \(serveOptions)
      """, named: "ssh", of: hub)
  }

  /// The hub with another program for `ssh`: lines of a shell, in which `$machine` is the machine that is named, and
  /// `serve NAME` the far end of a machine.
  func ssh(_ lines: String) -> Bench { FleetBench.ssh(lines, named: "other-ssh", of: hub) }

  private static func ssh(_ lines: String, named name: String, of hub: Bench) -> Bench {
    var hub = hub
    let path = hub.directory.path
    let text = """
      #!/bin/sh
      while [ "$1" != -- ]; do shift; done
      machine=${2#*@}
      shift 2
      export SSH_ORIGINAL_COMMAND="$*"
      serve() {
        store=\(path)/$1
        shift
        exec \(Child.program) --store "$store" serve "$@" --log \(path)/journal
      }
      \(lines)
      """
    hub.environment["IMULOG_SSH"] = hub.directory.script(name, text)
    return hub
  }

  /// A machine of the fleet; its store is `NAME` in the hub's directory.
  func machine(_ name: String) -> Bench {
    var bench = hub
    bench.store = "\(hub.directory.path)/\(name)"
    bench.environment["IMULOG_STORE"] = bench.store
    return bench
  }

  /// Names of the recordings in a store, oldest first.
  func recordings(in store: String) -> [String] {
    hub.directory.names(in: store).filter { $0.hasSuffix(".imulog") }
  }

  /// The store of a host of the hub.
  func logs(of host: String) -> Bench { machine("fleet/logs/\(host)") }

  /// Writes the host file.
  func hosts(_ text: String) { hub.directory.write(Array(text.utf8), to: "hosts") }

  /// `imulog hub fleet`.
  func round(_ options: String...) -> Outcome {
    hub.run(["hub", "fleet", "--hosts", "hosts"] + options)
  }

  /// A text file of the hub.
  func text(of path: String) -> String {
    hub.directory.text(of: "fleet/" + path)
  }

  /// What `hub status --json` says of the hosts.
  func status() throws -> JSON {
    try hub.run("hub", "status", "fleet", "--hosts", "hosts", "--json").json()["hosts"]
  }

  /// A round or a verification names what is wrong.
  func expectSentences(
    _ outcome: Outcome, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.status == 65, sourceLocation: sourceLocation)
    #expect(outcome.talk.contains(words), "\(outcome.talk)", sourceLocation: sourceLocation)
  }

  /// A further round writes nothing.
  func expectNoNews(sourceLocation: SourceLocation = #_sourceLocation) {
    let before = inventory()
    round().expect(0, sourceLocation: sourceLocation)
    #expect(inventory() == before, sourceLocation: sourceLocation)
  }

  /// `hub verify` names what is wrong, and nothing else.
  func expectFinding(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let outcome = hub.run("hub", "verify", "fleet")
    expectSentences(outcome, words, sourceLocation: sourceLocation)
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
  }

  /// The machine `one` after a round in which its recordings of two seconds came to the host `pump-1`.
  func roundOfOne(recordings count: Int) throws -> Bench {
    let one = machine("one")
    for _ in 0..<count { try one.record("--for", "2s") }
    hosts("pump-1 = one\n")
    let outcome = round()
    try #require(outcome.status == 0, "\(outcome.talk)")
    return one
  }

  /// Each file of the hub: its path, number, length and times, but for the times at which machines were seen. Two that are
  /// equal have nothing written between them.
  func inventory() -> [String] {
    hub.shell(
      "find fleet -path fleet/state/\\* -printf '%p %i %s\\n' -o -printf '%p %i %s %T@ %C@\\n' | sort"
    ).lines.map { String($0) }
  }

  /// The files of samples, features and recordings, and their bytes.
  func tables() -> [[String: [UInt8]]] {
    ["samples", "features", "recordings"].map { contents(of: $0) }
  }

  /// Paths of files below a directory of the hub, and their bytes.
  func contents(of part: String) -> [String: [UInt8]] {
    let paths = hub.shell("cd fleet && find \(part) -type f | sort").lines.map { String($0) }
    return Dictionary(
      uniqueKeysWithValues: paths.map { ($0, hub.directory.bytes(of: "fleet/" + $0)) })
  }
}
