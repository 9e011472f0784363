package import JSON

/// Where a browser is reached and how what is sent there is encrypted: what the Push API of the W3C
/// calls a PushSubscription.
package struct WebPushSubscription: Hashable, Sendable {
  /// The URL that the browser's push service has given out for it.
  package let endpoint: String
  /// The browser's public key and the secret beside it (RFC 8291, section 2), in base64url.
  package let key: String
  package let secret: String

  /// - Parameters:
  ///   - value: as `toJSON()` of a PushSubscription gives it.
  ///   - path: where it stands.
  package init(_ value: JSONValue, at path: String) throws(Refusal) {
    guard let object = value.objectValue, let keys = value["keys"]?.objectValue else {
      throw Refusal(path: path, "must be what toJSON() of a PushSubscription gives")
    }
    try Self.check(object, ["endpoint", "expirationTime", "keys"], path)
    try Self.check(keys, ["p256dh", "auth"], path + ".keys")
    endpoint = try Self.endpoint(object, path)
    key = try Self.bytes(keys, "p256dh", of: 65, path)
    secret = try Self.bytes(keys, "auth", of: 16, path)
  }

  /// In one line, as it is kept in the place of a token.
  package var text: String { "\(endpoint) \(key) \(secret)" }

  /// Nil for what is not such a line.
  package init?(text: String) {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 3, parts[0].hasPrefix("https://") else { return nil }
    (endpoint, key, secret) = (parts[0], parts[1], parts[2])
  }

  private static func check(
    _ object: JSONObject, _ known: [String], _ path: String
  ) throws(Refusal) {
    for member in object.members where !known.contains(member.key) {
      throw Refusal(path: "\(path).\(member.key)", "is not known" + hint(member.key, known))
    }
  }

  private static func endpoint(_ object: JSONObject, _ path: String) throws(Refusal) -> String {
    let text = object["endpoint"]?.stringValue ?? ""
    guard text.hasPrefix("https://"), text.utf8.count <= 2_048,
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else {
      throw Refusal(
        path: path + ".endpoint", "must be an https URL of at most 2048 bytes, without spaces")
    }
    return text
  }

  private static func bytes(
    _ keys: JSONObject, _ name: String, of count: Int, _ path: String
  ) throws(Refusal) -> String {
    let text = keys[name]?.stringValue ?? ""
    let digits = text.utf8.last == UInt8(ascii: "=") ? text.prefix { $0 != "=" } : text[...]
    let isKey = digits.utf8.count == (count * 8 + 5) / 6 && digits.utf8.allSatisfy(isDigit)
    guard isKey else {
      throw Refusal(
        path: "\(path).keys.\(name)", "must be \(count) bytes in base64url, as the browser gave it")
    }
    return String(digits)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
