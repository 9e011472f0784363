package import Cryptography
import Foundation
import JSON
package import Outbox
import Reminders

/// Reads the events of SendGrid's signed webhook.
package struct SendGridReceiptReader: ReceiptReader {
  private let key: PublicKey

  /// Returns nil if the secret is not the verification key that SendGrid shows: the base64 of a
  /// public key of the curve P-256.
  package init?(secret: Secret) {
    let text = secret.reveal().trimmingCharacters(in: .whitespacesAndNewlines)
    let pem = "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    guard let key = PublicKey(pem: pem), key.kind == .p256 else { return nil }
    self.key = key
  }

  package func content(of request: ServiceRequest) throws(ServiceRequestError) -> ReceiptContent {
    try check(request)
    var content = ReceiptContent()
    for event in try JSONReceiptReader.entries(request.body) {
      guard let state = Self.state(of: event),
        let id = event["smtp-id"]?.stringValue.flatMap(MailReceiptID.delivery)
      else { continue }
      let reason = event["reason"]?.stringValue ?? ""
      content.reports.append(ServiceReport(delivery: id, state: state, reason: reason))
    }
    return content
  }

  /// Checks the signature of the timestamp and the body. A repeated request is harmless, so the
  /// timestamp may have any age.
  private func check(_ request: ServiceRequest) throws(ServiceRequestError) {
    let prefix = "x-twilio-email-event-webhook-"
    let signature = request.fields[prefix + "signature"].flatMap { Data(base64Encoded: $0) }
    let timestamp = request.fields[prefix + "timestamp"] ?? ""
    guard let numbers = signature.flatMap({ ECDSASignature.numbers(ofDER: Array($0)) }),
      key.verifies(numbers, of: Array(timestamp.utf8) + request.body, by: .es256)
    else {
      throw .forged(
        "the signature of the event webhook is missing or not valid by the key of the sink's "
          + "receipts; switch the signed event webhook on")
    }
  }

  private static func state(of event: JSONValue) -> DeliveryReport.State? {
    switch event["event"]?.stringValue {
    case "delivered": .received
    case "bounce": event["type"] == "blocked" ? .failed : .bounced
    case "spamreport": .complained
    case "dropped":
      switch event["reason"]?.stringValue {
      case "Bounced Address", "Invalid": .bounced
      case "Spam Reporting Address", "Unsubscribed Address": .complained
      default: .failed
      }
    default: nil
    }
  }
}
