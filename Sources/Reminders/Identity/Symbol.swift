import CivilTime

/// A name as the 32-bit FNV-1a hash of its text. A recipient's row contains symbols, not texts.
///
/// Decoding a number needs no allocation, so that a hundred thousand rows are decoded in one
/// second. A catalog with two names of the same hash is refused.
package struct Symbol: Hashable, Comparable, Sendable {
  package let code: UInt32

  package init(code: UInt32) {
    self.code = code
  }

  package init(_ text: String) {
    var hash: UInt32 = 0x811c_9dc5
    for byte in text.utf8 {
      hash = (hash ^ UInt32(byte)) &* 0x0100_0193
    }
    code = hash
  }

  package static func < (left: Symbol, right: Symbol) -> Bool {
    left.code < right.code
  }
}

/// A 64-bit Bloom filter of symbols. Two sketches without a common bit have no common symbol. With
/// a common bit, they may have one.
struct SymbolSketch: Sendable {
  private var bits: UInt64 = 0

  init() {}

  init(_ symbols: some Sequence<Symbol>) {
    for symbol in symbols { insert(symbol) }
  }

  /// The sketch of all symbols.
  static let all: Self = {
    var all = Self()
    all.bits = .max
    return all
  }()

  mutating func insert(_ symbol: Symbol) {
    bits |= 1 << UInt64(symbol.code & 63)
  }

  func mayIntersect(_ other: Self) -> Bool { bits & other.bits != 0 }
}

/// The maximum length in bytes of words that are compared. The time of a comparison is proportional
/// to the product of the words' lengths.
private let comparedLengthMax = 128

/// Returns the known word that is nearest to a mistyped word; nil if no known word is near.
package func nearest(_ word: String, among known: [String]) -> String? {
  guard word.utf8.count <= comparedLengthMax else { return nil }
  let letters = folded(word)
  let near = known.compactMap { candidate -> (word: String, distance: Int)? in
    guard candidate.utf8.count <= comparedLengthMax else { return nil }
    let candidateLetters = folded(candidate)
    let distance = EditDistance.between(letters[...], candidateLetters[...])
    return isNear(letters, candidateLetters, distance) ? (candidate, distance) : nil
  }
  return near.min { $0.distance < $1.distance }?.word
}

/// Returns whether at most about a third of the letters differ, or two letters are swapped. A word
/// of one letter is near only to an equal word.
private func isNear(_ letters: [UInt8], _ others: [UInt8], _ distance: Int) -> Bool {
  guard letters.count > 1 else { return distance == 0 }
  if distance <= (letters.count + 1) / 3 { return true }
  return distance == 2 && letters.sorted() == others.sorted()
}

private func folded(_ word: String) -> [UInt8] {
  Array(word.lowercased().utf8)
}

extension RandomAccessCollection {
  /// Returns the first index whose element does not satisfy `isBefore`, or the end index if there
  /// is none. All elements that satisfy `isBefore` must precede all others.
  ///
  /// - Complexity: logarithmic.
  func partitionPoint(where isBefore: (Element) -> Bool) -> Index {
    Work.countStep()
    var (start, count) = (startIndex, count)
    while count > 0 {
      let middle = index(start, offsetBy: count / 2)
      if isBefore(self[middle]) {
        start = index(after: middle)
        count -= count / 2 + 1
      } else {
        count /= 2
      }
    }
    return start
  }
}
