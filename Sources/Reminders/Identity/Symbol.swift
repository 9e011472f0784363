import CivilTime

/// A name as the 32-bit FNV-1a hash of its text. A recipient's row contains symbols, not texts.
///
/// A hundred thousand rows are decoded in one second, and a number costs no allocation. Collisions
/// between the names of a catalog are refused when the catalog is read.
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

/// A 64-bit Bloom filter of symbols. Two sketches without a common bit have no common symbol; with
/// one, they may have.
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

  func mayMeet(_ other: Self) -> Bool { bits & other.bits != 0 }
}

/// The length in bytes up to which words are compared. The cost is the product of their lengths.
private let comparedMax = 128

/// Returns the known word that is nearest to a mistyped one; nil if none is near.
package func nearest(_ word: String, among known: [String]) -> String? {
  guard word.utf8.count <= comparedMax else { return nil }
  let letters = folded(word)
  let near = known.compactMap { candidate -> (word: String, distance: Int)? in
    guard candidate.utf8.count <= comparedMax else { return nil }
    let others = folded(candidate)
    let distance = EditDistance.between(letters[...], others[...])
    return isNear(letters, others, distance) ? (candidate, distance) : nil
  }
  return near.min { $0.distance < $1.distance }?.word
}

/// Returns whether at most about a third of the letters differ, or two letters are swapped. A
/// single letter must be equal; of two letters, one must be.
private func isNear(_ letters: [UInt8], _ others: [UInt8], _ distance: Int) -> Bool {
  guard letters.count > 1 else { return distance == 0 }
  if distance <= (letters.count + 1) / 3 { return true }
  return distance == 2 && letters.sorted() == others.sorted()
}

private func folded(_ word: String) -> [UInt8] {
  Array(word.lowercased().utf8)
}

extension RandomAccessCollection {
  /// Returns the first index whose element is not before a wanted one, in a collection sorted by
  /// that order; the end index if there is none.
  ///
  /// - Complexity: logarithmic.
  func partitionPoint(where isBefore: (Element) -> Bool) -> Index {
    Work.count()
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
