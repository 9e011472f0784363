package import Outbox
import Reminders
package import Systemd

/// `replies` of a sink: how its service forwards what people reply (rule D14).
package struct ReplyConfiguration: Hashable, Sendable {
  enum Service: String, CaseIterable {
    /// Any service that sends JSON.
    case json
    case twilio
  }

  static let keys = MappingKeys([
    .required(
      "from", .word(Service.allCases.map(\.rawValue)), "The service; json for any other one."),
    .required("secret", .secret, "The secret or key that proves the service's requests."),
    .optional("url", .text, "The address that Twilio calls, without a query."),
    .optional(
      "signature", .text,
      "The header with the HMAC-SHA256 of the body; without it the secret is a bearer token."),
    .optional("sender", .text, "The path of the person's number in the JSON; default: from."),
    .optional("text", .text, "The path of the text; default: text."),
    .optional("id", .text, "The path of the reply's id; default: id."),
    .optional("help", .text, "The message that answers the word HELP."),
  ])

  let service: Service
  /// The name of the credential with the secret.
  let secret: String
  /// The address that Twilio calls, which its signatures include; other services ignore it.
  let url: String
  /// The lower-case name of the header with the HMAC of the body; nil if the secret is a bearer
  /// token.
  let signature: String?
  let paths: JSONReplyPaths
  /// The message that answers a request for help; nil for none.
  package let help: String?

  /// Reads the configuration; nil if there is a fault, which the settings report.
  init?(reading settings: inout SinkSettings) {
    let word = settings.text("from") ?? ""
    let secret = settings.credential("secret")
    guard let service = Service(rawValue: word) else {
      let serviceNames = Service.allCases.map(\.rawValue)
      let hint = settings.hint(word, serviceNames)
      settings.refuse(
        "from", "is \"\(word)\"\(hint); known are \(serviceNames.joined(separator: ", "))")
      return nil
    }
    url = settings.text("url") ?? ""
    signature = settings.text("signature")?.lowercased()
    paths = JSONReplyPaths(
      sender: settings.text("sender") ?? "from", text: settings.text("text") ?? "text",
      id: settings.text("id") ?? "id")
    help = settings.text("help")
    guard let secret else { return nil }
    (self.service, self.secret) = (service, secret)
    guard service != .twilio || url.hasPrefix("https://") && !url.contains("?") else {
      settings.refuse("url", "must be the https address that Twilio calls, without a query")
      return nil
    }
  }

  /// Creates the reader of the service's requests.
  ///
  /// - Throws: the error of a secret that cannot be read.
  package func reader(credentials: Credentials) throws -> any ReplyReader {
    let value = try credentials.read(secret)
    switch service {
    case .json: return JSONReplyReader(secret: value, signature: signature, paths: paths)
    case .twilio: return TwilioReplyReader(secret: value, url: url)
    }
  }
}
