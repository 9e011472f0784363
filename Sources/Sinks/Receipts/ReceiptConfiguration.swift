import Outbox
import Reminders
import Systemd

/// `receipts` of a sink: how its service reports the further states of deliveries (rule D12).
package struct ReceiptConfiguration: Hashable, Sendable {
  enum Service: String, CaseIterable {
    /// Any service that sends JSON.
    case json
    case sendgrid, ses, twilio
  }

  static let keys = MappingKeys([
    .required(
      "from", .word(Service.allCases.map(\.rawValue)), "The service; json for any other one."),
    .required("secret", .secret, "The secret or key that proves the service's requests."),
    .optional("url", .text, "The address that Twilio calls, without a query."),
    .optional(
      "signature", .text,
      "The header with the HMAC-SHA256 of the body; without it the secret is a bearer token."),
    .optional("id", .text, "The path of the delivery's id in the JSON; default: id."),
    .optional("state", .text, "The path of the state; default: state."),
    .optional("reason", .text, "The path of the reason; default: reason."),
    .optional("states", .mapping(stateKeys), "The service's words for each state."),
  ])

  private static let stateKeys = MappingKeys(
    DeliveryReport.State.allCases.map {
      .optional($0.rawValue, .oneOrMany(.text), "The words that mean \($0.rawValue).")
    })

  let service: Service
  /// The name of the credential with the secret.
  let secret: String
  /// The address that Twilio calls; empty for other services.
  let url: String
  /// The lower-case name of the header with the HMAC of the body; nil if the secret is a bearer
  /// token.
  let signature: String?
  let paths: JSONReceiptPaths
  /// The states by the service's words.
  let states: [String: DeliveryReport.State]

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
    paths = JSONReceiptPaths(
      id: settings.text("id") ?? "id", state: settings.text("state") ?? "state",
      reason: settings.text("reason") ?? "reason")
    states = Self.readStates(&settings)
    guard let secret else { return nil }
    (self.service, self.secret) = (service, secret)
    guard service != .twilio || url.hasPrefix("https://") && !url.contains("?") else {
      settings.refuse("url", "must be the https address that Twilio calls, without a query")
      return nil
    }
  }

  private static func readStates(
    _ settings: inout SinkSettings
  ) -> [String: DeliveryReport.State] {
    guard settings.has("states") else {
      let states = DeliveryReport.State.allCases
      return Dictionary(uniqueKeysWithValues: states.map { ($0.rawValue, $0) })
    }
    return settings.part("states", stateKeys) { wordSettings in
      var statesByWord: [String: DeliveryReport.State] = [:]
      for state in DeliveryReport.State.allCases {
        for word in wordSettings.texts(state.rawValue) { statesByWord[word] = state }
      }
      return statesByWord
    } ?? [:]
  }

  /// Creates the reader of the service's requests.
  ///
  /// - Throws: the error of a secret that cannot be read.
  func reader(credentials: Credentials) throws -> any ReceiptReader {
    let value = try credentials.read(secret)
    switch service {
    case .json:
      return JSONReceiptReader(
        secret: value, signature: signature, paths: paths, states: states)
    case .sendgrid:
      guard let reader = SendGridReceiptReader(secret: value) else { throw KeyError(name: secret) }
      return reader
    case .ses: return SESReceiptReader(secret: value)
    case .twilio: return TwilioReceiptReader(secret: value, url: url)
    }
  }

  /// A credential that does not contain SendGrid's verification key.
  struct KeyError: Error, CustomStringConvertible {
    let name: String

    var description: String {
      "the credential \"\(name)\" holds no verification key; copy the key that SendGrid shows for "
        + "the signed event webhook"
    }
  }
}
