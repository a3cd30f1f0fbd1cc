// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import LinuxIO
import Text

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

  fileprivate static let program = "mosquitto_pub"
  private let broker: String
  private let port: UInt16?
  /// Messages sent at a time.
  private static let jobs = 8
  /// Nanoseconds that these may take.
  private static let patience: Int64 = 20_000_000_000

  /// - Parameters:
  ///   - broker: The name or address of a machine.
  ///   - port: `nil` for 1883, the port of MQTT.
  public init(broker: String, port: UInt16?) {
    (self.broker, self.port) = (broker, port)
  }

  /// The messages of a round.
  ///
  /// - Parameter stays: Whether the hub announces its presence.
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
      ("service_problem", "Service problem", "machine.problem", nil, nil),
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
                let text = "'' if \(value) is none else \(value)"
                // A state of Home Assistant has at most 255 characters.
                json.member(
                  "value_template",
                  entity.kind == nil
                    ? "{{ ((\(text)) | string)[:255] }}" : "{{ \(value) }}")
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
              options + ["-t", message.topic, "-r", "-q", "1", "-s"], message.payload))
        } catch {
          failure = CommandFailure(error, else: .unavailable)
        }
      }
      // Together: a broker that accepts and is silent holds each of them.
      let end = SystemClock().now() + FleetHealth.patience
      for publisher in running {
        if let other = publisher.finish(within: max(0, end - SystemClock().now())) {
          failure = failure ?? other
        }
      }
      if let failure { return failure }
    }
    return nil
  }

  private var options: [String] { ["-h", broker] + (port.map { ["-p", "\($0)"] } ?? []) }

  /// The presence of a hub that stays, which ``HubPresence/announce()`` announces.
  public func presence() -> HubPresence {
    HubPresence(
      options + [
        "-t", FleetHealth.availability, "-r", "-q", "1", "-l", "--will-topic",
        FleetHealth.availability, "--will-payload", "offline", "--will-retain", "--will-qos", "1",
      ])
  }
}

/// A program that sends one message.
private final class Publisher {
  private var process: OtherProcess?

  init(_ arguments: [String], _ payload: String) throws {
    let process = try OtherProcess(FleetHealth.program, arguments)
    // A pipe has room for 64 KiB, and a host's object has 1; a program that ended before reports why by its status.
    _ = process.offer(Array(payload.utf8))
    self.process = consume process
  }

  /// Waits for its end; returns why it failed.
  func finish(within nanoseconds: Int64) -> CommandFailure? {
    process.take()?.finish(within: nanoseconds).trouble.map {
      CommandFailure(.unavailable, "\(FleetHealth.program) \($0)")
    }
  }
}

/// The presence of a hub that stays: `online` at the broker while the hub runs, and `offline`, the last will of a connection
/// that is cut, however the hub ends.
public final class HubPresence {
  private final class Child {
    let process: OtherProcess

    init(_ arguments: [String]) throws(LinuxIOError) {
      // Opened for reading and writing, its stdin does not end when the hub is killed: it would take that for a farewell, and
      // the broker would send no will. The program ends with the hub nevertheless, and cuts its connection.
      // What it writes to stderr is not read, and would stop it; what is wrong is reported with the messages of the round.
      process = try OtherProcess(
        "sh",
        ["-c", "exec \"$0\" \"$@\" <>/proc/self/fd/0 2>/dev/null", FleetHealth.program] + arguments)
    }
  }

  private let arguments: [String]
  private var child: Child?

  init(_ arguments: [String]) { self.arguments = arguments }

  /// Announces it again, in each round: a broker that was restarted may have forgotten it, and the program ends where no broker
  /// answers.
  ///
  /// - Throws: `LinuxIOError` when no program can be started.
  public func announce() throws {
    if child?.process.hasEnded ?? true { child = try Child(arguments) }
    _ = child?.process.offer(Array("online\n".utf8))
  }
}
