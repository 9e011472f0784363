/// What a notification is called outside, such as `k3x-17`: the name of the store that decided it,
/// and its number there. Ids are written and read here and nowhere else.
package struct NotificationID: Hashable, Sendable, CustomStringConvertible {
  package let instance: String
  /// From 1 on, in the order of decision; 0 stands before the first.
  package let number: Int64

  package init(_ instance: String, _ number: Int64) {
    self.instance = instance
    self.number = number
  }

  /// Nil for everything that `description` does not write: the number is decimal, without a sign or
  /// leading zeros, and no more than 64 bits with a sign hold.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    guard let hyphen = text.utf8.lastIndex(of: UInt8(ascii: "-")), hyphen > text.startIndex else {
      return nil
    }
    let digits = text.utf8[hyphen...].dropFirst()
    guard (1...19).contains(digits.count), digits.allSatisfy(Self.isDigit),
      digits.first != UInt8(ascii: "0") || digits.count == 1,
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    self.init(String(text[..<hyphen]), number)
  }

  /// Nil for the id of another store's, too.
  package init?(_ text: some StringProtocol, of instance: String) {
    self.init(text)
    guard self.instance.utf8.elementsEqual(instance.utf8) else { return nil }
  }

  package var description: String { "\(instance)-\(number)" }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
