import Cryptography
import Foundation
import Outbox
import Sinks
import Testing

/// Rule D14: readers of the replies that services forward.
@Suite struct ReplyReaderTests {
  private static let secret = Secret("topsecret")

  private func read(
    _ reader: any ReplyReader, _ body: String, _ fields: [String: String]
  ) throws -> ServiceReply {
    try reader.reply(in: ServiceRequest(fields: fields, body: Array(body.utf8)))
  }

  private static let json = JSONReplyReader(
    secret: secret, signature: nil,
    paths: JSONReplyPaths(sender: "sms.from", text: "sms.text", id: "id"))

  @Test func `D14: JSON has sender, text and id at the configured paths`() throws {
    let body = #"{"id": 7, "sms": {"from": "+3221234567", "text": "ok"}}"#
    let bearerFields = ["authorization": "Bearer topsecret"]
    #expect(
      try read(Self.json, body, bearerFields)
        == ServiceReply(sender: "+3221234567", text: "ok", id: "7"))
    #expect(throws: ServiceRequestError.self) { try read(Self.json, body, [:]) }
    for body in [#"{"id": 7}"#, "[]", "", #"{"id": 7, "sms": {"from": [], "text": "ok"}}"#] {
      #expect(throws: ServiceRequestError.self) { try read(Self.json, body, bearerFields) }
    }
    #expect(Self.json.answer(nil).body == "{}")
    #expect(Self.json.answer("a \"b\"").body == #"{"answer":"a \"b\""}"#)
  }

  private static let url = "https://notify.example.org/v1/replies/texts"
  private static let twilio = TwilioReplyReader(secret: secret, url: url)
  private static let form = "From=%2B3221234567&Body=Taken+%26+done&MessageSid=SM1&To=%2B1"

  /// The HMAC-SHA1 of the address and the sorted parameters, as Twilio documents it.
  private static func signature(_ signedText: String) -> String {
    let code = MessageCode.sha1Code(of: Array(signedText.utf8), key: secret)
    return Data(code).base64EncodedString()
  }

  @Test func `D14: Twilio's form is read if its signature is valid`() throws {
    let validSignature = Self.signature(
      Self.url + "BodyTaken & doneFrom+3221234567MessageSidSM1To+1")
    #expect(
      try read(Self.twilio, Self.form, ["x-twilio-signature": validSignature])
        == ServiceReply(sender: "+3221234567", text: "Taken & done", id: "SM1"))
    for (body, signature) in [
      (Self.form, Self.signature(Self.url)), (Self.form, ""), (Self.form + "&A=b", validSignature),
    ] {
      #expect(throws: ServiceRequestError.self) {
        try read(Self.twilio, body, ["x-twilio-signature": signature])
      }
    }
  }

  @Test func `D14: the number of a WhatsApp message follows the prefix whatsapp`() throws {
    let signature = Self.signature(Self.url + "BodyokFromwhatsapp:+32MessageSidSM2")
    let reply = try read(
      Self.twilio, "From=whatsapp%3A%2B32&Body=ok&MessageSid=SM2",
      ["x-twilio-signature": signature])
    #expect(reply.sender == "+32")
  }

  @Test func `D14: Twilio is answered in TwiML`() {
    #expect(
      Self.twilio.answer(nil).body
        == #"<?xml version="1.0" encoding="UTF-8"?><Response></Response>"#)
    #expect(
      Self.twilio.answer("a < b & c").body.contains("<Message>a &lt; b &amp; c</Message>"))
  }
}
