// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Import

@Suite("Names of columns say what is in them")
struct NamesTests {
  @Test(
    "an axis is a sensor's word with x, y or z",
    arguments: [
      (
        0,
        [
          "ax", "Ax", "aX", "a_x", "accx", "acc_x", "Acc X", "acc.x", "acc-x", "AccX",
          "AccelerationX", "X-Axis Acc", "AcX", "accelerometerAccelerationX(G)",
        ]
      ),
      (
        1,
        [
          "accel_y", "Accelerometer Y", "imu_accel.y", "raw_acceleration_y_gs", "cal_acc_y", "yacc",
          "Specific Force Y",
        ]
      ),
      (
        2,
        [
          "az (mg)", "Acceleration Z(g)", "Acc_Z_m_s2", "sensor.accelerometer.z", "accZ_mps2",
          "IMUAccelZ",
        ]
      ),
      (
        3, ["gx", "wx", "w_x", "gyr_x", "GyroX", "gyroscope-x", "Angular velocity X(°/s)", "xgyro"]
      ),
      (
        4,
        [
          "angular_velocity.y", "raw_angular_rate_y_deg_per_s", "Turn rate Y", "rotationRateY",
          "omega_y",
        ]
      ),
      (
        5,
        ["gz_dps", "Gyro Z [rad/s]", "gyroscope_z_radps", "Rotation Rate (Z)", "GyZ", "AsZ(°/s)"]
      ),
      (6, ["Tmp", "temp", "Temperature", "temp_degC", "imu temperature (°C)", "temp_c"]),
    ] as [(Int, [String])])
  func axes(_ channel: Int, _ names: [String]) {
    for name in names { #expect(ColumnName(name).role.channel == channel, "\(name)") }
  }

  @Test(
    "a time has its unit in its name or not",
    arguments: [
      ("t_ms", .milliseconds), ("millis", .milliseconds), ("timestamp_seconds", .seconds),
      ("unix_s", .seconds),
      ("TimeUS", .microseconds), ("seconds_elapsed", .seconds),
      ("time_since_start_ns", .nanoseconds),
      ("us", .microseconds), ("elapsed (s)", nil), ("Time", nil), ("timestamp", nil),
      ("Date Time", nil), ("time (min)", nil),
      ("epoch", nil), ("Time Stamp", nil),
    ] as [(String, TimeForm?)])
  func times(_ name: String, _ form: TimeForm?) {
    #expect(ColumnName(name).role == .time(form))
  }

  @Test("from 1970 or not, alone or with a date")
  func epochs() {
    for name in ["unix_s", "epoch_ms", "timeUTC", "posix time"] {
      #expect(ColumnName(name).isUnix, "\(name)")
    }
    for name in ["time", "t_ms", "ms"] { #expect(!ColumnName(name).isUnix, "\(name)") }
    #expect(ColumnName("ms").isBareUnit)
    #expect(!ColumnName("millis").isBareUnit)
    for name in ["date", "Date", "day"] { #expect(ColumnName(name).role == .date) }
  }

  @Test(
    "a word more is asked about, and what is computed is known",
    arguments: [
      ("left_ax", 0, false), ("a_RS_S_x", 0, false), ("gx_s", 3, false), ("acc_x_foo", 0, false),
      ("linear_acceleration.x", 0, true), ("userAccelerationY", 1, true), ("gyro_z_bias", 5, true),
      ("acc_x_filtered", 0, true), ("ax_mg_per_day", 0, false), ("acc_g_x", 0, false),
    ])
  func open(_ name: String, _ channel: Int, _ isDerived: Bool) {
    let name = ColumnName(name)
    #expect(name.role == .none)
    #expect(name.likely == channel)
    #expect(name.isDerived == isDerived)
  }

  @Test(
    "other names are nothing",
    arguments: [
      "mag_x", "Angle X(°)", "roll", "qx", "pressure", "tempo", "weight", "axis", "label", "I", "",
      "s", "acc", "acc_0",
      "accSmooth[0]", "LightADC", "TemperatureADC", "Device name", "()", "g", "a", "x1y2",
      "gravity_x",
    ])
  func others(_ name: String) {
    let name = ColumnName(name)
    #expect(name.role == .none)
    #expect(name.likely == nil)
  }

  @Test("a number or a word tells a device from another")
  func devices() {
    #expect(ColumnName("imu2_ax").device == "imu 2")
    #expect(ColumnName("imu2_gz").device == "imu 2")
    #expect(ColumnName("raw_acc_x").device == "raw")
    #expect(ColumnName("left_imu_gx").device == "left imu")
    #expect(ColumnName("acc_x_g").device == "")
  }

  @Test("x, y and z alone are of the sensor that their unit in brackets measures")
  func bare() {
    #expect(ColumnName("X (m/s^2)").role.channel == 0)
    #expect(ColumnName("y-axis (deg/s)").role.channel == 4)
    #expect(ColumnName("z").axis == 2)
    #expect(ColumnName("z (raw)").role == .none)
    #expect(ColumnName("z_g").role == .none)
  }

  @Test("units are taken from the end of a name that the user chose")
  func chosen() {
    #expect(ColumnName.suffix(of: "Zeit_ms", for: nil) == "ms")
    #expect(ColumnName.suffix(of: "Beschl X mg", for: .accelerometer) == "mg")
    #expect(ColumnName.suffix(of: "Drehung_x_deg_per_s", for: .gyroscope) == "deg_per_s")
    #expect(ColumnName.suffix(of: "Dreh_s", for: .gyroscope) == nil)
    #expect(ColumnName.suffix(of: "g", for: .accelerometer) == nil)
  }
}
