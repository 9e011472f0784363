internal import Cryptography
internal import JSON
package import Reminders

/// Fits a text into a size limit.
package enum PushText {
  /// Returns a document with as much of a text as fits, and an ellipsis if the text is cut.
  ///
  /// The text is cut between user-perceived characters. O(n log n).
  ///
  /// - Parameters:
  ///   - limit: the maximum size of the document in bytes.
  ///   - write: returns the document with a text; a longer text must not give a shorter document.
  /// - Returns: nil if the document is too long even without the text.
  package static func fit(
    _ text: String, into limit: Int, _ write: (String) -> [UInt8]
  ) -> [UInt8]? {
    let whole = write(text)
    guard whole.count > limit else { return whole }
    var best: [UInt8]?
    // A character has at least one byte, so at most `limit` characters fit.
    let characters = Array(text.utf8.count > limit ? text.prefix(limit) : text[...])
    var range = 0..<characters.count
    while true {
      let middle = range.lowerBound + range.count / 2
      let document = write(middle == 0 ? "" : String(characters[..<middle]) + "…")
      if document.count <= limit {
        best = document
        range = middle + 1..<max(middle + 1, range.upperBound)
      } else {
        range = range.lowerBound..<middle
      }
      if range.isEmpty { return best }
    }
  }
}

extension OfferedAction {
  /// The action as a member of `actions` of a browser's notification.
  var button: JSONValue { ["action": .string(name), "title": .string(title)] }
}

extension Delivery {
  /// Whether the notification need not attract attention.
  var isUnobtrusive: Bool { isSilent || urgency == .low }

  /// Whether the notification may make a sound.
  var isNoisy: Bool { !isSilent && !hints.contains(.noSound) }
}

/// The identifiers of a notification at push services, equal for every attempt (rule D1).
package enum PushIdentity {
  /// The identifier by which a device replaces an earlier notification: at most 64 bytes, which is
  /// Apple's limit.
  package static func collapse(_ delivery: Delivery) -> String {
    let identifier = delivery.identifier
    return identifier.utf8.count <= 64 ? identifier : hexadecimal(digest(identifier))
  }

  /// The topic for web push: at most 32 characters of base64url (RFC 8030, section 5.4).
  package static func topic(_ delivery: Delivery) -> String {
    hexadecimal(digest(delivery.identifier).prefix(16))
  }

  /// A UUID of a notification, or of its withdrawal, on one device (version 8, RFC 9562, section
  /// 5.8), in lower case.
  package static func universal(_ delivery: Delivery, _ device: Device) -> String {
    var bytes = Array(
      digest(
        "\(delivery.identifier)\n\(device.identifier)"
          + (delivery.isWithdrawal ? "\nwithdrawn" : "")
      ).prefix(16))
    bytes[6] = 0x80 | bytes[6] & 0x0f
    bytes[8] = 0x80 | bytes[8] & 0x3f
    let parts = [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]]
    return parts.map(hexadecimal).joined(separator: "-")
  }

  private static func digest(_ text: String) -> [UInt8] {
    SHA256.digest(Array(text.utf8))
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
