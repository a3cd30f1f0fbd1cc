// SPDX-License-Identifier: Apache-2.0

package import IMUDrivers
package import IMUModel
import Sampling

/// Certifies a chip without a recording: runs its self-test, sets it up as for a recording, and measures a stretch of samples.
///
///     self-test ─► bring-up ─► stretch of samples ─► CertificateMeter
///
/// The failure of a step is a finding, and the next step is tried.
package struct SensorCertification<Clock: MonotonicClock>: Sendable {
  /// As for a recording, but for the rate.
  let configuration: SensorConfiguration
  let clock: Clock
  /// Whether the chip is simulated with the counts of a file, which no self-test changes.
  let hasGivenCounts: Bool
  let isEnding: @Sendable () -> Bool
  /// In hertz; `nil` when it was not measured.
  let measuredBusClock: Double?

  package init(
    configuration: SensorConfiguration, clock: Clock, hasGivenCounts: Bool = false,
    measuredBusClock: Double? = nil,
    isEnding: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.configuration, self.clock) = (configuration, clock)
    (self.hasGivenCounts, self.isEnding) = (hasGivenCounts, isEnding)
    self.measuredBusClock = measuredBusClock
  }

  /// - Parameter progress: Called after answers of the bus.
  package func run<Bus: I2CBus & ~Copyable>(
    _ bus: consuming Bus, _ found: SensorIdentity, _ progress: () -> Void
  ) -> CertifyReport {
    var test = SelfTest(bus: bus, identity: found)
    let report = selfTest(&test, progress)
    let stretch = measure(test.releaseBus(), found, progress)
    var findings = stretch.findings(report.isUntrimmed ? ["self-test"] : [])
    // Which chip it is comes first.
    let place = findings.prefix { ["identity", "clone"].contains($0.name) }.count
    let doubt =
      hasGivenCounts
      ? "the counts of a motion's file are not an answer" : stretch.isMoved ? "it moved" : nil
    findings.insert(contentsOf: report.findings.map { $0.doubted(doubt) }, at: place)
    return CertifyReport(
      sensor: found, findings: findings, isMoved: report.isMoved || stretch.isMoved)
  }

  private func selfTest<Bus: I2CBus & ~Copyable>(
    _ test: inout SelfTest<Bus>, _ progress: () -> Void
  ) -> SelfTestReport {
    while true {
      switch test.step() {
      case .wait(let nanoseconds):
        progress()
        clock.sleep(until: clock.now() + nanoseconds)
      case .done(let report): return report
      }
    }
  }
}

extension CertificateFinding {
  /// The finding, or for a wrong answer to the self-test an unknown one with the doubt, such as that the chip moved.
  fileprivate func doubted(_ doubt: String?) -> CertificateFinding {
    guard let doubt, verdict == .fail, name.hasPrefix("self-test-") else { return self }
    return CertificateFinding(name, "\(value); not judged: \(doubt)", bound, .unknown)
  }
}

extension SensorCertification {
  /// The stretch's rate; a FIFO has the nearest of its own.
  private var hertz: UInt32 { 100 }
  /// Most nanoseconds of the stretch: a chip's rate takes five seconds.
  private var longest: Int64 { 8_000_000_000 }
  /// Nanoseconds until tick 0.
  private var lead: Int64 { 2_000_000 }
  /// In nanoseconds.
  private var timeUnit: Int64 { 1000 }

  private func measure<Bus: I2CBus & ~Copyable>(
    _ bus: consuming Bus, _ found: SensorIdentity, _ progress: () -> Void
  ) -> CertifiedStretch {
    var settings = configuration
    // No driver reads the FIFO of a copy.
    let isOwn = found.identity == found.model.identity
    let rates = isOwn ? found.model.fifoRates(channels: settings.channels) : []
    let nearest = rates.min { abs($0.hertz - Double(hertz)) < abs($1.hertz - Double(hertz)) }
    settings.readsFIFO = nearest != nil
    if let rate = nearest ?? SampleRate(hertz) { settings.rate = rate }
    do throws(SensorError) {
      if settings.readsFIFO {
        let sensor = try FIFOSensor(bus: bus, identity: found, configuration: settings)
        return drained(sensor, settings, progress)
      }
      let sensor = try PolledSensor(bus: bus, identity: found, configuration: settings)
      return polled(sensor, settings, progress)
    } catch {
      return CertifiedStretch(refusal: error)
    }
  }

