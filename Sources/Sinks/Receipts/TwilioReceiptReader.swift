package import Cryptography
package import Outbox
import Reminders

/// Reads Twilio's status callbacks. The parameter `delivery` of the address names the delivery.
package struct TwilioReceiptReader: ReceiptReader {
  private let proof: TwilioProof

  /// - Parameters:
  ///   - secret: the account's auth token.
  ///   - url: the address that Twilio calls, without a query.
  package init(secret: Secret, url: String) {
    proof = TwilioProof(secret: secret, url: url)
  }

  package func content(of request: ServiceRequest) throws(ServiceRequestError) -> ReceiptContent {
    let form = try proof.form(of: request)
    guard let query = FormValues(request.query.utf8) else {
      throw .malformed("the query is not percent-encoded UTF-8")
    }
    guard let delivery = query["delivery"] else {
      throw .malformed("the address lacks the parameter delivery, which is {{id}} of the delivery")
    }
    guard let word = form["MessageStatus"] else {
      throw .malformed("the parameter MessageStatus is missing")
    }
    let code = form["ErrorCode"] ?? ""
    guard let state = Self.state(word, code) else { return ReceiptContent() }
    let reason = code.isEmpty ? "" : "\(word), error \(code)"
    return ReceiptContent(
      reports: [ServiceReport(delivery: delivery, state: state, reason: reason)])
  }

  private static func state(_ word: String, _ code: String) -> DeliveryReport.State? {
    switch word {
    case "delivered", "read": .received
    case "failed", "undelivered": statesByErrorCode[code] ?? .failed
    default: nil
    }
  }

  /// The states for the error codes whose cause is the recipient's number, not this attempt.
  private static let statesByErrorCode: [String: DeliveryReport.State] = [
    "21211": .bounced, "21610": .complained, "21614": .bounced, "30005": .bounced,
    "30006": .bounced,
  ]
}
