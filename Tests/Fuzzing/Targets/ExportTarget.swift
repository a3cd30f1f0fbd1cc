// SPDX-License-Identifier: Apache-2.0

import Export
import LogStore

/// Exports the readable part of a log, and checks that the output is valid.
///
///     format and options │ a log
public final class ExportTarget: FuzzTarget {
  /// `exports`.
  public static let name = "exports"
  /// A page can hold half a million samples, whose text would take the fuzzer's time.
  static let sampleLimit: UInt64 = 3000

  private var forged = ForgedLog()

  /// A target for one thread.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    var cursor = InputCursor(input)
    let options = ExportTarget.options(cursor.byte(), range: cursor.byte())
    forged.with(&cursor) { ExportTarget.check($0, options) }
  }

  private static func options(_ choice: UInt8, range: UInt8) -> ExportOptions {
    let formats = ExportFormat.allCases
    let units: [ExportUnits?] = [nil, .si, .gDps, .raw]
    let channels: [ExportChannels?] = [nil, .accel, .gyro, .both]
    var options = ExportOptions(
      format: formats[Int(choice & 15) % formats.count], units: units[Int(choice >> 4 & 3)],
      channels: channels[Int(choice >> 6)])
    options.hasUncertainty = range & 4 != 0
    options.isResampled = range & 8 != 0
    options.hasOrientation = range & 64 != 0
    options.hasLinear = range & 128 != 0
    options.hasAnalysis = options.format == .html && range & 16 != 0
    if range & 16 != 0, options.format == .parquet { options.gaps = .rows }
    options.isForHub = options.format == .parquet && range & 32 != 0
    if options.format == .edgeImpulse {
      options.fill = range & 16 != 0 ? .hold : .leaveOut
      if range & 32 != 0 { options.hmacKey = [range] }
    }
    if range & 1 != 0 { options.from = Int64(range >> 4) * 1_000_000_000 }
    if range & 2 != 0 { options.to = Int64(range >> 2) * 1_000_000_000 }
    return options
  }

  static func check(_ log: UnsafeRawBufferPointer, _ options: ExportOptions) {
    do {
      var reader = try LogReader(BytesStorage(bytes: log))
      guard try reader.account(ofSamples: true).sampleCount <= sampleLimit else { return }
    } catch {
      return
    }
    var sink = ArraySink()
    do {
      let report = try Exporter(options).write(BytesStorage(bytes: log), to: &sink)
      check(sink.bytes, report, options)
    } catch {
      _ = "\(error)"
    }
  }

  /// Whatever a header or a mark says, it ends no element and holds no control character.
  private static func checkMarkup(_ bytes: [UInt8], from begin: String, to end: String) {
    precondition(bytes.starts(with: begin.utf8), "another begin")
    precondition(
      bytes.reversed().starts(with: [UInt8(ascii: "\n")] + end.utf8.reversed()), "another end")
    precondition(!bytes.contains { $0 < 0x20 && $0 != UInt8(ascii: "\n") }, "a control character")
    let tags = bytes.split(separator: UInt8(ascii: "<")).filter { $0.starts(with: "script".utf8) }
      .count
    precondition(tags == (end == "</html>" ? 3 : 0), "a script of the recording's")
  }

  private static func check(
    _ bytes: [UInt8], _ report: Exporter.Report, _ options: ExportOptions
  ) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    switch options.format {
    case .json:
      precondition(JSONCheck.isValue(bytes[...]), "no JSON")
      let saysDamage = lines.contains { $0.starts(with: "\"damage\":[{".utf8) }
      precondition(saysDamage == (report.damages > 0), "damage untold")
    case .gyrodata, .edgeImpulse: precondition(JSONCheck.isValue(bytes[...]), "no JSON")
    case .ndjson:
      precondition(UInt64(lines.count) == report.samples, "lines")
      for line in lines { precondition(JSONCheck.isValue(line), "a line is no JSON") }
    case .csv:
      precondition(UInt64(lines.count) == report.samples + 1, "lines")
      let columns = lines[0].split(separator: UInt8(ascii: ",")).count
      for line in lines.dropFirst() {
        let values = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        precondition(values.count == columns, "columns")
        for value in values {
          // No reading may prove an instant.
          let isUnknown = value.isEmpty && options.hasUncertainty
          precondition(isUnknown || JSONCheck.isNumber(value), "no number")
        }
      }
    case .html: checkMarkup(bytes, from: "<!DOCTYPE html>", to: "</html>")
    case .svg: checkMarkup(bytes, from: "<?xml ", to: "</svg>")
    case .parquet:
      precondition(bytes.starts(with: "PAR1".utf8), "another begin")
      precondition(bytes.suffix(4).elementsEqual("PAR1".utf8), "another end")
      let length = bytes.suffix(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      precondition(length <= bytes.count - 12, "the footer is longer than the file")
    case .cwa:
      precondition(bytes.starts(with: "MD".utf8) && bytes.count % 512 == 0, "no sectors")
      for sector in stride(from: 1024, to: bytes.count, by: 512) {
        let words = stride(from: sector, to: sector + 512, by: 2).map {
          UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
        }
        precondition(words.reduce(0, &+) == 0, "a sector's sum")
      }
    case .mcap:
      let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
      precondition(bytes.starts(with: magic) && bytes.suffix(8).elementsEqual(magic), "no magic")
    case .mseed: precondition(bytes.count % 512 == 0, "half a record")
    default: break
    }
  }
}
