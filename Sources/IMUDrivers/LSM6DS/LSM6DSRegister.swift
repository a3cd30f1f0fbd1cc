/// Registers of the LSM6DS family that the driver uses.
///
/// Names and fields by the LSM6DSO data sheet (DS12140), section 9; lines say where the LSM6DS3 and
/// LSM6DSL generations differ. Two-byte quantities have their low byte at the lower address.
public enum LSM6DSRegister {
  /// FUNC_CFG_ACCESS: selects banks. Unless 0, all other numbers mean other registers.
  @inlinable public static var bank: Register { Register(0x01, "FUNC_CFG_ACCESS") }
  /// WHO_AM_I.
  @inlinable public static var identity: Register { Register(0x0F, "WHO_AM_I") }
  /// CTRL1_XL: [7:4] ODR_XL, [3:2] FS_XL, then [1] LPF2_XL_EN. LSM6DSL: [1] LPF1_BW_SEL. LSM6DS3:
  /// [1:0] BW_XL.
  @inlinable public static var control1: Register { Register(0x10, "CTRL1_XL") }
  /// CTRL2_G: [7:4] ODR_G, [3:2] FS_G, [1] FS_125. LSM6DSR: [0] FS_4000.
  @inlinable public static var control2: Register { Register(0x11, "CTRL2_G") }
  /// CTRL3_C: [7] BOOT, [6] BDU, [2] IF_INC, [0] SW_RESET (clears itself).
  @inlinable public static var control3: Register { Register(0x12, "CTRL3_C") }
  /// CTRL4_C: [6] SLEEP_G, [3] DRDY_MASK, [1] LPF1_SEL_G. LSM6DS3: [7] XL_BW_SCAL_ODR.
  @inlinable public static var control4: Register { Register(0x13, "CTRL4_C") }
  /// CTRL6_C: [4] XL_HM_MODE (1 disables high performance), [2:0] FTYPE (LSM6DSL: [1:0]; LSM6DS3:
  /// none).
  @inlinable public static var control6: Register { Register(0x15, "CTRL6_C") }
  /// CTRL8_XL: [7:5] HPCF_XL. LSM6DSL: [7] LPF2_XL_EN, [6:5] HPCF_XL, [3] INPUT_COMPOSITE.
  @inlinable public static var control8: Register { Register(0x17, "CTRL8_XL") }
  /// CTRL9_XL: [7:5] DEN, [1] I3C_disable. LSM6DS3: [5:3] axis enables, reset 0x38. LSM6DSL: reset
  /// 0xE0.
  @inlinable public static var control9: Register { Register(0x18, "CTRL9_XL") }
  /// CTRL10_C. LSM6DS3: [5:3] axis enables of the gyroscope, reset 0x38.
  @inlinable public static var control10: Register { Register(0x19, "CTRL10_C") }
  /// STATUS_REG: [0] XLDA, [1] GDA, [2] TDA. A flag clears when a high byte of its sensor is read.
  @inlinable public static var status: Register { Register(0x1E, "STATUS_REG") }
  /// OUT_TEMP_L: first of 14 bytes: temperature; angular rate X, Y, Z; acceleration X, Y, Z.
  @inlinable public static var output: Register { Register(0x20, "OUT_TEMP_L") }
  /// OUTX_L_G: first of 6 bytes of angular rate.
  @inlinable public static var angularRate: Register { Register(0x22, "OUTX_L_G") }
  /// OUTX_L_A: first of 6 bytes of acceleration.
  @inlinable public static var acceleration: Register { Register(0x28, "OUTX_L_A") }

  /// All of them by rising number.
  public static var all: [Register] {
    [
      bank, identity, control1, control2, control3, control4, control6, control8, control9,
      control10, status, output, angularRate, acceleration,
    ]
  }

  /// Fields of ``control3``.
  enum Control3 {
    static var softwareReset: UInt8 { 0x01 }
    /// BDU and IF_INC: both bytes of a value stem from one sample, and bursts advance.
    static var running: UInt8 { 0x44 }
  }

  /// Fields of ``control9``.
  enum Control9 {
    /// The reset value with I3C_disable, bit 1: an LSM6DSO that sees I3C on its lines leaves I2C.
    static var i3cDisabled: UInt8 { 0xE2 }
    /// LSM6DS3: Z, Y and X on. The same bits in ``control10``.
    static var allAxes: UInt8 { 0x38 }
  }

  /// Fields of ``status``.
  @usableFromInline
  enum Status {
    @inlinable static var accelerometer: UInt8 { 0x01 }
    @inlinable static var gyroscope: UInt8 { 0x02 }
    @inlinable static var reserved: UInt8 { 0xF8 }
  }
}
