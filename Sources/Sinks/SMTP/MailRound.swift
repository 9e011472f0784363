import Outbox
import Reminders

/// A batch that is being sent to a mail server: the next mails and the answers so far.
struct MailRound {
  private var answers: [SinkAnswer?]
  /// The indices of mails that are neither in flight nor answered, the next one last.
  private var waiting: [Int]
  private var outage: SinkOutage?
  private var wasServerReached = false
  private let progress: BatchProgress

  init(count: Int, _ progress: BatchProgress) {
    self.progress = progress
    answers = Array(repeating: nil, count: count)
    waiting = (0..<count).reversed()
  }

  /// Whether all mails have been started.
  var isBegun: Bool { waiting.isEmpty }

  /// Returns the next mail to start.
  mutating func next() -> Int? { waiting.popLast() }

  /// Records the answer to a mail.
  mutating func settle(_ index: Int, _ answer: SinkAnswer) {
    answers[index] = answer
    progress.answer(index, answer)
  }

  /// Records the server's verdict on a started mail.
  ///
  /// - Returns: whether its connection can be used again. If not, other connections send the mail,
  ///   because a server may accept fewer connections than are configured.
  mutating func finish(_ index: Int, _ verdict: MailVerdict) -> Bool {
    switch verdict {
    case .answer(let answer):
      wasServerReached = true
      settle(index, answer)
      return true
    case .outage(let outage):
      self.outage = outage
      // Put it last, in case it causes the outage itself.
      waiting.insert(index, at: 0)
      return false
    }
  }

  /// Returns the answers. An outage after the server was reached is a retry of the unsent mails.
  ///
  /// - Throws: an outage if the server was never reached.
  func result() throws(SinkOutage) -> [SinkAnswer] {
    if let outage, !wasServerReached, !waiting.isEmpty { throw outage }
    let reason = outage?.description ?? "the mail was not attempted"
    return answers.map { $0 ?? .retry(after: nil, reason: reason) }
  }
}

/// Creates the mail of a delivery.
struct MailComposer: Sendable {
  let from: Mailbox
  let replyTo: Mailbox?
  let templates: MailTemplates
  /// Creates unsubscribe links; nil without them.
  let unsubscribe: UnsubscribeLinks?

  enum Result {
    case mail(Mail)
    case rejected(reason: String)
  }

  func compose(_ delivery: Delivery) -> Result {
    guard let text = delivery.addressee?.email else {
      return .rejected(reason: "no e-mail address is known")
    }
    guard let address = MailAddress(text) else {
      return .rejected(reason: "the known e-mail address is invalid")
    }
    let recipient = Mailbox(name: delivery.addressee?.displayName, address: address)
    let link = unsubscribe?.link(recipient: delivery.recipient, category: delivery.category)
    let message = message(for: delivery, to: recipient, link)
    return .mail(Mail(sender: from.address, recipient: address, bytes: message.bytes))
  }

  private func message(
    for delivery: Delivery, to recipient: Mailbox, _ link: MailLink?
  ) -> MailMessage {
    let values = MailValues(
      title: delivery.title, body: delivery.body, category: delivery.category,
      name: delivery.addressee?.displayName, unsubscribe: link)
    let language = delivery.addressee?.locale.flatMap { LanguageTag($0) }
    let render = { (kind: MailTemplates.Kind) in
      templates.render(kind, category: delivery.category, language: language, values)
    }
    return MailMessage(
      identifier: delivery.identifier, fields: fields(of: delivery, to: recipient, link),
      text: render(.text), html: render(.html))
  }

  private func fields(
    of delivery: Delivery, to recipient: Mailbox, _ link: MailLink?
  ) -> [MailMessage.Field] {
    var fields: [MailMessage.Field] = [
      .mailbox("From", from), .mailbox("To", recipient),
      .text("Subject", HeaderText(delivery.title)),
      .identifier(delivery.identifier, at: from.address),
      .constant("Auto-Submitted", "auto-generated"),
    ]
    if let date = MailMessage.Field.date(delivery.at) { fields.append(date) }
    if let replyTo { fields.append(.mailbox("Reply-To", replyTo)) }
    if let link {
      fields.append(.link("List-Unsubscribe", link))
      fields.append(.constant("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    }
    return fields
  }
}

/// Creates links that unsubscribe a recipient from a category's e-mail (RFC 8058).
struct UnsubscribeLinks: Sendable {
  /// The service's public address.
  let base: MailLink
  /// Creates a token for a recipient and a category; nil if the category cannot be switched off.
  let token: @Sendable (String, String) -> String?

  func link(recipient: String, category: String) -> MailLink? {
    token(recipient, category).flatMap { MailLink("\(base)/unsubscribe/\($0)") }
  }
}
