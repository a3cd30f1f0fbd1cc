// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Terminal
import Testing

@Suite("The guide to a calibration, above the graph")
struct GuidePictureTests {
  private func view(isASCII: Bool = false) -> LiveView {
    LiveView(
      Recordings.description, channels: .all, rate: Recordings.rate(100), note: "",
      glyphs: GlyphSet(isASCII: isASCII), purpose: .recording, isGuided: true)
  }

  /// So many samples with z down, from a tick on.
  private func down(_ ticks: Range<UInt64>) -> [TickRecord] {
    ticks.map {
      TickRecord(
        tick: $0, time: Int64($0) * Recordings.second / 100,
        sample: RawSample(ax: 12, ay: -7, az: -8192, gx: 3, gy: -2, gz: 1, temperature: 0))
    }
  }

  @Test("says what to do, what it does now and what is there, and leaves room for the graph")
  func words() {
    let view = view()
    let lines = view.screen(columns: 80, rows: 24, now: 0).lines
    #expect(lines[1] == " lay it so that +x points up, and hold it still for 3 s")
    #expect(lines[2] == " now: no side up, moving")
    #expect(
      lines[3]
        == " faces +x· −x· +y· −y· +z· −z·   edges xy·· xz·· yz··   turns x· y· z·")
    #expect(lines[5].contains("acceleration"))
    view.append(down(0..<300))
    let later = view.screen(columns: 80, rows: 24, now: 1).lines
    #expect(later[2].hasPrefix(" now: −z up, still for 3 s"))
    #expect(later[2].hasSuffix(": taken, go on"))
    #expect(later[3].contains("+z· −z✓"))
  }

  @Test("says why an attempt did not count, in ASCII where only that is available")
  func trouble() {
    let view = view(isASCII: true)
    view.append(down(0..<150))
    var moved = down(150..<250)
    for index in moved.indices { moved[index].sample.az = Int16(index * 80) }
    view.append(moved)
    let screen = view.screen(columns: 80, rows: 24, now: 0)
    #expect(screen.lines[4] == " it moved too early with -z up: hold it still again")
    #expect(screen.text.unicodeScalars.allSatisfy { $0.isASCII })
  }

  @Test("on a small terminal it is shown without the graph")
  func small() {
    let lines = view().screen(columns: 30, rows: 9, now: 0).lines
    #expect(lines[1].hasPrefix(" lay it so that +x"))
    #expect(!lines.joined().contains("acceleration"))
    #expect(lines[8].hasPrefix("s stop"))
  }
}
