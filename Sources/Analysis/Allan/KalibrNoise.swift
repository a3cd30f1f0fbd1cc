// SPDX-License-Identifier: Apache-2.0

/// Noise parameters as Kalibr reads them: its `imu.yaml`.
///
/// Each is the noisiest axis's, since Kalibr has one for a sensor. (github.com/ethz-asl/kalibr, wiki,
/// "IMU Noise Model")
package enum KalibrNoise {
  /// The file's text.
  ///
  /// - Throws: ``AnalysisError`` when a sensor is missing, or the curve of an axis does not show a term.
  package static func text(_ analysis: RecordingAnalysis, number: UInt32) throws(AnalysisError)
    -> String
  {
    let (accelerations, rates) = (
      analysis.axes.filter(\.isAcceleration), analysis.axes.filter { !$0.isAcceleration }
    )
    guard accelerations.count == 3, rates.count == 3 else {
      throw .channelsMissing(
        needed: "x, y and z of both sensors",
        recorded: .init(rawValue: analysis.axes.reduce(0) { $0 | 1 << UInt8($1.channel) }))
    }
    let reasons =
      analysis.motion.map { [$0] }
      ?? analysis.refusals(\.randomWalk).map { "no N of \($0)" }
      + analysis.refusals(\.rateRandomWalk).map { "no K of \($0)" }
    guard reasons.isEmpty else {
      throw .refused(
        "noise parameters cannot be written: \(reasons.joined(separator: "; "))",
        remedy: "record for hours at rest, without a change of temperature, in a range whose "
          + "counts are finer than the noise")
    }
    func greatest(
      _ axes: [AxisAnalysis], _ unit: Double, _ term: (NoiseTerms) -> NoiseTerms.Term
    ) -> String {
      Digits.text(axes.map { (term($0.noise).value ?? 0) * $0.scale * unit }.max() ?? 0, 6)
    }
    let (gravity, radians) = (OrientationConstants.gravity, Double.pi / 180)
    return """
      # Of \(Digits.text(analysis.duration / 3600, 3)) h of recording \(number), by imulog analyze; the noisiest axis of each sensor.
      rostopic: /imu0
      update_rate: \(Digits.text(analysis.rate, 9))  # Hz
      accelerometer_noise_density: \(greatest(accelerations, gravity, \.randomWalk))  # m/s^2/sqrt(Hz)
      accelerometer_random_walk: \(greatest(accelerations, gravity, \.rateRandomWalk))  # m/s^3/sqrt(Hz)
      gyroscope_noise_density: \(greatest(rates, radians, \.randomWalk))  # rad/s/sqrt(Hz)
      gyroscope_random_walk: \(greatest(rates, radians, \.rateRandomWalk))  # rad/s^2/sqrt(Hz)

      """
  }
}
