package import Cryptography
import JSON
package import Outbox
import Reminders

/// Reads the notifications and events of Amazon SES, which come through a topic of Amazon SNS.
///
/// The signatures of SNS are not checked. Instead, the URL of the subscription contains the secret,
/// as the password of basic authentication.
package struct SESReceiptReader: ReceiptReader {
  private let proof: ServiceProof

  package init(secret: Secret) {
    proof = .bearer(secret)
  }

  package func content(of request: ServiceRequest) throws(ServiceRequestError) -> ReceiptContent {
    try proof.check(request)
    let envelope = try JSONReceiptReader.document(request.body)
    switch envelope["Type"]?.stringValue {
    case "Notification": break
    case "SubscriptionConfirmation":
      return ReceiptContent(confirmation: envelope["SubscribeURL"]?.stringValue)
    default: throw .malformed("the body is not a notification of Amazon SNS")
    }
    let text = envelope["Message"]?.stringValue ?? ""
    let message = try JSONReceiptReader.document(Array(text.utf8))
    guard let state = Self.state(of: message) else { return ReceiptContent() }
    guard let id = Self.messageID(message).flatMap(MailReceiptID.delivery) else {
      throw .malformed("the headers of the mail lack Message-ID; include the original headers")
    }
    return ReceiptContent(
      reports: [ServiceReport(delivery: id, state: state, reason: Self.reason(of: message))])
  }

  private static func state(of message: JSONValue) -> DeliveryReport.State? {
    switch (message["notificationType"] ?? message["eventType"])?.stringValue {
    case "Delivery": .received
    case "Bounce": message["bounce"]?["bounceType"] == "Permanent" ? .bounced : .failed
    case "Complaint": .complained
    case "Reject": .failed
    default: nil
    }
  }

  private static func messageID(_ message: JSONValue) -> String? {
    let headers = message["mail"]?["headers"]?.arrayValue ?? []
    let header = headers.first { $0["name"]?.stringValue?.lowercased() == "message-id" }
    return header?["value"]?.stringValue
  }

  private static func reason(of message: JSONValue) -> String {
    let bounce = message["bounce"]
    return bounce?["bouncedRecipients"]?[0]?["diagnosticCode"]?.stringValue
      ?? bounce?["bounceSubType"]?.stringValue
      ?? message["complaint"]?["complaintFeedbackType"]?.stringValue ?? ""
  }
}
