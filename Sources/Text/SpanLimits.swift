// SPDX-License-Identifier: Apache-2.0

/// The least and the most of a length of time that an option or a key of the configuration takes. The sum or difference of
/// an instant and one of them is within 64 bits of nanoseconds.
public struct SpanLimits: Sendable {
  /// Of a recording.
  public static let length = SpanLimits("1us", "36525d")
  /// From one sync of a recording to the next; 0 for one at its end.
  public static let syncEvery = SpanLimits("10ms", "24h", orZero: true)
  /// Of a recording before its press or event.
  public static let preTrigger = SpanLimits("0s", "366d")
  /// Over which motion is measured.
  public static let triggerWindow = SpanLimits("1us", "366d")
  /// Without motion, after which an event is over.
  public static let postTrigger = SpanLimits("1us", "366d")
  /// From the end of an event until another may begin.
  public static let triggerPause = SpanLimits("0s", "366d")
  /// From one recording, or round of a hub, to the next.
  public static let every = SpanLimits("1s", "366d")
  /// That a machine may send nothing.
  public static let timeout = SpanLimits("1ms", "24h")
  /// From now back to what is looked for.
  public static let age = SpanLimits("0s", "36525d")

  /// Such as `1s to 366d`.
  public let words: String
  private let range: ClosedRange<Int64>
  private let orZero: Bool

  private init(_ least: String, _ most: String, orZero: Bool = false) {
    guard let first = SpanText.nanoseconds(least), let last = SpanText.nanoseconds(most) else {
      preconditionFailure("\(least) and \(most) are lengths of time")
    }
    words = "\(least) to \(most)" + (orZero ? ", or 0" : "")
    (range, self.orZero) = (first...last, orZero)
  }

  /// The length in nanoseconds; `nil` when `text` is none, or beyond the limits.
  public func nanoseconds(_ text: String) -> Int64? {
    SpanText.nanoseconds(text).flatMap { range.contains($0) || orZero && $0 == 0 ? $0 : nil }
  }
}
