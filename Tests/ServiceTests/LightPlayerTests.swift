import IMUModel
import Service
import Testing

@Suite("The light's rhythms")
struct LightPlayerTests {
  @Test("a new player is dark and needs no wake-up")
  func beginsDark() {
    let player = LightPlayer()
    #expect(!player.level(at: MonotonicTime(nanoseconds: 5)))
    #expect(player.nextChange(after: MonotonicTime(nanoseconds: 5)) == nil)
  }
}
