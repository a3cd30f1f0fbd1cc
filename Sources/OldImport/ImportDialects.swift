// SPDX-License-Identifier: Apache-2.0

extension ImportDialect {
  /// Every flat table that `import` knows by its header. A header belongs to the dialect that knows most of its axes,
  /// the first of those that know as many.
  static let all: [ImportDialect] = [
    own, kalibr, euroc, phyphox, phyphoxLinear, phyphoxBare, sensorLogger, otherSensorLogger,
    ximu3, axivity, betaflight, metaBase, movella, physicsToolbox, openLog, arduPilot,
    hobby, runCam, bare,
  ]

  /// Tables of this program, and of those that write counts as it does.
  static let own: ImportDialect = {
    var dialect = ImportDialect(
      "imulog",
      times: [
        "t_ns": .nanoseconds, "t_grid_ns": .nanoseconds, "t_us": .microseconds,
        "t_ms": .milliseconds, "t": .unknown, "t_s": .seconds, "unix_s": .seconds.dated,
        "time_utc": .date, "time_local": .date,
      ], accelerometer: ["a*"], gyroscope: ["g*"], temperature: ["temp"])
    dialect.isOwn = true
    return dialect
  }()

  /// gcsv, whose header is like this program's: ``ImportHead`` knows it by the file's first line.
  static let gyroflow = ImportDialect(
    "Gyroflow", times: ["t": .milliseconds], accelerometer: ["a*"], gyroscope: ["g*"])

  static let kalibr = units(
    .metrePerSecondSquared, .radianPerSecond,
    ImportDialect(
      "Kalibr", times: ["timestamp": .nanoseconds.dated], accelerometer: ["alpha_*"],
      gyroscope: ["omega_*"]))

  /// The ASL format of EuRoC's data sets.
  static let euroc = units(
    .metrePerSecondSquared, .radianPerSecond,
    ImportDialect(
      "EuRoC", times: ["timestamp": .unknown], accelerometer: ["a_rs_s_*"],
      gyroscope: ["w_rs_s_*"]))

  static let phyphox: ImportDialect = {
    var dialect = ImportDialect(
      "phyphox", times: ["time": .seconds], accelerometer: ["acceleration *", "acc *"],
      gyroscope: ["gyroscope *", "angular velocity *", "gyr *"])
    dialect.namesUnits = true
    return dialect
  }()

  static let phyphoxLinear: ImportDialect = {
    var dialect = ImportDialect(
      "phyphox", times: ["time": .seconds], accelerometer: ["linear acceleration *"])
    dialect.namesUnits = true
    dialect.remark = withoutGravity
    return dialect
  }()

  /// Files of its experiments for one sensor: `"Time (s)","X (m/s^2)",…`.
  static let phyphoxBare: ImportDialect = {
    var dialect = units(
      .metrePerSecondSquared, .radianPerSecond,
      ImportDialect("phyphox", times: ["time": .seconds], accelerometer: ["*"]))
    (dialect.isNamedByFile, dialect.namesUnits) = (true, true)
    return dialect
  }()

  /// Tszheichoi's app: a file for each sensor, in which columns have any order.
  static let sensorLogger: ImportDialect = {
    var dialect = units(
      .metrePerSecondSquared, .radianPerSecond,
      ImportDialect(
        "Sensor Logger", times: ["time": .nanoseconds.dated], accelerometer: ["*"]))
    dialect.isNamedByFile = true
    dialect.marks = ["seconds_elapsed"]
    return dialect
  }()

  /// Another app of that name, for iOS.
  static let otherSensorLogger: ImportDialect = {
    var dialect = units(
      .metrePerSecondSquared, .radianPerSecond,
      ImportDialect(
        "Sensor Logger", times: ["samplingtime": .seconds.dated], accelerometer: ["acceleration*"],
        gyroscope: ["gyro*"]))
    dialect.remark = "it is taken as Sensor Logger for iOS writes it: times in s, m/s², rad/s"
    return dialect
  }()

  static let ximu3: ImportDialect = {
    var dialect = ImportDialect(
      "x-IMU3", times: ["timestamp": .microseconds], accelerometer: ["accelerometer *"],
      gyroscope: ["gyroscope *"])
    dialect.namesUnits = true
    return dialect
  }()

  /// AX3 and AX6 by omconvert; OmGui's names are those of ``hobby`` with units.
  static let axivity: ImportDialect = {
    var dialect = ImportDialect(
      "Axivity", times: ["time": .unknown], accelerometer: ["accel-*"], gyroscope: ["gyro-*"])
    dialect.namesUnits = true
    return dialect
  }()

  /// blackbox_decode and Blackbox Explorer.
  static let betaflight: ImportDialect = {
    var dialect = units(
      .count, .degreePerSecond,
      ImportDialect(
        "Betaflight", times: ["time": .microseconds], accelerometer: ["accsmooth[#]"],
        gyroscope: ["gyroadc[#]"]))
    dialect.usualCountsPerG = 2048
    dialect.remark = "it is taken as Betaflight writes it: times in µs, rates in °/s"
    return dialect
  }()

  static let metaBase: ImportDialect = {
    var dialect = ImportDialect(
      "MetaBase", times: ["epoc": .milliseconds.dated], accelerometer: ["*-axis"])
    dialect.isNamedByFile = true
    return dialect
  }()

