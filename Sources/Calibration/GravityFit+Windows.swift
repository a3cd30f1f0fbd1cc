// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension GravityFit {
  /// The largest error afterwards that counts as calibrated, in g (the 10 mg of van Hees and others 2014).
  static let largestError = 0.01
  /// The least number of windows: 8 minutes of rest.
  static let leastWindows = 50

  /// Fits the still windows of a long recording, wherever they point, as van Hees and others 2014 have them
  /// ("Autocalibration of accelerometer data for free-living physical activity assessment using local gravity and
  /// temperature", J. Appl. Physiol. 117): the mean of each direction, whose windows share errors such as those of cross terms.
  ///
  /// - Parameter usesTemperature: Whether to fit the offset's slope with temperature; both halves of the span of temperatures
  ///   then have directions of their own.
  init(windows: [StillPoint], usesTemperature: Bool) throws(Failure) {
    guard windows.count >= GravityFit.leastWindows else {
      throw .tooFew(windows.count, needed: GravityFit.leastWindows)
    }
    if let lack = GravityFit.lack(windows.map(\.acceleration)) { throw lack }
    let temperatures = windows.compactMap(\.temperature)
    let middle = ((temperatures.min() ?? 0) + (temperatures.max() ?? 0)) / 2
    func isWarm(_ point: StillPoint) -> Bool { usesTemperature && point.temperature ?? 0 >= middle }
    let halves = [windows.filter { !isWarm($0) }, windows.filter(isWarm)]
    let means = halves.flatMap(RestRates.groups).map { group in
      let count = Double(group.count)
      let sum = group.reduce(Vector3()) { $0 + $1.acceleration }
      // The sum of directions that are 3° apart is shorter than their lengths.
      let length = group.reduce(0) { $0 + $1.acceleration.length } / count
      let warmth = group.compactMap(\.temperature)
      return StillPoint(
        acceleration: sum.direction * length,
        temperature: warmth.count == group.count ? warmth.reduce(0, +) / count : nil)
    }
    self = try GravityFit(means, Terms(order: usesTemperature ? 1 : 0))
  }
}
