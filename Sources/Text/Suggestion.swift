// SPDX-License-Identifier: Apache-2.0

/// Finds the names that a user may have meant by an unknown word.
public enum Suggestion {
  /// `; did you mean record?`, or nothing when no name is near.
  public static func question(_ word: String, among names: [String]) -> String {
    let near = Suggestion.names(for: word, among: names)
    guard let last = near.last else { return "" }
    let others = near.dropLast().joined(separator: ", ")
    return "; did you mean " + (others.isEmpty ? "" : others + " or ") + last + "?"
  }

  /// At most three names, of the first of these kinds that has any: the same letters and digits; names that begin with them;
  /// that contain them; that are a typing error or two away; that have them in this order.
  private static func names(for word: String, among names: [String]) -> [String] {
    let wanted = letters(word)
    // No name is longer by far, and the time grows with the square of the length.
    guard (2...64).contains(wanted.count) else { return [] }
    let known = names.map { (name: $0, letters: letters($0)) }
    let slips = known.map { distance(wanted, $0.letters) }
    let fewest = slips.min() ?? 0
    let kinds: [(Int) -> Bool] = [
      { known[$0].letters == wanted },
      { known[$0].letters.starts(with: wanted) },
      { contains(known[$0].letters, wanted) },
      { slips[$0] == fewest && fewest <= max(1, wanted.count / 3) },
      { known[$0].letters.first == wanted.first && isSubsequence(wanted, of: known[$0].letters) },
    ]
    for isOfKind in kinds {
      let near = known.indices.filter(isOfKind)
      if !near.isEmpty { return near.prefix(3).map { known[$0].name } }
    }
    return []
  }

  private static func letters(_ text: String) -> [UInt8] {
    text.lowercased().utf8.filter { $0 &- 48 < 10 || $0 &- 97 < 26 }
  }

  private static func contains(_ all: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= all.count else { return false }
    return (0...(all.count - part.count)).contains { all[$0...].starts(with: part) }
  }

  private static func isSubsequence(_ part: [UInt8], of all: [UInt8]) -> Bool {
    var rest = part[...]
    for letter in all where letter == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }

  /// Letters to insert, delete, replace or swap with their neighbour to turn one word into the other: Damerau's distance,
  /// with each letter edited once.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var rows = [Array(0...other.count)]
    for row in one.indices {
      var next = [row + 1]
      for column in other.indices {
        let isSame = one[row] == other[column]
        var least = min(
          rows[row][column] + (isSame ? 0 : 1), rows[row][column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        next.append(least)
      }
      rows.append(next)
    }
    return rows[one.count][other.count]
  }
}
