import Cryptography
import Foundation
import Outbox
import Reminders
import Sinks
import Testing

/// Rule D12: readers of services' reports.
@Suite struct ReceiptReaderTests {
  private static let secret = Secret("topsecret")
  private static let body = #"{"event": {"ids": [7, "k-1"]}, "word": "gone", "why": "no box"}"#

  private static func reader(signature: String? = nil) -> JSONReceiptReader {
    JSONReceiptReader(
      secret: secret, signature: signature,
      paths: JSONReceiptPaths(id: "event.ids.1", state: "word", reason: "why"),
      states: ["gone": .bounced, "ok": .received])
  }

  private func read(
    _ reader: any ReceiptReader, _ fields: [String: String], _ body: String = body,
    query: String = ""
  ) throws -> [String] {
    try reader.content(of: ServiceRequest(fields: fields, query: query, body: Array(body.utf8)))
      .reports.map { "\($0.delivery) \($0.state) \($0.reason)" }
  }

  /// "malformed" or "forged" for a request that is refused; nil for another one.
  private func refusal(_ body: () throws -> [String]) -> String? {
    do {
      _ = try body()
      return nil
    } catch ServiceRequestError.forged {
      return "forged"
    } catch {
      return "malformed"
    }
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  // MARK: - Proofs

  @Test(arguments: ["Bearer topsecret", "bearer topsecret", "Basic \(base64("me:topsecret"))"])
  func `D12: the secret in the header Authorization is a proof`(field: String) throws {
    #expect(try read(Self.reader(), ["authorization": field]) == ["k-1 bounced no box"])
  }

  @Test(
    arguments: [
      "Bearer topsecre", "Bearer topsecret2", "Bearer", "topsecret", "",
      "Basic \(base64("topsecret"))", "Basic \(base64("topsecret:me"))", "Digest topsecret",
    ])
  func `D12: another header Authorization is no proof`(field: String) throws {
    #expect(refusal { try read(Self.reader(), ["authorization": field]) } == "forged")
    #expect(refusal { try read(Self.reader(), [:]) } == "forged")
  }

  @Test func `D12: an HMAC-SHA256 of the body is a proof, in digits or base64`() throws {
    let code = MessageCode.code(of: Array(Self.body.utf8), key: Self.secret)
    let hex = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    for text in [hex, hex.uppercased(), "sha256=" + hex, Data(code).base64EncodedString()] {
      #expect(try read(Self.reader(signature: "x-sign"), ["x-sign": text]).count == 1)
    }
    let reader = Self.reader(signature: "x-sign")
    for text in [String(hex.dropLast()), hex + "0", "", "sha256=", "zz" + hex.dropFirst(2)] {
      #expect(refusal { try read(reader, ["x-sign": text]) } == "forged", "\(text)")
    }
    #expect(refusal { try read(reader, ["x-sign": hex], Self.body + " ") } == "forged")
    #expect(refusal { try read(reader, ["authorization": "Bearer topsecret"]) } == "forged")
  }

  // MARK: - JSON

  private static let bearing = ["authorization": "Bearer topsecret"]

  @Test func `D12: an array has several reports, and other words are left out`() throws {
    let entry = #"{"event": {"ids": [0, "k-2"]}, "word": "queued"}"#
    #expect(
      try read(Self.reader(), Self.bearing, "[\(Self.body), \(entry), \(Self.body)]")
        == ["k-1 bounced no box", "k-1 bounced no box"])
    #expect(try read(Self.reader(), Self.bearing, "[]") == [])
  }

