// SPDX-License-Identifier: Apache-2.0

extension Array {
  /// The first index from which on all elements are in the second part; the count if none is.
  ///
  /// - Complexity: O(log count).
  package func partitioningIndex(_ isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
