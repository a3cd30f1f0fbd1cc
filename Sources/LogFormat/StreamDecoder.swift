/// Decodes one stream of a samples body: the times, or the counts of one channel.
enum StreamDecoder {
  /// Reads `count` values (1...1024) to `values`, which has room for them.
  ///
  /// Total: any bits give values or an error. On an error `values` holds anything and `state` is unusable.
  static func decode<Value: StreamValue>(
    _ reader: inout BitReader, _ state: inout StreamState, into values: UnsafeMutablePointer<Value>,
    count: Int
  ) throws(MalformedChunk) {
    try state.predictor.read(&reader, for: Value.self)
    if state.predictor.method == .constant {
      try decodeConstant(&reader, &state, into: values, count: count)
    } else {
      var first = 0
      if state.known == 0 {
        values[0] = Value(truncatingIfNeeded: reader.readWide(Value.bitWidth))
        state.remember(Int64(values[0]))
        first = 1
      }
      if first < count {
        let rest = count - first
        try readResiduals(&reader, &state, into: values + first, count: rest)
        restore(values + first, count: rest, &state)
      }
    }
    if reader.isExhausted { throw .exhausted }
  }

  private static func decodeConstant<Value: StreamValue>(
    _ reader: inout BitReader, _ state: inout StreamState, into values: UnsafeMutablePointer<Value>,
    count: Int
  ) throws(MalformedChunk) {
    let value: Value
    if reader.readFlag() {
      value = Value(truncatingIfNeeded: reader.readWide(Value.bitWidth))
    } else {
      guard state.known > 0 else { throw .noHistory }
      value = Value(truncatingIfNeeded: state.latest)
    }
    values.update(repeating: value, count: count)
    state.remember(UnsafePointer(values), count: count)
  }

  private static func readResiduals<Value: StreamValue>(
    _ reader: inout BitReader, _ state: inout StreamState, into values: UnsafeMutablePointer<Value>,
    count: Int
  ) throws(MalformedChunk) {
    var length = count
    if count > RiceCode.partitionUnit {
      let code = Int(reader.read(3))
      guard code < 7 else { throw .unknownPartition }
      length = RiceCode.partitionUnit << code
    }
    var start = 0
    while start < count {
      let index = readParameterIndex(&reader, after: state.parameterIndex)
      guard index >= 0 && index <= Value.bitWidth else { throw .badParameter }
      state.parameterIndex = index
      let end = min(start + length, count)
      if index == 0 {
        (values + start).update(repeating: 0, count: end - start)
      } else {
        var local = reader
        for position in start..<end { values[position] = local.readRice(index &- 1) }
        reader = local
      }
      start = end
    }
  }

  private static func readParameterIndex(_ reader: inout BitReader, after previous: Int) -> Int {
    let zeros = reader.peek().leadingZeroBitCount
    guard zeros < RiceCode.parameterEscapeLength else {
      reader.skip(RiceCode.parameterEscapeLength)
      return Int(reader.read(7))
    }
    reader.skip(zeros + 1)
    return previous + ((zeros >> 1) ^ -(zeros & 1))
  }

  /// Turns residuals into values, in place.
  private static func restore<Value: StreamValue>(
    _ values: UnsafeMutablePointer<Value>, count: Int, _ state: inout StreamState
  ) {
    let predictor = state.predictor
    var past = state.history
    if predictor.spacing != .dense {
      for tap in 0..<StreamMethod.maximumOrder {
        past[tap] = Int64(predictor.spacing.number(of: Value(truncatingIfNeeded: past[tap])))
      }
    }
    if predictor.offset != 0 {
      let offset = Value(truncatingIfNeeded: predictor.offset)
      for index in 0..<count { values[index] &+= offset }
    }
    if predictor.method.isLinear {
      // Safe: linear streams are of Int16 (checked when the head was read), so this is the same type.
      let counts = UnsafeMutableRawPointer(values).assumingMemoryBound(to: Int16.self)
      LinearPredictor.restore(counts, count: count, predictor, known: state.known, past)
    } else {
      FixedPredictor.restore(
        values, count: count, order: predictor.method.order, known: state.known, past)
    }
    predictor.spacing.restore(values, count: count)
    state.remember(UnsafePointer(values), count: count)
  }
}
