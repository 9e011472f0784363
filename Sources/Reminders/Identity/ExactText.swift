/// A text that is compared byte by byte. In contrast, two canonically equivalent `String`s are
/// equal, although they may be the ids of different recipients.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (left: Self, right: Self) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    var (one, other) = (left.text, right.text)
    // Comparing `utf8` views takes several times as long.
    return one.withUTF8 { bytes in other.withUTF8 { bytes.elementsEqual($0) } }
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension ExactText: Comparable {
  /// Compares by the order of the bytes.
  package static func < (left: Self, right: Self) -> Bool {
    var (one, other) = (left.text, right.text)
    return one.withUTF8 { bytes in other.withUTF8 { bytes.lexicographicallyPrecedes($0) } }
  }
}

/// The identity of an event: its source and its id, compared byte by byte (rule E5).
package struct EventIdentity: Hashable, Comparable, Sendable {
  package let source: ExactText
  package let identifier: ExactText

  package init(source: String, identifier: String) {
    self.source = ExactText(source)
    self.identifier = ExactText(identifier)
  }

  package static func == (left: Self, right: Self) -> Bool {
    // Ids differ more often than sources, so they are compared first.
    left.identifier == right.identifier && left.source == right.source
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.source == right.source
      ? left.identifier < right.identifier : left.source < right.source
  }
}

/// Returns a number with mixed bits, so that every bit of the result depends on every bit of the
/// number (the finalizer of SplitMix64, Steele, Lea and Flood 2014).
package func mixed(_ value: UInt64) -> UInt64 {
  var bits = value &+ 0x9e37_79b9_7f4a_7c15
  bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
  bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
  return bits ^ (bits >> 31)
}

/// Returns the 64-bit FNV-1a hash of a text. Unlike the result of `Hasher`, it is the same in every
/// run and on every machine.
///
/// The hash does not identify a text: anyone can find two texts with the same hash within a second.
/// Use it only where a collision is harmless, such as for a choice, a jitter or a fingerprint.
package func stableHash(_ text: String) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in text.utf8 {
    hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
  return hash
}
