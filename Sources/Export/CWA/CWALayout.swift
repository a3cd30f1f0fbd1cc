// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import Text

/// The layout of an Axivity AX6's file, or of an AX3's for an accelerometer alone. Little-endian.
///
///     header, 1024 bytes               sector, 512 bytes
///       0 "MD", 1020                     0 "AX", 508
///       4 hardware: 64 AX6, 17 AX3       4 device, 0…32767
///       5 device, low                    6 session
///       7 session                       10 number of the sector from 0
///      11 device, high                  14 stamp
///      13 start, 17 end of logging      18 scales: accelerometer 3 bits, gyroscope 3 bits, light 10 bits
///      35 gyroscope                     20 temperature, 22 events, 23 battery
///      36 rate                          24 rate, 25 axes and form
///      37 last change, 41 firmware      26 −(periods from the stamp to the first sample)
///      64 annotation, 448 bytes         28 samples
///     512 ff …                          30 samples: gx gy gz ax ay az, 16 bits each
///                                      510 makes the sum of all 256 words 0
///
/// Source: Open Movement, `Docs/ax3/ax3-technical.md` and `cwa.h`.
struct CWALayout {
  typealias Scales = (accelerometer: CWAScale, gyroscope: CWAScale?)

  /// Stamps have six bits for the year since 2000: 64 years.
  static let timeLimit: Int64 = 23_376 * 86400 * 1_000_000_000
  /// Seconds from 1970 to 2000.
  static let epoch: Int64 = 946_684_800

  let rate: SampleRate
  /// Whether that is not the recording's rate.
  let isResampled: Bool
  private let rateCode: UInt8
  let hasGyroscope: Bool
  /// Scales temperatures; `nil` where none were recorded.
  let sensor: SensorDescription?
  private let device: UInt16
  private let session: UInt32

  /// Every rate that the format has, from 6.25 Hz on.
  static let rates: [(code: UInt8, rate: SampleRate)] = (6...15).compactMap { code in
    SampleRate(3200, per: 1 << (15 - code)).map { (UInt8(code), $0) }
  }

  /// The rate is the recording's, or the lowest that is at least 95 % of it: 100 Hz for 97 and for 104 Hz, as for chips
  /// whose rates are those of an AX6 and 4 % more; the highest for rates up to 64 times of it, and `nil` above.
  init?(_ plan: ExportPlan) {
    let log = plan.description
    let hertz = log.rate.hertz
    guard
      let found = CWALayout.rates.first(where: { $0.rate.hertz >= 0.95 * hertz })
        ?? CWALayout.rates.last(where: { $0.rate.hertz * 64 >= hertz })
    else { return nil }
    rate = found.rate
    isResampled = rate != log.rate
    // The range is in the scales of each sector. Its bits here must be those of 8 g: a reader of these bytes as signed
    // numbers, scikit-digital-health, reads larger ones as damage.
    rateCode = found.code | 0x40
    hasGyroscope = plan.channels.contains(3)
    sensor = plan.channels.contains(6) ? log.sensor : nil
    // The same computer is the same device; sectors have 15 bits for it.
    device = UInt16(CRC32(Array(log.host.utf8)).value & 0x7fff)
    session = log.number
  }

  var rowsInSector: Int { hasGyroscope ? 40 : 80 }

  /// Degrees as their 10 bits; 0, which is −50 °C, where none were recorded.
  func temperature(_ count: Int16) -> UInt16 {
    guard let sensor else { return 0 }
    let degrees = Double(count) * sensor.temperatureScale.value + sensor.temperatureOffset.value
    return UInt16(max(0, min(1023, ((degrees + 50) * 256 / 75).rounded())))
  }

  /// The last second, since 2000, that begins a period at a slot or before it, and the periods since.
  func anchor(_ slot: UInt64) -> (second: Int64, periods: UInt64) {
    let (count, rest) = slot.quotientAndRemainder(dividingBy: UInt64(rate.numerator))
    return (Int64(count) * Int64(rate.denominator), rest)
  }

  /// Year, month, day, hour, minute and second in 6, 4, 5, 5, 6 and 6 bits.
  private static func stamp(_ second: Int64) -> UInt32 {
    let (day, time) = second.quotientAndRemainder(dividingBy: 86400)
    let date = CivilDate.date(of: day + epoch / 86400)
    let high = (date.year - 2000) << 26 | date.month << 22 | date.day << 17
    let low = (time / 3600) << 12 | (time / 60 % 60) << 6 | time % 60
    return UInt32(truncatingIfNeeded: high | low)
  }

