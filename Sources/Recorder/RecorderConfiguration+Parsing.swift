import IMUModel

extension RecorderConfiguration {
  /// Reads a configuration file.
  ///
  ///     key = value     # a comment: a # that begins a line or follows white space
  ///
  /// A key that is not in the file has its default. The first thing wrong is thrown; nothing is put right
  /// silently.
  ///
  /// - Parameters:
  ///   - text: The file's bytes.
  ///   - file: Its name, for the error.
  ///   - choices: What the rest of the program offers.
  ///   - board: The board that the command line gives instead.
  ///   - preTrigger: The pre-trigger that the command line gives instead, as it is written there.
  public init(
    text: [UInt8], file: String, choices: ConfigurationChoices, board: String? = nil,
    preTrigger: String? = nil
  ) throws(ConfigurationError) {
    var lines = try ConfigurationLines(text, file: file)
    if let board { lines.replace(.board, with: board) }
    if let preTrigger { lines.replace(.preTrigger, with: preTrigger) }
    let values = ConfigurationValues(lines)
    self = .default
    try readSensor(values, choices)
    try readRecording(values, choices)
    try readService(values)
    try checkTogether(values)
  }

  /// Reads a configuration file's text; see ``init(text:file:choices:)-(Array,_,_)``.
  public init(text: String, file: String, choices: ConfigurationChoices) throws(ConfigurationError)
  {
    try self.init(text: Array(text.utf8), file: file, choices: choices)
  }

  private mutating func readSensor(
    _ values: ConfigurationValues, _ choices: ConfigurationChoices
  ) throws(ConfigurationError) {
    board = try values.choice(.board, of: choices.boards)
    sensor = try values.read(
      .sensor, sensor, accepts: "give auto or one of \(choices.sensors.joined(separator: ", "))"
    ) { text in
      // The address after an @ is checked where chips are known.
      let model = String(text.prefix { $0 != "@" })
      return text == "auto"
        ? .some(nil) : model == "auto" || choices.sensors.contains(model) ? .some(text) : nil
    }
    bus = try values.read(
      .bus, bus, accepts: "give auto, or the number N of a /dev/i2c-N"
    ) { $0 == "auto" ? .some(nil) : Digits.number($0, upTo: 1_048_575).map { .some($0) } }
  }

  private mutating func readRecording(
    _ values: ConfigurationValues, _ choices: ConfigurationChoices
  ) throws(ConfigurationError) {
    rate = try values.read(
      .rate, rate,
      accepts: "give hertz as a decimal number above 0 and up to 1000, such as 10 or 12.5"
    ) { SampleRate(decimal: $0).flatMap { $0.hertz <= 1000 ? $0 : nil } }
    length = try values.read(
      .length, length, accepts: "give a time above 0, such as 60s or 1.5m, or until-stopped"
    ) { text in
      if text == "until-stopped" { return .some(nil) }
      return SpanText.nanoseconds(text).flatMap { $0 > 0 ? .some($0) : nil }
    }
    channels = try values.word(
      .channels, channels, ["both": .all, "accel": .accelerometer, "gyro": .gyroscope],
      accepts: "give accel, gyro or both")
    accelerometerRange = try values.range(
      .accelerometerRange, accelerometerRange, of: choices.accelerometerRanges, unit: "g")
    gyroscopeRange = try values.range(
      .gyroscopeRange, gyroscopeRange, of: choices.gyroscopeRanges, unit: "dps")
    syncInterval = try values.read(
      .syncInterval, syncInterval,
      accepts: "give auto, a time such as 1s, or 0 for only at a recording's end"
    ) { text in text == "auto" ? .some(nil) : SpanText.nanoseconds(text).map { .some($0) } }
    cpuLatency = try values.read(
      .cpuLatency, cpuLatency,
      accepts: "give auto, off, or the microseconds that a processor may take to wake up"
    ) { LatencyChoice($0) }
    note = try values.read(.note, note, accepts: "1000 bytes fit into a recording; shorten it") {
      $0.utf8.count <= 1000 ? $0 : nil
    }
    preTrigger = try values.read(
      .preTrigger, preTrigger, accepts: "give a time such as 5s, or 0s for none"
    ) { SpanText.nanoseconds($0) }
  }

  private mutating func readService(_ values: ConfigurationValues) throws(ConfigurationError) {
    store = try values.read(
      .store, store, accepts: "give auto, or a directory as an absolute path"
    ) { text in text == "auto" ? .some(nil) : text.hasPrefix("/") ? .some(text) : nil }
    samplesWhileIdle = try values.word(
      .whileIdle, samplesWhileIdle, ["sample": true, "sleep": false],
      accepts: "give sample or sleep"
    )
    button = try values.line(.button, button)
    isButtonActiveLow = try values.level(.buttonActive, isButtonActiveLow)
    light = try values.line(.light, light)
    isLightActiveLow = try values.level(.lightActive, isLightActiveLow)
    reserve = try values.read(
      .reserve, reserve, accepts: "give bytes with or without a unit, such as 200MB, 1.5GiB or 0"
    ) { ByteText.bytes($0) }
    deletesOldest = try values.word(
      .deleteOldest, deletesOldest, ["yes": true, "no": false], accepts: "give yes or no")
  }

  private func checkTogether(_ values: ConfigurationValues) throws(ConfigurationError) {
    if board == "simulator", bus != nil {
      throw values.lines.error(.bus, "the simulator has no bus to choose; give auto")
    }
    if let button = usedLine(button), button == usedLine(light) {
      throw values.lines.error(.light, "this is the button's line; give the light another")
    }
    guard preTrigger > 0 else { return }
    guard samplesWhileIdle else {
      throw values.lines.error(
        .preTrigger,
        "nothing is sampled before a press with while-idle = sleep; "
          + "give 0s here, or while-idle = sample")
    }
    let longest = RecorderConfiguration.longestPreTrigger(at: rate)
    guard preTrigger <= longest else {
      let hertz = values.lines[.rate]?.value ?? "10"
      throw values.lines.error(
        .preTrigger, "the history holds at most \(SpanText.text(longest)) at \(hertz) Hz; give less"
      )
    }
  }

  /// A line that is certain to be that one.
  private func usedLine(_ line: LineChoice) -> LineChoice? {
    switch line {
    case .automatic, .none: return nil
    case .named, .offset: return line
    }
  }
}
