// SPDX-License-Identifier: Apache-2.0

/// How a sensor is mounted: which of its axes, and in which direction, the wearer's x, y and z are.
///
///     axes = -z,y,x        x of the wearer is −z of the chip, y is y, z is x
///
/// A rotation only: a mirror image would have the gyroscope turn the wrong way round.
public struct AxisMap: Equatable, Sendable, CustomStringConvertible {
  /// For the wearer's x, y and z: the chip's axis, 0 for x.
  public let sources: [Int]
  /// For the wearer's x, y and z: whether it points against the chip's axis.
  public let isReversed: [Bool]

  /// The accepted texts, as a clause.
  public static let accepts =
    "give the chip's x, y and z once each, with or without a minus, and no mirror image, such as -z,y,x"

  /// Reads `-z,y,x`: each axis once, with or without a sign; `nil` for anything else and for a mirror image.
  public init?(_ text: String) {
    var sources: [Int] = []
    var isReversed: [Bool] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = part.drop { $0 == " " }.prefix { $0 != " " }
      let name = word.first == "-" || word.first == "+" ? word.dropFirst() : word
      guard let source = ["x", "y", "z"].firstIndex(of: String(name)), !sources.contains(source)
      else { return nil }
      sources.append(source)
      isReversed.append(word.first == "-")
    }
    guard sources.count == 3 else { return nil }
    let isOdd = (sources[0] + 1) % 3 != sources[1]
    let reversals = isReversed.filter { $0 }.count
    guard (isOdd ? reversals + 1 : reversals) % 2 == 0 else { return nil }
    (self.sources, self.isReversed) = (sources, isReversed)
  }

  /// Whether it changes nothing.
  public var isIdentity: Bool { sources == [0, 1, 2] && !isReversed.contains(true) }

  /// Three values along the chip's axes, along the wearer's.
  func turned(_ values: [Double]) -> [Double] {
    zip(sources, isReversed).map { $1 ? -values[$0] : values[$0] }
  }

  /// Such as `-z,y,x`.
  public var description: String {
    (0..<3).map { (isReversed[$0] ? "-" : "") + ["x", "y", "z"][sources[$0]] }
      .joined(separator: ",")
  }
}
