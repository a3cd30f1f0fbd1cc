// SPDX-License-Identifier: Apache-2.0

import IMUModel

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
  /// The scales of both sensors; that of a gyroscope if there is one.
  struct Scales {
    let accelerometer: CWAScale
    let gyroscope: CWAScale?
  }

  static let sectorSize = 512
  /// Stamps have six bits for the year since 2000: 64 years.
  static let timeLimit: Int64 = 23_376 * 86400 * 1_000_000_000
  /// Seconds from 1970 to 2000.
  static let epoch: Int64 = 946_684_800
  /// Bytes of the annotation.
  static let annotationSize = 448

  let rate: SampleRate
  /// Whether that is not the recording's rate.
  let isResampled: Bool
  let rateCode: UInt8
  let hasGyroscope: Bool
  /// Of temperatures; `nil` where none were recorded.
  let sensor: SensorDescription?
  let device: UInt32

  /// Every rate that the format has, from 6.25 Hz on.
  static let rates: [(code: UInt8, rate: SampleRate)] = (6...15).compactMap { code in
    SampleRate(3200, per: 1 << (15 - code)).map { (UInt8(code), $0) }
  }

  /// Of rates above the highest one, those up to so many times of it are resampled.
  private static let mostOfHighest = 64.0

  /// The rate is the recording's, or the lowest that is at least 95 % of it: 100 Hz for 97 and for 104 Hz, as for chips
  /// whose rates are those of an AX6 and 4 % more; the highest for those above it. `nil` for rates far above.
  init?(_ plan: ExportPlan) {
    let log = plan.description
    let wanted = 0.95 * log.rate.hertz
    guard
      let found = CWALayout.rates.first(where: { $0.rate.hertz >= wanted })
        ?? CWALayout.rates.last(where: { $0.rate.hertz * CWALayout.mostOfHighest >= log.rate.hertz }
        )
    else { return nil }
    rate = found.rate
    isResampled = rate != log.rate
    // The range is in the scales of each sector. Its bits here must be those of 8 g: a reader of these bytes as signed
    // numbers, scikit-digital-health, takes larger ones for damage.
    rateCode = found.code | 0x40
    hasGyroscope = plan.channels.contains(3)
    sensor = plan.channels.contains(6) ? log.sensor : nil
    var sum = CRC32()
    sum.add(Array(log.host.utf8))
    // The same computer is the same device; sectors have 15 bits for it.
    device = sum.value & 0x7fff
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

  /// Puts the counts of a row into a sector.
  func put(_ sample: RawSample, _ scales: Scales, row: Int, into bytes: inout [UInt8]) {
    var place = 30 + row * (hasGyroscope ? 12 : 6)
    if let gyroscope = scales.gyroscope {
      bytes.set(gyroscope.count(sample.gx), at: place)
      bytes.set(gyroscope.count(sample.gy), at: place + 2)
      bytes.set(gyroscope.count(sample.gz), at: place + 4)
      place += 6
    }
    bytes.set(scales.accelerometer.count(sample.ax), at: place)
    bytes.set(scales.accelerometer.count(sample.ay), at: place + 2)
    bytes.set(scales.accelerometer.count(sample.az), at: place + 4)
  }

  /// Year, month, day, hour, minute and second in 6, 4, 5, 5, 6 and 6 bits.
  static func stamp(_ second: Int64) -> UInt32 {
    let (day, time) = second.quotientAndRemainder(dividingBy: 86400)
    let date = RFC3339.civil(days: day + epoch / 86400)
    let high = (date.year - 2000) << 26 | date.month << 22 | date.day << 17
    let low = (time / 3600) << 12 | (time / 60 % 60) << 6 | time % 60
    return UInt32(truncatingIfNeeded: high | low)
  }

  /// Fills in all but the samples.
  func complete(
    _ bytes: inout [UInt8], number: UInt32, slot: UInt64, temperature: UInt16, _ scales: Scales,
    session: UInt32
  ) {
    let (second, periods) = anchor(slot)
    bytes.replaceSubrange(0..<2, with: Array("AX".utf8))
    bytes.set(UInt16(508), at: 2)
    bytes.set(UInt16(truncatingIfNeeded: device), at: 4)
    bytes.set(session, at: 6)
    bytes.set(number, at: 10)
    bytes.set(CWALayout.stamp(second), at: 14)
    bytes.set(scales.accelerometer.code << 13 | (scales.gyroscope?.code ?? 0) << 10, at: 18)
    bytes.set(temperature, at: 20)
    bytes[24] = rateCode
    bytes[25] = hasGyroscope ? 0x62 : 0x32
    bytes.set(-Int16(truncatingIfNeeded: periods), at: 26)
    bytes.set(UInt16(rowsInSector), at: 28)
    bytes.set(UInt16(0), at: 510)
    var sum: UInt16 = 0
    for place in stride(from: 0, to: CWALayout.sectorSize, by: 2) {
      sum &+= UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
    }
    bytes.set(0 &- sum, at: 510)
  }

  /// The file's first 1024 bytes.
  func header(session: UInt32, firstSecond: Int64, gyroscope: CWAScale?, _ annotation: [UInt8])
    -> [UInt8]
  {
    var bytes = [UInt8](repeating: 0xff, count: 1024)
    bytes.replaceSubrange(0..<2, with: Array("MD".utf8))
    bytes.set(UInt16(1020), at: 2)
    bytes[4] = hasGyroscope ? 64 : 17
    bytes.set(UInt16(truncatingIfNeeded: device), at: 5)
    bytes.set(session, at: 7)
    bytes.set(UInt16(0), at: 11)
    // Always, and without an end.
    bytes.set(UInt32(0), at: 13)
    bytes.set(UInt32.max, at: 17)
    bytes.set(UInt32(0), at: 21)
    bytes[35] = UInt8(gyroscope?.code ?? 0)
    bytes[36] = rateCode
    bytes.set(CWALayout.stamp(firstSecond), at: 37)
    bytes[41] = 0
    bytes.replaceSubrange(
      64..<(64 + CWALayout.annotationSize),
      with: annotation
        + [UInt8](
          repeating: UInt8(ascii: " "), count: CWALayout.annotationSize - annotation.count))
    return bytes
  }

  /// `_n=note&_co=facts; item; item`, percent-coded. The note is cut where the facts need the room, and there are as many
  /// items as leave it whole.
  ///
  /// - Returns: The bytes, and how many of the items they have.
  static func annotation(note: String, facts: String, items: [String]) -> ([UInt8], Int) {
    var ending = Array("_co=".utf8) + facts.utf8.flatMap(percentCoded)
    var bytes: [UInt8] = []
    if !note.isEmpty {
      ending = [UInt8(ascii: "&")] + ending
      bytes = Array("_n=".utf8)
      for character in note {
        let code = character.utf8.flatMap(percentCoded)
        guard bytes.count + code.count + ending.count <= annotationSize else { break }
        bytes += code
      }
    }
    bytes += ending
    var count = 0
    for item in items {
      let code = "; \(item)".utf8.flatMap(percentCoded)
      guard bytes.count + code.count <= annotationSize else { break }
      bytes += code
      count += 1
    }
    return (bytes, count)
  }

  private static func percentCoded(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      return [byte]
    case UInt8(ascii: " "): return [UInt8(ascii: "+")]
    default:
      let digits = Array(String(byte, radix: 16).utf8)
      return [UInt8(ascii: "%")] + (digits.count == 1 ? [UInt8(ascii: "0")] : []) + digits
    }
  }
}

extension [UInt8] {
  /// Replaces bytes by those of a number, the lowest first.
  fileprivate mutating func setLittle(_ value: some FixedWidthInteger, at place: Int) {
    var rest = value
    for index in 0..<(value.bitWidth / 8) {
      self[place + index] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
  }

  mutating func set(_ value: UInt16, at place: Int) { setLittle(value, at: place) }
  mutating func set(_ value: Int16, at place: Int) { setLittle(value, at: place) }
  mutating func set(_ value: UInt32, at place: Int) { setLittle(value, at: place) }
}
