package import Cryptography
package import Outbox

/// Reads the replies that Twilio forwards, and answers in TwiML.
package struct TwilioReplyReader: ReplyReader {
  private let proof: TwilioProof

  /// - Parameters:
  ///   - secret: the account's auth token.
  ///   - url: the address that Twilio calls, without a query.
  package init(secret: Secret, url: String) {
    proof = TwilioProof(secret: secret, url: url)
  }

  package func reply(in request: ServiceRequest) throws(ServiceRequestError) -> ServiceReply {
    let form = try proof.form(of: request)
    guard let sender = form["From"], let text = form["Body"], let id = form["MessageSid"] else {
      throw .malformed("one of the parameters From, Body and MessageSid is missing")
    }
    // A message through WhatsApp has the number after "whatsapp:".
    return ServiceReply(
      sender: sender.split(separator: ":").last.map(String.init) ?? "", text: text, id: id)
  }

  package func answer(_ text: String?) -> ReplyAnswer {
    let message = text.map { "<Message>\(Self.escaped($0))</Message>" } ?? ""
    return ReplyAnswer(
      contentType: "text/xml",
      body: #"<?xml version="1.0" encoding="UTF-8"?><Response>\#(message)</Response>"#)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
