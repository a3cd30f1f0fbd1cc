// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

/// The facts of a recording's header as names and texts, for formats with flat metadata.
///
/// Names are those of the JSON document, with `imulog.` before them and points between levels. Ratios are `61/1000000`.
/// A fact that is not known is absent.
struct HeaderFacts {
  /// In the order of the JSON document.
  private(set) var facts: [(name: String, text: String)] = []

  /// The facts of a plan.
  ///
  /// - Parameter notes: What dates the recording, and its sensor's certificate.
  init(_ plan: ExportPlan, _ notes: RecordingNotes) {
    let (clock, log, sensor) = (notes.clock, plan.description, plan.description.sensor)
    add("format", "imulog-flat")
    add("schema", "\(JSONWriter.schema)")
    add("id", log.id.description)
    add("number", "\(log.number)")
    add("recoveredFrom", log.recoveredFrom?.description)
    add("note", log.note.isEmpty ? nil : log.note)
    add("sensor.model", sensor.model)
    add("sensor.identity", sensor.identity.map { "\($0)" })
    add("sensor.address", sensor.address.map { "\($0)" })
    add("sensor.channels", log.channels.indices.map { ChannelSet.names[$0] }.joined(separator: ","))
    if sensor.accelerometerRange > 0 {
      add("sensor.accelerometerRange_g", "\(sensor.accelerometerRange)")
    }
    if sensor.gyroscopeRange > 0 { add("sensor.gyroscopeRange_dps", "\(sensor.gyroscopeRange)") }
    add("sensor.accelerometerScale_g", HeaderFacts.text(sensor.accelerometerScale))
    add("sensor.gyroscopeScale_dps", HeaderFacts.text(sensor.gyroscopeScale))
    add("sensor.temperatureScale_c", HeaderFacts.text(sensor.temperatureScale))
    add("sensor.temperatureOffset_c", HeaderFacts.text(sensor.temperatureOffset))
    if sensor.outputDataRate > 0, sensor.outputDataRate < 1e9 {
      add("sensor.outputDataRate_hz", "\(sensor.outputDataRate)")
    }
    add("sensor.filter", sensor.filter.isEmpty ? nil : sensor.filter)
    add("field.model", sensor.field?.model)
    add("field.rate_hz", (sensor.field?.rate).map { HeaderFacts.hertz($0) })
    for (name, text) in log.texts { add(name, text) }
    if let take = log.take { add("take", "\(take.id) \(take.index) \(take.count)") }
    if let origin = log.origin {
      add("origin.monotonic_ns", "\(origin.monotonic)")
      add("origin.raw_ns", "\(origin.raw)")
      add("origin.boottime_ns", "\(origin.boottime)")
    }
    add("axes", log.axes.map { "\($0)" })
    add("calibration", log.calibration?.text)
    add("calibrated", plan.calibration?.text)
    add("rate_hz", HeaderFacts.hertz(log.rate))
    add("started", clock.map { RFC3339.text(nanoseconds: $0.wallAtStart) })
    add("clock.synchronised", "\(clock?.isSynchronised ?? false)")
    add("range.from_ns", plan.from == .min ? nil : "\(plan.from)")
    add("range.to_ns", plan.to == .max ? nil : "\(plan.to)")
    if plan.options.isResampled {
      add("resampled.rate_hz", HeaderFacts.hertz(log.rate))
      add("resampled.kernel", ResamplingKernel.name)
      add("resampled.pass_band", "\(ResamplingKernel.passBand)")
    }
    for channel in plan.channels {
      add("units.\(ChannelSet.names[channel])", plan.unit(ofChannel: channel).name)
    }
    if let derived = plan.derived {
      for column in derived.columns { add("units.\(column.name)", column.unit) }
      for fact in derived.facts { add("orientation.\(fact.name)", fact.text) }
    }
    addWords(plan)
    guard let certificate = notes.certificate else { return }
    add("certificate.verdict", certificate.verdict.rawValue)
    for finding in certificate.findings {
      let bound = finding.bound.isEmpty ? "" : " (\(finding.bound))"
      add("certificate.\(finding.name)", "\(finding.verdict.rawValue) \(finding.value)\(bound)")
    }
  }

  /// Adds the value of a count, and for temperatures of count 0, in a unit that gives exact ratios.
  mutating func addScales(_ plan: ExportPlan) {
    let sensor = plan.description.sensor
    for channel in plan.channels where plan.units == .raw {
      let name = ChannelSet.names[channel]
      add("scale.\(name)", HeaderFacts.text(sensor.scale(ofChannel: channel)))
      if channel > 5 { add("offset.\(name)", HeaderFacts.text(sensor.temperatureOffset)) }
      add("scaleUnit.\(name)", ExportUnits.gDps.unit(ofChannel: channel).name)
    }
  }

  /// Adds what happened to the ticks of what is exported, and how many parts of the log could not be read: what the JSON
  /// document says in `ticks` and `damage`.
  mutating func addTally(_ tally: TickTally, damages: UInt64) {
    for (name, count) in tally.named { add("ticks.\(name)", "\(count)") }
    add("damage", "\(damages)")
  }

  /// Adds the words for the times and rates so far, and for the columns of times.
  private mutating func addWords(_ plan: ExportPlan) {
    var words = TimeWords()
    words.areClaimed = plan.description.isImported
    for name in facts.map(\.name) + plan.timeColumns {
      let parts = name.split(separator: ".").suffix(2).map(String.init)
      words.note(parts[parts.count - 1], in: parts[0])
    }
    for (name, word) in words.all { add("words.\(name)", word.rawValue) }
  }

  /// Adds a fact, if it is known.
  mutating func add(_ name: String, _ text: String?) {
    if let text { facts.append(("imulog.\(name)", text)) }
  }

  /// A rate as JSON has it, from which an import makes the same one.
  private static func hertz(_ rate: SampleRate) -> String {
    var json = JSONWriter()
    json.rate(rate)
    return json.text
  }

  private static func text(_ ratio: Fraction) -> String {
    "\(ratio.numerator)/\(ratio.denominator)"
  }
}

extension RecordingDescription {
  /// Texts of the header by their names in JSON, in its order; `nil` where they are not known.
  var texts: KeyValuePairs<String, String?> {
    func known(_ text: String) -> String? { text.isEmpty ? nil : text }
    return [
      "board": board, "host": host, "software": software, "realTime": realTime,
      "cpuLatency": known(cpuLatency), "begunBy": begunBy?.rawValue, "trigger": known(trigger),
      "timetable": known(timetable), "boot": known(boot),
      "sensorName": known(sensorName), "busPath": known(busPath),
    ]
  }
}
