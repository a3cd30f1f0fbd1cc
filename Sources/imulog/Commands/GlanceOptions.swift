// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Glibc
import Hub
import IMUModel
import LinuxIO
import Terminal
import Text

/// Where the state of the hosts is shown after each round.
struct GlanceOptions: ParsableArguments {
  @Option(
    help: .value("file", "Write the state of the hosts for node_exporter's textfile collector."),
    completion: .file())
  var metrics: String?

  @Option(help: .value("file", "Write a page with the state of the hosts."), completion: .file())
  var page: String?

  @Option(
    parsing: .unconditional,
    help: .value(
      "host[:port]", "Publish the state of the hosts at this MQTT broker, by mosquitto_pub."))
  var mqtt: Broker?

  /// Refuses files that must not be replaced.
  ///
  /// - Parameters:
  ///   - hosts: The host file, which nothing replaces.
  ///   - hub: The hub's directory, which need not be there.
  func check(besides hosts: String, in hub: String) throws {
    for (option, file) in [("--metrics", metrics), ("--page", page)] {
      guard let file else { continue }
      guard !file.isEmpty else {
        throw CommandFailure.usage("\(option) needs the name of a file")
      }
      try OutputPlace.refuseHub(file, of: option, besides: hub)
      if let other = FileIdentity(path: file), other == FileIdentity(path: hosts) {
        throw CommandFailure.usage(
          "\(option) \(Plain.text(file)) is the host file; choose another FILE")
      }
      guard option == "--page" || file.hasSuffix(".prom") else {
        throw CommandFailure.usage(
          "--metrics \(Plain.text(file)): node_exporter reads files that end in .prom; name it so")
      }
    }
    if let metrics, let page, OutputPlace.isSame(metrics, page) {
      throw CommandFailure.usage(
        "--metrics and --page name one file, \(Plain.text(page)); give each its own")
    }
  }

  /// The presence at the broker of a hub that stays.
  var presence: HubPresence? { mqtt?.health.presence() }

  /// Shows the state after a round; returns what could not be written. A broker that does not answer is only reported.
  func show(
    _ hub: HubDirectory, _ hosts: [HubHost], nanoseconds: Int64, _ presence: HubPresence?
  ) -> [CommandFailure] {
    guard metrics != nil || page != nil || mqtt != nil else { return [] }
    var failures: [CommandFailure] = []
    do {
      let now = SystemClock().wallTime
      let status = try FleetStatus(hub, hosts, now: now)
      let seconds = Double(nanoseconds) / 1_000_000_000
      for (option, path, text) in [
        ("--metrics", metrics, { status.metrics(now: now, seconds: seconds) }),
        ("--page", page, { status.page(now: now) }),
      ] {
        guard let path else { continue }
        do {
          // Again: parts of the path may not have been there before the round.
          try OutputPlace.refuseHub(path, of: option)
          let file = try PendingFile(path, remedy: "choose another FILE")
          try file.write(Array(text().utf8))
          try file.publish()
        } catch {
          failures.append(CommandFailure(error, else: .inputOutput))
        }
      }
      if let health = mqtt?.health { publish(status, at: health, presence) }
    } catch {
      failures.append(CommandFailure(error, else: .inputOutput))
    }
    return failures
  }

  private func publish(
    _ status: FleetStatus, at health: FleetHealth, _ presence: HubPresence?
  ) {
    var problem: String?
    do {
      try presence?.announce()
      problem = health.send(FleetHealth.messages(status, stays: presence != nil))?.sentence
    } catch {
      problem = "\(error)"
    }
    if let problem { Console.talk("the state of the hosts is not at the broker: \(problem)") }
  }
}

/// An MQTT broker on the command line: `broker.lan`, `broker.lan:1883`, `[::1]:1883`.
struct Broker: ExpressibleByArgument {
  let health: FleetHealth

  init?(argument: String) {
    var (name, port) = (argument[...], nil as UInt16?)
    if let colon = argument.lastIndex(of: ":"), !argument.hasSuffix("]") {
      port = UInt16(argument[argument.index(after: colon)...])
      guard port ?? 0 > 0 else { return nil }
      name = argument[..<colon]
    }
    // An address of IPv6 has colons, and brackets around it.
    let isAddress = name.hasPrefix("[") && name.hasSuffix("]")
    if isAddress { name = name.dropFirst().dropLast() }
    // A name that begins with - would be an option.
    guard !name.isEmpty, !name.hasPrefix("-"), name.contains(":") == isAddress else { return nil }
    health = FleetHealth(broker: String(name), port: port)
  }
}
