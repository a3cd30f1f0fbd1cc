// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LinuxIO
import Text

/// The state of a fleet at an MQTT broker, sent by mosquitto_pub: each host as in `hub status --json`, and what Home
/// Assistant needs to show it. Never samples.
///
///     imulog/HOST/state                               the host's object, retained
///     homeassistant/device/imulog_HOST/config         its entities, retained
///     imulog/hub/availability                         of a hub that stays: online, and offline when it ends
///
/// Payloads pass through stdin, and passwords are in mosquitto_pub's configuration, so that no command line has them.
package struct FleetHealth {
  package struct Message: Equatable, Sendable {
    package let topic: String
    package let payload: String
  }

  package static let availability = "imulog/hub/availability"

  fileprivate static let program = "mosquitto_pub"
  private let broker: String
  private let port: UInt16?
  private static let jobs = 8
  /// Nanoseconds that these may take.
  private static let patience: Int64 = 20_000_000_000

  /// - Parameter port: `nil` for 1883, the port of MQTT.
  package init(broker: String, port: UInt16?) {
    (self.broker, self.port) = (broker, port)
  }

  /// The messages of a round; if the hub `stays`, its presence decides whether entities are available.
  package static func messages(_ status: FleetStatus, stays: Bool) -> [Message] {
    status.hosts.filter(\.isListed).flatMap { host in
      var json = JSONWriter()
      host.add(to: &json, hasWords: true)
      return [
        Message(
          topic: "homeassistant/device/\(identity(of: host))/config",
          payload: discovery(of: host, stays: stays)),
        Message(topic: "imulog/\(host.name)/state", payload: json.text),
      ]
    }
  }

  /// It may not have a point, so `P` stands for one: names have no upper-case letters.
  private static func identity(of host: FleetStatus.Host) -> String {
    "imulog_" + host.name.replacing(".", with: "P")
  }

  /// What Home Assistant shows of a host; `value` is a key of its object, or two around a point.
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
      json.member("device") { json in
        json.member("identifiers", [identity])
        json.member("name", host.name)
        json.member("manufacturer", "imulog")
        json.member("sw_version", host.state.machine?.software)
      }
      json.member("origin") { json in
        json.member("name", "imulog")
        json.member("sw_version", Software.version)
      }
      json.member("state_topic", "imulog/\(host.name)/state")
      if stays { json.member("availability_topic", availability) }
      json.member("components") { json in
        for entity in entities {
          json.member(entity.key) { json in
            json.member("platform", "sensor")
            json.member("unique_id", "\(identity)_\(entity.key)")
            json.member("name", entity.name)
            // `machine` is null for an older imulog.
            let parts = entity.value.split(separator: ".")
            let value =
              parts.count == 2
              ? "(value_json.\(parts[0]) or {}).get('\(parts[1])')" : "value_json.\(parts[0])"
            let text = "'' if \(value) is none else \(value)"
            // Home Assistant's limit of a state.
            json.member(
              "value_template",
              entity.kind == nil
                ? "{{ ((\(text)) | string)[:255] }}" : "{{ \(value) }}")
            if let kind = entity.kind { json.member("device_class", kind) }
            if let unit = entity.unit { json.member("unit_of_measurement", unit) }
          }
        }
      }
    }
    return json.text
  }

  /// Sends messages, several at a time; stops at the first failure, and returns it.
  package func send(_ messages: [Message]) -> CommandFailure? {
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
      // One limit for all: a silent broker holds each of them.
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

  package func presence() -> HubPresence {
    HubPresence(
      options + [
        "-t", FleetHealth.availability, "-r", "-q", "1", "-l", "--will-topic",
        FleetHealth.availability, "--will-payload", "offline", "--will-retain", "--will-qos", "1",
      ])
  }
}

private final class Publisher {
  private var process: OtherProcess?

  init(_ arguments: [String], _ payload: String) throws {
    let process = try OtherProcess(FleetHealth.program, arguments)
    // A pipe has room for 64 KiB, and a host's object has 1. A program that ended already shows why by its status.
    _ = process.offer(Array(payload.utf8))
    self.process = consume process
  }

  func finish(within nanoseconds: Int64) -> CommandFailure? {
    process.take()?.finish(within: nanoseconds).trouble.map {
      CommandFailure(.unavailable, "\(FleetHealth.program) \($0)")
    }
  }
}

/// The presence of a hub that stays: `online` at the broker while the hub runs, and `offline`, the last will of a cut
/// connection, however the hub ends.
package final class HubPresence {
  private let arguments: [String]
  private var process: OtherProcess?

  init(_ arguments: [String]) { self.arguments = arguments }

  /// Announces the presence in each round: a restarted broker may have forgotten it. Ends where no broker answers.
  package func announce() throws {
    if process?.hasEnded ?? true {
      // Opened for reading and writing, stdin does not end when the hub is killed, which would be a farewell without a will.
      // The program ends with the hub nevertheless, and cuts its connection. Nobody reads its stderr, which would stop it when
      // full; the messages of the round report what is wrong.
      process = try OtherProcess(
        "sh",
        ["-c", "exec \"$0\" \"$@\" <>/proc/self/fd/0 2>/dev/null", FleetHealth.program] + arguments)
    }
    _ = process?.offer(Array("online\n".utf8))
  }
}
