/// The polynomial predictors of order 0 to 3: 0, a, 2a − b, 3a − 3b + c, where a is the latest value.
///
/// All arithmetic wraps to the width of the values, in the encoder and in the decoder alike, so that every
/// sequence of values is representable.
enum FixedPredictor {
  /// The highest order.
  static let maximumOrder = 3

  /// The prediction from the latest values.
  @inline(__always)
  static func predict<Value: StreamValue>(
    order: Int, _ a: Value, _ b: Value, _ c: Value
  ) -> Value {
    switch order {
    case 0: return 0
    case 1: return a
    case 2: return 2 &* a &- b
    default: return 3 &* (a &- b) &+ c
    }
  }

  /// Turns residuals into values in place; while fewer values than `order` are known, the order is lower.
  static func restore<Value: StreamValue>(
    _ values: UnsafeMutablePointer<Value>, count: Int, order: Int, known: Int, _ past: SIMD8<Int64>
  ) {
    var a = Value(truncatingIfNeeded: past[0])
    var b = Value(truncatingIfNeeded: past[1])
    var c = Value(truncatingIfNeeded: past[2])
    var index = 0
    while index < count && known + index < order {
      let value = values[index] &+ predict(order: known + index, a, b, c)
      (a, b, c) = (value, a, b)
      values[index] = value
      index += 1
    }
    switch order {
    case 0: return
    case 1:
      for index in index..<max(index, count) {
        a = values[index] &+ a
        values[index] = a
      }
    case 2:
      for index in index..<max(index, count) {
        let value = values[index] &+ (2 &* a &- b)
        (a, b) = (value, a)
        values[index] = value
      }
    default:
      for index in index..<max(index, count) {
        let value = values[index] &+ (3 &* (a &- b) &+ c)
        (a, b, c) = (value, a, b)
        values[index] = value
      }
    }
  }

  /// Folded residuals of values that have three values of history before them.
  ///
  /// Safe when `values` has three readable elements before it and `count` from it on, and `codes` `count`.
  static func computeCodes<Value: StreamValue>(
    _ codes: UnsafeMutablePointer<Value.Magnitude>, _ values: UnsafePointer<Value>, count: Int,
    _ predictor: Predictor, known: Int
  ) {
    let offset = Value(truncatingIfNeeded: predictor.offset)
    let order = predictor.method.order
    var index = 0
    while index < count && known + index < order {
      let prediction = predict(
        order: known + index, values[index - 1], values[index - 2], values[index - 3])
      codes[index] = RiceCode.fold(values[index] &- prediction &- offset)
      index += 1
    }
    switch order {
    case 0:
      for index in index..<max(index, count) {
        codes[index] = RiceCode.fold(values[index] &- offset)
      }
    case 1:
      for index in index..<max(index, count) {
        codes[index] = RiceCode.fold(values[index] &- values[index - 1] &- offset)
      }
    case 2:
      for index in index..<max(index, count) {
        let prediction = 2 &* values[index - 1] &- values[index - 2]
        codes[index] = RiceCode.fold(values[index] &- prediction &- offset)
      }
    default:
      for index in index..<max(index, count) {
        let prediction = 3 &* (values[index - 1] &- values[index - 2]) &+ values[index - 3]
        codes[index] = RiceCode.fold(values[index] &- prediction &- offset)
      }
    }
  }
}
