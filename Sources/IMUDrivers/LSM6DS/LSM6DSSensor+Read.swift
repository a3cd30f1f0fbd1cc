public import I2C
public import IMUModel

extension LSM6DSSensor where Bus: ~Copyable {
  /// Reads one sample.
  ///
  ///     S 6A+W 1E Sr 6A+R  status  –  t t  gx gx gy gy gz gz  ax ax ay ay az az  P
  ///     S 6A+W 1E Sr 6A+R  status  P
  ///
  /// Block data update guards each two-byte value alone, so a burst that an update falls into mixes
  /// two samples. Reading a sensor's high bytes clears its flag; a flag that is set again right
  /// after the burst tells of such an update, and the burst is read once more. The status at the
  /// head of that second burst also serves when the status byte itself could not be read: no flag,
  /// no update in between, and the first burst was whole.
  ///
  /// A call makes three transfers at most. When failures have used them up, a burst stands
  /// unconfirmed, but one that is known to mix two samples is not handed on: the failure is thrown
  /// instead.
  ///
  /// - Complexity: one transfer when there is nothing new, else two, else three.
  @inlinable
  public mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
    var transfers = 0
    var failure: BusError?
    var seen: UInt8 = 0
    var candidate = Burst()
    var hasCandidate = false
    while true {
      let burst: Burst
      do throws(BusError) {
        transfers += 1
        burst = try bus.readBurst(address, register: LSM6DSRegister.status.address, count: 16)
      } catch {
        guard error.isTransient, transfers < 3 else { throw error }
        failure = error
        continue
      }
      let flags = burst[0] & readyMask
      seen |= flags
      if hasCandidate, flags == 0, isNew(candidate, seen, failure != nil) { break }
      candidate = burst
      hasCandidate = true
      guard seen != 0 || isNew(burst, seen, failure != nil) else { return .stale }
      guard transfers < 3 else { break }
      do throws(BusError) {
        transfers += 1
        let status = try bus.readBurst(
          address, register: LSM6DSRegister.status.address, count: 1)[0]
        if status & readyMask == 0 { break }
        if transfers == 3, let failure { throw failure }
      } catch {
        guard error.isTransient, transfers < 3 else { throw error }
        failure = error
      }
    }
    guard isNew(candidate, seen, failure != nil) else { return .stale }
    last = candidate
    sample = LSM6DSSensor.decode(candidate, channels)
    return .fresh
  }

  /// Whether a burst holds a sample that was not handed on.
  ///
  /// A sensor's half is new when the sensor announced it. Where some flag was seen, or a failed
  /// transfer may have cleared one, a half whose bytes differ from the last sample's is new too.
  @inlinable
  func isNew(_ burst: Burst, _ seen: UInt8, _ hasFailed: Bool) -> Bool {
    guard seen != 0 || hasFailed else { return false }
    let missing = readyMask & ~seen
    if missing & LSM6DSRegister.Status.gyroscope != 0, burst.matches(last, in: 4..<10) {
      return false
    }
    if missing & LSM6DSRegister.Status.accelerometer != 0, burst.matches(last, in: 10..<16) {
      return false
    }
    return true
  }

  /// Counts from status, a reserved byte and 14 output bytes; channels that are not wanted are 0.
  @inlinable
  static func decode(_ burst: Burst, _ channels: ChannelSet) -> RawSample {
    var sample = RawSample()
    if channels.contains(.temperature) {
      sample.temperature = burst.littleEndian(2)
    }
    if channels.contains(.gyroscope) {
      sample.gx = burst.littleEndian(4)
      sample.gy = burst.littleEndian(6)
      sample.gz = burst.littleEndian(8)
    }
    if channels.contains(.accelerometer) {
      sample.ax = burst.littleEndian(10)
      sample.ay = burst.littleEndian(12)
      sample.az = burst.littleEndian(14)
    }
    return sample
  }
}
