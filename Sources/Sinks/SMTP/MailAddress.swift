import CCurl

/// An e-mail address that can be handed to a mail server as it is: no space, quote, angle bracket
/// or control character is in it.
package struct MailAddress: Hashable, Sendable {
  /// Of ASCII, or beyond it where the server offers SMTPUTF8 (RFC 6531).
  package let local: String
  /// As DNS knows it, in lower case.
  package let domain: String

  private static let lengthMax = 254
  private static let localMax = 64

  /// Nil for what is no address; quoted local parts and addresses of numbers are not taken.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.lengthMax, let mark = text.lastIndex(of: "@") else { return nil }
    let local = String(text[..<mark])
    guard (1...Self.localMax).contains(local.utf8.count), Self.isLocal(local),
      let domain = Self.domain(String(text[text.index(after: mark)...]))
    else { return nil }
    self.local = local
    self.domain = domain
  }

  /// Whether only a server with SMTPUTF8 can take it.
  package var needsUTF8: Bool { !local.utf8.allSatisfy { $0 < 0x80 } }

  /// What may stand in an atom of a header (RFC 5322, section 3.2.3).
  static func isAtomByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
  }

  private static func isLocal(_ text: String) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
      !atom.isEmpty && atom.unicodeScalars.allSatisfy(isLocalScalar)
    }
  }

  private static func isLocalScalar(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return isAtomByte(UInt8(truncatingIfNeeded: scalar.value)) }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber, .otherSymbol:
      true
    default: false
    }
  }

  private static let domainMax = 253

  private static func domain(_ text: String) -> String? {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    guard let name = isASCII ? text.lowercased() : ascii(text), name.utf8.count <= domainMax else {
      return nil
    }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.allSatisfy(isLabel), let last = labels.last,
      !last.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return name
  }

  private static func isLabel(_ label: Substring) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.utf8.count) && label.utf8.first != hyphen
      && label.utf8.last != hyphen
      && label.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == hyphen
      }
  }

  private static func ascii(_ text: String) -> String? {
    guard text.unicodeScalars.allSatisfy({ isLocalScalar($0) || $0 == "." }) else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: domainMax + 1) { output in
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

/// An address, and whose it is.
package struct Mailbox: Hashable, Sendable {
  package let name: HeaderText?
  package let address: MailAddress

  package init(name: String? = nil, address: MailAddress) {
    let name = name.map { HeaderText($0) }
    self.name = name?.text.isEmpty == false ? name : nil
    self.address = address
  }

  /// Reads `amina@example.org` or `Amina <amina@example.org>`.
  package init?(_ text: String) {
    guard text.last == ">", let bracket = text.lastIndex(of: "<") else {
      guard let address = MailAddress(text) else { return nil }
      self.init(address: address)
      return
    }
    let inside = text[text.index(after: bracket)...].dropLast()
    guard let address = MailAddress(String(inside)) else { return nil }
    self.init(name: String(text[..<bracket]), address: address)
  }

  /// As it stands in a header.
  package var encoded: String {
    name.map { "\($0.phrase)\r\n <\(address)>" } ?? "\(address)"
  }
}
