/// A text that equals another when their bytes do. A `String` equals every other that only spells
/// the same characters in another way, and two people's ids may differ in just that.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (left: Self, right: Self) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    var (one, other) = (left.text, right.text)
    // Byte by byte through the texts' own iterators would take several times as long.
    return one.withUTF8 { bytes in other.withUTF8 { bytes.elementsEqual($0) } }
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension ExactText: Comparable {
  /// The order of the bytes.
  package static func < (left: Self, right: Self) -> Bool {
    var (one, other) = (left.text, right.text)
    return one.withUTF8 { bytes in other.withUTF8 { bytes.lexicographicallyPrecedes($0) } }
  }
}
