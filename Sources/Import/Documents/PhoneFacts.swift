// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension OwnFacts {
  /// Takes what the document of a phone app says beside its samples, which have no times; the keys of its axes.
  ///
  ///     {"identifier":…,"dataType":0|1,"coordinateList":[{"x":…,"y":…,"z":…},…],"date":…,"duration":…}
  ///     {"sensor":0|1,"axisValues":[{"x":…,"y":…,"z":…},…],"date":…,"time":…}
  ///
  /// 0 is the accelerometer in g, 1 the gyroscope in rad/s. The rate is that of the duration, or 10 Hz, for which both apps
  /// ask, where that is nearer than a twentieth. `date` counts seconds from 2001 to the last sample in the first shape and
  /// to the first sample in the second.
  mutating func takePhone(
    _ numbers: [String: Decimal], _ count: UInt64, isSecond: Bool, _ given: SampleRate?
  ) throws(FieldError) -> ColumnsOption? {
    let key = isSecond ? "sensor" : "dataType"
    guard let kind = numbers[key]?.value, kind == 0 || kind == 1 else {
      throw FieldError(
        problem: "\"\(key)\" is not 0 (accelerometer) or 1 (gyroscope)", remedy: "correct it")
    }
    units = kind == 0 ? [.accelerometer: .g] : [.gyroscope: .radianPerSecond]
    var rate = given ?? SampleRate(10)
    if let duration = numbers[isSecond ? "time" : "duration"]?.value, given == nil {
      let hertz = Double(count) / duration
      if !(9.5...10.5).contains(hertz) {
        let thousandths = hertz < 1e6 ? UInt32(exactly: (hertz * 1000).rounded()) : nil
        rate = thousandths.flatMap { SampleRate($0, per: 1000) }
      }
    } else if given == nil {
      notes.faults.append(
        "it does not say how long it took: 10 Hz is what the app asks for; state another rate with --rate"
      )
    }
    guard let rate else {
      throw FieldError(problem: "its duration makes no rate", remedy: "state it with --rate")
    }
    self.rate = rate
    if let date = numbers["date"] {
      guard let since = date.whole(tenTo: 9)?.value, since.magnitude < 8_000_000_000_000_000_000,
        case let back = isSecond ? 0 : rate.nanoseconds(atTick: max(count, 1) - 1), back < 1 << 60
      else {
        throw FieldError(problem: "\"date\" is not a date", remedy: "correct it, or take it out")
      }
      started = since + ExportedNames.phoneReferenceDate - back
    }
    return ColumnsOption(kind == 0 ? "ax=x,ay=y,az=z" : "gx=x,gy=y,gz=z")
  }
}
