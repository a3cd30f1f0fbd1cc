/// How the values of a stream are predicted from the values before: what a stream head says.
struct Predictor: Equatable {
  /// The family and order.
  var method: StreamMethod
  /// Which values the stream uses; prediction is among these.
  var spacing = Spacing.dense
  /// Added to each prediction.
  var offset: Int64 = 0
  /// Weights of a linear predictor, for the latest value first; 0 beyond its order.
  var coefficients = SIMD8<Int32>()
  /// Right shift of a linear predictor's sum of products.
  var shift = 0

  init(_ method: StreamMethod, spacing: Spacing = .dense, offset: Int64 = 0) {
    self.method = method
    self.spacing = spacing
    self.offset = offset
  }
}

/// A family of predictors and its order; raw values are part of the format.
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
