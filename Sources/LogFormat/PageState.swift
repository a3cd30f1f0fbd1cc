// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The state between samples chunks of one page, the same in encoder and decoder: eight streams and the expected tick. Each
/// page begins with a new one, so that pages stand alone.
struct PageState {
  /// The times (index 0) and the channels of the recording, in order.
  private(set) var streams:
    (
      StreamState, StreamState, StreamState, StreamState, StreamState, StreamState, StreamState,
      StreamState
    )
  /// The tick after the last sample's; the page's first tick when there is none.
  var expectedTick: UInt64

  /// Samples of the last samples chunk; 0 when there is none.
  var lastCount = 0

  /// The state at the beginning of a page. The time stream knows one value: the lateness of the page's first time.
  init(firstTick: UInt64, firstLateness: Int64) {
    let empty = StreamState()
    streams = (empty, empty, empty, empty, empty, empty, empty, empty)
    expectedTick = firstTick
    streams.0.remember(firstLateness)
  }

  /// One stream: 0 for times, 1...7 for channels; traps otherwise.
  subscript(stream: Int) -> StreamState {
    get {
      switch stream {
      case 0: return streams.0
      case 1: return streams.1
      case 2: return streams.2
      case 3: return streams.3
      case 4: return streams.4
      case 5: return streams.5
      case 6: return streams.6
      case 7: return streams.7
      default: preconditionFailure("a page has eight streams")
      }
    }
    set {
      switch stream {
      case 0: streams.0 = newValue
      case 1: streams.1 = newValue
      case 2: streams.2 = newValue
      case 3: streams.3 = newValue
      case 4: streams.4 = newValue
      case 5: streams.5 = newValue
      case 6: streams.6 = newValue
      case 7: streams.7 = newValue
      default: preconditionFailure("a page has eight streams")
      }
    }
  }

  /// Whether the page has a sample that can be repeated.
  var hasSample: Bool { streams.1.known > 0 }
}

/// The state of a stream between chunks of a page.
struct StreamState {
  var predictor = Predictor(.fixed(1))
  /// Parameter index of the last partition.
  var parameterIndex = RiceCode.firstParameterIndex
  /// Values known in `history`: 0...8.
  var known = 0
  /// The latest values, the latest first, sign-extended.
  var history = SIMD8<Int64>()

  var latest: Int64 { history[0] }

  mutating func remember<Value: StreamValue>(_ values: UnsafePointer<Value>, count: Int) {
    for index in max(0, count - StreamMethod.maximumOrder)..<max(count, 0) {
      remember(Int64(values[index]))
    }
  }

  mutating func remember(_ value: Int64) {
    let h = history
    history = SIMD8(value, h[0], h[1], h[2], h[3], h[4], h[5], h[6])
    known = min(known + 1, StreamMethod.maximumOrder)
  }
}
