// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel

/// What `certify` does with a chip that is this program's alone: its self-test, then its set-up as for a recording.
///
///     identity ─► self-test ─► bring-up ─► registers ─► a sample
///
/// What stands in the way of a step is its finding, and the next step is tried.
struct SensorCertification<Clock: MonotonicClock>: Sendable {
  let configuration: SensorConfiguration
  let clock: Clock

  /// - Parameter progress: Called whenever the bus has answered.
  func run<Bus: I2CBus & ~Copyable>(
    _ bus: consuming Bus, _ found: SensorIdentity, _ progress: () -> Void
  ) -> CertifyReport {
    var findings = [identity(found)]
    var test = SelfTest(bus: bus, identity: found)
    let report = selfTest(&test, progress)
    findings += report.findings
    findings += setUp(test.releaseBus(), found, progress)
    return CertifyReport(sensor: found, findings: findings, isMoved: report.isMoved)
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

/// Which chip it is.
extension SensorCertification {
  /// Models that boards sold as MPU-6050 carry, which a recording drives as what they are.
  private var soldAsOthers: [SensorModel] { [.mpu6500, .icm20689] }

  private func identity(_ found: SensorIdentity) -> CertificateFinding {
    let model = found.model
    func finding(_ words: String, _ verdict: CertificateFinding.Verdict) -> CertificateFinding {
      CertificateFinding(
        name: "identity", value: "\(hexadecimal(found.identity)) at \(found.address), \(words)",
        bound: "\(hexadecimal(model.identity)) of the \(model.name)", verdict: verdict)
    }
    guard found.identity == model.identity else {
      return finding("as no original answers: a copy, driven as \(model.name)", .warn)
    }
    var words = model.name
    if !found.alternatives.isEmpty {
      let names = found.alternatives.map(\.name).joined(separator: ", ")
      words += ", or \(names), which answer the same"
    }
    if soldAsOthers.contains(model) { words += ", which boards sold as MPU-6050 have too" }
    return finding(words, .pass)
  }
}

/// The chip as a recording sets it up.
extension SensorCertification {
  private func setUp<Bus: I2CBus & ~Copyable>(
    _ bus: consuming Bus, _ found: SensorIdentity, _ progress: () -> Void
  ) -> [CertificateFinding] {
    func registers(_ words: String, _ verdict: CertificateFinding.Verdict) -> CertificateFinding {
      CertificateFinding(name: "registers", value: words, bound: "as written", verdict: verdict)
    }
    do throws(SensorError) {
      var sensor = try PolledSensor(bus: bus, identity: found, configuration: configuration)
      while case .wait(let nanoseconds) = try sensor.bringUp() {
        progress()
        clock.sleep(until: clock.now() + nanoseconds)
      }
      do throws(BusError) {
        switch try sensor.checkConfiguration() {
        case .intact:
          let pairs = configuration.registers(of: found.model).map {
            "\(hexadecimal($0.register.address))=\(hexadecimal($0.value))"
          }
          return [
            registers(pairs.joined(separator: " "), .pass),
            try temperature(&sensor, found.model, progress),
          ]
        case .lost(let register, let expected, let read):
          return [
            registers(
              "\(hexadecimal(register)) reads \(hexadecimal(read)), not \(hexadecimal(expected))",
              .fail)
          ]
        case .foreign(let identity):
          return [registers("another chip answers \(hexadecimal(identity))", .fail)]
        }
      } catch {
        return [registers("\(error)", .fail)]
      }
    } catch {
      return [registers("\(error)", .fail)]
    }
  }

  /// °C in which all chips here work; a wrong scale, as of a copy, gives others.
  private var temperatures: ClosedRange<Double> { -40...85 }
  /// Reads until a chip that announced samples counts as silent, and nanoseconds between them.
  private var patience: (reads: Int, wait: Int64) { (50, 20_000_000) }

  private func temperature<Bus: I2CBus & ~Copyable>(
    _ sensor: inout PolledSensor<Bus>, _ model: SensorModel, _ progress: () -> Void
  ) throws(BusError) -> CertificateFinding {
    let (low, high) = (Int(temperatures.lowerBound), Int(temperatures.upperBound))
    func finding(_ text: String, _ verdict: CertificateFinding.Verdict) -> CertificateFinding {
      CertificateFinding(
        name: "temperature", value: text, bound: "\(low) to \(high) °C", verdict: verdict)
    }
    var sample = RawSample()
    for _ in 0..<patience.reads {
      clock.sleep(until: clock.now() + patience.wait)
      if try sensor.read(into: &sample) == .fresh {
        let celsius =
          Double(sample.temperature) * model.temperature.scale.value
          + model.temperature.offset.value
        let text = Plain.number(Int64((celsius * 10).rounded()), per: 10)
        return finding("\(text) °C", temperatures.contains(celsius) ? .pass : .warn)
      }
      progress()
    }
    return finding("no sample", .fail)
  }
}
