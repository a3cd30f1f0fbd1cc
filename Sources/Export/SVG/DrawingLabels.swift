// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Where a drawing's labels stand: bars at the foot of each panel, with their names above. Memory and size depend on the
/// drawing's width, not on the number of labels:
///
///     labels   [ walking )[ run )  [ stairs    )
///                             [ left foot )
///     names    walking    run      stairs
///     bars     ├──────────├─────── ├──────────      ends, at most one in 2 units; what overlaps is one bar
///
/// Names without room are counted.
struct DrawingLabels {
  private(set) var words: [DrawingMarks.Words] = []
  /// Labels whose names have no room.
  private(set) var silent = 0
  /// The bars' ends.
  private(set) var bars: [(begin: Double, end: Double)] = []
  private var beginSlots: [Int: Double] = [:]

  var begins: [Double] { beginSlots.values.sorted() }

  /// - Parameter labels: In the order of their beginnings.
  init(_ labels: [RecordingLabel], in span: Range<Int64>) {
    var free = 0.0
    for label in labels where label.from < span.upperBound && label.to > span.lowerBound {
      let begin = Drawing.x(max(label.from, span.lowerBound), in: span)
      let end = max(Drawing.x(min(label.to, span.upperBound), in: span), begin + 0.6)
      if let last = bars.last, begin <= last.end + 2 {
        bars[bars.count - 1].end = max(last.end, end)
      } else {
        bars.append((begin, end))
      }
      let isFirst = beginSlots[Int(begin / 2)] == nil
      if isFirst { beginSlots[Int(begin / 2)] = begin }
      let text = Drawing.cut(label.name, 24)
      let length = 7 * Double(text.unicodeScalars.count)
      guard isFirst, begin + 3 >= free, begin + 3 + length <= Drawing.right else {
        silent += 1
        continue
      }
      words.append(DrawingMarks.Words(text: text, x: begin + 3, isLeft: false))
      free = begin + 10 + length
    }
  }
}
