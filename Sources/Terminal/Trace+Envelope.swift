public import Graph
import IMUModel

extension Trace {
  /// Puts what is in an envelope's span into it: samples and gaps.
  ///
  /// - Parameter limit: Samples from this time on are left out; none when `nil`.
  /// - Complexity: a division a bucket in the span.
  public func draw(into envelope: inout Envelope, before limit: Int64? = nil) {
    let end = min(envelope.end, limit ?? .max)
    // Gaps first, so that an envelope knows where lines break.
    draw(gapsInto: &envelope, before: limit ?? .max)
    for index in bucketRange(from: envelope.start, to: end) {
      let bucket = buckets[index]
      guard !bucket.isEmpty, bucket.time < end else { continue }
      envelope.add(bucket.time, RawSample(bucket.low))
      if stride > 1 { envelope.add(bucket.time, RawSample(bucket.high)) }
    }
  }

  private func draw(gapsInto envelope: inout Envelope, before limit: Int64) {
    for gap in gaps {
      let (start, whole) = ends(of: gap)
      guard start < min(envelope.end, limit) else { continue }
      let end = min(limit, whole)
      if end > envelope.start, end > start { envelope.addGap(start..<end) }
    }
  }
}
