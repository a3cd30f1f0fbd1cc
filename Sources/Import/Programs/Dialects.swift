// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension Dialect {
  /// Every table that `import` knows by its header, and whose header does not say all. A header belongs to the program that
  /// knows most of its axes, the first of those that know as many.
  static let all: [Dialect] = [
    own, kalibr, euroc, phyphoxLinear, sensorLogger, otherSensorLogger, klipper, betaflight,
    metaBase, movella, physicsToolbox, openLog, arduPilot,
  ]

  static func program(_ names: [ColumnName], isComment: Bool, needsTime: Bool) -> Dialect? {
    var best: (dialect: Dialect, count: Int)?
    for dialect in all {
      // Without times, a mark must tell the program.
      let needsTime = needsTime || dialect.marks.isEmpty
      let count = dialect.matches(names, isComment: isComment, needsTime: needsTime)
      if count > best?.count ?? 0 { best = (dialect, count) }
    }
    return best?.dialect
  }

  private static let si: [Group: Unit] = [
    .accelerometer: .metrePerSecondSquared, .gyroscope: .radianPerSecond,
  ]

  /// This program's tables with units in their names.
  static let own = Dialect(
    "imulog",
    times: [
      "t_ns": .nanoseconds, "t_grid_ns": .nanoseconds, "t_us": .microseconds,
      "t_ms": .milliseconds, "t_s": .seconds, "unix_s": .seconds, "time_utc": nil,
      "time_local": nil,
    ], accelerometer: ["a*_mps2", "a*_g", "a*_count"],
    gyroscope: ["g*_radps", "g*_dps", "g*_count"], temperature: ["temp_degc", "temp_count"],
    others: Set(
      ExportedNames.bounds + ExportedNames.gaps + ExportedNames.derived + [ExportedNames.label]
        + ["lx_g", "ly_g", "lz_g", "lx_mps2", "ly_mps2", "lz_mps2"]
        + ExportedNames.field + ["mx_ut", "my_ut", "mz_ut"]))

  /// This program's Parquet as an engine writes it as CSV: it begins with `t,t_ns,tick`.
  static let ownColumns = Dialect(
    "imulog", times: ["t_ns": .nanoseconds], accelerometer: ["a*"], gyroscope: ["g*"],
    temperature: ["temp"], [.isOwnColumns])

  static let kalibr = Dialect(
    "Kalibr", times: ["timestamp": .nanoseconds], accelerometer: ["alpha_*"],
    gyroscope: ["omega_*"], units: si, [.isUnix, .isCommon, .needsAll])

  /// The ASL format of EuRoC's data sets.
  static let euroc = Dialect(
    "EuRoC", times: ["timestamp": .nanoseconds], accelerometer: ["a_rs_s_*"],
    gyroscope: ["w_rs_s_*"], units: si, [.isUnix, .namesUnits])

  static let phyphoxLinear = Dialect(
    "phyphox", times: ["time": .seconds], accelerometer: ["linear acceleration *"],
    [.namesUnits, .isDerived])

  /// Tszheichoi's app: a file for each sensor, in which columns have any order.
  static let sensorLogger = Dialect(
    "Sensor Logger", times: ["time": .nanoseconds], accelerometer: ["*"], units: si,
    [.isUnix, .isNamedByFile], marks: ["seconds_elapsed"])

  /// Another app of that name, for iOS.
  static let otherSensorLogger = Dialect(
    "Sensor Logger for iOS", times: ["samplingtime": .seconds], accelerometer: ["acceleration*"],
    gyroscope: ["gyro*"], units: si, [.isUnix, .isCommon, .needsAll])

  /// Klipper's raw values of an accelerometer.
  static let klipper = Dialect(
    "Klipper", times: ["time": .seconds], accelerometer: ["accel_*"],
    units: [.accelerometer: .milliMetrePerSecondSquared], [.isComment, .isCommon, .needsAll])

  /// blackbox_decode and Blackbox Explorer.
  static let betaflight = Dialect(
    "Betaflight", times: ["time": .microseconds], accelerometer: ["accsmooth[#]"],
    gyroscope: ["gyroadc[#]"], units: [.accelerometer: .count, .gyroscope: .degreePerSecond],
    usualScales: [.accelerometer: Scale(ratio: Fraction(1, 2048))])

  static let metaBase = Dialect(
    "MetaBase", times: ["epoc": .milliseconds], accelerometer: ["*-axis"],
    [.isUnix, .isNamedByFile, .namesUnits])

  static let movella = Dialect(
    "Movella DOT", times: ["sampletimefine": .microseconds], accelerometer: ["acc_*"],
    gyroscope: ["gyr_*"],
    units: [.accelerometer: .metrePerSecondSquared, .gyroscope: .degreePerSecond])

  /// Of Xsens' other sensors, with the same names: the lines before its header begin with `//`.
  static let mtManager = Dialect(
    "MT Manager", times: ["sampletimefine": .number(power: 5)], accelerometer: ["acc_*"],
    gyroscope: ["gyr_*"], units: si)

  /// Physics Toolbox Sensor Suite. Its rates alone have names that others have, too.
  static let physicsToolbox = Dialect(
    "Physics Toolbox", times: ["time": .seconds], accelerometer: ["gf*"], gyroscope: ["w*"],
    units: [.accelerometer: .g, .gyroscope: .radianPerSecond], [.isCommon], marks: ["gfx"])

  /// SparkFun's OpenLog Artemis. The settings choose the columns; `micros` is the finest of times.
  static let openLog = Dialect(
    "OpenLog Artemis", times: ["micros": .microseconds, "rtctime": nil], dates: ["rtcdate"],
    accelerometer: ["a*"], gyroscope: ["g*"], temperature: ["imu_degc"],
    units: [.accelerometer: .milliG, .gyroscope: .degreePerSecond, .temperature: .degreeCelsius],
    [.isCommon],
    marks: ["rtcdate", "imu_degc", "output_hz"])

  /// ArduPilot's IMU messages by mavlogdump; `timestamp` beside the finer `TimeUS` is left out.
  static let arduPilot = Dialect(
    "ArduPilot", times: ["timeus": .microseconds], accelerometer: ["acc*"], gyroscope: ["gyr*"],
    temperature: ["t"], units: si.merging([.temperature: .degreeCelsius]) { $1 }, [.isCommon],
    marks: ["i", "eg", "errg"])

  /// gcsv, whose header is like this program's: known by the file's first line.
  static let gyroflow = Dialect(
    "Gyroflow", times: ["t": nil], accelerometer: ["a*"], gyroscope: ["g*"])

  /// Empatica E4's ACC.csv, which has its start and its rate before the rows, and no header.
  static let empatica = Dialect(
    "Empatica E4", times: [:], accelerometer: ["a*"], units: [.accelerometer: .count])
}
