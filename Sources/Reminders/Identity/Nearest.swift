/// The known word that a mistyped one was most likely meant to be, if any is near enough: at most
/// a third of its letters differ.
func nearest(_ word: String, among known: [String]) -> String? {
  let letters = Array(word.lowercased().utf8)
  let ranked = known.map {
    (word: $0, distance: editDistance(letters, Array($0.lowercased().utf8)))
  }
  guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance <= max(2, letters.count / 3) ? best.word : nil
}

/// The least number of insertions, deletions and replacements that make one text the other
/// (Wagner and Fischer 1974). Cost: the product of the lengths.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var row = Array(0...right.count)
  for (i, letter) in left.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for j in right.indices {
      let replaced = diagonal + (letter == right[j] ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
    }
  }
  return row[right.count]
}
