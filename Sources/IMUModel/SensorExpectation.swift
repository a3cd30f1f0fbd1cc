// SPDX-License-Identifier: Apache-2.0

/// A chip's figures by its data sheet as it is set up, and its registers once it is brought up: the measure of a
/// ``SensorCertificate``.
public struct SensorExpectation: Equatable, Sendable {
  /// White noise of a sensor, and the filter that it goes through.
  public struct Noise: Equatable, Sendable {
    /// In g/√Hz or °/s/√Hz: the data sheet's typical figure.
    public var density: Double
    /// Of the filter, in hertz.
    public var bandwidth: Double
    /// Whether a data sheet gives the density; otherwise it is a lower bound from experience.
    public var isPublished: Bool

    /// Noise through a filter.
    public init(density: Double, bandwidth: Double, isPublished: Bool) {
      (self.density, self.bandwidth, self.isPublished) = (density, bandwidth, isPublished)
    }
  }

  /// A register with its contents at the end of bring-up.
  public struct RegisterContent: Equatable, Sendable {
    /// The address.
    public var register: UInt8
    /// The contents.
    public var value: UInt8

    /// A register with its contents.
    public init(register: UInt8, value: UInt8) {
      (self.register, self.value) = (register, value)
    }
  }

  /// How far a figure may be off, as a part of it: 0.01 is 1 %.
  public struct Tolerance: Equatable, Sendable {
    /// Typically.
    public var usual: Double
    /// In any working chip.
    public var largest: Double

    /// A tolerance.
    public init(usual: Double, largest: Double) { (self.usual, self.largest) = (usual, largest) }
  }

  /// The model's identity by its data sheet.
  public var identity: UInt8
  /// A few words about chips that answer with this identity; may be empty.
  public var remark = ""
  /// The configuration as it was read back, by rising number. Bring-up fails unless it is what was written.
  public var registers: [RegisterContent] = []
  /// The clock of the bus in hertz; `nil` when not known.
  public var busClock: Int?
  /// The fastest bus clock that the chip takes, in hertz.
  public var maximumBusClock: Int
  /// Whether its outputs are a recording that is played back: the amount of their noise is not judged, but its lack is.
  public var isPlayed = false
  /// Of the accelerometer, per axis.
  public var acceleration: Noise?
  /// Of the gyroscope, per axis; `nil` where it is off.
  public var angularRate: Noise?
  /// The typical zero-g level, in g: the length of its three axes together.
  public var zeroG: Double
  /// The typical zero-rate level of an axis, in °/s.
  public var zeroRate: Double
  /// Of the chip's own rate.
  public var rateTolerance: Tolerance

  /// What is expected of a chip.
  public init(
    identity: UInt8, maximumBusClock: Int, zeroG: Double, zeroRate: Double,
    rateTolerance: Tolerance
  ) {
    (self.identity, self.maximumBusClock) = (identity, maximumBusClock)
    (self.zeroG, self.zeroRate, self.rateTolerance) = (zeroG, zeroRate, rateTolerance)
  }
}
