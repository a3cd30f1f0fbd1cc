// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension Dialect {
  /// Every table that `import` knows by its header, and whose header does not say all. A header belongs to the program that
  /// knows most of its axes, the first of those that know as many.
  static let all: [Dialect] = [
    own, kalibr, euroc, phyphoxLinear, sensorLogger, otherSensorLogger, klipper, betaflight,
    metaBase, movella, physicsToolbox, openLog, arduPilot, runCam,
  ]

  /// The program that writes such a header.
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

  /// This program's tables with units in their names.
  static let own: Dialect = {
    var dialect = Dialect(
      "imulog",
      times: [
        "t_ns": .nanoseconds, "t_grid_ns": .nanoseconds, "t_us": .microseconds,
        "t_ms": .milliseconds, "t_s": .seconds, "unix_s": .seconds, "time_utc": nil,
        "time_local": nil,
      ], accelerometer: ["a*_mps2", "a*_g", "a*_count"],
      gyroscope: ["g*_radps", "g*_dps", "g*_count"], temperature: ["temp_degc", "temp_count"])
    let derived = ["lx", "ly", "lz"].flatMap { ["\($0)_g", "\($0)_mps2"] }
    dialect.others = Set(
      ExportedNames.bounds + ExportedNames.gaps + ExportedNames.derived + derived + [
        ExportedNames.label
      ])
    return dialect
  }()

  /// This program's Parquet as an engine writes it as CSV: it begins with `t,t_ns,tick`.
  static let ownColumns = Dialect(
    "imulog", times: ["t_ns": .nanoseconds], accelerometer: ["a*"], gyroscope: ["g*"],
    temperature: ["temp"])

  static let kalibr = unix(
    si(
      Dialect(
        "Kalibr", times: ["timestamp": .nanoseconds], accelerometer: ["alpha_*"],
        gyroscope: ["omega_*"])))

  /// The ASL format of EuRoC's data sets.
  static let euroc = unix(
    si(
      Dialect(
        "EuRoC", times: ["timestamp": .nanoseconds], accelerometer: ["a_rs_s_*"],
        gyroscope: ["w_rs_s_*"])))

  static let phyphoxLinear: Dialect = {
    var dialect = Dialect(
      "phyphox", times: ["time": .seconds], accelerometer: ["linear acceleration *"])
    (dialect.namesUnits, dialect.isDerived) = (true, true)
    dialect.remark = withoutGravity
    return dialect
  }()

  /// Tszheichoi's app: a file for each sensor, in which columns have any order.
  static let sensorLogger: Dialect = {
    var dialect = unix(
      si(Dialect("Sensor Logger", times: ["time": .nanoseconds], accelerometer: ["*"])))
    (dialect.isNamedByFile, dialect.marks) = (true, ["seconds_elapsed"])
    return dialect
  }()

  /// Another app of that name, for iOS.
  static let otherSensorLogger: Dialect = {
    var dialect = unix(
      si(
        Dialect(
          "Sensor Logger", times: ["samplingtime": .seconds], accelerometer: ["acceleration*"],
          gyroscope: ["gyro*"])))
    dialect.isCommon = true
    dialect.remark = "it is taken as Sensor Logger for iOS writes it: times in s, m/s², rad/s"
    return dialect
  }()

  /// Klipper's raw values of an accelerometer.
  static let klipper: Dialect = {
    var dialect = Dialect("Klipper", times: ["time": .seconds], accelerometer: ["accel_*"])
    (dialect.units, dialect.isComment) = ([.accelerometer: .milliMetrePerSecondSquared], true)
    dialect.isCommon = true
    dialect.remark = "it is taken as Klipper writes it: times in s, mm/s²"
    return dialect
  }()

  /// blackbox_decode and Blackbox Explorer.
  static let betaflight: Dialect = {
    var dialect = Dialect(
      "Betaflight", times: ["time": .microseconds], accelerometer: ["accsmooth[#]"],
      gyroscope: ["gyroadc[#]"])
    dialect.units = [.accelerometer: .count, .gyroscope: .degreePerSecond]
    dialect.usualScales = [.accelerometer: Scale(ratio: Fraction(1, 2048))]
    dialect.remark = "it is taken as Betaflight writes it: times in µs, rates in °/s"
    return dialect
  }()

  static let metaBase: Dialect = {
    var dialect = unix(
      Dialect("MetaBase", times: ["epoc": .milliseconds], accelerometer: ["*-axis"]))
    (dialect.isNamedByFile, dialect.namesUnits) = (true, true)
    return dialect
  }()

  static let movella: Dialect = {
    var dialect = Dialect(
      "Movella DOT", times: ["sampletimefine": .microseconds], accelerometer: ["acc_*"],
      gyroscope: ["gyr_*"])
    dialect.units = [.accelerometer: .metrePerSecondSquared, .gyroscope: .degreePerSecond]
    dialect.remark = "it is taken as Movella DOT writes it: times in µs, m/s², deg/s"
    return dialect
  }()

  /// Of Xsens' other sensors, with the same names: the lines before its header begin with `//`.
  static let mtManager: Dialect = {
    var dialect = si(
      Dialect(
        "MT Manager", times: ["sampletimefine": .number(power: 5)], accelerometer: ["acc_*"],
        gyroscope: ["gyr_*"]))
    dialect.remark = "it is taken as MT Manager writes it: times in 0.1 ms, m/s², rad/s"
    return dialect
  }()

  /// Physics Toolbox Sensor Suite. Its rates alone have names that others have, too.
  static let physicsToolbox: Dialect = {
    var dialect = Dialect(
      "Physics Toolbox", times: ["time": .seconds], accelerometer: ["gf*"], gyroscope: ["w*"])
    dialect.units = [.accelerometer: .g, .gyroscope: .radianPerSecond]
    (dialect.isCommon, dialect.marks) = (true, ["gfx"])
    dialect.remark = "it is taken as Physics Toolbox writes it: times in s, g, rad/s"
    return dialect
  }()

  /// SparkFun's OpenLog Artemis. The settings choose the columns; `micros` is the finest of times.
  static let openLog: Dialect = {
    var dialect = Dialect(
      "OpenLog Artemis", times: ["micros": .microseconds, "rtctime": nil],
      accelerometer: ["a*"], gyroscope: ["g*"], temperature: ["imu_degc"])
    dialect.units = [
      .accelerometer: .milliG, .gyroscope: .degreePerSecond, .temperature: .degreeCelsius,
    ]
    (dialect.marks, dialect.dates) = (["rtcdate", "rtctime", "imu_degc", "output_hz"], ["rtcdate"])
    dialect.remark =
      "it is taken as OpenLog Artemis writes it: accelerations in milli g, rates in °/s"
    return dialect
  }()

  /// ArduPilot's IMU messages by mavlogdump; `timestamp` beside the finer `TimeUS` is left out.
  static let arduPilot: Dialect = {
    var dialect = si(
      Dialect(
        "ArduPilot", times: ["timeus": .microseconds], accelerometer: ["acc*"],
        gyroscope: ["gyr*"], temperature: ["t"]))
    dialect.units[.temperature] = .degreeCelsius
    dialect.remark = "it is taken as ArduPilot writes it: times in µs, m/s², rad/s"
    return dialect
  }()

  static let runCam: Dialect = {
    var dialect = Dialect(
      "RunCam", times: ["time": nil], accelerometer: ["a*"], gyroscope: ["*"])
    dialect.needsAll = true
    dialect.remark = "its x, y and z are taken as rates, as RunCam writes them"
    return dialect
  }()

  /// gcsv, whose header is like this program's: the file's first line tells it.
  static let gyroflow = Dialect(
    "Gyroflow", times: ["t": nil], accelerometer: ["a*"], gyroscope: ["g*"])

  /// cwa-convert, which writes no header: a date, g, and °/s if there are six values.
  static let axivity: Dialect = {
    var dialect = Dialect(
      "Axivity", times: ["time": nil], accelerometer: ["a*"], gyroscope: ["g*"])
    dialect.units = [.accelerometer: .g, .gyroscope: .degreePerSecond]
    dialect.remark = "there is no header: the columns are taken as cwa-convert's, a time, g, deg/s"
    return dialect
  }()

  /// Empatica E4's ACC.csv, which has its start and its rate before the rows, and no header.
  static let empatica: Dialect = {
    var dialect = Dialect("Empatica E4", times: [:], accelerometer: ["a*"])
    dialect.units = [.accelerometer: .count]
    dialect.remark =
      "there is no header: it is taken as Empatica E4 writes it, a start, a rate, and counts of 1/64 g"
    return dialect
  }()

  static let withoutGravity =
    "its accelerations are without gravity, as the phone computed them"

  /// Of Sensor Logger's Accelerometer.
  static let withoutTotal =
    "its accelerations are without gravity, which the app's TotalAcceleration has, or its Gravity beside them"

  private static func si(_ dialect: Dialect) -> Dialect {
    var dialect = dialect
    dialect.units = [.accelerometer: .metrePerSecondSquared, .gyroscope: .radianPerSecond]
    return dialect
  }

  private static func unix(_ dialect: Dialect) -> Dialect {
    var dialect = dialect
    dialect.isUnix = true
    return dialect
  }
}
