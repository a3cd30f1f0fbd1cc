public import IMUModel

/// Reading a chip of the MPU-6050 family, which holds a sample still in shadow registers.
extension PolledSensor where Bus: ~Copyable {
  /// Reads one sample.
  ///
  ///     S 68+W 37 Sr 68+R  pin enable – status  ax ax ay ay az az  t t  gx gx gy gy gz gz  P
  ///
  /// The chip holds its output registers still while it is read (PS-MPU-6000A 7.16), so a burst is one sample.
  /// Reading the status clears its data-ready flag; a transfer that failed may have cleared the flag without
  /// delivering the data. After a failure, therefore, bytes that differ from the last sample's are new too, and equal
  /// ones are unannounced.
  ///
  /// INT_PIN_CFG and INT_ENABLE are 0 after a reset, also in chips that come back awake, and FF when no chip
  /// answers. They come first, so they prove the samples before this burst: a reset in its middle shows in the
  /// next one.
  ///
  /// - Complexity: one transfer; three when transfers fail.
  @inlinable
  mutating func readShadowed(into sample: inout RawSample) throws(BusError) -> Reading {
    lastEvidence.isConfigured = false
    var failures = 0
    var burst = Burst()
    while true {
      do throws(BusError) {
        burst = try bus.readBurst(address, register: layout.register, count: layout.count)
        break
      } catch {
        failures += 1
        guard error.isTransient, failures < 3 else { throw error }
      }
    }
    guard burst[0] == MPU6050Register.InterruptPin.latched,
      burst[1] == MPU6050Register.Interrupt.dataReady, burst[3] != 0xFF
    else { return .doubtful }
    lastEvidence.isConfigured = true
    let isReady = burst[3] & MPU6050Register.Interrupt.dataReady != 0
    guard isReady || failures > 0 else { return .stale }
    sample = decodeShadowed(burst)
    guard isReady || !burst.matches(last, in: layout.outputs..<layout.count) else {
      return .unannounced
    }
    last = burst
    lastEvidence.outputs = SensorOutputs(burst, from: layout.outputs)
    return .fresh
  }

  /// Counts from the output bytes, high byte first; channels that are not wanted are 0.
  @inlinable
  func decodeShadowed(_ burst: Burst) -> RawSample {
    var sample = RawSample()
    if channels.contains(.accelerometer) {
      sample.ax = burst.bigEndian(layout.acceleration)
      sample.ay = burst.bigEndian(layout.acceleration + 2)
      sample.az = burst.bigEndian(layout.acceleration + 4)
    }
    if channels.contains(.temperature), let temperature = layout.temperature {
      sample.temperature = burst.bigEndian(temperature)
    }
    if channels.contains(.gyroscope) {
      sample.gx = burst.bigEndian(layout.angularRate)
      sample.gy = burst.bigEndian(layout.angularRate + 2)
      sample.gz = burst.bigEndian(layout.angularRate + 4)
    }
    return sample
  }
}