  static let movella: ImportDialect = {
    var dialect = units(
      .metrePerSecondSquared, .degreePerSecond,
      ImportDialect(
        "Movella DOT", times: ["sampletimefine": .microseconds], accelerometer: ["acc_*"],
        gyroscope: ["gyr_*"]))
    dialect.remark = "it is taken as Movella DOT writes it: times in µs, m/s², deg/s"
    return dialect
  }()

  /// Of Xsens' other sensors, with the same names: ``ImportHead`` knows it by the lines before the header, which begin with `//`.
  static let mtManager: ImportDialect = {
    var dialect = units(
      .metrePerSecondSquared, .radianPerSecond,
      ImportDialect(
        "MT Manager", times: ["sampletimefine": .number(power: 5)], accelerometer: ["acc_*"],
        gyroscope: ["gyr_*"]))
    dialect.remark = "it is taken as MT Manager writes it: times in 0.1 ms, m/s², rad/s"
    return dialect
  }()

  /// Physics Toolbox Sensor Suite: forces in g, angular velocities in rad/s.
  static let physicsToolbox: ImportDialect = {
    var dialect = units(
      .g, .radianPerSecond,
      ImportDialect(
        "Physics Toolbox", times: ["time": .seconds], accelerometer: ["gf*"], gyroscope: ["w*"]))
    dialect.remark = "it is taken as Physics Toolbox writes it: times in s, g, rad/s"
    return dialect
  }()

  /// SparkFun's OpenLog Artemis. The settings choose the columns; `micros` is the finest of times.
  static let openLog: ImportDialect = {
    var dialect = units(
      .milliG, .degreePerSecond,
      ImportDialect(
        "OpenLog Artemis", times: ["micros": .microseconds, "rtctime": .timeOfDay],
        accelerometer: ["a*"], gyroscope: ["g*"], temperature: ["imu_degc"]))
    dialect.marks = ["rtcdate", "rtctime", "imu_degc", "output_hz"]
    dialect.remark =
      "it is taken as OpenLog Artemis writes it: accelerations in milli g, rates in °/s"
    return dialect
  }()

  /// ArduPilot's IMU messages by mavlogdump; `timestamp` beside the finer `TimeUS` is left out.
  static let arduPilot: ImportDialect = {
    var dialect = units(
      .metrePerSecondSquared, .radianPerSecond,
      ImportDialect(
        "ArduPilot", times: ["timeus": .microseconds], accelerometer: ["acc*"],
        gyroscope: ["gyr*"], temperature: ["t"]))
    dialect.remark = "it is taken as ArduPilot writes it: times in µs, m/s², rad/s"
    return dialect
  }()

  static let runCam: ImportDialect = {
    var dialect = ImportDialect(
      "RunCam", times: ["time": .unknown], accelerometer: ["a*"], gyroscope: ["*"])
    dialect.needsAll = true
    dialect.remark = "its x, y and z are taken as rates, as RunCam writes them"
    return dialect
  }()

  /// Units that are names of times where no other column is one.
  static let bareUnits: Set = ["ms", "us", "ns"]

  /// Programs of Arduinos and the like, which name axes and seldom units.
  static let hobby: ImportDialect = {
    var dialect = ImportDialect(
      "other",
      times: [
        "time": .unknown, "timestamp": .unknown, "t": .unknown, "datetime": .unknown,
        "seconds": .seconds, "millis": .milliseconds, "micros": .microseconds,
        "ms": .milliseconds, "us": .microseconds, "ns": .nanoseconds,
        "t_s": .seconds, "t_ms": .milliseconds, "t_us": .microseconds, "t_ns": .nanoseconds,
        "time_s": .seconds, "time_ms": .milliseconds, "time_us": .microseconds,
        "time_ns": .nanoseconds, "timestamp_s": .seconds, "timestamp_ms": .milliseconds,
        "timestamp_us": .microseconds, "timestamp_ns": .nanoseconds,
      ],
      accelerometer: ["a*"] + spellings("acc", "accel", "accelerometer", "acceleration"),
      gyroscope: ["g*", "w*"] + spellings("gyr", "gyro", "gyroscope"))
    dialect.temperature = nil
    return dialect
  }()

  /// A table of one sensor, which the file's name tells, with axes `x`, `y` and `z`.
  static let bare: ImportDialect = {
    var dialect = ImportDialect("other", times: hobby.times, accelerometer: ["*"])
    dialect.isNamedByFile = true
    return dialect
  }()

  /// Names of axes as `accx`, `acc_x`, `acc x`, `acc.x`, `acc-x`.
  private static func spellings(_ words: String...) -> [String] {
    words.flatMap { word in ["", "_", " ", ".", "-"].map { "\(word)\($0)*" } }
  }

  static let withoutGravity =
    "its accelerations are without gravity, as the phone computed them"

  /// Of Sensor Logger's Accelerometer.
  static let withoutTotal =
    "its accelerations are without gravity, which the app's TotalAcceleration has, or its Gravity beside them"

  private static func units(
    _ accelerometer: ImportUnit, _ gyroscope: ImportUnit, _ dialect: ImportDialect
  ) -> ImportDialect {
    var dialect = dialect
    (dialect.accelerometer, dialect.gyroscope) = (accelerometer, gyroscope)
    return dialect
  }
}
