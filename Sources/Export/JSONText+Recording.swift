import IMUModel
import LogStore

// The document's keys, in the document's order.

extension JSONText {
  /// From `format` to `units`.
  mutating func addHeader(_ plan: ExportPlan) {
    let description = plan.description
    key("format")
    string("imulog-json/1")
    key("id", onNewLine: true)
    string(description.id.description)
    key("number", onNewLine: true)
    integer(description.number)
    if let source = description.recoveredFrom {
      key("recoveredFrom", onNewLine: true)
      string(source.description)
    }
    key("note", onNewLine: true)
    string(description.note)
    key("sensor", onNewLine: true)
    addSensor(description)
    key("board", onNewLine: true)
    string(description.board)
    key("host", onNewLine: true)
    string(description.host)
    key("software", onNewLine: true)
    string(description.software)
    key("realTime", onNewLine: true)
    string(description.realTime)
    if !description.cpuLatency.isEmpty {
      key("cpuLatency", onNewLine: true)
      string(description.cpuLatency)
    }
    key("rateHz", onNewLine: true)
    ratio(UInt64(description.rate.numerator), UInt64(description.rate.denominator), decimals: 12)
    key("units", onNewLine: true)
    open("{")
    key("t_ns")
    string("ns")
    for channel in plan.channels {
      key(ChannelSet.names[channel])
      string(plan.unitName(ofChannel: channel))
    }
    close("}")
  }

  private mutating func addSensor(_ description: RecordingDescription) {
    let sensor = description.sensor
    open("{")
    key("model")
    string(sensor.model)
    key("identity")
    optional(sensor.identity)
    key("address")
    optional(sensor.address)
    key("channels")
    open("[")
    for channel in description.channels.indices { string(ChannelSet.names[channel]) }
    close("]")
    key("accelerometerRange_g")
    optional(sensor.accelerometerRange == 0 ? nil : sensor.accelerometerRange)
    key("gyroscopeRange_dps")
    optional(sensor.gyroscopeRange == 0 ? nil : sensor.gyroscopeRange)
    // Exact ratios, so that counts from `--units raw` can be scaled without a rounding of ours.
    key("g_per_count")
    fraction(sensor.accelerometerScale)
    key("dps_per_count")
    fraction(sensor.gyroscopeScale)
    key("degC_per_count")
    fraction(sensor.temperatureScale)
    key("degC_at_zero")
    fraction(sensor.temperatureOffset)
    key("outputDataRateHz")
    addOutputDataRate(sensor.outputDataRate)
    key("filter")
    string(sensor.filter.isEmpty ? nil : sensor.filter)
    close("}")
  }

  private mutating func addOutputDataRate(_ hertz: Double) {
    // A damaged or foreign header may hold any number, and JSON has no word for infinity.
    guard hertz > 0, hertz < 1e9 else { return null() }
    ratio(UInt64((hertz * 1000).rounded()), 1000, decimals: 3)
  }

  /// The part of the recording that was asked for.
  mutating func addRange(_ options: ExportOptions) {
    key("range", onNewLine: true)
    open("{")
    key("from_ns")
    optional(options.from)
    key("to_ns")
    optional(options.to)
    close("}")
  }

  /// `started`, and `clock` up to its array of pairs.
  mutating func addStart(_ account: LogAccount) {
    key("started", onNewLine: true)
    string(account.started.map { RFC3339.text(nanoseconds: $0) })
    key("clock", onNewLine: true)
    open("{")
    key("synchronised")
    bool(account.bestPair?.isSynchronised ?? false)
    key("used")
    optional(account.bestPairIndex)
    key("pairs")
  }

  /// From `complete` to `lateness`.
  ///
  /// - Parameters:
  ///   - isRange: Whether the account is that of a part of the recording.
  ///   - isLive: Whether a program is writing the recording.
  mutating func addEnd(_ account: LogAccount, isRange: Bool, isLive: Bool) {
    key("complete", onNewLine: true)
    bool(account.isWhole)
    key("stopReason", onNewLine: true)
    string(account.end?.reason.name ?? (isLive ? "running" : "recovered"))
    key("ticks", onNewLine: true)
    // What is lost of a part of the recording is not known.
    addLedger(account.ledger, lost: isRange ? 0 : account.ticksLost)
    if account.ticksLost > 0 {
      key("ticksLost", onNewLine: true)
      integer(account.ticksLost)
    }
    key("lateness", onNewLine: true)
    guard let lateness = account.end?.measuredLateness else { return null() }
    open("{")
    key("median_ns")
    integer(lateness.median)
    key("percentile99_ns")
    integer(lateness.percentile99)
    key("maximum_ns")
    integer(lateness.maximum)
    close("}")
  }

  private mutating func addLedger(_ ledger: TickLedger, lost: UInt64) {
    var ledger = ledger
    ledger.add(lost, .lost)
    open("{")
    for (name, count) in ledger.named {
      key(name)
      integer(count)
    }
    close("}")
  }

  private mutating func optional(_ value: (some BinaryInteger)?) {
    if let value { integer(value) } else { null() }
  }

  private mutating func fraction(_ fraction: Fraction) {
    open("[")
    integer(fraction.numerator)
    integer(fraction.denominator)
    close("]")
  }
}

extension JSONText {
  /// Adds an item to the array of the section that it belongs to, if that is this one and the item is in
  /// the range.
  mutating func add(_ item: LogItem, to section: LogAccount.Section, _ plan: ExportPlan) {
    switch (section, item) {
    case (.clockPairs, .clock(let pair)): add(pair)
    case (.gaps, .gap(let gap)): if let part = plan.part(of: gap) { add(part, plan) }
    case (.marks, .mark(let mark)) where plan.contains(mark.time): add(mark)
    case (.sensorEvents, .sensor(let event)) where plan.contains(event):
      add(event, plan)
    case (.damage, .damage(let damage)): add(damage)
    default: break
    }
  }

  private mutating func add(_ pair: ClockPair) {
    open("{")
    key("t_ns")
    integer(pair.time)
    key("wall")
    string(RFC3339.text(nanoseconds: pair.wall))
    key("synchronised")
    bool(pair.isSynchronised)
    key("reason")
    string(pair.reason.name)
    close("}")
  }

  private mutating func add(_ gap: Gap, _ plan: ExportPlan) {
    open("{")
    key("t_ns")
    integer(plan.time(ofTick: gap.firstTick))
    key("tick")
    integer(gap.firstTick)
    key("count")
    integer(gap.count)
    key("cause")
    string(gap.cause.name)
    if gap.code != 0 {
      key("errno")
      integer(gap.code)
    }
    close("}")
  }

  private mutating func add(_ mark: Mark) {
    open("{")
    key("t_ns")
    integer(mark.time)
    key("label")
    string(mark.label)
    close("}")
  }

  private mutating func add(_ event: SensorEvent, _ plan: ExportPlan) {
    open("{")
    key("t_ns")
    integer(plan.time(ofTick: event.tick))
    key("tick")
    integer(event.tick)
    key("kind")
    string(event.kind.name)
    key("fault")
    string(event.fault.name)
    close("}")
  }

  private mutating func add(_ damage: Damage) {
    open("{")
    key("page")
    integer(damage.page)
    key("pages")
    integer(damage.pageCount)
    key("offset")
    integer(damage.offset)
    key("bytes")
    integer(damage.byteCount)
    key("ticksLost")
    optional(damage.ticksLost)
    key("what")
    string(damage.description)
    close("}")
  }
}
