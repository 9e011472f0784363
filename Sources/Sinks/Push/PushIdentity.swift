internal import Crypto
package import Reminders

/// By what push services know one notification, the same at every attempt (rule D1).
package enum PushIdentity {
  /// At most 64 bytes, which is as much as Apple takes.
  package static func collapse(_ delivery: Delivery) -> String {
    let identifier = delivery.identifier
    return identifier.utf8.count <= 64 ? identifier : hexadecimal(digest(identifier))
  }

  /// At most 32 characters of base64url, as push services of browsers take it (RFC 8030,
  /// section 5.4).
  package static func topic(_ delivery: Delivery) -> String {
    hexadecimal(digest(delivery.identifier).prefix(16))
  }

  /// A UUID for a notification on one device (version 8, RFC 9562, section 5.8), in lower case.
  package static func universal(_ delivery: Delivery, _ device: Device) -> String {
    var bytes = Array(digest("\(delivery.identifier)\n\(device.identifier)").prefix(16))
    bytes[6] = 0x80 | bytes[6] & 0x0f
    bytes[8] = 0x80 | bytes[8] & 0x3f
    let parts = [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]]
    return parts.map(hexadecimal).joined(separator: "-")
  }

  private static func digest(_ text: String) -> [UInt8] {
    Array(SHA256.hash(data: Array(text.utf8)))
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
