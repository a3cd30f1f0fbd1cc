// SPDX-License-Identifier: Apache-2.0

/// A second decoder of samples bodies, written plainly from the specification and sharing no code with the
/// first: slow, allocating, one bit at a time.
///
/// It also notes which features of the format a body uses, so that tests can see that they cover them.
struct ReferenceDecoder {
  struct Stream {
    var method = 2
    var wasted = 0
    var lattice: (precision: Int64, step: Int64, base: Int64)?
    var offset: Int64 = 0
    var weights: [Int64] = []
    var shift = 0
    var index = 5
    var history: [Int64] = []
  }

  struct Sample: Equatable {
    var tick: UInt64
    /// Lateness in units.
    var lateness: Int64
    var counts: [Int64]
  }

  struct Malformed: Error {}

  var streams: [Stream]
  var expectedTick: UInt64
  var lastCount = 0
  private(set) var features: Set<String> = []
  private var bits: [Bool] = []
  private var place = 0

  init(channelCount: Int, firstTick: UInt64, firstLateness: Int64) {
    streams = Array(repeating: Stream(), count: channelCount + 1)
    streams[0].history = [firstLateness]
    expectedTick = firstTick
  }

  mutating func decode(_ body: [UInt8]) throws -> [Sample] {
    bits = body.flatMap { byte in (0..<8).map { byte & (0x80 >> $0) != 0 } }
    place = 0
    var (hasOffset, hasSteps, hasRepeats) = (false, false, false)
    var count = lastCount
    if try number(1) == 1 {
      guard count > 0 else { throw Malformed() }
      features.insert("as-before")
    } else {
      count = Int(try number(10)) + 1
      (hasOffset, hasSteps, hasRepeats) = (
        try number(1) == 1, try number(1) == 1, try number(1) == 1
      )
      guard try number(2) == 0 else { throw Malformed() }
    }
    lastCount = count
    let ticks = try ticks(count, hasOffset, hasSteps)
    var repeats = Array(repeating: false, count: count)
    if hasRepeats {
      features.insert("repeats")
      for index in 0..<count { repeats[index] = try number(1) == 1 }
    }
    let times = try values(stream: 0, count: count, width: 64)
    var samples = zip(ticks, times).map { Sample(tick: $0, lateness: $1, counts: []) }
    for channel in 1..<streams.count {
      var latest = streams[channel].history.last
      let coded = repeats.filter { !$0 }.count
      var rest = coded > 0 ? try values(stream: channel, count: coded, width: 16)[...] : []
      for index in 0..<count {
        if !repeats[index] { latest = rest.removeFirst() }
        guard let latest else { throw Malformed() }
        samples[index].counts.append(latest)
      }
    }
    return samples
  }

  private mutating func ticks(
    _ count: Int, _ hasOffset: Bool, _ hasSteps: Bool
  ) throws -> [UInt64] {
    var tick = expectedTick
    if hasOffset {
      features.insert("tick-offset")
      tick += try number(Int(try number(6)) + 1)
    }
    var ticks = [tick]
    if hasSteps {
      features.insert("tick-steps")
      let parameter = Int(try number(6))
      for _ in 1..<count {
        tick += 1 + (try rice(parameter, width: 64))
        ticks.append(tick)
      }
    } else {
      for _ in 1..<max(count, 1) {
        tick += 1
        ticks.append(tick)
      }
    }
    expectedTick = tick + 1
    return ticks
  }

  private mutating func values(stream: Int, count: Int, width: Int) throws -> [Int64] {
    var state = streams[stream]
    if try number(1) == 1 { try head(&state, width) }
    var values: [Int64] = []
    if state.method == 0 {
      features.insert("constant")
      let isNew = try number(1) == 1
      let value = isNew ? wrap(Int64(bitPattern: try number(width)), width) : state.history.last
      guard let value else { throw Malformed() }
      values = Array(repeating: value, count: count)
      state.history += values
    } else {
      if state.history.isEmpty {
        values.append(wrap(Int64(bitPattern: try number(width)), width))
        state.history += values
      }
      if values.count < count {
        features.insert(state.method < 5 ? "fixed-\(state.method - 1)" : "linear")
        let residuals = try residuals(&state, count - values.count, width)
        for residual in residuals {
          let past = state.history.suffix(8).map { number(of: $0, state, width) }
          let found = wrap(predict(state, past) &+ state.offset &+ residual, width)
          values.append(wrap(value(at: found, state), width))
          state.history += values.suffix(1)
        }
      }
    }
    streams[stream] = state
    return values
  }

