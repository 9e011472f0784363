import Outbox
import Reminders

/// A batch on its way to a mail server: what is next, and what came of each.
struct MailRound {
  private var answers: [SinkAnswer?]
  /// Those that are under way nowhere and have no answer, the next one last.
  private var waiting: [Int]
  private var outage: SinkOutage?
  private var wasServerReached = false
  private let progress: BatchProgress

  init(count: Int, _ progress: BatchProgress) {
    self.progress = progress
    answers = Array(repeating: nil, count: count)
    waiting = (0..<count).reversed()
  }

  /// Whether there is nothing to begin.
  var isBegun: Bool { waiting.isEmpty }

  /// The next one to begin.
  mutating func next() -> Int? { waiting.popLast() }

  /// One that was begun is done with.
  mutating func settle(_ index: Int, _ answer: SinkAnswer) {
    answers[index] = answer
    progress.answer(index, answer)
  }

  /// What the server said to one that was begun.
  ///
  /// - Returns: whether its connection is good for more. One that is not leaves the mail to the
  ///   others: a server may let in fewer than we would make.
  mutating func finish(_ index: Int, _ verdict: MailVerdict) -> Bool {
    switch verdict {
    case .answer(let answer):
      wasServerReached = true
      settle(index, answer)
      return true
    case .outage(let outage):
      self.outage = outage
      // It comes last: should the outage be its own, the others are sent first.
      waiting.insert(index, at: 0)
      return false
    }
  }

  /// An outage after some were handed over is theirs alone who were not.
  func result() throws(SinkOutage) -> [SinkAnswer] {
    if let outage, !wasServerReached, !waiting.isEmpty { throw outage }
    let reason = outage?.description ?? "the mail server was not asked"
    return answers.map { $0 ?? .retry(after: nil, reason: reason) }
  }
}

/// Makes a mail of a delivery.
struct MailComposer: Sendable {
  let from: Mailbox
  let replyTo: Mailbox?
  let templates: MailTemplates
  /// Where a person can say that they want no more of a kind; nil where they cannot by a link.
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
      return .rejected(reason: "what is known as the e-mail address is none")
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

/// Links by which a person says that they want no more e-mail of a category (RFC 8058).
struct UnsubscribeLinks: Sendable {
  /// Where the service is reached from the web.
  let base: MailLink
  /// Makes a token for a recipient and a category; nil where that cannot be switched off.
  let token: @Sendable (String, String) -> String?

  func link(recipient: String, category: String) -> MailLink? {
    token(recipient, category).flatMap { MailLink("\(base)/unsubscribe/\($0)") }
  }
}
