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