  func sector(
    _ number: UInt32, _ slot: UInt64, temperature: UInt16, _ scales: Scales, _ samples: [UInt16]
  ) -> [UInt8] {
    let (second, periods) = anchor(slot)
    var words: [UInt16] = [0x5841, 508, device]
    for long in [session, number, CWALayout.stamp(second)] {
      words += [UInt16(truncatingIfNeeded: long), UInt16(long >> 16)]
    }
    words += [
      scales.accelerometer.code << 13 | (scales.gyroscope?.code ?? 0) << 10, temperature, 0,
      (hasGyroscope ? 0x6200 : 0x3200) | UInt16(rateCode), 0 &- UInt16(truncatingIfNeeded: periods),
      UInt16(rowsInSector),
    ]
    words += samples
    words.append(0 &- words.reduce(0, &+))
    var bytes: [UInt8] = []
    for word in words { bytes.append(littleEndian: word) }
    return bytes
  }

  func header(firstSecond: Int64, _ scales: Scales, _ annotation: [UInt8]) -> [UInt8] {
    var bytes = Array("MD".utf8)
    bytes.append(littleEndian: 1020 as UInt16)
    bytes.append(hasGyroscope ? 64 : 17)
    bytes.append(littleEndian: device)
    bytes.append(littleEndian: session)
    bytes += [0, 0]
    // Always, and without an end.
    bytes.append(littleEndian: 0 as UInt32)
    bytes.append(littleEndian: UInt32.max)
    bytes += [0, 0, 0, 0] + repeatElement(0xff, count: 10)
    bytes += [UInt8(scales.gyroscope?.code ?? 0), rateCode]
    bytes.append(littleEndian: CWALayout.stamp(firstSecond))
    bytes += [0] + repeatElement(0xff, count: 22)
    bytes += annotation
    bytes += repeatElement(UInt8(ascii: " "), count: 512 - bytes.count)
    return bytes + repeatElement(0xff, count: 512)
  }
}

/// How a sensor's counts become those of CWA, which knows only full scales by powers of two.
///
///     accelerometer   1 / 2^(8 + code) g a count      codes 3…6: ±16…±2 g
///     gyroscope       8000 / 2^code / 32768 °/s       codes 1…6: ±4000…±125 °/s
struct CWAScale {
  let code: UInt16
  /// Counts of CWA in one count of the recording.
  private let factor: Double

  /// - Throws: Where the scale is not positive, or the format does not hold the counts.
  init(of sensor: SensorDescription, ofChannel channel: Int, counts: ClosedRange<Int>)
    throws(ExportError)
  {
    let scale = sensor.scale(ofChannel: channel)
    guard scale.numerator > 0 else { throw .unusableScale(ofChannel: channel, sensor) }
    let found =
      channel < 3
      ? CWAScale(scale, counts, codes: 3...6) { 1 / Double(1 << (8 + $0)) }
      : CWAScale(scale, counts, codes: 1...6) { 8000 / Double(1 << $0) / 32768 }
    guard let found else {
      let held = channel < 3 ? "accelerations up to 16 g" : "angular rates up to 4000 deg/s"
      throw .refused(
        "cwa holds \(held), and the recording has larger ones",
        remedy: ExportError.choosePartOrFormat)
    }
    self = found
  }

  /// The coarsest unit that is as fine as the recording's, within 0.1 %, and holds all its counts; where one is too large
  /// for it a coarser one. `nil` when none holds them.
  private init?(
    _ scale: Fraction, _ counts: ClosedRange<Int>, codes: ClosedRange<Int>, unit: (Int) -> Double
  ) {
    let first = codes.first { unit($0) <= scale.value.magnitude * 1.001 } ?? codes.upperBound
    let code = (codes.lowerBound...first).last { code in
      [counts.lowerBound, counts.upperBound].allSatisfy {
        (-32768...32767).contains((Double($0) * (scale.value / unit(code))).rounded())
      }
    }
    guard let code else { return nil }
    (self.code, factor) = (UInt16(code), scale.value / unit(code))
  }

  /// Whether each count has one of its own, exactly.
  var isExact: Bool { factor >= 1 && factor.rounded() == factor }

  /// A count of CWA, rounded half away from zero; of counts beyond those that the scale was chosen for the nearest one.
  func count(_ count: Int16) -> Int16 {
    Int16(max(-32768, min(32767, (Double(count) * factor).rounded())))
  }
}
