// SPDX-License-Identifier: Apache-2.0

/// The orientation of a stretch by both directions of time: the paper's offline variant, in five passes.
///
///     1  forward    biases so far                      states kept where blocks begin
///     2  backward   biases from here on, both joined   24 bytes a sample kept
///     3  forward    rates integrated, accelerations turned and smoothed          states kept
///     4  backward   smoothed once more, so that nothing lags                     states kept
///     5  forward    3 and 4 again for one block, inclination corrected           given out
///
/// What a pass needs of the one before in the other order is computed again, a block at a time, from the states that were
/// kept: memory is 12 bytes a sample for counts, 24 for biases, and less than 1 for states.
struct OrientationPass {
  private let stretch: MotionStretch
  private let period: Double
  /// Three numbers a sample, by block.
  private var biases: [[Double]] = []
  /// Before each block.
  private var starts: [Strapdown] = []
  /// After each block, from where the way back begins.
  private var ends: [LowPass<SIMD3<Double>>] = []
  private var block = 0
  private var inclination = Quaternion.identity

  /// Runs the passes 1 to 4.
  init(_ stretch: MotionStretch) {
    self.stretch = stretch
    period = stretch.period
    estimateBiases()
    smooth()
  }

  /// Joins the estimates of both directions, each weighted with the inverse of its covariance.
  private mutating func estimateBiases() {
    var forward = BiasFilter(period: period)
    var states: [BiasFilter] = []
    for block in stretch.blocks.indices {
      states.append(forward)
      guard block < stretch.blocks.count - 1 else { break }
      for index in 0..<stretch.count(ofBlock: block) {
        let (acceleration, rate) = stretch.sample(index, ofBlock: block)
        forward.step(rate: rate, acceleration: acceleration)
      }
    }
    biases = Array(repeating: [], count: stretch.blocks.count)
    var backward = BiasFilter(period: period)
    var known: [(weight: Matrix3, bias: SIMD3<Double>)] = []
    for block in stretch.blocks.indices.reversed() {
      known.removeAll(keepingCapacity: true)
      var forward = states.removeLast()
      let count = stretch.count(ofBlock: block)
      for index in 0..<count {
        let (acceleration, rate) = stretch.sample(index, ofBlock: block)
        forward.step(rate: rate, acceleration: acceleration)
        let weight = forward.covariance.inverse
        known.append((weight, weight * forward.bias))
      }
      var joined = [Double](repeating: 0, count: 3 * count)
      for index in (0..<count).reversed() {
        let (acceleration, rate) = stretch.sample(index, ofBlock: block)
        // Backwards the rates have the other sign, and so has the bias.
        backward.step(rate: -rate, acceleration: acceleration)
        let weight = backward.covariance.inverse
        let (weightBefore, before) = known[index]
        let bias = (weightBefore + weight).inverse * (before - weight * backward.bias)
        (joined[3 * index], joined[3 * index + 1], joined[3 * index + 2]) = (bias.x, bias.y, bias.z)
      }
      biases[block] = joined
    }
  }

  /// Keeps the states of smoothing forwards and backwards.
  private mutating func smooth() {
    var forward = Strapdown(period: period)
    var last = SIMD3<Double>.zero
    for block in stretch.blocks.indices {
      starts.append(forward)
      for index in 0..<stretch.count(ofBlock: block) {
        last = step(&forward, index, block).acceleration
      }
    }
    var backward = forward.smoothing
    backward.begin(at: last)
    ends = Array(repeating: backward, count: stretch.blocks.count)
    for block in stretch.blocks.indices.reversed() {
      ends[block] = backward
      for sample in forwards(block).reversed() { _ = backward.step(sample.acceleration) }
    }
  }

  private func step(_ strapdown: inout Strapdown, _ index: Int, _ block: Int) -> Strapdown.Output {
    let (acceleration, rate) = stretch.sample(index, ofBlock: block)
    let bias = biases[block].withUnsafeBufferPointer {
      SIMD3($0[3 * index], $0[3 * index + 1], $0[3 * index + 2])
    }
    return strapdown.step(rate: rate - bias, acceleration: acceleration)
  }

  /// A block after pass 3.
  private func forwards(_ block: Int) -> [Strapdown.Output] {
    var strapdown = starts[block]
    return (0..<stretch.count(ofBlock: block)).map { step(&strapdown, $0, block) }
  }

  /// The motion of the next block; `nil` after the last.
  mutating func next() -> [Motion]? {
    guard block < stretch.blocks.count else { return nil }
    defer { block += 1 }
    var samples = forwards(block)
    var backward = ends[block]
    for index in samples.indices.reversed() {
      samples[index].acceleration = backward.step(samples[index].acceleration)
    }
    biases[block] = []
    return samples.enumerated().map { index, sample in
      let up = inclination.turn(sample.acceleration).direction
      inclination = (Inclination.correction(up) * inclination).normalized
      let orientation = inclination * sample.turned
      let gravity = orientation.conjugate.turn(SIMD3(0, 0, OrientationConstants.gravity))
      let measured = stretch.sample(index, ofBlock: block).acceleration
      return Motion(orientation: orientation, linearAcceleration: measured - gravity)
    }
  }
}

/// Rates integrated to a turn, and accelerations turned by it and smoothed.
private struct Strapdown: BitwiseCopyable {
  private let period: Double
  private var turned = Quaternion.identity
  private(set) var smoothing: LowPass<SIMD3<Double>>

  /// What a sample gives.
  struct Output: BitwiseCopyable {
    var turned: Quaternion
    var acceleration: SIMD3<Double>
  }

  init(period: Double) {
    self.period = period
    smoothing = LowPass(timeConstant: OrientationConstants.accelerometerTime, period: period)
  }

  @inline(__always)
  mutating func step(rate: SIMD3<Double>, acceleration: SIMD3<Double>) -> Output {
    turned = (turned * Quaternion(rate: rate, seconds: period)).normalized
    return Output(turned: turned, acceleration: smoothing.step(turned.turn(acceleration)))
  }
}
