// SPDX-License-Identifier: Apache-2.0

@testable import Hub
import IMUModel
import Testing

@Suite("The host file of a hub")
struct HostFileTests {
  private func read(
    _ text: String, aliases: [String: [String]] = [:]
  ) -> (hosts: [HubHost], errors: [String]) {
    let (hosts, errors) = HostFile.read(Array(text.utf8), named: "hosts") { pattern in
      aliases[pattern] ?? []
    }
    return (hosts, errors.map { "\($0)" })
  }

  @Test(
    "a line has a name, a destination and labels; comments, CR and a byte order mark are no part of it"
  )
  func lines() {
    let (hosts, errors) = read(
      "\u{FEFF}# pumps\r\npump-7 = pi@10.0.0.7  site=bergen line=3  # the old one\r\n\npump-8 site=a#b\npump-9=pi@9\n"
    )
    #expect(errors.isEmpty)
    #expect(hosts.map(\.name) == ["pump-7", "pump-8", "pump-9"])
    #expect(hosts.map(\.destination) == ["pi@10.0.0.7", "pump-8", "pi@9"])
    #expect(hosts[0].labels.map { "\($0.name)=\($0.value)" } == ["site=bergen", "line=3"])
    #expect(hosts[1].labels.map(\.value) == ["a#b"])
    #expect(hosts.map(\.line) == [2, 4, 5])
  }

  @Test(
    "a line that cannot be used is named by its number, and the others are used",
    arguments: [
      ("7", "7 is not a name"), ("07 = a", "07 is not a name"), ("7.10", "7.10 is not a name"),
      ("1e5", "1e5 is not a name"), ("nan", "nan is not a name"),
      ("2026-01-02", "2026-01-02 is not a name"), ("2026.01.02", "2026.01.02 is not a name"),
      ("1.2.3", "1.2.3 is not a name"), ("true", "true is not a name"),
      ("false", "false is not a name"), ("null", "null is not a name"),
      ("epoch", "epoch is not a name"), ("infinity", "infinity is not a name"),
      ("0b10", "0b10 is not a name"), ("0x1f", "0x1f is not a name"),
      ("Pump", "Pump is not a name"), ("-p", "-p is not a name"),
      ("../etc", "../etc is not a name"), (".hub", ".hub is not a name"),
      ("p =", "no destination"), ("p = -oProxyCommand=x", "not a destination of ssh"),
      ("p site", "site is not a label"), ("p Site=x", "Site=x is not a label"),
      ("p site=", "site= is not a label"), ("p a=1 a=2", "the label a is there twice"),
      ("*", "a pattern has the form"),
      ("p\u{1}", "p? is not a name"), (String(repeating: "p", count: 64), "is not a name"),
      ("good", "good is in line 1 already"),
      ("other = good", "good is the destination of good in line 1"),
    ])
  func bad(_ line: String, _ problem: String) {
    let (hosts, errors) = read("good\n\(line)\nlast\n")
    #expect(hosts.map(\.name) == ["good", "last"])
    #expect(errors.count == 1)
    #expect(errors.first?.hasPrefix("hosts:2: ") == true, "\(errors)")
    #expect(errors.first?.contains(problem) == true, "\(errors)")
  }

  @Test("a file of a hundred thousand lines is read in a moment")
  func long() {
    let count = 100_000
    let (hosts, errors) = read(
      (0..<count).map { "h\($0) = pi@\($0)\n" }.joined() + "h7\nx = pi@8\n")
    #expect(hosts.count == count)
    #expect(errors.count == 2)
    #expect(errors.first == "hosts:100001: h7 is in line 8 already: a host has one line")
    #expect(errors.last?.hasPrefix("hosts:100002: pi@8 is the destination of h8 in line 9") == true)
  }

  @Test("a line that is no UTF-8 is named")
  func bytes() {
    let (hosts, errors) = HostFile.read(
      Array("a\n".utf8) + [0xFF, 10] + Array("b".utf8), named: "h"
    ) { _ in [] }
    #expect(hosts.map(\.name) == ["a", "b"])
    #expect(errors.map { "\($0)" } == ["h:2: the line is not valid UTF-8; rewrite it"])
  }

  @Test("a pattern stands for the aliases that fit and have no line of their own")
  func patterns() {
    let (hosts, errors) = read(
      "* = pump-* site=b\npump-2 = pi@2\n* = none-*\n",
      aliases: ["pump-*": ["pump-1", "pump-2", "PUMP-2", "Pump-3", "pump-3", "pump 4"]])
    #expect(hosts.map(\.name) == ["pump-2", "pump-1", "pump-3"])
    #expect(hosts.map(\.destination) == ["pi@2", "pump-1", "Pump-3"])
    #expect(hosts[1].labels.map(\.value) == ["b"])
    #expect(errors.count == 3)
    #expect(
      errors[0].hasPrefix("hosts:1: the aliases Pump-3 and pump-3 differ only in case: give one"))
    #expect(errors[1].hasPrefix("hosts:1: the alias pump 4 is not a name"))
    #expect(errors[2] == "hosts:3: no alias of the SSH configuration matches none-*")
  }
}
