import CivilTime

/// The known word that a mistyped one was most likely meant to be, if any is near enough.
package func nearest(_ word: String, among known: [String]) -> String? {
  let letters = folded(word)
  let near = known.compactMap { candidate -> (word: String, distance: Int)? in
    let others = folded(candidate)
    let distance = EditDistance.between(letters[...], others[...])
    return isNear(letters, others, distance) ? (candidate, distance) : nil
  }
  return near.min { $0.distance < $1.distance }?.word
}

/// Whether at most about a third of the letters differ, or two have changed places. Of one letter
/// alone nothing can be said, and of two letters one must be right.
private func isNear(_ letters: [UInt8], _ others: [UInt8], _ distance: Int) -> Bool {
  guard letters.count > 1 else { return distance == 0 }
  if distance <= (letters.count + 1) / 3 { return true }
  return distance == 2 && letters.sorted() == others.sorted()
}

private func folded(_ word: String) -> [UInt8] {
  Array(word.lowercased().utf8)
}