  private mutating func head(_ state: inout Stream, _ width: Int) throws {
    let small = width == 64 ? 6 : 4
    state.method = Int(try number(4))
    (state.wasted, state.lattice, state.offset, state.weights, state.shift) = (0, nil, 0, [], 0)
    guard state.method < (width == 64 ? 5 : 13) else { throw Malformed() }
    guard state.method > 0 else { return }
    if try number(1) == 1 {
      state.wasted = Int(try number(small))
      features.insert(state.wasted > 0 ? "wasted-bits" : "lattice")
      if state.wasted == 0 { state.lattice = try lattice(width) }
    }
    if try number(1) == 1 {
      features.insert("offset")
      state.offset = unfold(try number(Int(try number(small)) + 1))
    }
    guard state.method >= 5 else { return }
    let weightWidth = Int(try number(4)) + 1
    guard weightWidth <= 12 else { throw Malformed() }
    state.shift = Int(try number(4))
    for _ in 0..<(state.method - 4) {
      state.weights.append(wrap(Int64(try number(weightWidth)), weightWidth))
    }
  }

  private mutating func lattice(_ width: Int) throws -> (Int64, Int64, Int64) {
    let precision = Int(try number(5))
    guard width == 16, precision <= 24 else { throw Malformed() }
    let (step, base) = (Int64(try number(6 + precision)), Int64(try number(6 + precision)))
    guard step >= 1 << precision else { throw Malformed() }
    return (Int64(precision), step, base)
  }

  /// The value that has a number, without regard to its width.
  private func value(at number: Int64, _ state: Stream) -> Int64 {
    guard let (precision, step, base) = state.lattice else { return number << Int64(state.wasted) }
    return (number * step + base) >> precision
  }

  /// The number of the greatest value that is not above this one.
  private func number(of value: Int64, _ state: Stream, _ width: Int) -> Int64 {
    guard let (precision, step, base) = state.lattice else { return value >> Int64(state.wasted) }
    var found = (value - 70) << precision / step - 70
    while ((found + 1) * step + base) >> precision <= value { found += 1 }
    return wrap(found, width)
  }

  private func predict(_ state: Stream, _ past: [Int64]) -> Int64 {
    func latest(_ distance: Int) -> Int64 { past[past.count - distance] }
    if state.method >= 5 {
      guard past.count >= state.weights.count else { return past.last ?? 0 }
      var sum: Int64 = 0
      for (tap, weight) in state.weights.enumerated() { sum += weight * latest(tap + 1) }
      return sum >> Int64(state.shift)
    }
    switch min(state.method - 1, past.count) {
    case 0: return 0
    case 1: return latest(1)
    case 2: return 2 &* latest(1) &- latest(2)
    default: return 3 &* latest(1) &- 3 &* latest(2) &+ latest(3)
    }
  }

  private mutating func residuals(_ state: inout Stream, _ count: Int, _ width: Int) throws
    -> [Int64]
  {
    var length = count
    if count > 16 {
      let code = try number(3)
      guard code < 7 else { throw Malformed() }
      length = 16 << Int(code)
      if length < count { features.insert("partitions") }
    }
    var residuals: [Int64] = []
    while residuals.count < count {
      var zeros = 0
      while zeros < 15, try number(1) == 0 { zeros += 1 }
      state.index = zeros < 15 ? state.index + Int(unfold(UInt64(zeros))) : Int(try number(7))
      guard (0...width).contains(state.index) else { throw Malformed() }
      for _ in 0..<min(length, count - residuals.count) {
        if state.index == 0 { features.insert("zero-partition") }
        let code = state.index == 0 ? 0 : try rice(state.index - 1, width: width)
        residuals.append(unfold(code))
      }
    }
    return residuals
  }

  private mutating func rice(_ parameter: Int, width: Int) throws -> UInt64 {
    let escape = width == 64 ? 12 : 20
    var zeros = 0
    while zeros < escape, try number(1) == 0 { zeros += 1 }
    guard zeros == escape else {
      let code = UInt64(zeros) << UInt64(parameter) | (try number(parameter))
      return width == 64 ? code : code & 0xFFFF
    }
    features.insert(width == 64 ? "wide-escape" : "escape")
    return try number(width == 64 ? Int(try number(6)) + 1 : 16)
  }

  private mutating func number(_ width: Int) throws -> UInt64 {
    guard place + width <= bits.count else { throw Malformed() }
    defer { place += width }
    return bits[place..<(place + width)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
  }

  private func unfold(_ code: UInt64) -> Int64 {
    code % 2 == 0 ? Int64(code / 2) : -1 - Int64(code / 2)
  }

  /// The lowest `width` bits as a signed number.
  private func wrap(_ value: Int64, _ width: Int) -> Int64 {
    let unused = Int64(64 - width)
    return (value << unused) >> unused
  }
}
