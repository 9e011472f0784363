/// How many bytes must be inserted, deleted or replaced to make one text of another.
package enum EditDistance {
  /// Levenshtein's distance; time is the product of the lengths.
  package static func between(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
    // row[j] is the distance from what was seen of `one` to the first j bytes of `other`.
    var row = Array(0...other.count)
    for (seen, byte) in one.enumerated() {
      var diagonal = row[0]
      row[0] = seen + 1
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (byte == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }
}
