/// What a stream carries over from chunk to chunk within a page. A new page begins with a new state.
struct StreamState {
  /// Predictor of the last chunk.
  var predictor = Predictor(.fixed(1))
  /// Parameter index of the last partition.
  var parameterIndex = RiceCode.firstParameterIndex
  /// Values known in `history`: 0...8.
  var known = 0
  /// The latest values, the latest first, sign-extended.
  var history = SIMD8<Int64>()

  /// The latest value, 0 when there is none.
  var latest: Int64 { history[0] }

  /// Puts the latest values of a run into the history.
  mutating func remember<Value: StreamValue>(_ values: UnsafePointer<Value>, count: Int) {
    for index in max(0, count - StreamMethod.maximumOrder)..<max(count, 0) {
      remember(Int64(values[index]))
    }
  }

  /// Puts one value into the history.
  mutating func remember(_ value: Int64) {
    let h = history
    history = SIMD8(value, h[0], h[1], h[2], h[3], h[4], h[5], h[6])
    known = min(known + 1, StreamMethod.maximumOrder)
  }
}
