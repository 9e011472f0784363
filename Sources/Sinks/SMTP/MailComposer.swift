import Reminders

/// Creates the mail of a delivery.
struct MailComposer: Sendable {
  let from: Mailbox
  let replyTo: Mailbox?
  let templates: MailTemplates
  /// Creates unsubscribe links; nil if mails have none.
  let unsubscribe: UnsubscribeLinks?

  enum Result {
    case mail(Mail)
    /// The delivery has no usable address.
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
      name: delivery.addressee?.displayName, unsubscribe: link,
      actions: delivery.shownMessage.buttons)
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
