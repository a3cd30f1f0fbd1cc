/// A bus on which this program is the controller: the seam between drivers and what they drive.
///
/// Two kinds conform: a Linux adapter (`LinuxIO.LinuxI2CBus`) and simulated chips
/// (`SimulatedIMU.SimulatedBus`). A driver owns its bus.
///
/// Both calls run on the sampler thread: a conforming type neither allocates nor locks nor waits for
/// anything but the bus, and bounds the time of a call. It does not retry; that is the caller's policy.
public protocol I2CBus: ~Copyable {
  /// Reads consecutive registers in one transfer.
  ///
  ///     START address+W  register  repeated START  address+R  data … data  NACK STOP
  ///
  /// - Parameters:
  ///   - address: The chip.
  ///   - register: The first register's number.
  ///   - buffer: Filled whole or, when the call throws, undefined: never use it then.
  /// - Throws: ``BusError``; no register was changed.
  mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError)

  /// Writes one register.
  ///
  ///     START address+W  register  value STOP
  ///
  /// - Throws: ``BusError``; whether the register was written is then unknown.
  mutating func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError)
}

extension I2CBus where Self: ~Copyable {
  /// Reads one register.
  @inlinable
  public mutating func read(_ address: I2CAddress, register: UInt8) throws(BusError) -> UInt8 {
    var value: UInt8 = 0
    // Safe: the pointer covers exactly `value` and does not leave the closure. The closure cannot throw
    // a typed error through `withUnsafeMutableBytes`, hence the result.
    let result = withUnsafeMutableBytes(of: &value) { bytes -> Result<Void, BusError> in
      do throws(BusError) {
        try read(address, register: register, into: bytes)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    return value
  }
}
