// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("analyze shows vibration and noise", .waitsForPrograms)
struct AnalyzeCommandTests {
  /// A table at 500 Hz: 50 Hz of ±1000 counts along x, ±1 count elsewhere.
  private static func table(_ count: Int, gapAt gap: Int? = nil, clipped: Int = 0) -> String {
    var text = "t_us,ax,ay,az,gx,gy,gz\n"
    for row in 0..<count {
      let time = row * 2000 + (gap.map { row >= $0 } ?? false ? 5_000_000 : 0)
      let x = row < clipped ? 32767 : Int((1000 * sin(2 * Double.pi * 0.1 * Double(row))).rounded())
      let small = row % 3 - 1
      text += "\(time),\(x),\(small),\(1000 + small),\(small),\(-small),\(small)\n"
    }
    return text
  }

  private let bench = Bench()

  private func take(_ table: String) throws {
    let scales = ["--accel-lsb-per-g", "1000", "--gyro-lsb-per-dps", "100"]
    try #require(bench.run(["import", bench.file("take.csv", table)] + scales).status == 0)
  }

  @Test("a table by axis has the frequency, the root mean square and the velocity of a vibration")
  func table() throws {
    try take(Self.table(5000))
    let outcome = bench.run("analyze", "1").expect(0)
    #expect(outcome.talk.isEmpty)
    #expect(
      outcome.lines[0]
        == "recording 1: 5000 samples in 1 segment, 10.00 s at 500 Hz (the mean of the times, claimed)"
    )
    func row(_ name: String) throws -> [Substring] {
      let line = try #require(outcome.lines.first { $0.hasPrefix(name) }, "\(name)")
      return line.dropFirst(name.count).split(separator: " ")
    }
    #expect(try row("RMS without mean")[0] == "0.7071")
    #expect(try row("peak 1 in Hz, claimed")[0] == "50.00")
    #expect(try row("velocity RMS, mm/s, 10 to 250 Hz")[0].hasPrefix("22.0"))
    #expect(outcome.output.contains("no ISO 20816 zone is stated below a rate of 2560 Hz"))
    #expect(
      outcome.output.contains(
        "no noise terms: the sensor moved: the standard deviation of ax is 0.71 g"))
  }

  @Test("a picture of each sensor's density shows the frequencies, also where there is only ASCII")
  func picture() throws {
    try take(Self.table(5000))
    for (ascii, unit, dots) in [(false, "g²/Hz", "⣿⡇⢸"), (true, "g^2/Hz", "v")] {
      var bench = bench
      bench.environment["LANG"] = ascii ? "C" : "C.UTF-8"
      let outcome = bench.run("analyze", "1")
      let first = try #require(
        outcome.lines.firstIndex(of: " acceleration of all axes together, \(unit)"))
      let rows = outcome.lines[(first + 1)...(first + 10)]
      // The peak of 50 Hz: the highest row has dots there alone, after 2.01 decades of 2.71.
      let top = try #require(rows.first)
      let place = try #require(top.firstIndex { dots.contains($0) })
      let column = top.distance(from: top.startIndex, to: place)
      #expect(abs(column - (10 + Int(70 * 2.01 / 2.71))) <= 2, "\(top)")
      #expect(outcome.lines[first + 12].split(separator: " ").contains("100"))
      #expect(outcome.lines.contains { $0.hasPrefix(" angular rate of all axes together") })
    }
  }

  @Test(
    "JSON has the same, with spectra and Allan curves, and --band has the bands that are asked for")
  func json() throws {
    try take(Self.table(5000))
    let json = try bench.run("analyze", "1", "--json", "--band", "45..55", "--band", "100..200")
      .json()
    let x = json["accelerometer"].items[0]
    #expect(abs((x["rms_g"].double ?? 0) - 0.5.squareRoot()) < 1e-4)
    #expect(json["bands"].items.count == 2)
    #expect(abs((x["bandRMS_g"].items[0].double ?? 0) - 0.5.squareRoot()) < 1e-3)
    #expect((x["bandRMS_g"].items[1].double ?? 1) < 1e-3)
    #expect(json["windows"]["length"] == .integer(1024))
    #expect(x["density_g2_hz"].items.count == 513)
    #expect(x["allan"].items.count > 8)
    #expect(x["randomWalk_g_rthz"]["value"] == .null)
  }

  @Test(
    "a take too short, no stretch, and contradictory options are refused in one sentence",
    arguments: [
      (["--from", "1h"], "there is no sample to analyse"),
      (["--from", "2s", "--to", "1s"], "no time is from --from 2s on and before --to 1s"),
      (["--band", "5..2"], "its end is not above its beginning"),
      (["--band", "5"], "give it as LOW..HIGH"), (["--axis", "ax"], "--axis needs --svg FILE"),
      (["--svg", "-", "--json"], "--json and --svg - exclude each other"),
      (["--svg", "x.out", "--imu-yaml", "./x.out"], "name one file; give each its own"),
      (["--imu-yaml", "-"], "noise parameters cannot be written: the sensor moved"),
    ])
  func refusals(options: [String], words: String) throws {
    try take(Self.table(1000))
    let outcome = bench.run(["analyze", "1"] + options).expect(64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.talk.contains(words), "\(outcome.talk)")
  }

  @Test(
    "a spectrogram goes to stdout or to a file that is complete; a recording is not overwritten")
  func spectrogram() throws {
    try take(Self.table(4000))
    let outcome = bench.run("analyze", "1", "--svg", "-", "--axis", "ax").expect(0)
    #expect(outcome.output.hasPrefix("<?xml") && outcome.output.hasSuffix("</svg>\n"))
    let path = bench.file("old.svg", "old")
    #expect(bench.run("analyze", "1", "--svg", path, "--axis", "ax").status == 0)
    #expect(try text(at: path) == outcome.output)
    let log = bench.directory.path + "/" + (try bench.logName())
    bench.run("analyze", "1", "--svg", log).expect(64, "is recording 1 itself")
  }

  @Test(
    "a file that cannot be written takes no report away; of a damaged recording what is read counts"
  )
  func damage() throws {
    try bench.record("--for", "60s", "--rate", "100", "--axes=-z,y,x")
    let report = bench.run("analyze", "1").output
    let unwritten = bench.run("analyze", "1", "--svg", "/nowhere/a.svg")
    #expect(unwritten.status == 73 && unwritten.output == report, "\(unwritten.talk)")
    // The mounting of the header is not applied.
    #expect(report.contains("note: axes are the chip's, not those of the mounting -z,y,x\n"))
    #expect(try bench.run("analyze", "1", "--json").json()["mounting"] == .string("-z,y,x"))
    bench.directory.change(try bench.logName()) { $0[2 * 4096 + 2000] ^= 0x10 }
    let outcome = bench.run("analyze", "1").expect(65)
    #expect(outcome.output.contains("in 2 segments"))
    #expect(outcome.talk.contains("damaged in 1 place"))
  }
}
