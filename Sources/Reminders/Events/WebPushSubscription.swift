package import JSON

/// A PushSubscription of the W3C Push API: a URL by which a browser gets messages, and the keys
/// that encrypt the messages.
package struct WebPushSubscription: Hashable, Sendable {
  /// The URL that the browser's push service assigned.
  package let endpoint: String
  /// The browser's public key, in base64url (RFC 8291, section 2).
  package let key: String
  /// The authentication secret that the browser shares, in base64url (RFC 8291, section 2).
  package let secret: String

  /// - Parameters:
  ///   - value: the result of a PushSubscription's `toJSON()`.
  ///   - path: the path of the value in a refusal.
  package init(_ value: JSONValue, at path: String) throws(Refusal) {
    guard let object = value.objectValue, let keys = value["keys"]?.objectValue else {
      throw Refusal(path: path, "must be the result of a PushSubscription's toJSON()")
    }
    try Self.checkMembers(of: object, ["endpoint", "expirationTime", "keys"], path)
    try Self.checkMembers(of: keys, ["p256dh", "auth"], path + ".keys")
    endpoint = try Self.endpoint(object, path)
    key = try Self.bytes(keys, "p256dh", of: 65, beginningWith: Self.uncompressedPoint, path)
    secret = try Self.bytes(keys, "auth", of: 16, path)
  }

  /// The first byte of an uncompressed curve point (SEC 1, 2.3.3).
  private static let uncompressedPoint: UInt8 = 4

  /// The subscription in one line, which is stored instead of a token.
  package var text: String { "\(endpoint) \(key) \(secret)" }

  /// Reads the result of `text`; returns nil for any other text.
  package init?(text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 3, words[0].hasPrefix("https://") else { return nil }
    (endpoint, key, secret) = (words[0], words[1], words[2])
  }

  private static func checkMembers(
    of object: JSONObject, _ known: [String], _ path: String
  ) throws(Refusal) {
    for member in object.members where !known.contains(member.key) {
      throw Refusal(path: "\(path).\(member.key)", "is not known" + hint(member.key, known))
    }
  }

  private static func endpoint(_ object: JSONObject, _ path: String) throws(Refusal) -> String {
    let (text, scheme) = (object["endpoint"]?.stringValue ?? "", "https://")
    guard text.hasPrefix(scheme), text.utf8.count <= 2_048, text.utf8.allSatisfy(isURLByte),
      isAuthority(text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" })
    else {
      throw Refusal(
        path: path + ".endpoint",
        "must be an https URL of at most 2048 bytes, unchanged from the browser, with a host, "
          + "without a user, and with a port, if any, from 1 to 65535")
    }
    return text
  }

  /// Returns whether RFC 3986 allows a byte in a URL before the fragment, which is never sent.
  private static func isURLByte(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
  }

  /// Returns whether a text is a host with an optional port.
  private static func isAuthority(_ text: Substring) -> Bool {
    let isBracketed = text.hasPrefix("[")
    let host = text.prefix { isBracketed ? $0 != "]" : $0 != ":" }
    let afterHost = text.dropFirst(host.count)
    let port = isBracketed ? afterHost.dropFirst() : afterHost
    let isHost = isBracketed ? host.contains(":") && afterHost.hasPrefix("]") : isName(host)
    return isHost && (port.isEmpty || isPort(port))
  }

  private static func isName(_ text: Substring) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isNameByte)
    }
  }

  private static func isPort(_ text: Substring) -> Bool {
    let digits = text.dropFirst()
    return text.hasPrefix(":") && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      && Int(digits).map { (1...65_535).contains($0) } ?? false
  }

  private static func bytes(
    _ keys: JSONObject, _ name: String, of count: Int, beginningWith first: UInt8? = nil,
    _ path: String
  ) throws(Refusal) -> String {
    var digits = keys[name]?.stringValue ?? ""
    while digits.utf8.last == UInt8(ascii: "=") { digits.removeLast() }
    guard digits.utf8.allSatisfy(isNameByte), let bytes = Base64URL.decodedLeniently(digits),
      bytes.count == count, first == nil || bytes.first == first
    else {
      let beginning = first.map { ", the first of them \($0)" } ?? ""
      throw Refusal(
        path: "\(path).keys.\(name)",
        "must be \(count) bytes in base64url\(beginning), unchanged from the browser")
    }
    return digits
  }

  /// Returns whether a byte occurs in base64url or a host name.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