  private func drained<Bus: I2CBus & ~Copyable>(
    _ opened: consuming FIFOSensor<Bus>, _ settings: SensorConfiguration, _ progress: () -> Void
  ) -> CertifiedStretch {
    var sensor = opened
    let stretch = CertifiedStretch(
      description(sensor.description, settings, .chip(busClock: settings.busClock)),
      sensor.expectation)
    stretch.refusal = bringUp(&sensor, progress)
    guard stretch.refusal == nil else { return stretch }
    var drainer = Drainer(
      sensor: sensor, clock: clock, sink: stretch, rate: settings.rate, start: clock.now() + lead,
      timeUnit: timeUnit, stop: StopFlag())
    run(&drainer, stretch, progress)
    return stretch
  }

  private func polled<Bus: I2CBus & ~Copyable>(
    _ opened: consuming PolledSensor<Bus>, _ settings: SensorConfiguration, _ progress: () -> Void
  ) -> CertifiedStretch {
    var sensor = opened
    let stretch = CertifiedStretch(
      description(sensor.description, settings, .grid), sensor.expectation)
    stretch.refusal = bringUp(&sensor, progress)
    guard stretch.refusal == nil else { return stretch }
    var sampler = Sampler(
      sensor: sensor, clock: clock, sink: stretch, rate: settings.rate, start: clock.now() + lead,
      plannedTicks: nil, timeUnit: timeUnit, stop: StopFlag())
    run(&sampler, stretch, progress)
    return stretch
  }

  private func run<Loop: SamplingLoop & ~Copyable>(
    _ loop: inout Loop, _ stretch: CertifiedStretch, _ progress: () -> Void
  ) {
    let end = clock.now() + longest
    while !stretch.isMeasured, clock.now() < end, !isEnding(), loop.step() == .continue {
      progress()
    }
  }

  /// Sets the chip up; returns the failure.
  private func bringUp<Sensor: ChipSetUp & ~Copyable>(
    _ sensor: inout Sensor, _ progress: () -> Void
  ) -> SensorError? {
    do throws(SensorError) {
      while case .wait(let nanoseconds) = try sensor.bringUp() {
        progress()
        clock.sleep(until: clock.now() + nanoseconds)
      }
      return nil
    } catch {
      return error
    }
  }

  private func description(
    _ sensor: SensorDescription, _ settings: SensorConfiguration, _ source: ClockSource
  ) -> RecordingDescription {
    var description = RecordingDescription(
      id: RecordingID(high: 0, low: 0), number: 0, rate: settings.rate, channels: settings.channels,
      plannedTicks: nil, timeUnit: timeUnit, sensor: sensor, board: "", host: "",
      software: Software.name, note: "", syncInterval: 0, realTime: "", clock: source)
    description.busClockMeasured = measuredBusClock.map { Int($0) }
    return description
  }
}

/// The sink of a sampling loop that feeds the meter. A class, as the loop owns its sink, and the findings are read later.
private final class CertifiedStretch: TickSink {
  /// `nil` if the driver refused the set-up.
  private var meter: CertificateMeter?
  var refusal: SensorError?
  private var sampleCount = 0
  /// Ticks without a sample by the chip or the bus, not by the computer.
  private var missing: UInt64 = 0

  init(refusal: SensorError) { self.refusal = refusal }

  init(_ description: RecordingDescription, _ expectation: SensorExpectation?) {
    meter = expectation.map { CertificateMeter(description, $0) }
  }

  func push(_ record: TickRecord) -> Bool {
    if case .sample = record.kind { sampleCount += 1 }
    if let gap = record.gap, ![.missed, .ringFull].contains(gap.cause) { missing += gap.count }
    meter?.add(record)
    return true
  }

  var isMeasured: Bool { meter?.isMeasured ?? true }

  /// Whether all samples came and the chip never lay still.
  var isMoved: Bool {
    sampleCount > 0 && missing == 0 && meter?.certificate()["still"]?.verdict == .unknown
  }

  /// - Parameter signs: Other signs of a clone.
  func findings(_ signs: [String]) -> [CertificateFinding] {
    let findings = meter?.certificate(signs: signs).findings ?? []
    if let refusal {
      let bringUp = CertificateFinding("registers", "\(refusal)", "as written", .fail)
      return findings.filter { $0.name == "identity" } + [bringUp]
    }
    func samples(_ value: String) -> CertificateFinding {
      CertificateFinding("samples", value, "at the rate that was set", .fail)
    }
    guard sampleCount > 0 else {
      return findings.filter { ["identity", "clone", "registers"].contains($0.name) }
        + [samples("none")]
    }
    // Missing samples do not matter once everything is measured.
    return isMeasured || missing == 0 ? findings : findings + [samples("\(missing) missing")]
  }
}
