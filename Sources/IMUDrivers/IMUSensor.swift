// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A chip that is set up step by step, however it is read afterwards.
public protocol ChipSetUp: ~Copyable {
  /// The chip as it is configured: scales, ranges, data rate, filter.
  var description: SensorDescription { get }

  /// Its figures by the data sheet as it is configured, and its registers as bring-up reads them back; `nil` for a sensor
  /// without a data sheet.
  var expectation: SensorExpectation? { get }

  /// Takes one step of bring-up. Call it again when the wait has passed, until it returns ``BringUpStep/ready``; from then
  /// on it does nothing. Discards the samples of a chip that is settling.
  ///
  /// - Throws: ``SensorError`` that names the register. The next call starts over.
  mutating func bringUp() throws(SensorError) -> BringUpStep

  /// Forgets the chip's state, so that ``bringUp()`` starts over, after its supply has dipped.
  mutating func restart()

  /// Compares the identity and every configuration register with their contents after bring-up. A difference counts only
  /// when a second reading confirms it: nothing guards the bytes of an I2C transfer.
  ///
  /// - Throws: ``BusError`` when the chip cannot be read.
  mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck

  /// Looks for a new value of the magnetometer, or takes a step of setting that up again, if that is due and will be done
  /// before `deadline`. It neither throws nor allocates. Without a magnetometer, and while the chip is set up, nothing is due.
  ///
  /// - Parameters:
  ///   - origin: Tick 0's deadline.
  ///   - now: The present instant.
  mutating func followField(
    before deadline: MonotonicTime, origin: MonotonicTime, _ now: () -> MonotonicTime
  ) -> FieldStep
}

extension ChipSetUp where Self: ~Copyable {
  /// That of a chip without a magnetometer.
  public mutating func followField(
    before deadline: MonotonicTime, origin: MonotonicTime, _ now: () -> MonotonicTime
  ) -> FieldStep { .idle(until: MonotonicTime(nanoseconds: .max)) }
}

/// A chip that a sampler reads: the interface between drivers and the sampling loop.
///
/// A sensor owns its bus. No call sleeps or waits for anything but the bus; where the chip needs time, the call returns
/// how much. After bring-up, ``read(into:)`` and ``ChipSetUp/checkConfiguration()`` neither allocate nor lock.
public protocol IMUSensor: ChipSetUp, ~Copyable {
  /// Reads one sample. A transfer with a transient failure is retried at once, twice at most; throws the last failure.
  /// `sample` is changed only when the result is ``Reading/fresh`` or ``Reading/unannounced``.
  mutating func read(into sample: inout RawSample) throws(BusError) -> Reading

  /// The evidence of the last call of ``read(into:)`` besides its result.
  ///
  /// A sample is proved when a later read or comparison shows that the chip still has its configuration: a reset clears
  /// it for good, and may come in the middle of the read itself.
  var evidence: ReadEvidence { get }

  /// How long the outputs of a working chip may stand still; `nil` when standing still proves nothing.
  var lifeLimit: LifeLimit? { get }

  /// How long a read may take, in nanoseconds. A sample is dated by the beginning of its read; one whose read was held up
  /// is younger, and without shadow registers it may mix two: do not use it.
  var readLimit: Int64 { get }
}

/// What bring-up needs next.
public enum BringUpStep: Equatable, Sendable, BitwiseCopyable {
  /// At least this many nanoseconds before the next step.
  case wait(nanoseconds: Int64)
  /// Nothing: samples can be read.
  case ready
}

/// The result of a read.
public enum Reading: Equatable, Sendable, BitwiseCopyable {
  /// A new sample.
  case fresh
  /// No new sample since the last read.
  case stale
  /// The counts equal the last sample's, and no flag announces a new one: there is none, or the last read cleared the flag
  /// of one that has the same counts by chance. It is new if the chip had time to make one, and keeps making samples.
  case unannounced
  /// The chip may have been reset, or no chip answered: only ``ChipSetUp/checkConfiguration()`` shows that.
  case doubtful
}

/// The result of a configuration check.
public enum ConfigurationCheck: Equatable, Sendable, BitwiseCopyable {
  /// Everything is as bring-up left it.
  case intact
  /// A register holds something else: the chip was reset, and not by the driver.
  case lost(register: UInt8, expected: UInt8, found: UInt8)
  /// Another chip answers.
  case foreign(identity: UInt8)
}

/// The evidence of a read besides its result: about the samples before it, and about the chip.
public struct ReadEvidence: Equatable, Sendable, BitwiseCopyable {
  /// The chip had its configuration when the read began, so all earlier samples are right: only bring-up restores a
  /// configuration that was lost.
  public var isConfigured = false
  /// The sample may have been made in the first three fifths of the read: it took three bursts, or was from a FIFO.
  public var isLate = false
  /// All outputs of the chip, recorded or not; those of the last new sample when this read has none.
  public var outputs = SensorOutputs()

  /// No evidence, unless given.
  public init(isConfigured: Bool = false, outputs: SensorOutputs = SensorOutputs()) {
    (self.isConfigured, self.outputs) = (isConfigured, outputs)
  }
}

/// The bytes of all output registers, to detect whether any of them changed.
public struct SensorOutputs: Equatable, Sendable, BitwiseCopyable {
  private var low: UInt64
  private var high: UInt64

  /// Sixteen bytes.
  public init(low: UInt64 = 0, high: UInt64 = 0) {
    (self.low, self.high) = (low, high)
  }

  /// The counts of a sample's axes.
  public init(_ sample: RawSample) {
    func word(_ value: Int16, _ place: UInt64) -> UInt64 {
      UInt64(UInt16(bitPattern: value)) << (16 * place)
    }
    low = word(sample.ax, 0) | word(sample.ay, 1) | word(sample.az, 2) | word(sample.gx, 3)
    high = word(sample.gy, 0) | word(sample.gz, 1)
  }

  /// Fourteen bytes of `burst` from `start` on.
  @usableFromInline
  init(_ burst: Burst, from start: Int) {
    self.init()
    for index in 0..<8 { low = low << 8 | UInt64(burst[start + index]) }
    for index in 8..<14 { high = high << 8 | UInt64(burst[start + index]) }
  }
}
