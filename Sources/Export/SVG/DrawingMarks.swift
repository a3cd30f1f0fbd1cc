// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Where a drawing's marks stand. Memory and size depend on the drawing's width, not on the number of marks:
///
///     marks    kerb  jump  jump              jump
///     flags    ▼kerb ▼                       ▼jump       at most one in 10 units
///     lines    ┊     ┊┊                      ┊           at most one in 2 units
///
/// Words stand beside their flag where there is room; the others are counted.
struct DrawingMarks {
  struct Words {
    let text: String
    let x: Double
    /// Whether they end at the mark: near the drawing's right end.
    let isLeft: Bool
  }

  private let span: Range<Int64>
  /// Lines by their places in two units.
  private var lineSlots: [Int: Double] = [:]
  /// Flags by their places in ten units.
  private var flagSlots: [Int: Double] = [:]
  private(set) var words: [Words] = []
  /// Marks whose words have no room.
  private(set) var silent = 0
  private var free = 0.0

  init(_ span: Range<Int64>) {
    self.span = span
  }

  var lines: [Double] { lineSlots.values.sorted() }
  var flags: [Double] { flagSlots.values.sorted() }

  mutating func add(_ mark: Mark) {
    guard span.contains(mark.time) else { return }
    let place = Drawing.x(mark.time, in: span)
    let isFirst = flagSlots[Int(place / 10)] == nil
    if lineSlots[Int(place / 2)] == nil { lineSlots[Int(place / 2)] = place }
    if isFirst { flagSlots[Int(place / 10)] = place }
    guard !mark.label.isEmpty else { return }
    guard isFirst, place >= free else {
      silent += 1
      return
    }
    let text = Drawing.cut(mark.label, 24)
    let length = 7 * Double(text.unicodeScalars.count)
    let isLeft = place + 7 + length > Drawing.right
    words.append(Words(text: text, x: isLeft ? place - 7 : place + 7, isLeft: isLeft))
    free = place + 14 + length
  }
}

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