  @Test(arguments: ["", "{", #"{"word": "gone"}"#, "7", #"{"event": {"ids": ["k-1"]}}"#])
  func `D12: a body without the id is malformed`(body: String) throws {
    #expect(refusal { try read(Self.reader(), Self.bearing, body) } == "malformed")
  }

  @Test func `D12: a request has at most 1000 reports`() throws {
    func many(_ count: Int) -> String {
      "[" + Array(repeating: Self.body, count: count).joined(separator: ",") + "]"
    }
    #expect(try read(Self.reader(), Self.bearing, many(1_000)).count == 1_000)
    #expect(refusal { try read(Self.reader(), Self.bearing, many(1_001)) } == "malformed")
  }

  // MARK: - Twilio

  private static let url = "https://chimed.example/v1/receipts/sms"
  private static let twilio = TwilioReceiptReader(secret: secret, url: url)

  private static func signature(_ text: String) -> String {
    Data(MessageCode.sha1Code(of: Array(text.utf8), key: secret)).base64EncodedString()
  }

  @Test(
    arguments: [
      ("delivered", "", "k-1 received "), ("read", "", "k-1 received "),
      ("undelivered", "30003", "k-1 failed undelivered, error 30003"),
      ("failed", "30005", "k-1 bounced failed, error 30005"),
      ("undelivered", "21610", "k-1 complained undelivered, error 21610"),
    ])
  func `D12: Twilio signs address and parameters`(
    word: String, code: String, expected: String
  ) throws {
    let error = code.isEmpty ? "" : "ErrorCode=\(code)&"
    let form = "To=%2B4930&\(error)MessageStatus=\(word)&Body=a+b"
    let sorted = "Bodya b" + (code.isEmpty ? "" : "ErrorCode\(code)") + "MessageStatus\(word)"
    let field = Self.signature(Self.url + "?delivery=k-1" + sorted + "To+4930")
    let fields = ["x-twilio-signature": field]
    #expect(try read(Self.twilio, fields, form, query: "delivery=k-1") == [expected])
    #expect(refusal { try read(Self.twilio, fields, form, query: "delivery=k-2") } == "forged")
    let changed = form.replacing("Body=a", with: "Body=b")
    #expect(refusal { try read(Self.twilio, fields, changed, query: "delivery=k-1") } == "forged")
    #expect(refusal { try read(Self.twilio, [:], form, query: "delivery=k-1") } == "forged")
  }

  @Test func `D12: Twilio's intermediate words are left out`() throws {
    for word in ["queued", "sending", "sent"] {
      let signed = Self.signature(Self.url + "?delivery=k-1MessageStatus\(word)")
      #expect(
        try read(
          Self.twilio, ["x-twilio-signature": signed], "MessageStatus=\(word)",
          query: "delivery=k-1") == [])
    }
  }

  @Test func `D12: a callback without the delivery is malformed`() throws {
    let signed = Self.signature(Self.url + "MessageStatusread")
    let fields = ["x-twilio-signature": signed]
    #expect(refusal { try read(Self.twilio, fields, "MessageStatus=read") } == "malformed")
    #expect(refusal { try read(Self.twilio, fields, "MessageStatus=%ff") } == "malformed")
  }

  // MARK: - Amazon SES

  private static func envelope(_ message: String) -> String {
    let text = message.replacing("\"", with: "\\\"")
    return #"{"Type": "Notification", "Message": "\#(text)"}"#
  }

  private static let mail =
    #""mail": {"headers": [{"name": "To"}, {"name": "Message-Id", "value": "<k-1@a.b>"}]}"#

  @Test(
    arguments: [
      (#""notificationType": "Delivery""#, "k-1 received "),
      (
        #""eventType": "Bounce", "bounce": {"bounceType": "Permanent", "bounceSubType": "All"}"#,
        "k-1 bounced All"
      ),
      (
        #""notificationType": "Bounce", "bounce": {"bounceType": "Transient"}"#, "k-1 failed "
      ),
      (
        #""notificationType": "Complaint", "complaint": {"complaintFeedbackType": "abuse"}"#,
        "k-1 complained abuse"
      ),
    ])
  func `D12: notifications of Amazon SES are read`(part: String, expected: String) throws {
    let reader = SESReceiptReader(secret: Self.secret)
    let body = Self.envelope("{\(part), \(Self.mail)}")
    let fields = ["authorization": "Basic \(Self.base64("chimed:topsecret"))"]
    #expect(try read(reader, fields, body) == [expected])
    #expect(refusal { try read(reader, [:], body) } == "forged")
    #expect(refusal { try read(reader, fields, Self.envelope("{\(part)}")) } == "malformed")
    #expect(try read(reader, fields, Self.envelope(#"{"eventType": "Open"}"#)) == [])
    for body in ["{}", Self.envelope("{"), "["] {
      #expect(refusal { try read(reader, fields, body) } == "malformed")
    }
  }

  @Test func `D12: a subscription of Amazon SNS is to be confirmed`() throws {
    let body = #"{"Type": "SubscriptionConfirmation", "SubscribeURL": "https://sns.example/x"}"#
    let content = try SESReceiptReader(secret: Self.secret).content(
      of: ServiceRequest(fields: Self.bearing, body: Array(body.utf8)))
    #expect(content == ReceiptContent(confirmation: "https://sns.example/x"))
  }

  // MARK: - SendGrid

  @Test func `D12: SendGrid signs timestamp and body`() throws {
    let key = try #require(PrivateKey.random())
    let header = "3059301306072a8648ce3d020106082a8648ce3d030107034200"
    let der = Self.bytes(header) + key.point
    let reader = try #require(
      SendGridReceiptReader(secret: Secret(Data(der).base64EncodedString())))
    let body = """
      [{"event": "delivered", "smtp-id": "<k-1@a.b>"}, {"event": "open", "smtp-id": "<k-1@a.b>"},
      {"event": "bounce", "type": "bounce", "reason": "no box", "smtp-id": "<k-2@a.b>"},
      {"event": "bounce", "type": "blocked", "smtp-id": "<k-3@a.b>"}, {"event": "delivered"},
      {"event": "dropped", "reason": "Bounced Address", "smtp-id": "<k-4@a.b>"},
      {"event": "spamreport", "smtp-id": "<k-5@a.b>"}]
      """
    let signed = try #require(key.signature(of: Array("17\(body)".utf8), by: .es256))
    var fields = [
      "x-twilio-email-event-webhook-timestamp": "17",
      "x-twilio-email-event-webhook-signature": Data(Self.der(signed)).base64EncodedString(),
    ]
    #expect(
      try read(reader, fields, body) == [
        "k-1 received ", "k-2 bounced no box", "k-3 failed ", "k-4 bounced Bounced Address",
        "k-5 complained ",
      ])
    #expect(refusal { try read(reader, fields, body + " ") } == "forged")
    fields["x-twilio-email-event-webhook-timestamp"] = "18"
    #expect(refusal { try read(reader, fields, body) } == "forged")
    for text in ["", "MAA=", "MAYCAQECAQE=", "!"] {
      fields["x-twilio-email-event-webhook-signature"] = text
      #expect(refusal { try read(reader, fields, body) } == "forged")
    }
    #expect(SendGridReceiptReader(secret: Secret("key")) == nil)
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// The DER form of a signature of two numbers.
  private static func der(_ numbers: [UInt8]) -> [UInt8] {
    let parts = [numbers.prefix(32), numbers.suffix(32)].flatMap { number -> [UInt8] in
      var digits = Array(number.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    return [0x30, UInt8(parts.count)] + parts
  }
}
