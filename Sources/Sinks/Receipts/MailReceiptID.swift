/// The Message-ID that the sink gives a mail: `<ID@DOMAIN>`, with the id of the delivery.
enum MailReceiptID {
  /// Returns the id of the delivery; nil if the text is no such identifier.
  static func delivery(_ text: String) -> String? {
    let parts = text.trimmingPrefix("<").split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    return String(parts[0])
  }
}
