// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

// The facts about a recording that the page's script needs.

extension JSONWriter {
  /// The object that the page's script begins with.
  mutating func addPage(
    _ plan: ExportPlan, _ account: LogAccount, _ blocks: PageBlock, _ field: FieldDescription?
  ) {
    let log = plan.description
    let (begin, end) = account.ends(plan)
    times.areClaimed = log.isImported
    object { json in
      json.member("schema", JSONWriter.schema)
      if let delay = plan.options.takeDelay {
        json.member("sensorName", log.sensorName)
        json.member("takeDelay_ns", delay)
      }
      json.numbers("ticksPerSecond", [Int64(log.rate.numerator), Int64(log.rate.denominator)])
      json.member("timeUnit_ns", blocks.timeUnit)
      json.member("periodUnits", blocks.period)
      json.member("sampleCount", account.tally.sampled)
      json.member("units", plan.units.rawValue)
      json.member("channels", plan.columnNames)
      json.key("panels")
      json.open("[")
      json.addPanel("Acceleration", [0, 1, 2], plan)
      json.addPanel("Angular rate", [3, 4, 5], plan)
      json.addPanel("Temperature", [6], plan)
      json.close("]")
      if let field { json.member("field") { $0.addPanel(of: field) } }
      // Numbers of a script are exact to 2^53 only, so that all times but this text are since it.
      json.member("zero_ns", "\(plan.zero)")
      json.member("started_ms", account.wallAtZero(plan).map { $0 / 1_000_000 })
      json.numbers("range_ns", [plan.sinceZero(begin), plan.sinceZero(max(begin, end))])
      let ticks = account.ticks(plan)
      json.numbers("ticks", [Int64(clamping: ticks.lowerBound), Int64(clamping: ticks.upperBound)])
      json.member("imported", log.isImported)
      json.member("freeRunning", log.isFreeRunning)
      json.member("phrases") { json in
        for cause in GapCause.allCases { json.member(cause.name, cause.phrase) }
      }
      json.member("gapCount", account[.gaps].count)
      json.member("gaps", account[.gaps].items) { json, place in
        guard case .gap(let gap) = place.item else { return }
        json.add(gap, at: plan.on(place.origin).time(ofTick: gap.firstTick))
      }
      json.member("id", log.id.description)
      json.addOrientation(plan)
      json.member("labels", plan.labels) { json, label in
        json.addStretch(plan.sinceZero(label.from), plan.sinceZero(label.to), label.name)
      }
      json.member("markCount", account[.marks].count)
      json.member("marks", account[.marks].items) { json, place in
        if case .mark(var mark) = place.item {
          mark.time = plan.sinceZero(mark.time)
          json.add(mark)
        }
      }
      json.words()
    }
  }

  private mutating func addPanel(_ name: String, _ channels: [Int], _ plan: ExportPlan) {
    let columns = channels.compactMap { plan.channels.firstIndex(of: $0) }
    guard let first = channels.first, !columns.isEmpty else { return }
    object { json in
      json.member("name", name)
      json.numbers("columns", columns.map { Int64($0) })
      json.addUnit(plan.units, ofChannel: first, plan)
      // The page switches between these; one in counts has them too.
      let others = plan.units == .raw ? ExportUnits.allCases : [.si, .gDps]
      json.member("units", others) { json, units in
        json.object { json in
          json.member("system", units.rawValue)
          json.addUnit(units, ofChannel: first, plan)
        }
      }
    }
  }

  private mutating func addPanel(of field: FieldDescription) {
    member("name", "Magnetic field")
    numbers("rate", [Int64(field.rate.numerator), Int64(field.rate.denominator)])
    numbers("columns", [0, 1, 2])
    addLine("µT", [.one], .zero)
    member("digits", 3)
  }

  private mutating func addUnit(_ units: ExportUnits, ofChannel channel: Int, _ plan: ExportPlan) {
    let (scale, offset) = plan.line(ofChannel: channel, in: units)
    addLine(units.unit(ofChannel: channel).symbol, scale, offset)
  }

  private mutating func addLine(_ unit: String, _ scale: [Fraction], _ offset: Fraction) {
    member("unit", unit)
    member("scale", scale) { json, factor in
      json.open("[")
      json.integer(factor.numerator)
      json.integer(factor.denominator)
      json.close("]")
    }
    member("offset", offset)
  }

  /// A value of the magnetometer, six members of a list; returns the end of its interval in µs.
  ///
  ///     from the end before to that of its interval, and its width, in µs │ x, y, z in µT or null │ flags, as in the log
  mutating func addField(_ value: FieldReading, after last: Int64, _ plan: ExportPlan) -> Int64 {
    let end = plan.sinceZero(value.time) / 1000
    integer(end - last)
    integer(value.width / 1000)
    for axis in plan.microteslas(value) {
      if axis.isNaN { null() } else { number(Plain.number(axis, per: 1000)) }
    }
    integer(value.flags.rawValue)
    return end
  }

  private mutating func numbers(_ name: String, _ values: [Int64]) {
    member(name, values) { $0.integer($1) }
  }
}
