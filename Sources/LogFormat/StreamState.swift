/// How the values of a stream are predicted; raw values are part of the format.
struct StreamMethod: Equatable {
  let rawValue: UInt8

  /// Every value is the same.
  static let constant = StreamMethod(rawValue: 0)
  /// Method ids from here on are not known.
  static let firstUnknown: UInt8 = 13
  /// The highest order of a linear predictor.
  static let maximumOrder = 8

  /// The fixed polynomial predictor of order 0 to 3.
  static func fixed(_ order: Int) -> StreamMethod { StreamMethod(rawValue: UInt8(1 + order)) }

  /// The linear predictor of order 1 to 8.
  static func linear(_ order: Int) -> StreamMethod { StreamMethod(rawValue: UInt8(4 + order)) }

  var isLinear: Bool { rawValue >= 5 }
  var order: Int { isLinear ? Int(rawValue) - 4 : max(Int(rawValue) - 1, 0) }
}

/// What a stream carries over from chunk to chunk within a page. A new page begins with a new state.
struct StreamState {
  /// Method of the last chunk.
  var method = StreamMethod.fixed(1)
  /// Low zero bits left out of each value in the last chunk.
  var wastedBits = 0
  /// Parameter index of the last partition.
  var parameterIndex = RiceCode.firstParameterIndex
  /// Values known in `history`: 0...8.
  var known = 0
  /// The latest values, the latest first, sign-extended.
  var history = SIMD8<Int64>()
  /// Coefficients of the last linear predictor, for the latest value first; 0 beyond its order.
  var coefficients = SIMD8<Int32>()
  /// Right shift of its sum of products.
  var shift = 0

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
    history = SIMD8(
      lowHalf: history.lowHalf.shifted(in: value),
      highHalf: history.highHalf.shifted(in: history[3]))
    known = min(known + 1, StreamMethod.maximumOrder)
  }
}

extension SIMD4<Int64> {
  fileprivate func shifted(in value: Int64) -> SIMD4<Int64> {
    SIMD4(value, self[0], self[1], self[2])
  }
}
