// SPDX-License-Identifier: Apache-2.0

#if _endian(big)
  #error("ROSContent writes doubles in the processor's byte order, which must be little-endian")
#endif

/// A topic of an export, and its messages of ROS 2 in CDR: little-endian, aligned. Each begins with a stamp.
enum ROSTopic: Int, CaseIterable {
  /// Inertial measurements in m/s² and rad/s, and temperatures in °C.
  case imu, temperature
  case gaps, marks, labels
  /// The magnetic field in tesla.
  case mag

  /// The topic's name, such as `/imu/temperature`, or `/imu/left/temperature` of a sensor of a take.
  func name(of sensor: String?) -> String {
    "/imu" + (sensor.map { "/\($0)" } ?? "") + (self == .imu ? "" : "/\(self)")
  }

  /// Whether its messages have the name of a frame after their stamp.
  var hasFrame: Bool { self == .imu || self == .temperature || self == .mag }

  /// What is between the parts of a definition.
  static let separator = "\n\(String(repeating: "=", count: 80))\nMSG: "

  /// The name of the messages' layout, and its definition without comments: its own, and those of its parts.
  var layout: (name: String, parts: [String]) {
    let header = "std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id"
    let time = "builtin_interfaces/Time\nint32 sec\nuint32 nanosec"
    let vector = "geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z"
    switch self {
    case .imu:
      let imu = """
        std_msgs/Header header
        geometry_msgs/Quaternion orientation
        float64[9] orientation_covariance
        geometry_msgs/Vector3 angular_velocity
        float64[9] angular_velocity_covariance
        geometry_msgs/Vector3 linear_acceleration
        float64[9] linear_acceleration_covariance
        """
      let quaternion = "geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w"
      return ("sensor_msgs/msg/Imu", [imu, header, time, quaternion, vector])
    case .temperature:
      let temperature = "std_msgs/Header header\nfloat64 temperature\nfloat64 variance"
      return ("sensor_msgs/msg/Temperature", [temperature, header, time])
    case .mag:
      let name = "magnetic_field"
      let field =
        "std_msgs/Header header\ngeometry_msgs/Vector3 \(name)\nfloat64[9] \(name)_covariance"
      return ("sensor_msgs/msg/MagneticField", [field, header, time, vector])
    case .gaps, .marks, .labels:
      let texts = "string name\nstring msg\nstring file\nstring function"
      let log = "builtin_interfaces/Time stamp\nuint8 level\n\(texts)\nuint32 line"
      return ("rcl_interfaces/msg/Log", [log, time])
    }
  }
}

/// What messages have after their stamp and their frame. Doubles are copied in the processor's byte order, little-endian, as
/// the file's is.
enum ROSContent {
  /// An `Imu` without values.
  ///
  /// By the message's definition, a covariance that begins with −1 means "no such value", and zeros mean "not known". The
  /// missing axis of a recorded sensor is not a number.
  static func imu(_ channels: [Int], hasOrientation: Bool) -> [Double] {
    func covariance(_ known: Bool) -> [Double] { [known ? 0 : -1] + Array(repeating: 0, count: 8) }
    func vector(_ axes: Range<Int>) -> [Double] {
      let isThere = channels.contains(where: axes.contains)
      return axes.map { isThere && !channels.contains($0) ? .nan : 0 } + covariance(isThere)
    }
    var orientation = noOrientation
    if hasOrientation { orientation[covariancePlace] = 0 }
    return orientation + vector(3..<6) + vector(0..<3)
  }

  /// Where an `Imu` has its orientation's first covariance.
  static let covariancePlace = 4

  /// The part before an `Imu`'s rates where the orientation is not known.
  static let noOrientation: [Double] =
    [0, 0, 0, 1, -1] + Array(repeating: 0, count: 8)

  /// Where an `Imu` has its values, by channel from ax to gz.
  static let imuPlaces = [25, 26, 27, 13, 14, 15]
  /// Where it has its orientation's w, x, y, z; its own order has w last.
  static let orientationPlaces = [3, 0, 1, 2]

  /// A `Temperature`. A variance of 0 is one that is not known.
  static func temperature(_ degrees: Double) -> [Double] { [degrees, 0] }

  /// A `MagneticField` with a covariance that is not known.
  static func field(_ teslas: [Double]) -> [Double] {
    teslas + Array(repeating: 0, count: 9)
  }

  /// A frame's name and a zero, after its length: whole doubles.
  static func frame(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(name.utf8.count + 1))
    bytes += Array(name.utf8) + [0]
    return bytes + repeatElement(0, count: -bytes.count & 7)
  }

  /// A `Log`.
  ///
  /// - Parameters:
  ///   - level: 20 for information, 30 for a warning.
  ///   - name: What wrote the line.
  static func log(level: UInt8, name: String, _ line: String) -> [UInt8] {
    var bytes = [level]
    for text in [name, line, "", ""] {
      bytes += repeatElement(0, count: -bytes.count & 3)
      bytes.append(littleEndian: UInt32(text.utf8.count + 1))
      bytes += Array(text.utf8) + [0]
    }
    return bytes + repeatElement(0, count: -bytes.count & 3) + [0, 0, 0, 0]
  }
}
