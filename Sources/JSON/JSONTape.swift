import Glibc

/// The words and strings of a validated document, in the layout of `CJSONTape`.
struct JSONTape {
  let words: UnsafePointer<UInt64>
  let strings: UnsafePointer<UInt8>

  /// Returns the character that stands for the kind of word, such as "{" or "l" for an integer.
  func kind(at index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: words[index] >> 56)
  }

  func string(at index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = strings + Int(words[index] & 0x00ff_ffff_ffff_ffff)
    let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    return UnsafeBufferPointer(start: start + 4, count: Int(count))
  }

  /// Returns the index of the word that closes the array or object at `index`.
  func closing(of index: Int) -> Int {
    Int(words[index] & 0xffff_ffff) - 1
  }

  /// Returns the number of members of the array or object at `index`. A result of 2^24 - 1 means
  /// that many or more.
  func announcedCount(at index: Int) -> Int {
    Int(words[index] >> 32 & 0xff_ffff)
  }

  /// Returns the index of the word after the value at `index`.
  private func end(of index: Int) -> Int {
    switch kind(at: index) {
    case UInt8(ascii: "["), UInt8(ascii: "{"): closing(of: index) + 1
    case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
    default: index + 1
    }
  }
}

extension JSONTape {
  /// The number of members up to which comparing all pairs of keys is faster than sorting.
  private static let pairwiseMax = 16

  /// Returns the index of a key that repeats an earlier key of the object at `index`; nil if the
  /// object's keys are unique. O(n log n) in its members.
  func repeatedKey(ofObjectAt index: Int) -> Int? {
    announcedCount(at: index) <= Self.pairwiseMax
      ? repeatedKeyByPairs(ofObjectAt: index) : repeatedKeyBySorting(ofObjectAt: index)
  }

  private func repeatedKeyByPairs(ofObjectAt index: Int) -> Int? {
    let end = closing(of: index)
    var later = index + 1
    while later < end {
      let key = string(at: later)
      var earlier = index + 1
      while earlier < later {
        if order(string(at: earlier), key) == 0 { return later }
        earlier = self.end(of: earlier + 1)
      }
      later = self.end(of: later + 1)
    }
    return nil
  }

  private func repeatedKeyBySorting(ofObjectAt index: Int) -> Int? {
    var keys: [Int] = []
    let end = closing(of: index)
    var key = index + 1
    while key < end {
      keys.append(key)
      key = self.end(of: key + 1)
    }
    keys.sort { order(string(at: $0), string(at: $1)) < 0 }
    return zip(keys, keys.dropFirst()).first { order(string(at: $0), string(at: $1)) == 0 }?.1
  }

  /// Returns a negative number if a key sorts before another, zero if they are equal, and otherwise
  /// a positive number. Shorter keys sort first.
  private func order(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    guard left.count == right.count else { return left.count - right.count }
    guard let start = left.baseAddress, let otherStart = right.baseAddress else { return 0 }
    return Int(memcmp(start, otherStart, left.count))
  }
}
