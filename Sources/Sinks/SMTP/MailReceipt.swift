import CivilTime
import Cryptography
import Outbox

/// The result of sending a message to the mail server.
struct MailReceipt {
  /// A step of the dialogue with the server.
  enum Stage {
    case connecting
    case authenticating
    case sender
    case recipient
    case content
  }

  /// A reply of the server.
  struct Reply {
    let code: Int
    let text: String

    /// The code, with the enhanced code if there is one (RFC 3463): "550 5.1.1".
    var status: String {
      let firstWord = text.prefix { $0 != " " }
      let numbers = firstWord.split(separator: ".", omittingEmptySubsequences: false)
      let isEnhanced =
        numbers.count == 3
        && numbers.allSatisfy { (1...3).contains($0.utf8.count) && $0.allSatisfy(\.isNumber) }
      return isEnhanced ? "\(code) \(firstWord)" : "\(code)"
    }

    func contains(_ address: MailAddress) -> Bool {
      Redaction([Secret("\(address)")]).applied(to: text) != text
    }
  }

  /// The last step that was begun.
  var stage: Stage
  /// Whether the server has accepted the message.
  var isAccepted: Bool
  /// Whether the deadline passed without an answer.
  var isTimeout: Bool
  /// Whether the server had ended the connection before this message.
  var isOfStaleConnection: Bool
  /// Whether the message needs SMTPUTF8, but the server accepts only ASCII addresses.
  var lacksUTF8: Bool
  /// Whether a user is configured, but the server offers no AUTH with a user and a password.
  var lacksAUTH: Bool
  var duration: TimeSpan
  /// The server's last reply at this stage; nil if there is none.
  var reply: Reply?
  /// The description of the error, in most cases from libcurl.
  var problem: String
}

/// The consequence of a receipt: an answer to the delivery, or an outage of the sink (rule D2).
enum MailVerdict {
  case answer(SinkAnswer)
  /// The fault concerns every message.
  case outage(SinkOutage)
}

extension MailReceipt {
  /// Returns the consequence of this receipt.
  ///
  /// - Parameters:
  ///   - recipient: the recipient's address as sent to the server.
  ///   - secrets: removed from the server's replies.
  func verdict(to recipient: MailAddress, hiding secrets: Redaction) -> MailVerdict {
    if isAccepted { return .answer(answer(.delivered, secrets)) }
    if lacksAUTH {
      return .outage(
        SinkOutage("the mail server offers no AUTH with a user and a password"))
    }
    if lacksUTF8 {
      return rejected("the mail server accepts only ASCII addresses (no SMTPUTF8)", secrets)
    }
    switch stage {
    case .connecting:
      return .outage(SinkOutage("the mail server cannot be used: \(cause(secrets))"))
    case .authenticating:
      let codeNote = reply.map { " (code \($0.code))" } ?? ""
      return .outage(SinkOutage("the mail server refused the user or the password" + codeNote))
    case .sender:
      guard let reply, reply.code == Self.closing || reply.code / 100 == 5,
        reply.code != Self.tooLarge
      else { break }
      return .outage(SinkOutage("the mail server refused the sender: \(cause(secrets))"))
    case .recipient:
      guard let reply, Self.refusalsOfClient.contains(reply.code), !reply.contains(recipient) else {
        break
      }
      return .outage(SinkOutage("the mail server refused this client: \(cause(secrets))"))
    case .content: break
    }
    guard let reply, reply.code / 100 == 5 else {
      return .answer(
        answer(.retry(after: nil, reason: "\(step) failed: \(cause(secrets))"), secrets))
    }
    return rejected("the mail server refused \(step): \(cause(secrets))", secrets)
  }

  /// The code for a message that exceeds the server's size limit.
  private static let tooLarge = 552
  /// The code with which a server closes the connection. On a new connection, it means that the
  /// server accepts no mail.
  private static let closing = 421
  /// The codes of replies to a recipient that concern the client: the EHLO name is refused (504),
  /// or authentication is required (530). A reply that names the recipient's address is an
  /// exception.
  private static let refusalsOfClient: Set = [504, 530]

  private func rejected(_ reason: String, _ secrets: Redaction) -> MailVerdict {
    .answer(answer(.rejected(reason: reason), secrets))
  }

  /// The stage, in words for the reason of a verdict.
  private var step: String {
    switch stage {
    case .connecting, .authenticating: "the connection"
    case .sender: "the sender"
    case .recipient: "the recipient"
    case .content: "the message"
    }
  }

  /// Returns the reason why the message was not accepted, without secrets.
  private func cause(_ secrets: Redaction) -> String {
    if isTimeout { return "no answer in time" }
    // The last reply may be positive although TLS failed afterwards.
    guard let reply, reply.code >= 300 else { return secrets.applied(to: problem) }
    let response = response(reply, secrets)
    return "\(reply.code) \(response.excerpt)"
  }

  private func response(_ reply: Reply, _ secrets: Redaction) -> SinkResponse {
    SinkResponse(
      status: reply.status, body: reply.text.utf8, hiding: secrets, duration: duration)
  }

  private func answer(_ verdict: SinkAnswer.Verdict, _ secrets: Redaction) -> SinkAnswer {
    SinkAnswer(
      verdict,
      response: reply.map { response($0, secrets) }
        ?? (isAccepted
          ? nil
          : SinkResponse(
            status: isTimeout ? "timeout" : "disconnected", body: [], duration: duration)))
  }
}
