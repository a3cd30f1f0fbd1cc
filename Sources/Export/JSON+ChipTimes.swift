// SPDX-License-Identifier: Apache-2.0

import ChipClock
package import IMUModel
package import LogStore
import Text

extension JSONWriter {
  /// `chipTimes`: what the readings of a chip's FIFO show about the times of its samples, or `null`.
  package mutating func chipTimes(_ clock: ClockAccount?, _ description: RecordingDescription) {
    guard let clock else { return null() }
    object { json in
      json.member("mean_hz", hertz: clock.rate.hertz)
      json.member("least_hz", hertz: clock.rate.bounds?.lowerBound)
      json.member("most_hz", hertz: clock.rate.bounds?.upperBound)
      json.member("assumptions") { json in
        json.member("drift_ppm_s", number: Plain.number(clock.assumptions.drift, per: 10))
        json.member("jitter_ns", number: Plain.number(clock.assumptions.jitter * 1000, per: 10))
        json.member("stamped", clock.stampCount > 0)
      }
      json.member("readingCount", clock.readingCount)
      json.member("stampCount", clock.stampCount)
      json.member("leftOutCount", clock.leftOutCount)
      json.member("provedCount", clock.provedCount)
      json.member("unprovedCount", clock.unprovedCount)
      json.halfWidth(clock)
      let sensor = description.sensor
      let celsius = clock.temperature.map { counts in
        [counts.lowerBound, counts.upperBound].map {
          Double($0) * sensor.temperatureScale.value + sensor.temperatureOffset.value
        }.sorted().map { Plain.number($0, per: 1000) }
      }
      json.member("temperatureMinimum_c", number: celsius?[0])
      json.member("temperatureMaximum_c", number: celsius?[1])
      json.member("lostCount", clock.lostCount)
      json.member("doubledCount", clock.doubledCount)
      json.member("contradictionCount", clock.contradictionCount)
      json.member("findingCount", clock.findingCount)
      json.member("findings", clock.findings) { $0.add($1) }
      json.member("epochCount", clock.epochCount)
      json.member("epochs", clock.epochs) { $0.add($1) }
    }
  }

  /// `field`: the magnetometer and the account of its values, or `null`.
  package mutating func field(_ account: FieldAccount, _ log: RecordingDescription) {
    guard let field = log.sensor.field else { return null() }
    let magnitudes = account.magnitudes(field)
    object { json in
      json.addFacts(field)
      json.member("valueCount", account.count)
      json.member("skippedCount", account.skippedCount)
      json.member("saturatedCount", account.saturatedCount)
      json.member("least_ut", number: magnitudes.map { Plain.number($0.lowerBound, per: 1000) })
      json.member("most_ut", number: magnitudes.map { Plain.number($0.upperBound, per: 1000) })
    }
  }

  /// `busClock`: the bus's clock as configured, as measured when the sensor was opened, and by the drains; or `null`.
  package mutating func busClock(_ account: BusClockAccount, _ log: RecordingDescription) {
    var configured: Int?
    if case .chip(let hertz) = log.clock { configured = hertz }
    guard account.count > 0 || log.busClockMeasured != nil || configured != nil else {
      return null()
    }
    object { json in
      json.member("configured_hz", configured)
      json.member("opening_hz", log.busClockMeasured)
      json.member("mean_hz", account.hertz)
      json.member("least_hz", account.count > 0 ? account.least : nil)
      json.member("most_hz", account.count > 0 ? account.most : nil)
    }
  }

  /// `origin`: tick 0's deadline on the kernel's clocks, or `null`.
  package mutating func origin(_ origin: ClockOrigin?) {
    guard let origin else { return null() }
    object { json in
      json.member("monotonic_ns", origin.monotonic)
      json.member("raw_ns", origin.raw)
      json.member("boottime_ns", origin.boottime)
    }
  }

  /// `take`: the place in a take, or `null`.
  package mutating func take(_ take: TakePlace?) {
    guard let take else { return null() }
    object { json in
      json.member("id", "\(take.id)")
      json.member("index", take.index)
      json.member("sensors", take.count)
    }
  }

  private mutating func halfWidth(_ clock: ClockAccount) {
    key("halfWidth")
    guard let median = clock.median, let percentile99 = clock.percentile99,
      let maximum = clock.maximum
    else { return null() }
    object { json in
      json.member("median_ns", median)
      json.member("p99_ns", percentile99)
      json.member("maximum_ns", maximum)
    }
  }

  private mutating func add(_ finding: ClockAccount.Finding) {
    object { json in
      json.member("kind", finding.name)
      json.member("least", finding.counts?.lowerBound)
      json.member("most", finding.counts?.upperBound)
      json.member("change_ppm", number: finding.change.map { Plain.number($0, per: 10) })
      json.member("firstTick", finding.ticks.lowerBound)
      json.member("lastTick", finding.ticks.upperBound)
      json.member("from_ns", finding.times.lowerBound)
      json.member("to_ns", finding.times.upperBound)
    }
  }

  private mutating func add(_ epoch: ClockAccount.Epoch) {
    object { json in
      json.member("cause", epoch.cause.name)
      json.member("tick", epoch.tick)
      json.member("estimated", epoch.estimated)
      json.member("least", epoch.missing?.lowerBound)
      json.member("most", epoch.missing?.upperBound)
      json.member("from_ns", epoch.times.lowerBound)
      json.member("to_ns", epoch.times.upperBound)
    }
  }

  /// A rate to a millionth of a hertz.
  private mutating func member(_ name: String, hertz: Double?) {
    member(name, number: hertz.map { Plain.number($0, per: 1_000_000) })
  }
}
