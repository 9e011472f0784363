/// A text with which operators search for recipients (rule H26).
package struct RecipientPattern: Sendable {
  /// The minimum number of digits for a search by telephone number.
  private static let digitsMin = 3

  private let text: String
  /// The digits of a telephone number without the zeros of a dialing prefix; nil for another text.
  private let digits: String?

  package init(_ text: String) {
    self.text = text.lowercased()
    let digits = Self.digits(text).drop { $0 == "0" }
    let numberScalars = "+0123456789 -()/.".unicodeScalars
    let isNumber = text.unicodeScalars.allSatisfy { numberScalars.contains($0) }
    self.digits = isNumber && digits.count >= Self.digitsMin ? String(digits) : nil
  }

  /// Returns whether a recipient matches. Either the id, the name or the e-mail address contains
  /// the text, ignoring case; or the telephone number contains the text's digits.
  package func matches(_ recipient: Recipient) -> Bool {
    let texts = [
      recipient.name, recipient.facts.profile(.name), recipient.facts.profile(.email),
    ]
    if texts.contains(where: { $0?.lowercased().contains(text) == true }) { return true }
    guard let digits, let phone = recipient.facts.profile(.phone) else { return false }
    return Self.digits(phone).contains(digits)
  }

  private static func digits(_ text: String) -> String {
    String(text.unicodeScalars.filter { ("0"..."9").contains($0) })
  }
}
