// SPDX-License-Identifier: Apache-2.0

/// The messages of ROS 2 that an export has, in CDR: little-endian, aligned from the fourth byte on.
enum ROSMessages {
  /// Inertial measurements: m/s² and rad/s.
  static let imu = schema(
    "sensor_msgs/msg/Imu",
    """
    std_msgs/Header header
    geometry_msgs/Quaternion orientation
    float64[9] orientation_covariance
    geometry_msgs/Vector3 angular_velocity
    float64[9] angular_velocity_covariance
    geometry_msgs/Vector3 linear_acceleration
    float64[9] linear_acceleration_covariance
    """, [header, time, quaternion, vector])
  /// A temperature in °C.
  static let temperature = schema(
    "sensor_msgs/msg/Temperature",
    "std_msgs/Header header\nfloat64 temperature\nfloat64 variance", [header, time])
  /// A line of text with a level.
  static let log = schema(
    "rcl_interfaces/msg/Log",
    """
    builtin_interfaces/Time stamp
    uint8 level
    string name
    string msg
    string file
    string function
    uint32 line
    """, [time])

  private static let header = "std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id"
  private static let time = "builtin_interfaces/Time\nint32 sec\nuint32 nanosec"
  private static let quaternion =
    "geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w"
  private static let vector = "geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z"

  /// A message's name, and its definition without comments, with those of its parts.
  private static func schema(_ name: String, _ fields: String, _ parts: [String])
    -> (name: String, definition: String)
  {
    let line = String(repeating: "=", count: 80)
    return (name, parts.reduce(fields + "\n") { $0 + "\(line)\nMSG: \($1)\n" })
  }

  /// The level of a line in a log.
  enum Level: UInt8 {
    case info = 20
    case warning = 30
  }

  /// A `Log` without its stamp.
  static func logContent(_ level: Level, name: String, _ message: String) -> MCAPRecords {
    var record = beginning
    record.put(level.rawValue)
    for text in [name, message, "", ""] {
      align(&record)
      put(text, to: &record)
    }
    align(&record)
    record.put(0 as UInt32)
    return record
  }

  /// An `Imu` without stamp and values: 316 bytes.
  ///
  /// By the definition of the message, −1 at the beginning of a covariance says that there is no such value. An axis
  /// that was not recorded of a sensor that was is no number. A covariance of zeros is one that is not known.
  static func imuContent(_ channels: [Int], hasOrientation: Bool) -> MCAPRecords {
    func values(_ axes: Range<Int>) -> [Double] {
      let isThere = channels.contains { axes.contains($0) }
      return axes.map { isThere && !channels.contains($0) ? .nan : 0 }
        + [isThere ? 0 : -1] + Array(repeating: 0, count: 8)
    }
    let orientation = [0, 0, 0, 1, hasOrientation ? 0 : -1] + [Double](repeating: 0, count: 8)
    return withHeader(orientation + values(3..<6) + values(0..<3))
  }

  /// Where an `Imu` has its values, by channel from ax to gz.
  static let imuPlaces = [220, 228, 236, 124, 132, 140]

  /// Where an `Imu` has its orientation: w, x, y, z of the quaternion, of which it has w last.
  static let orientationPlaces = [44, 20, 28, 36]

  /// A `Temperature` without stamp and value: 36 bytes. A variance of 0 is one that is not known.
  static func temperatureContent() -> MCAPRecords { withHeader([0, 0]) }

  /// Where a `Temperature` has its value.
  static let temperaturePlace = 20
  /// Where each message has its stamp: seconds in 4 bytes, nanoseconds in 4.
  static let stampPlace = 4

  /// The order of bytes, and a stamp of 0.
  private static var beginning: MCAPRecords {
    var record = MCAPRecords()
    record.put([0, 1, 0, 0])
    record.put(0 as UInt64)
    return record
  }

  /// Doubles after a header, which with its frame's name has 20 bytes, so that they are aligned.
  private static func withHeader(_ values: [Double]) -> MCAPRecords {
    var record = beginning
    put("imu", to: &record)
    for value in values { record.put(value.bitPattern) }
    return record
  }

  private static func put(_ text: String, to record: inout MCAPRecords) {
    record.putSized { $0.put(Array(text.utf8) + [0]) }
  }

  private static func align(_ record: inout MCAPRecords) {
    while record.count % 4 != 0 { record.put(0 as UInt8) }
  }
}
