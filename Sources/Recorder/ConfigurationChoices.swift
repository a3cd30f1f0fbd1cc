/// What the configuration may choose among, and other parts of the program know.
public struct ConfigurationChoices: Equatable, Sendable {
  /// Names of boards.
  public var boards: [String]
  /// Names of sensor models.
  public var sensors: [String]
  /// Full scales of accelerometers in g, of any model.
  public var accelerometerRanges: [Int]
  /// Full scales of gyroscopes in °/s, of any model.
  public var gyroscopeRanges: [Int]

  /// The choices; the ranges are those of the chips that the program knows.
  public init(
    boards: [String], sensors: [String], accelerometerRanges: [Int] = [2, 4, 8, 16, 32],
    gyroscopeRanges: [Int] = [125, 250, 500, 1000, 2000, 4000]
  ) {
    self.boards = boards
    self.sensors = sensors
    self.accelerometerRanges = accelerometerRanges
    self.gyroscopeRanges = gyroscopeRanges
  }
}
