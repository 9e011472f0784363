import CCurl
import Reminders

/// An e-mail address that is safe in SMTP commands: it contains no space, quote, angle bracket or
/// control character.
package struct MailAddress: Hashable, Sendable {
  /// The local part. Non-ASCII characters need SMTPUTF8 (RFC 6531).
  package let local: String
  /// The domain as lower-case A-labels.
  package let domain: String

  /// Parses an address; nil if the text is not one (`AddressShape`).
  package init?(_ text: String) {
    guard let (local, host) = AddressShape.email(text), let domain = Self.domain(String(host))
    else { return nil }
    self.local = String(local)
    self.domain = domain
  }

  /// Whether the address needs a server with SMTPUTF8.
  package var needsUTF8: Bool { !local.utf8.allSatisfy { $0 < 0x80 } }

  private static let domainMax = 253

  private static func domain(_ text: String) -> String? {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    // Check again: the ASCII form is longer, and may look like an IP address.
    guard let name = ascii(text), AddressShape.isHost(name[...]) else { return nil }
    return name
  }

  private static func ascii(_ text: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: domainMax + 1) { output in
      guard let address = output.baseAddress, ccurl_ascii_host(text, address, output.count) else {
        return nil
      }
      return String(cString: address)
    }
  }
}

extension MailAddress: CustomStringConvertible {
  package var description: String { "\(local)@\(domain)" }
}

/// An address with an optional display name.
package struct Mailbox: Hashable, Sendable {
  package let name: HeaderText?
  package let address: MailAddress

  package init(name: String? = nil, address: MailAddress) {
    let name = name.map { HeaderText($0) }
    self.name = name?.text.isEmpty == false ? name : nil
    self.address = address
  }

  /// Reads `amina@example.org`, `Amina <amina@example.org>` or `"A. B." <amina@example.org>`.
  package init?(_ text: String) {
    guard text.last == ">", let bracket = text.lastIndex(of: "<") else {
      guard let address = MailAddress(text) else { return nil }
      self.init(address: address)
      return
    }
    let inside = text[text.index(after: bracket)...].dropLast()
    guard let address = MailAddress(String(inside)) else { return nil }
    self.init(name: Self.name(inPhrase: text[..<bracket]), address: address)
  }

  /// Returns a display name without the quotation marks and backslashes of a quoted string (RFC
  /// 5322, section 3.2.4); returns other names unchanged.
  private static func name(inPhrase phrase: Substring) -> String {
    let phrase = String(phrase).trimmed
    guard phrase.count > 1, phrase.first == "\"", phrase.last == "\"" else { return phrase }
    var (name, isEscaped) = ("", false)
    for character in phrase.dropFirst().dropLast() {
      guard isEscaped || character != "\"" else { return phrase }
      isEscaped = character == "\\" && !isEscaped
      if !isEscaped { name.append(character) }
    }
    return isEscaped ? phrase : name
  }

  /// The mailbox as in a header (RFC 5322).
  package var encoded: String {
    name.map { "\($0.phrase)\r\n <\(address)>" } ?? "\(address)"
  }
}
