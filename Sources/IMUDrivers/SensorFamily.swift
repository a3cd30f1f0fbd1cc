// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A family of chips that share a register map: one entry of the table that drives them.
///
/// This entry and the chip's ``SensorModel`` determine probing, bring-up, reading, and the arithmetic of the bus. A new
/// family is one file with an entry and its models, and one line in ``SensorModel/allCases``.
public final class SensorFamily: Sendable, Equatable {
  /// The addresses of this family's chips, with the address pin low or high.
  public let addresses: [I2CAddress]
  /// The register with the chip's identity. Reading it changes nothing in chips of other families.
  public let identityRegister: Register
  /// The registers that the driver uses; errors take their names from here.
  let registers: [Register]
  /// Chips that answer these identities at these addresses and are not supported.
  let unsupported: [UInt8: String]
  /// A clause: why no chip of the family is polled faster than ``SensorModel/maximumPolledRate``.
  let rateLimitReason: String
  /// The layout of a burst, and how it is read.
  let layout: BurstLayout
  /// The settings for a configuration that was validated for the model.
  let settings: @Sendable (SensorConfiguration, SensorModel) -> ChipSettings
  /// How the built-in self-test of a model is run and judged.
  let selfTest: @Sendable (SensorModel) -> SelfTestPlan
  /// The FIFOs of its chips; `nil` where they are not used.
  let fifo: FIFOProfile?

  init(
    addresses: [UInt8], identityRegister: Register, registers: [Register],
    unsupported: [UInt8: String], rateLimitReason: String, layout: BurstLayout,
    settings: @escaping @Sendable (SensorConfiguration, SensorModel) -> ChipSettings,
    selfTest: @escaping @Sendable (SensorModel) -> SelfTestPlan,
    fifo: FIFOProfile? = nil
  ) {
    self.addresses = addresses.map { I2CAddress(known: $0) }
    self.identityRegister = identityRegister
    self.registers = registers
    self.unsupported = unsupported
    self.rateLimitReason = rateLimitReason
    self.layout = layout
    self.settings = settings
    self.selfTest = selfTest
    self.fifo = fifo
  }

  /// The families of ``SensorModel/allCases``, each once.
  public static let all: [SensorFamily] = SensorModel.allCases.reduce(into: []) { families, model in
    if !families.contains(model.family) { families.append(model.family) }
  }

  /// Every address of a known chip, each once.
  public static let allAddresses: [I2CAddress] = all.reduce(into: []) { addresses, family in
    for address in family.addresses where !addresses.contains(address) { addresses.append(address) }
  }

  /// The register with number `address`, by its name in the data sheet.
  func register(_ address: UInt8) -> Register {
    registers.first { $0.address == address } ?? Register(address, "register")
  }

  /// An entry of the table equals itself only.
  public static func == (left: SensorFamily, right: SensorFamily) -> Bool { left === right }
}

/// The layout of the burst that reads a sample. Offsets count bytes from the burst's first.
@usableFromInline
struct BurstLayout: Sendable, BitwiseCopyable {
  /// How one whole sample is read.
  @usableFromInline
  enum Method: Sendable, BitwiseCopyable {
    /// Once: shadow registers hold a sample still while it is read.
    case shadowed
    /// Twice, and a third time when in doubt: the chip has no shadow registers.
    case twofold
  }

  @usableFromInline let method: Method
  /// The first register of the burst.
  @usableFromInline let register: UInt8
  /// Bytes in the burst.
  @usableFromInline let count: Int
  /// Offset of the first output byte; outputs continue to the burst's end.
  @usableFromInline let outputs: Int
  /// Offset of six bytes of angular rate.
  @usableFromInline let angularRate: Int
  /// Offset of six bytes of acceleration.
  @usableFromInline let acceleration: Int
  /// Offset of two bytes of temperature; `nil` when they are not in the burst.
  @usableFromInline var temperature: Int?
  /// First of two registers of temperature, read with each configuration check, where the burst has none.
  @usableFromInline var slowTemperature: UInt8?
  /// Registers of the first byte of angular rate and of acceleration, at which a second burst begins.
  @usableFromInline var axisRegisters: (angularRate: UInt8, acceleration: UInt8) = (0, 0)
  /// Of a burst that is read once: the offset of the byte whose bit 0 announces a sample.
  @usableFromInline var status = 0
  /// Of such a burst: the contents of its first two bytes while the chip has its configuration. `nil` where a sample that is
  /// announced proves that, because the chip sleeps after a reset, and the other bits of the status are always 0.
  @usableFromInline var proof: (first: UInt8, second: UInt8)?
  /// Whether the chip's axes are left-handed: then X of both sensors is turned round, and samples are right-handed.
  @usableFromInline var isLeftHanded = false
}

extension Int16 {
  /// The count of the opposite direction; the ends of the range, which show saturation, are exchanged.
  @inlinable package var opposite: Int16 { self == .min ? .max : self == .max ? .min : -self }
}
