package import CivilTime

/// A mail with alternative text and HTML parts (RFC 5322).
package struct MailMessage {
  /// A header field. Its value cannot contain another field.
  package struct Field: Sendable {
    fileprivate let line: String

    fileprivate init(_ name: StaticString, _ value: String) {
      line = "\(name): \(value)\r\n"
    }

    package static func mailbox(_ name: StaticString, _ mailbox: Mailbox) -> Field {
      Field(name, mailbox.encoded)
    }

    package static func text(_ name: StaticString, _ text: HeaderText) -> Field {
      Field(name, text.encoded)
    }

    package static func date(_ instant: Instant) -> Field? {
      instant.httpDate.map { Field("Date", $0.dropLast(3) + "+0000") }
    }

    /// - Parameters:
    ///   - identifier: the id, from which characters other than letters, digits and hyphens are
    ///     removed.
    ///   - domain: the address whose domain follows the id.
    package static func identifier(_ identifier: String, at domain: MailAddress) -> Field {
      Field("Message-ID", "<\(atom(identifier))@\(domain.domain)>")
    }

    package static func link(_ name: StaticString, _ link: MailLink) -> Field {
      Field(name, "<\(link)>")
    }

    package static func constant(_ name: StaticString, _ value: StaticString) -> Field {
      Field(name, "\(value)")
    }
  }

  package var fields: [Field]
  package var text: String
  package var html: String
  /// The MIME boundary between the parts; "=_" occurs in neither encoding.
  private let boundary: String

  package init(identifier: String, fields: [Field], text: String, html: String) {
    self.fields = fields
    self.text = text
    self.html = html
    boundary = "=_" + Self.atom(identifier)
  }

  package var bytes: [UInt8] {
    var output = fields.map(\.line).joined()
    output += "MIME-Version: 1.0\r\n"
    output += "Content-Type: multipart/alternative; boundary=\"\(boundary)\"\r\n"
    output += part(text, "text/plain") + part(html, "text/html")
    output += "\r\n--\(boundary)--\r\n"
    return Array(output.utf8)
  }

  private func part(_ content: String, _ type: String) -> String {
    let encoded = MailText(content)
    return "\r\n--\(boundary)\r\nContent-Type: \(type); charset=utf-8\r\n"
      + "Content-Transfer-Encoding: \(encoded.encoding.rawValue)\r\n\r\n\(encoded.body)"
  }

  /// The limit of characters of an identifier: with its prefix, a boundary may have at most 70.
  private static let atomMax = 60

  /// Returns the ASCII letters, digits and hyphens of a text, at most `atomMax` of them.
  private static func atom(_ text: String) -> String {
    String(
      text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(atomMax))
  }
}

/// A web address that needs no escaping in headers and HTML.
package struct MailLink: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// The maximum length of a link in bytes. A line of a mail may have 998.
  private static let lengthMax = 900

  /// Parses a URL; nil unless it is an https URL of characters that need no escaping.
  package init?(_ text: String) {
    guard text.hasPrefix("https://"), text.utf8.count <= Self.lengthMax,
      text.utf8.count > "https://".utf8.count, text.utf8.allSatisfy(Self.isPlain)
    else { return nil }
    description = text
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !"<>\"'\\^`{|}".utf8.contains(byte)
  }
}
