// SPDX-License-Identifier: Apache-2.0

extension Predictor {
  /// Folded residuals of values. Safe when `values` has eight readable elements of history before it and `count` from it on,
  /// and `codes` `count`.
  func computeCodes<Value: StreamValue>(
    _ codes: UnsafeMutablePointer<Value.Magnitude>, _ values: UnsafePointer<Value>, count: Int,
    known: Int
  ) {
    guard method.isLinear else {
      return FixedPredictor.computeCodes(codes, values, count: count, self, known: known)
    }
    // Safe: linear predictors are for Int16 alone, so these are the same types.
    LinearPredictor.computeCodes(
      UnsafeMutableRawPointer(codes).assumingMemoryBound(to: UInt16.self),
      UnsafeRawPointer(values).assumingMemoryBound(to: Int16.self), count: count, self, known: known
    )
  }
}

/// The polynomial predictors of order 0 to 3: 0, a, 2a − b, 3a − 3b + c, where a is the latest value.
///
/// All arithmetic wraps to the width of the values, in encoder and decoder alike, so that every sequence of values is
/// representable.
enum FixedPredictor {
  static let maximumOrder = 3

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

  /// As ``Predictor/computeCodes(_:_:count:known:)``.
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

/// The linear predictor: a weighted sum of the latest values with integer weights, shifted right.
///
/// Weights have at most 12 bits and values 16, so the sum of eight products stays below 2³⁰, which fits 32 bits.
enum LinearPredictor {
  /// Most bits of a coefficient, its sign included.
  static let coefficientBits = 12

  /// Turns residuals into counts in place; while fewer values than taps are known, the fixed predictor of order 1 (0 when
  /// none is known) stands in.
  static func restore(
    _ values: UnsafeMutablePointer<Int16>, count: Int, _ predictor: Predictor, known: Int,
    _ past: SIMD8<Int64>
  ) {
    var h = SIMD8<Int32>(truncatingIfNeeded: past)
    var index = 0
    while index < count && known + index < predictor.method.order {
      let latest = known + index > 0 ? Int16(truncatingIfNeeded: h[0]) : 0
      values[index] = values[index] &+ latest
      h = SIMD8(Int32(values[index]), h[0], h[1], h[2], h[3], h[4], h[5], h[6])
      index += 1
    }
    // Products in 64 bits: the compiler packs 32-bit ones into vectors, which is slower here.
    func weight(_ tap: Int) -> Int { Int(predictor.coefficients[tap]) }
    let (c0, c1, c2, c3) = (weight(0), weight(1), weight(2), weight(3))
    let (c4, c5, c6, c7) = (weight(4), weight(5), weight(6), weight(7))
    var (h0, h1, h2, h3) = (Int(h[0]), Int(h[1]), Int(h[2]), Int(h[3]))
    var (h4, h5, h6, h7) = (Int(h[4]), Int(h[5]), Int(h[6]), Int(h[7]))
    let shift = predictor.shift
    guard predictor.method.order > 4 else {
      while index < count {
        let sum = (c3 &* h3 &+ c2 &* h2) &+ c1 &* h1 &+ c0 &* h0
        let value = values[index] &+ Int16(truncatingIfNeeded: sum &>> shift)
        values[index] = value
        (h3, h2, h1, h0) = (h2, h1, h0, Int(value))
        index += 1
      }
      return
    }
    while index < count {
      // The oldest first: only the last product waits for the value before.
      let old = (c7 &* h7 &+ c6 &* h6) &+ (c5 &* h5 &+ c4 &* h4)
      let sum = old &+ (c3 &* h3 &+ c2 &* h2) &+ c1 &* h1 &+ c0 &* h0
      let value = values[index] &+ Int16(truncatingIfNeeded: sum &>> shift)
      values[index] = value
      (h7, h6, h5, h4, h3, h2, h1, h0) = (h6, h5, h4, h3, h2, h1, h0, Int(value))
      index += 1
    }
  }

  /// As ``Predictor/computeCodes(_:_:count:known:)``.
  static func computeCodes(
    _ codes: UnsafeMutablePointer<UInt16>, _ values: UnsafePointer<Int16>, count: Int,
    _ predictor: Predictor, known: Int
  ) {
    let offset = Int16(truncatingIfNeeded: predictor.offset)
    var index = 0
    while index < count && known + index < predictor.method.order {
      let latest = known + index > 0 ? values[index - 1] : 0
      codes[index] = RiceCode.fold(values[index] &- latest &- offset)
      index += 1
    }
    // As wide as the values: the compiler then multiplies eight at once.
    let c = SIMD8<Int16>(truncatingIfNeeded: predictor.coefficients)
    let (c0, c1, c2, c3, c4, c5, c6, c7) = (c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7])
    let shift = Int32(truncatingIfNeeded: predictor.shift)
    for index in index..<max(index, count) {
      let at = values + index
      let low =
        (Int32(c0) &* Int32(at[-1]) &+ Int32(c1) &* Int32(at[-2]))
        &+ (Int32(c2) &* Int32(at[-3]) &+ Int32(c3) &* Int32(at[-4]))
      let high =
        (Int32(c4) &* Int32(at[-5]) &+ Int32(c5) &* Int32(at[-6]))
        &+ (Int32(c6) &* Int32(at[-7]) &+ Int32(c7) &* Int32(at[-8]))
      let prediction = Int16(truncatingIfNeeded: (low &+ high) &>> shift)
      codes[index] = RiceCode.fold(at[0] &- prediction &- offset)
    }
  }
}
