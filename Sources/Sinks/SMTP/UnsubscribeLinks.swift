/// Links by which a person says that they want no more e-mail of a category (RFC 8058).
struct UnsubscribeLinks: Sendable {
  /// Where the service is reached from the web.
  let base: MailLink
  /// Makes a token for a recipient and a category; nil where that cannot be switched off.
  let token: @Sendable (String, String) -> String?

  func link(recipient: String, category: String) -> MailLink? {
    token(recipient, category).flatMap { MailLink("\(base)/unsubscribe/\($0)") }
  }
}
