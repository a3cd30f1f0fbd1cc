// SPDX-License-Identifier: Apache-2.0

import Export
public import IMUModel
import LinuxIO
import LogStore

/// The health of a fleet on an MQTT broker, sent by mosquitto_pub: what `hub status --json` shows of each host, and what
/// Home Assistant needs to show it. Never samples.
///
///     imulog/HOST/state                               the host's object, retained
///     homeassistant/device/imulog_HOST/config         its entities, retained
///     imulog/hub/availability                         online, and offline when the hub ends: only of a hub that stays
///
/// Payloads pass through stdin. Who may publish is the matter of mosquitto_pub's own configuration
/// (`~/.config/mosquitto_pub`), so that no password is on a command line.
public struct FleetHealth {
  /// A message to send.
  public struct Message: Equatable, Sendable {
    /// Where it is retained.
    public let topic: String
    /// Its text.
    public let payload: String
  }

  /// Where the hub's own presence is retained.
  public static let availability = "imulog/hub/availability"

  private let program: String
  private let broker: String
  private let port: String?
  /// Messages sent at a time.
  private static let jobs = 8
  /// Nanoseconds that one may take.
  private static let patience: Int64 = 20_000_000_000

  /// - Parameter program: `mosquitto_pub`, or one that takes its options.
  public init(broker: String, port: String?, program: String) {
    (self.broker, self.port, self.program) = (broker, port, program)
  }

  /// The messages of a round.
  ///
  /// - Parameter stays: Whether the hub tells its presence.
  public static func messages(_ status: FleetStatus, stays: Bool) -> [Message] {
    status.hosts.filter(\.isListed).flatMap { host in
      var json = JSONWriter()
      host.add(to: &json)
      return [
        Message(
          topic: "homeassistant/device/\(identity(of: host))/config",
          payload: discovery(of: host, stays: stays)),
        Message(topic: "imulog/\(host.name)/state", payload: json.text),
      ]
    }
  }

  /// Letters, digits, `_` and `-` alone may be in it, and names have no upper-case letters; so a point, which they may have,
  /// is one.
  private static func identity(of host: FleetStatus.Host) -> String {
    "imulog_" + host.name.replacing(".", with: "P")
  }

  /// What a host has to show: a name for a person, and where it is in the object.
  private static let entities:
    [(key: String, name: String, value: String, kind: String?, unit: String?)] = [
      ("seen", "Last seen", "seen", "timestamp", nil),
      ("last_recording", "Last recording", "lastRecording", "timestamp", nil),
      ("recordings", "Recordings", "recordings", nil, nil),
      ("backlog", "Backlog", "backlog", nil, nil),
      ("free", "Free space", "machine.free_bytes", "data_size", "B"),
      ("service", "Service", "machine.recorder", nil, nil),
      ("version", "Version", "machine.software", nil, nil),
      ("problem", "Problem", "problem", nil, nil),
    ]

  private static func discovery(of host: FleetStatus.Host, stays: Bool) -> String {
    let identity = identity(of: host)
    var json = JSONWriter()
    json.object { json in
      json.member(
        "device",
        object: { json in
          json.member("identifiers", [identity])
          json.member("name", host.name)
          json.member("manufacturer", "imulog")
          json.member("sw_version", host.state.machine?.software)
        })
      json.member(
        "origin",
        object: { json in
          json.member("name", "imulog")
          json.member("sw_version", Software.version)
        })
      json.member("state_topic", "imulog/\(host.name)/state")
      if stays { json.member("availability_topic", availability) }
      json.member(
        "components",
        object: { json in
          for entity in entities {
            json.member(
              entity.key,
              object: { json in
                json.member("platform", "sensor")
                json.member("unique_id", "\(identity)_\(entity.key)")
                json.member("name", entity.name)
                // An older machine has no object there.
                let parts = entity.value.split(separator: ".")
                let value =
                  parts.count == 2
                  ? "(value_json.\(parts[0]) or {}).get('\(parts[1])')" : "value_json.\(parts[0])"
                // A state of Home Assistant has at most 255 characters.
                json.member(
                  "value_template",
                  entity.kind == nil
                    ? "{{ (\(value) | default('', true) | string)[:255] }}" : "{{ \(value) }}")
                if let kind = entity.kind { json.member("device_class", kind) }
                if let unit = entity.unit { json.member("unit_of_measurement", unit) }
              })
          }
        })
    }
    return json.text
  }

