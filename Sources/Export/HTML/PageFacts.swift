import IMUModel

// What the page says of a recording beside its samples, for its script and for its readers.

extension JSONText {
  /// The object that the page's script begins with.
  mutating func addPage(_ plan: ExportPlan, _ account: LogAccount, _ blocks: PageBlock) {
    let log = plan.description
    open("{")
    key("rate")
    numbers([Int64(log.rate.numerator), Int64(log.rate.denominator)])
    key("unit_ns")
    integer(blocks.timeUnit)
    key("period")
    integer(blocks.period)
    key("samples")
    integer(account.ledger.sampled)
    key("channels")
    open("[")
    for channel in plan.channels { string(ChannelSet.names[channel]) }
    close("]")
    key("panels")
    open("[")
    addPanel("Acceleration", [0, 1, 2], plan)
    addPanel("Angular rate", [3, 4, 5], plan)
    addPanel("Temperature", [6], plan)
    close("]")
    key("started_ms")
    if let started = account.started { integer(started / 1_000_000) } else { null() }
    key("range_ns")
    let (begin, end) = account.ends(plan)
    numbers([begin, max(begin, end)])
    key("imported")
    bool(log.isImported)
    key("gapCount")
    integer(account.gaps.count)
    key("gaps")
    open("[")
    for case .gap(let gap) in account.gaps.items {
      open("[")
      integer(gap.firstTick)
      integer(gap.count)
      string(gap.cause.phrase)
      close("]")
    }
    close("]")
    key("markCount")
    integer(account.marks.count)
    key("marks")
    open("[")
    for case .mark(let mark) in account.marks.items {
      open("[")
      integer(mark.time)
      string(mark.label)
      close("]")
    }
    close("]")
    close("}")
  }

  private mutating func addPanel(_ name: String, _ channels: [Int], _ plan: ExportPlan) {
    let columns = channels.compactMap { plan.channels.firstIndex(of: $0) }
    guard let first = channels.first, !columns.isEmpty else { return }
    open("{")
    key("name")
    string(name)
    key("unit")
    string(plan.unitSymbol(ofChannel: first))
    key("columns")
    numbers(columns.map { Int64($0) })
    let (scale, offset) = plan.line(ofChannel: first)
    key("scale")
    open("[")
    for factor in scale { numbers([factor.numerator, factor.denominator]) }
    close("]")
    key("offset")
    numbers([offset.numerator, offset.denominator])
    close("}")
  }

  private mutating func numbers(_ values: [Int64]) {
    open("[")
    for value in values { integer(value) }
    close("]")
  }
}

extension ExportPlan {
  /// The unit of a channel's values as people write it.
  func unitSymbol(ofChannel channel: Int) -> String {
    switch unitName(ofChannel: channel) {
    case "m/s^2": return "m/s²"
    case "deg/s": return "°/s"
    case "degC": return "°C"
    case "count": return "counts"
    case let name: return name
    }
  }

  /// What makes a channel's count a value: factors, and what is added.
  func line(ofChannel channel: Int) -> (factors: [Fraction], offset: Fraction) {
    guard units != .raw else { return ([.one], .zero) }
    let sensor = description.sensor
    switch channel {
    case 0...2:
      let factor = units == .si ? Fraction.standardGravity : .one
      return ([sensor.accelerometerScale, factor], .zero)
    case 3...5:
      let factor = units == .si ? Fraction.radiansPerDegree : .one
      return ([sensor.gyroscopeScale, factor], .zero)
    default: return ([sensor.temperatureScale], sensor.temperatureOffset)
    }
  }
}
