// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("The light's rhythms")
struct LightPlayerTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 77_000_000_000 + milliseconds * 1_000_000)
  }

  private func player(of light: Light) -> LightPlayer {
    var player = LightPlayer()
    player.show(light, at: at(0))
    return player
  }

  /// The levels in the middle of each `step` milliseconds, `█` for on.
  private func picture(_ light: Light, step: Int64, count: Int64) -> String {
    let player = player(of: light)
    return (0..<count).map { player.level(at: at($0 * step + step / 2)) ? "█" : "·" }.joined()
  }

  @Test("each light has its documented rhythm")
  func rhythms() {
    #expect(picture(.off, step: 100, count: 8) == "········")
    #expect(picture(.recording, step: 100, count: 8) == "████████")
    #expect(picture(.acknowledged(isLit: true), step: 100, count: 8) == "████████")
    #expect(picture(.acknowledged(isLit: false), step: 100, count: 8) == "········")
    #expect(picture(.saving, step: 100, count: 8) == "█·█·█·█·")
    #expect(picture(.waking, step: 500, count: 6) == "█·█·█·")
    let flash = "█" + String(repeating: "·", count: 39)
    #expect(picture(.armed, step: 50, count: 80) == flash + flash)
    #expect(picture(.problem(.sensor), step: 200, count: 14) == "█······█······")
    #expect(picture(.problem(.storageFull), step: 200, count: 18) == "█·█······█·█······")
    #expect(picture(.problem(.storage), step: 200, count: 22) == "█·█·█······█·█·█······")
    #expect(picture(.problem(.configuration), step: 200, count: 26) == "█·█·█·█······█·█·█·█······")
    #expect(picture(.guide(.move), step: 200, count: 6) == "█·█·█·")
    #expect(picture(.guide(.hold), step: 200, count: 6) == "██████")
    #expect(picture(.guide(.taken), step: 200, count: 6) == "······")
    #expect(picture(.guide(.done), step: 100, count: 20) == "█████████·█████████·")
  }

  private static let all: [Light] =
    [
      .off, .armed, .waking, .recording, .saving, .acknowledged(isLit: true),
      .acknowledged(isLit: false),
    ] + Problem.allCases.map { .problem($0) } + GuideLight.allCases.map { .guide($0) }

  @Test("waking only at the reported changes shows the same as polling each millisecond")
  func changes() {
    for light in Self.all {
      let player = player(of: light)
      var next = player.nextChange(after: at(0))
      for millisecond in 0..<7000 as Range<Int64> {
        let now = at(millisecond)
        let isChange = player.level(at: now) != player.level(at: at(max(0, millisecond - 1)))
        #expect(isChange == (next == now), "\(light) at \(millisecond) ms")
        if next == now { next = player.nextChange(after: now) }
      }
    }
  }

  @Test("a rhythm begins with its light, and does not restart when the same light is shown again")
  func restart() {
    // An instant before the light was shown is its beginning.
    #expect(self.player(of: .armed).level(at: at(-5000)))
    var player = player(of: .waking)
    player.show(.waking, at: at(400))
    #expect(!player.level(at: at(600)))
    player.show(.saving, at: at(650))
    #expect(player.level(at: at(749)) && !player.level(at: at(750)))
    player.show(.waking, at: at(800))
    #expect(player.level(at: at(1299)) && !player.level(at: at(1300)))
  }
}
