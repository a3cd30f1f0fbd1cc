// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import Analysis

@Suite("The words of an analysis")
struct AnalysisReportTests {
  /// Noise of so many counts on every axis, at rest.
  private func report(
    hertz: UInt32 = 100, deviation: Double = 10, isMounted: Bool = false,
    times: ((Int) -> Int64)? = nil, change: (inout RecordingDescription) -> Void = { _ in }
  ) throws -> AnalysisReport {
    var noise = Noise(seed: 3)
    var log = try WrittenLog(hertz: hertz, isImported: times != nil)
    change(&log.description)
    for tick in 0..<4000 {
      var sample = RawSample()
      for axis in 0..<6 { sample[axis] = Noise.counts(noise.normal() * deviation) }
      log.add(UInt64(tick), at: times?(tick), sample)
    }
    let columns = try log.columns()
    return AnalysisReport(
      number: 1, description: columns.description, analysis: RecordingAnalysis(columns),
      isMounted: isMounted)
  }

  @Test("a remark names the chip's axes where the header has a mounting that was not applied")
  func mounting() throws {
    let remark = "axes are the chip's, not those of the mounting -z,y,x"
    let axes = try #require(AxisMap("-z,y,x"))
    #expect(try report(change: { $0.axes = axes }).remarks == [remark])
    #expect(try report(isMounted: true, change: { $0.axes = axes }).remarks.isEmpty)
    #expect(try report().remarks.isEmpty)
  }

  @Test("a band that was asked for and has no value is named, with the reason")
  func bands() throws {
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<4000 { log.add(UInt64(tick), RawSample(ax: Int16(tick % 7))) }
    let columns = try log.columns()
    let analysis = RecordingAnalysis(
      columns, bands: [5..<10, 50..<60, 0.1..<5, 20.01..<20.05, 45..<200])
    let refusals = analysis.bandRefusals
    #expect(refusals.count == 3, "\(refusals)")
    for (words, place) in [
      ("no value from 50 to 60 Hz: it begins at half the rate or above, 50 Hz", 0),
      ("no value from 0.1 to 5 Hz: it begins below the second value", 1),
      ("no value from 20.01 to 20.05 Hz: no value of the spectrum is in it", 2),
    ] { #expect(refusals[place].hasPrefix(words), "\(refusals)") }
    let report = AnalysisReport(
      number: 1, description: columns.description, analysis: analysis, isMounted: false)
    #expect(refusals.allSatisfy { report.remarks.contains($0) })
    #expect(RecordingAnalysis(columns).bandRefusals == [])
  }

  @Test("no velocity is printed where half the rate is not above 10 Hz, and a clause says why")
  func velocity() throws {
    func names(_ report: AnalysisReport) -> [String] {
      report.rows.map(\.name).filter { $0.contains("velocity") }
    }
    for hertz in [1, 10, 20] as [UInt32] {
      let slow = try report(hertz: hertz)
      #expect(names(slow).isEmpty, "\(hertz)")
      #expect(slow.covered.hasSuffix("; no velocity, as that is of 10 Hz and more"), "\(hertz)")
    }
    let fast = try report(hertz: 25)
    #expect(names(fast) == ["velocity RMS, mm/s, 10 to 12.5 Hz"])
    #expect(!fast.covered.contains("no velocity"))
    #expect(fast.covered.contains(" to 12.50 Hz, half the rate"), "\(fast.covered)")
  }

  @Test("a rate that drifts is named, and one that does not is not")
  func drift() throws {
    let report = try report(times: { Int64($0) * 10_000_000 - Int64($0 * $0) * 37 })
    #expect(report.remarks.count == 1)
    let remark = try #require(report.remarks.first)
    #expect(remark.hasPrefix("the rate changes by 2."), "\(remark)")
    #expect(try self.report(times: { Int64($0) * 10_000_000 }).remarks.isEmpty)
  }

  @Test("noise below half a count is the reason for a missing term, also for Kalibr")
  func rounded() throws {
    let report = try report(deviation: 0.2)
    let reason = "ax, ay, az, gx, gy, gz: its noise is less than half a count"
    #expect(report.noiseReasons == ["no N of \(reason)", "no B of \(reason)", "no K of \(reason)"])
    expectRefusal("cannot be written: no N of \(reason); no K of \(reason): record for hours") {
      _ = try KalibrNoise.text(report.analysis, number: 1)
    }
  }
}
