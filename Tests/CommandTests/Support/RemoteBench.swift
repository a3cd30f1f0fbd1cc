// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing

/// Two machines in one directory: the one that records, and the one that pulls from it through a program that stands
/// for `ssh`.
///
///     laptop: run(…)  ─►  imulog pull pi  ─►  ssh (a script)  ─►  imulog serve, with pi's store
struct RemoteBench {
  /// The machine that records.
  let pi = Bench()
  /// The machine that pulls.
  var laptop = Bench()

  /// - Parameter serveOptions: Options of the forced command.
  init(serveOptions: String = "") {
    // What ssh does with a forced command: the words after the host, joined, become SSH_ORIGINAL_COMMAND. A line of
    // the file `cuts` is how many bytes this connection carries before it is cut; `carried` keeps them all.
    let text = """
      #!/bin/sh
      echo "$@" >> \(laptop.directory.path)/calls
      while [ "$1" != -- ]; do shift; done
      host=$2
      shift 2
      if [ "$host" = nowhere ]; then
        echo "ssh: Could not resolve hostname nowhere: Name or service not known" >&2
        exit 255
      fi
      export SSH_ORIGINAL_COMMAND="$*"
      cuts=\(laptop.directory.path)/cuts
      serve() { exec \(Child.program) --store \(pi.store) serve --log \(laptop.directory.path)/journal \(serveOptions); }
      if [ -s "$cuts" ]; then
        count=$(head -n 1 "$cuts")
        sed -i 1d "$cuts"
        # A connection that is cut takes ssh with it, whatever the other side is doing.
        serve | { stdbuf -o0 head -c "$count" | tee -a \(laptop.directory.path)/carried; kill -9 $$; }
      elif [ -e "$cuts" ]; then
        serve | tee -a \(laptop.directory.path)/carried
      else
        serve
      fi
      """
    laptop.environment["IMULOG_SSH"] = laptop.directory.script("ssh", text)
  }

  /// `imulog pull pi …` on the laptop.
  func pull(_ options: String..., host: String = "pi") -> Outcome {
    laptop.run(["pull", host] + options)
  }

  /// What a key on the laptop gets for a request.
  func ask(_ request: String) -> Outcome {
    var bench = laptop
    bench.environment["SSH_ORIGINAL_COMMAND"] = request
    return bench.run(["--store", pi.store, "serve", "--log", journalPath])
  }

  /// What a ``ScriptedFarEnd`` runs to serve the other machine's store, where recordings may be freed; lines of a shell
  /// see each request as `$line` before it is carried out.
  func serving(_ filter: String) -> String {
    """
    export SSH_ORIGINAL_COMMAND=pull-server
    while read -r line; do
      \(filter)
      echo "$line"
    done | \(Child.program) --store \(pi.store) serve --allow-delete --log \(journalPath)
    """
  }

  /// How often a connection was made.
  var connections: Int { laptop.directory.bytes(of: "calls").count { $0 == 10 } }

  var journalPath: String { laptop.directory.path + "/journal" }

  /// Lines that serve has logged.
  var journal: [Substring] { laptop.directory.text(of: "journal").split(separator: "\n") }

  /// Lets connections be cut after so many bytes each.
  func cut(after counts: [Int]) {
    _ = laptop.file("cuts", counts.map { "\($0)\n" }.joined())
    laptop.directory.write([], to: "carried")
  }

  /// Lets one connection be cut after so many bytes, and all after it in the greeting, until ``mend()``.
  func breakOff(after count: Int) { cut(after: [count] + Array(repeating: 10, count: 50)) }

  /// Lets connections be whole again.
  func mend() { cut(after: []) }

  /// Bytes that connections with cuts have carried.
  var carried: Int { laptop.directory.bytes(of: "carried").count }

  /// The newest log of a store, byte for byte.
  static func log(_ bench: Bench) throws -> [UInt8] {
    bench.directory.bytes(of: try bench.logName())
  }

  /// Names in the laptop's store that are no recordings.
  var leftovers: [String] {
    laptop.directory.names(in: "store").filter { $0.hasPrefix(".part") || $0.hasPrefix(".aside") }
  }
}
