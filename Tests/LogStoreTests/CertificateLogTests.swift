// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@Suite("The certificate in a log")
struct CertificateLogTests {
  private func certificate(
    _ name: String, _ verdict: CertificateFinding.Verdict
  ) -> SensorCertificate {
    SensorCertificate([
      CertificateFinding(name: name, value: "0.5 g", bound: "0.93 to 1.07 g", verdict: verdict)
    ])
  }

  /// 40 samples, a certificate after the tenth and the thirtieth if there are any, and an end.
  private func log(_ first: SensorCertificate?, _ last: SensorCertificate?) throws -> [UInt8] {
    var encoder = try LogEncoder(ExampleLog.description())
    var tally = TickTally()
    for tick in 0..<40 as Range<UInt64> {
      let sample = RawSample(ax: Int16(tick), ay: -7, az: 8192, gx: 3, gy: Int16(tick) * -5, gz: 9)
      encoder.append(TickRecord(tick: tick, time: Int64(tick) * 100_000_000, sample: sample))
      tally.sampled += 1
      if tick == 9, let first { encoder.append(first) }
      if tick == 29, let last { encoder.append(last) }
    }
    encoder.finish(RecordingEnd(reason: .completed, tally: tally, lateness: LatenessSummary()))
    return Array(encoder.output)
  }

  private func account(_ bytes: [UInt8]) throws -> Account {
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    return try reader.account(ofSamples: true)
  }

  @Test("is the last one of several, for an account and for the notes")
  func lastOne() throws {
    let bytes = try log(certificate("still", .pass), certificate("stuck", .warn))
    #expect(try account(bytes).certificate == certificate("stuck", .warn))
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    #expect(try reader.notes { _ in true }.certificate == certificate("stuck", .warn))
  }

  @Test("is missing in a log of an earlier program, which is no flaw")
  func none() throws {
    let account = try account(log(nil, nil))
    #expect(account.certificate == nil)
    #expect(account.verdict == .good)
  }

  @Test("is there whole or not at all in a log that is cut at any byte")
  func cuts() throws {
    let (first, last) = (certificate("still", .pass), certificate("stuck", .fail))
    let bytes = try log(first, last)
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    let headerCount = try encodeHeader(reader.description).count
    _ = try reader.account()
    var seen: [SensorCertificate?] = []
    for length in headerCount...bytes.count {
      let found = try account(Array(bytes[..<length])).certificate
      if seen.isEmpty || seen.last != .some(found) { seen.append(found) }
    }
    #expect(seen == [nil, first, last])
  }

  @Test("goes over into a salvaged log, also from one without an end")
  func salvage() throws {
    let (first, last) = (certificate("still", .pass), certificate("gravity", .fail))
    let bytes = try log(first, last)
    #expect(try account(salvaged(bytes)).certificate == last)
    let cut = Array(bytes.dropLast(1))
    #expect(try account(cut).certificate == last)
    #expect(try account(salvaged(cut)).certificate == last)
    #expect(try account(salvaged(log(first, nil))).certificate == first)
    #expect(try account(salvaged(log(nil, nil))).certificate == nil)
  }

  @Test("makes a recording flawed when a finding fails, and not when one warns")
  func verdict() throws {
    #expect(try account(log(nil, certificate("stuck", .warn))).verdict == .good)
    #expect(try account(log(nil, certificate("gravity", .unknown))).verdict == .good)
    let failed = try account(log(certificate("gravity", .fail), nil))
    #expect(failed.verdict == .flawed)
    #expect(failed.flaws.contains("the sensor's certificate fails: gravity 0.5 g (0.93 to 1.07 g)"))
    // A later one that passes counts instead.
    #expect(
      try account(log(certificate("gravity", .fail), certificate("gravity", .pass))).verdict
        == .good)
  }
}
