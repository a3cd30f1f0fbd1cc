public import IMUModel

/// What the chips made, for tests that compare it with what a driver read.
///
/// Samples are numbered by the ticks of the chip's oscillator: 8000 a second in an MPU-6050, 6667
/// in an LSM6DSO, each off by the chip's clock error. A sample is made at each tick that is a
/// multiple of the divider for the chosen rate, say 8 for 1 kHz.
extension SimulatedBus {
  /// The last tick at or before `time` of the chip at `address`; `nil` when there is no chip.
  public func tick(of address: I2CAddress, at time: MonotonicTime) -> Int64? {
    oscillator(of: address)?.tick(at: time.nanoseconds)
  }

  /// The instant of a tick of the chip at `address`; `nil` when there is no chip.
  public func time(ofTick tick: Int64, of address: I2CAddress) -> MonotonicTime? {
    oscillator(of: address).map { MonotonicTime(nanoseconds: $0.instant(ofTick: tick)) }
  }

  /// The exact counts in the output registers of the chip at `address` after `tick`; `nil` when
  /// there is no chip.
  ///
  /// Under the present configuration, in any order and as often as you like. For ticks before the
  /// configuration was last changed: what the registers held at that change.
  ///
  /// - Complexity: O(1); O(log lines) for a recorded motion.
  public func outputs(of address: I2CAddress, atTick tick: Int64) -> RawSample? {
    if address.rawValue == wire.pointee.mpuAddress {
      return wire.pointee.mpu?.outputs(atTick: tick)
    }
    if address.rawValue == wire.pointee.lsmAddress {
      return wire.pointee.lsm?.outputs(atTick: tick)
    }
    return nil
  }

  private func oscillator(of address: I2CAddress) -> Oscillator? {
    if address.rawValue == wire.pointee.mpuAddress { return wire.pointee.mpu?.oscillator }
    if address.rawValue == wire.pointee.lsmAddress { return wire.pointee.lsm?.oscillator }
    return nil
  }
}
