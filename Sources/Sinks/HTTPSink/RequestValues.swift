import CivilTime
package import Cryptography
import JSON
package import Reminders

/// The values of a delivery for the templates of a request. Each is encoded so that it stays a
/// single value wherever a template inserts it. So no title can end a string, begin a parameter or
/// change a path.
package struct RequestValues {
  /// How a value is encoded.
  package enum Encoding: Hashable, Sendable {
    /// The value is percent-encoded, for a URL or a body of `application/x-www-form-urlencoded`.
    case url
    /// The value is escaped for use between the quotes of a JSON string.
    case json
    /// The value is escaped for HTML or XML.
    case markup
    /// Each control character below U+0020 becomes a space, for a header.
    case header
    /// The value is not changed, for plain text.
    case plain
  }

  /// The names of a delivery's values in templates.
  package static let names = [
    "id", "recipient", "reminder", "category", "channel", "title", "body", "silent", "planned",
    "at", "name", "email", "phone", "locale", "details",
  ]
  /// The names whose values come from the recipient's profile.
  package static let profileNames: Set = ["name", "email", "phone", "locale"]

  /// The names whose values depend on the recipient or the kind of notification. If the path or a
  /// header uses one, a service that refuses one delivery may accept others.
  static let identifyingNames: Set = [
    "recipient", "name", "email", "phone", "reminder", "category", "details",
  ]

  private let delivery: Delivery
  private let secrets: [(name: String, value: Secret)]

  package init(_ delivery: Delivery, secrets: [(name: String, value: Secret)]) {
    self.delivery = delivery
    self.secrets = secrets
  }

  /// Returns the first of the names for which the recipient has no value.
  func firstMissing(of names: Set<String>) -> String? {
    names.intersection(Self.profileNames).sorted().first { texts[$0] == nil }
  }

  /// Whether a value would be a path step ("." or ".."), however it is encoded.
  func hasPathStep(_ names: Set<String>) -> Bool {
    names.contains { texts[$0] == "." || texts[$0] == ".." }
  }

  /// Returns the encoded values and secrets by their names.
  func members(in encoding: Encoding) -> [String: Any] {
    var members: [String: Any] = [:]
    for (name, text) in texts { members[name] = encoding.encoded(text) }
    members["silent"] = delivery.isSilent
    if !delivery.shownMessage.details.isEmpty,
      let details = try? JSONParser().parse(delivery.shownMessage.details)
    {
      members["details"] = Self.member(details, in: encoding)
    }
    for secret in secrets { members[secret.name] = encoding.encoded(secret.value.reveal()) }
    return members
  }

  /// The values that are texts, before encoding. Unknown values of the profile are missing.
  private var texts: [String: String] {
    var texts = [
      "id": delivery.identifier, "recipient": delivery.recipient, "reminder": delivery.reminder,
      "category": delivery.category, "channel": delivery.channel.name, "title": delivery.title,
      "body": delivery.body, "planned": delivery.planned.description,
      "at": delivery.at.description,
    ]
    texts["name"] = delivery.addressee?.displayName
    texts["email"] = delivery.addressee?.email
    texts["phone"] = delivery.addressee?.phone
    texts["locale"] = delivery.addressee?.locale
    return texts
  }

  private static func member(_ value: JSONValue, in encoding: Encoding) -> Any {
    switch value {
    case .object(let object):
      Dictionary(
        object.map { ($0.key, member($0.value, in: encoding)) },
        uniquingKeysWith: { first, _ in first })
    case .array(let values): values.map { member($0, in: encoding) }
    case .bool(let value): value
    case .string(let text): encoding.encoded(text)
    case .null: ""
    case .integer, .number: value.description
    }
  }
}

extension RequestValues.Encoding {
  func encoded(_ text: String) -> String {
    switch self {
    case .url: Self.percentEncoded(text)
    case .json: Self.withinQuotes(text)
    case .markup: Self.escaped(text)
    case .header:
      String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    case .plain: text
    }
  }

  /// Percent-encodes all but the unreserved characters of RFC 3986 and the colon, which has no
  /// meaning after the host.
  private static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func withinQuotes(_ text: String) -> String {
    var writer = JSONWriter()
    writer.value(text)
    return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
