// SPDX-License-Identifier: Apache-2.0

@testable import Hub
import IMUModel
import LogStoreTesting
import TestSupport
import Testing

@Suite("What a hub shows of its hosts", .excludesProgramStarts)
struct FleetReportTests {
  private let fleet = PlayedFleet()
  private let pump = PlayedFleet.host("pump.1", [("site", "o\"slo")])

  /// `pump.1` was seen with a clock 2.5 s ahead and has two recordings; `away` was never seen; `old` has no line.
  private func status() throws -> FleetStatus {
    let hub = try fleet.hub()
    let lock = try hub.lock()
    var state = HostState()
    state.machine = HostState.Machine(
      software: "0.1.0", clockOffset: 2_500_000_000, isSynchronised: false, freeBytes: 5_000_000,
      recorder: "armed", problem: "no <sensor>")
    (state.backlog, state.problem) = (3, "it was cut")
    try state.keep(of: "pump.1", in: hub, seen: PlayedFleet.now - 60)
    var rows = try HostRows(of: "pump.1", in: hub)
    for (index, verdict) in ["good", "damaged"].enumerated() {
      let started = (PlayedFleet.now - 3600 * Int64(index + 1)) * 1_000_000 + 250_000
      try rows.add(
        HostRows.Row(index),
        json:
          "{\"number\":\(index + 1),\"verdict\":\"\(verdict)\",\"log_bytes\":100,\"started\":\(started),\"duration_ns\":61000000000}"
      )
    }
    _ = try hub.store(of: "old")
    _ = consume lock
    return try fleet.status([pump, PlayedFleet.host("away")])
  }

  @Test("Prometheus reads a line for what is known, and none for what is not")
  func metrics() throws {
    let text = try status().metrics(now: PlayedFleet.time(PlayedFleet.now), seconds: 1.5)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.replacing("imulog_hub_", with: "") }
    var expected: [String] = [
      #"host_up{host="pump.1"} 0"#, #"host_up{host="away"} 1"#,
      #"host_last_seen_timestamp_seconds{host="pump.1"} \#(PlayedFleet.now - 60)"#,
      #"host_last_recording_timestamp_seconds{host="pump.1"} \#(PlayedFleet.now - 3600).25"#,
      #"host_backlog{host="pump.1"} 3"#,
      #"host_log_bytes{host="pump.1"} 200"#, #"host_log_bytes{host="away"} 0"#,
      #"host_log_bytes{host="old"} 0"#,
    ]
    for host in ["pump.1", "away", "old"] {
      for verdict in ["good", "flawed", "damaged"] {
        let count = host == "pump.1" && verdict != "flawed" ? 1 : 0
        expected.append("host_recordings{host=\"\(host)\",verdict=\"\(verdict)\"} \(count)")
      }
    }
    expected += [
      #"host_clock_offset_seconds{host="pump.1"} 2.5"#,
      #"host_clock_synchronised{host="pump.1"} 0"#,
      #"host_free_bytes{host="pump.1"} 5000000"#,
      #"host_info{host="pump.1",version="0.1.0",recorder="armed",label_site="o\"slo"} 1"#,
      #"host_info{host="away",version="",recorder=""} 1"#,
      #"host_info{host="old",version="",recorder=""} 1"#,
      "round_timestamp_seconds \(PlayedFleet.now)", "round_duration_seconds 1.5",
    ]
    #expect(lines.map(String.init) == expected)
    let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
    #expect(types.count == 12 && types.allSatisfy { $0.hasSuffix(" gauge") })
  }

  @Test("Home Assistant gets a device for each listed host, and its state")
  func health() throws {
    let messages = FleetHealth.messages(try status(), stays: true)
    #expect(
      messages.map(\.topic) == [
        "homeassistant/device/imulog_pumpP1/config", "imulog/pump.1/state",
        "homeassistant/device/imulog_away/config", "imulog/away/state",
      ])
    let device = messages[0].payload
    for part in [
      #""identifiers":["imulog_pumpP1"],"name":"pump.1","manufacturer":"imulog","sw_version":"0.1.0""#,
      #""state_topic":"imulog/pump.1/state","availability_topic":"imulog/hub/availability""#,
      #""unique_id":"imulog_pumpP1_seen","name":"Last seen","value_template":"{{ value_json.seen }}","device_class":"timestamp""#,
      #""unique_id":"imulog_pumpP1_free","name":"Free space","value_template":"{{ (value_json.machine or {}).get('free_bytes') }}","device_class":"data_size","unit_of_measurement":"B""#,
      #""unique_id":"imulog_pumpP1_backlog","name":"Backlog","value_template":"{{ (('' if value_json.backlog is none else value_json.backlog) | string)[:255] }}"}"#,
    ] {
      #expect(device.contains(part), "\(part) is not in \(device)")
    }
    #expect(
      FleetHealth.messages(try status(), stays: false).allSatisfy {
        !$0.payload.contains("availability")
      })
    #expect(
      messages[1].payload
        == #"{"host":"pump.1","labels":{"site":"o\"slo"},"listed":true,"seen":"2028-11-26T09:59:00Z","lastRecording":"2028-11-26T09:00:00.250Z","recordings":2,"log_bytes":200,"backlog":3,"verdicts":{"good":1,"flawed":0,"damaged":1},"machine":{"software":"0.1.0","clockOffset_ns":2500000000,"clock_synchronised":false,"free_bytes":5000000,"recorder":"armed","problem":"no <sensor>"},"problem":"it was cut","words":{"clockOffset_ns":"estimated","lastRecording":"claimed","seen":"claimed"}}"#
    )
  }

  @Test("the page has a row for each host, with pictures and escaped words")
  func page() throws {
    let status = try status()
    let page = status.page(now: PlayedFleet.time(PlayedFleet.now))
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("<tr><th") }
    #expect(rows.count == 3)
    for part in [
      "pump.1<small>site=o&quot;slo</small>", "<td>2028-11-26 09:59:00 UTC",
      "it was cut<br>no &lt;sensor&gt;",
      "<td class=\"n\">2</td><td class=\"n\">3</td><td class=\"n\">1</td><td class=\"n\">0</td><td class=\"n bad\">1</td><td class=\"n\">+2 s ?</td><td class=\"n\">5 MB</td><td>0.1.0</td><td>armed</td>",
      "recording 1, 2028-11-26 09:00:00 UTC, 1:01, good", "<figcaption>2, 1:01, 0",
    ] {
      #expect(rows[0].contains(part), "\(part) is not in \(rows[0])")
    }
    #expect(rows[1].contains("<td>never</td>") && rows[2].contains("not in the host file"))
    #expect(page.contains("3 hosts, 2 recordings, 1 with a problem; made 2028-11-26 10:00:00 UTC"))
    #expect(status.hosts.map(\.clockText) == ["+2 s ?", "?", "?"])
  }

  @Test("a message that the broker's program does not send is a failure that names it")
  func sending() throws {
    let failure = FleetHealth(broker: "127.0.0.1", port: 1).send([
      FleetHealth.Message(topic: "imulog/x", payload: "{}")
    ])
    #expect(failure?.status == .unavailable)
    #expect(failure?.sentence.contains("mosquitto_pub") == true, "\(failure?.sentence ?? "")")
  }
}