  /// Sends messages, several at a time; returns the first failure, after which no more are begun.
  public func send(_ messages: [Message]) -> CommandFailure? {
    var rest = messages[...]
    while !rest.isEmpty {
      let part = rest.prefix(FleetHealth.jobs)
      rest = rest.dropFirst(part.count)
      var failure: CommandFailure?
      var running: [Publisher] = []
      for message in part where failure == nil {
        do {
          running.append(
            try Publisher(
              program, options + ["-t", message.topic, "-r", "-q", "1", "-s"], message.payload))
        } catch {
          failure = CommandFailure(error, else: .unavailable)
        }
      }
      for publisher in running {
        if let other = publisher.finish(within: FleetHealth.patience, program) {
          failure = failure ?? other
        }
      }
      if let failure { return failure }
    }
    return nil
  }

  private var options: [String] { ["-h", broker] + (port.map { ["-p", $0] } ?? []) }

  /// The presence of a hub that stays; nothing is told before ``HubPresence/tell()``.
  public func presence() -> HubPresence {
    HubPresence(
      program,
      options + [
        "-t", FleetHealth.availability, "-r", "-q", "1", "-l", "--will-topic",
        FleetHealth.availability, "--will-payload", "offline", "--will-retain", "--will-qos", "1",
      ])
  }
}

/// A program that sends one message.
private final class Publisher {
  private var process: OtherProcess?

  init(_ program: String, _ arguments: [String], _ payload: String) throws {
    let process = try OtherProcess(program, arguments)
    // A pipe has room for 64 KiB, and a host's object has 1; a program that ended before reports why by its status.
    _ = process.offer(Array(payload.utf8))
    self.process = consume process
  }

  /// Waits for its end; returns why it failed.
  func finish(within nanoseconds: Int64, _ program: String) -> CommandFailure? {
    guard let ending = process.take()?.finish(within: nanoseconds) else { return nil }
    guard ending.status != 0 || ending.isLate else { return nil }
    let said = ending.lastLine.isEmpty ? "" : ": " + ForeignText.shown(ending.lastLine)
    return CommandFailure(
      .unavailable,
      ending.isLate
        ? "\(program) did not end within 20 s\(said)"
        : "\(program) ended with status \(ending.status)\(said)")
  }
}

/// The presence of a hub that stays: it tells the broker that it is there, until it ends, however that ends; then the broker
/// tells that it is not, by the last will of a connection that is cut.
public final class HubPresence {
  private final class Child {
    let process: OtherProcess

    init(_ program: String, _ arguments: [String]) throws(LinuxIOError) {
      // Opened for reading and writing, its stdin does not end when the hub is killed: it would take that for a farewell, and
      // the broker would send no will. The program ends with the hub nevertheless, and cuts its connection.
      process = try OtherProcess(
        "sh", ["-c", "exec \"$0\" \"$@\" <>/proc/self/fd/0", program] + arguments)
    }
  }

  private let program: String
  private let arguments: [String]
  private var child: Child?

  init(_ program: String, _ arguments: [String]) {
    (self.program, self.arguments) = (program, arguments)
  }

  /// Tells it again, in each round: a broker that was started anew may have forgotten it, and one that was not there ended the
  /// program that tells.
  public func tell() throws {
    if child?.process.hasEnded ?? true { child = try Child(program, arguments) }
    _ = child?.process.offer(Array("online\n".utf8))
  }
}
