/// A telephone number of E.164. Numbers with the same digits are equal, however they are written.
package struct PhoneNumber: Hashable, Sendable {
  /// The digits, which begin with the country code.
  package let digits: String

  /// Returns nil unless the text is a telephone number with its country code.
  package init?(_ text: String) {
    guard AddressShape.isPhone(text) else { return nil }
    digits = String(text.unicodeScalars.filter { ("0"..."9").contains($0) })
  }
}

extension Facts {
  /// The telephone number in the profile; nil if there is none.
  package var phone: PhoneNumber? { profile(.phone).flatMap { PhoneNumber($0) } }
}
