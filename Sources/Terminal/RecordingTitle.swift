/// What a view says of the recording that it shows, in words made elsewhere.
public struct RecordingTitle: Equatable, Sendable {
  /// Such as `recording 12`.
  public var name: String
  /// Such as `2026-11-21 15:04:11 +01:00`.
  public var started: String
  /// Such as `MPU-6050 at 100 Hz`.
  public var sensor: String
  /// Such as `2 gaps, 5 of 6000 samples missing`; empty when nothing is to be said.
  public var state: String
  /// The user's words.
  public var note: String

  /// A title.
  public init(name: String, started: String, sensor: String, state: String, note: String) {
    self.name = name
    self.started = started
    self.sensor = sensor
    self.state = state
    self.note = note
  }

  /// Writes it into a row, what matters most first.
  func put(on screen: inout Screen, row: Int, look: Look) {
    var column = screen.put(name, row: row, column: 0, .bold)
    for part in [state, started, sensor, note] where !part.isEmpty {
      let text = look.separator + part
      guard column + CellWidth.of(text) <= screen.columns || part == note else { continue }
      let isState = part == state
      column = screen.put(
        CellWidth.fit(text, screen.columns - column, isASCII: look.isASCII), row: row,
        column: column, isState ? CellStyle(.alert) : .plain)
    }
  }
}
