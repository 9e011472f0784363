import CivilTime

/// A name as the 32-bit FNV-1a hash of its text: what a recipient's row keeps instead of the text.
///
/// A hundred thousand rows are decoded in the same second, and a number costs no allocation. Every
/// name that a catalog uses is known when the catalog is read, which refuses two that collide.
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

/// Of which of 64 sorts some symbols are: one look at two numbers tells that they have none in
/// common. Sketches that have a sort in common may still have no symbol in common.
struct SymbolSketch: Sendable {
  private var sorts: UInt64 = 0

  init() {}

  init(_ symbols: some Sequence<Symbol>) {
    for symbol in symbols { insert(symbol) }
  }

  /// Has every symbol.
  static let all: Self = {
    var all = Self()
    all.sorts = .max
    return all
  }()

  mutating func insert(_ symbol: Symbol) {
    sorts |= 1 << UInt64(symbol.code & 63)
  }

  func mayMeet(_ other: Self) -> Bool { sorts & other.sorts != 0 }
}

/// The length in bytes up to which words are compared, which takes the product of their lengths.
private let comparedMax = 128

/// The known word that a mistyped one was most likely meant to be, if any is near enough.
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

extension RandomAccessCollection {
  /// The first place whose element does not come before a wanted one, in a collection that is
  /// sorted by that; its end if there is none. Cost: logarithmic.
  func place(where isBefore: (Element) -> Bool) -> Index {
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
